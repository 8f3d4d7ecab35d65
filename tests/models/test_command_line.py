"""Models behind agents' commands: what they are given, what they leave, and what their endings mean."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

import pytest

from sleepd.core.errors import BadSettings
from sleepd.core.model import Cause
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.host import clock
from sleepd.models import claude_code, codex, copilot
from sleepd.models.command_line import CommandModel
from sleepd.models.settings import ClientSettings, ModelSettings

ASK = Ask(purpose=CallPurpose.ROLLOUT, system="Be exact.", prompt="Say it.", max_tokens=321)
MAKERS: dict[str, Callable[[ModelSettings], CommandModel]] = {
    "claude": claude_code.from_settings,
    "codex": codex.from_settings,
    "copilot": copilot.from_settings,
}
KEYS = {"claude": "sk-ant-oat01-made-up", "codex": "sk-made-up", "copilot": "ghu_made_up"}
FINE = {
    "claude": '{"is_error":false,"result":"Fine.","stop_reason":"end_turn",'
    '"usage":{"input_tokens":5,"cache_read_input_tokens":7,"output_tokens":2}}',
    "codex": '{"type":"item.completed","item":{"type":"agent_message","text":"Fine."}}\n'
    '{"type":"turn.completed","usage":{"input_tokens":12,"output_tokens":2}}',
    "copilot": '{"type":"assistant.message","data":{"content":"Fine."}}',
}


class Machine:
    """A home with one command, which notes what it was given and prints what it is told."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self.home, self.bin, self.noted = folder / "home", folder / "bin", folder / "noted"
        for made in (self.home, self.bin, self.noted):
            made.mkdir()

    def prints(self, text: str, *, first: str = "", status: int = 0) -> None:
        """Let the command print this; `first` is a line of shell before."""
        (self.folder / "out").write_text(text)
        script = self.bin / self.name
        script.write_text(
            f"#!/bin/sh\ncat > {self.noted}/stdin\nenv > {self.noted}/env\npwd > {self.noted}/pwd\n"
            f'printf "%s\\n" "$@" > {self.noted}/options\n'
            f'find "$(dirname "$TMPDIR")" -type f -path "*config*" -exec cat {{}} + > {self.noted}/config\n'
            f'cat "$TMPDIR"/system.md > {self.noted}/system 2>/dev/null\n'
            f"echo x >> {self.noted}/starts\n{first}\ncat {self.folder}/out\nexit {status}\n"
        )
        script.chmod(0o755)

    def note(self, name: str) -> str:
        return (self.noted / name).read_text()

    @property
    def starts(self) -> int:
        file = self.noted / "starts"
        return len(file.read_text().split()) if file.exists() else 0

    def model(self, **settings: Any) -> CommandModel:
        env = {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.home), "PRIVATE": "of-the-user"}
        given = {"api_key": KEYS[self.name], "price_in_per_mtok": 0.0, "price_out_per_mtok": 0.0, "max_retries": 0}
        client = ClientSettings(env=env, folder=str(self.folder / "clients"))
        return MAKERS[self.name](
            ModelSettings(name=self.name, model="small", client=client, **{**given, "timeout_s": 20.0, **settings})
        )

    def left(self) -> list[str]:
        """The files that a call left, locks aside."""
        return [p.name for p in (self.folder / "clients").rglob("*") if p.is_file() and p.suffix != ".lock"]


@pytest.fixture(params=list(MAKERS))
def machine(request: pytest.FixtureRequest, tmp_path: Path) -> Machine:
    made = Machine(tmp_path, request.param)
    made.prints(FINE[request.param])
    return made


@pytest.fixture
def claude(tmp_path: Path) -> Machine:
    return Machine(tmp_path, "claude")


def failure(outcome: Reply | Failure) -> Failure:
    assert isinstance(outcome, Failure)
    return outcome


# What a command is given and leaves ----------------------------------------------------------------------------------


def test_the_answer_comes_with_its_tokens(machine: Machine) -> None:
    """Cached tokens count as read; a plan's calls cost no dollars."""
    outcome = machine.model().ask(ASK)
    assert isinstance(outcome, Reply)
    assert "Fine." == outcome.text
    if machine.name != "copilot":  # its counts come in a file of the real client
        assert (12, 2, 0.0) == (outcome.tokens_in, outcome.tokens_out, outcome.cost_usd)


def test_the_prompt_goes_in_by_stdin_and_never_on_the_command_line(machine: Machine) -> None:
    """A command line can be read by everybody on the machine, and has an end."""
    machine.model().ask(ASK)
    assert "Say it." == machine.note("stdin")
    assert "Say it." not in machine.note("options") and "Be exact." not in machine.note("options")
    assert "Be exact." in machine.note("system") + machine.note("config")
    assert KEYS[machine.name] not in machine.note("options")


def test_the_command_sees_nothing_of_the_user(machine: Machine) -> None:
    """Neither home nor variables; and its current folder is empty and sleepd's own."""
    machine.model().ask(ASK)
    assert "of-the-user" not in machine.note("env")
    assert str(machine.home) not in machine.note("env")
    assert machine.note("pwd").strip().startswith(str(machine.folder / "clients"))


def test_nothing_is_left_behind(machine: Machine) -> None:
    """No credential, no system text, no output."""
    machine.model().ask(ASK)
    assert [] == machine.left()


def test_calls_at_once_do_not_share_a_folder(machine: Machine) -> None:
    """Each has its own settings folder; the folder that shows in the prompt is the same."""
    machine.prints(FINE[machine.name], first=f'echo "$HOME $(pwd)" >> {machine.noted}/seen; sleep 0.3')
    with ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(machine.model().ask, [ASK] * 4))
    assert all(isinstance(one, Reply) for one in outcomes)
    homes, works = zip(*(line.split() for line in machine.note("seen").splitlines()), strict=True)
    assert 4 == len(set(homes)) and 1 == len(set(works))


def test_a_command_of_the_current_folder_is_never_started(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hostile repository may hold a program of that name, and PATH an entry `.`."""
    (tmp_path / "bin").rename(tmp_path / "repository")
    monkeypatch.chdir(tmp_path / "repository")
    model = machine.model()
    model._client.env["PATH"] = ".:/usr/bin:/bin"  # type: ignore[index]
    assert "is not on PATH" in failure(model.ask(ASK)).message
    assert 0 == machine.starts


def test_a_command_that_hangs_is_ended_with_its_children(machine: Machine) -> None:
    """The whole process group, by its id; nothing of it works on."""
    machine.prints(
        "", first=f"(sleep 60; echo late > {machine.noted}/late) & echo $! > {machine.noted}/child; sleep 60"
    )
    assert Cause.TIMEOUT is failure(machine.model(timeout_s=3.0).ask(ASK)).cause
    child = int(machine.note("child"))
    end = time.monotonic() + 10
    while Path(f"/proc/{child}").exists() and "Z" not in Path(f"/proc/{child}/stat").read_text().split(")")[1][:3]:
        assert time.monotonic() < end, "the child lives on"
        time.sleep(0.02)


def test_an_output_without_end_is_not_read_whole(machine: Machine) -> None:
    """It is no answer, and fills no memory."""
    machine.prints("", first="head -c 20000000 /dev/zero")
    assert Cause.AUTH is failure(machine.model().ask(ASK)).cause


def test_a_command_that_knows_no_such_option_says_so(machine: Machine) -> None:
    """An old one: the remedy is to update it."""
    machine.prints("", first='echo "error: unknown option --strict" >&2', status=2)
    told = failure(machine.model().ask(ASK))
    assert Cause.AUTH is told.cause
    assert "unknown option --strict" in told.message and "update it" in told.message


def test_a_missing_command_costs_nothing(machine: Machine) -> None:
    """No call is counted for it."""
    (machine.bin / machine.name).unlink()
    told = failure(machine.model().ask(ASK))
    assert not told.asked and Cause.AUTH is told.cause


def test_temperature_and_seed_are_refused(machine: Machine) -> None:
    """A parameter that is silently dropped would stand in the model's key."""
    with pytest.raises(BadSettings, match="no temperature"):
        machine.model(temperature=0.5)
    with pytest.raises(BadSettings, match="no seed"):
        machine.model(seed=1)


def test_a_key_billed_by_the_token_is_refused_without_a_price(claude: Machine) -> None:
    """Unknown is not free."""
    claude.prints(FINE["claude"])
    unpriced = {"price_in_per_mtok": None, "price_out_per_mtok": None}
    told = failure(claude.model(api_key="sk-ant-api03-made-up", **unpriced).ask(ASK))
    assert "billed by the token" in told.message and not told.asked
    assert isinstance(claude.model(api_key="sk-ant-api03-made-up").ask(ASK), Reply)
    assert "ANTHROPIC_API_KEY=sk-ant-api03-made-up" in claude.note("env")


# The user's login ------------------------------------------------------------------------------------------------------


def claude_login(machine: Machine, *, ends: timedelta) -> None:
    (machine.home / ".claude").mkdir()
    kept = {"accessToken": "the-access", "refreshToken": "the-refresh"}
    at = (clock.now() + ends).timestamp() * 1000
    text = json.dumps({"claudeAiOauth": {**kept, "expiresAt": at}})
    (machine.home / ".claude" / ".credentials.json").write_text(text)


def test_the_login_of_claude_code_is_used_and_not_renewed(claude: Machine) -> None:
    """The part that renews it stays where it is: using it up would log the user out."""
    claude.prints(FINE["claude"])
    claude_login(claude, ends=timedelta(hours=2))
    assert isinstance(claude.model(api_key=None).ask(ASK), Reply)
    seen = claude.note("env") + claude.note("config")
    assert "CLAUDE_CODE_OAUTH_TOKEN=the-access" in seen and "the-refresh" not in seen


def test_a_login_that_has_run_out_is_told_before_a_call(claude: Machine) -> None:
    """With the remedy that holds for a year."""
    claude.prints(FINE["claude"])
    claude_login(claude, ends=timedelta(seconds=-1))
    told = failure(claude.model(api_key=None).ask(ASK))
    assert Cause.AUTH is told.cause and not told.asked and "claude setup-token" in told.message
    assert 0 == claude.starts


def token(ends: timedelta) -> str:
    claims = json.dumps({"exp": (clock.now() + ends).timestamp()}).encode()
    return f"head.{base64.urlsafe_b64encode(claims).decode().rstrip('=')}.signature"


def test_the_login_of_codex_is_used_and_not_renewed(tmp_path: Path) -> None:
    """Its tokens are copied for the call without the one that renews them, and removed after it."""
    machine = Machine(tmp_path, "codex")
    machine.prints(FINE["codex"])
    (machine.home / ".codex").mkdir()
    access = token(timedelta(days=2))
    kept = {"access_token": access, "refresh_token": "the-refresh", "id_token": "id", "account_id": "a"}
    (machine.home / ".codex" / "auth.json").write_text(json.dumps({"OPENAI_API_KEY": None, "tokens": kept}))
    assert isinstance(machine.model(api_key=None).ask(ASK), Reply)
    assert access in machine.note("config") and "the-refresh" not in machine.note("config")
    assert [] == machine.left()
    kept["access_token"] = token(timedelta(seconds=-1))
    (machine.home / ".codex" / "auth.json").write_text(json.dumps({"tokens": kept}))
    assert "has run out" in failure(machine.model(api_key=None).ask(ASK)).message
    assert 1 == machine.starts


def test_copilot_is_told_who_is_logged_in_and_nothing_else_of_its_settings(tmp_path: Path) -> None:
    """Its token may be in the keychain; trusted folders and servers are not its business here."""
    machine = Machine(tmp_path, "copilot")
    machine.prints(FINE["copilot"])
    (machine.home / ".copilot").mkdir()
    kept = {"lastLoggedInUser": {"login": "somebody"}, "trusted_folders": ["/"], "mcpServers": {"mine": {}}}
    (machine.home / ".copilot" / "config.json").write_text(json.dumps(kept))
    assert isinstance(machine.model(api_key=None).ask(ASK), Reply)
    assert "somebody" in machine.note("config")
    assert "trusted_folders" not in machine.note("config") and "mine" not in machine.note("config")


def test_nobody_logged_in_is_told_before_a_call(machine: Machine) -> None:
    """One line with the remedy, and nothing is started."""
    told = failure(machine.model(api_key=None).ask(ASK))
    assert Cause.AUTH is told.cause and not told.asked and "no login of" in told.message
    assert 0 == machine.starts


def test_a_login_is_never_sent_to_another_address(claude: Machine) -> None:
    """It is for the provider alone; a server of one's own gets the key that was set for it."""
    claude.prints(FINE["claude"])
    claude_login(claude, ends=timedelta(hours=2))
    told = failure(claude.model(api_key=None, base_url="http://127.0.0.1:9").ask(ASK))
    assert Cause.AUTH is told.cause and 0 == claude.starts


# What an ending means --------------------------------------------------------------------------------------------------


def failed(said: str, status: int | None = None, stop: str = "stop_sequence") -> str:
    return json.dumps({"is_error": True, "result": said, "api_error_status": status, "stop_reason": stop})


@pytest.mark.parametrize(
    ("printed", "cause"),
    [
        (failed("Invalid API key · Fix external API key", 401), Cause.AUTH),
        (failed("Not logged in · Please run /login"), Cause.AUTH),
        (failed("API Error: Request rejected (429)", 429), Cause.QUOTA),
        (failed("You've hit your limit · resets 3am (UTC)"), Cause.QUOTA),
        (failed("API Error: 529 Overloaded.", 529), Cause.NETWORK),
        (failed("API Error: Connection error."), Cause.NETWORK),
        (failed("API Error: Claude's response exceeded the 321 output token maximum."), Cause.OVERLONG),
        (failed("API Error: it can't help with this.", stop="refusal"), Cause.REFUSED),
        ('{"is_error":false,"result":""}', Cause.MALFORMED),
        ("[1]", Cause.MALFORMED),
        ("Segmentation fault", Cause.AUTH),
    ],
)
def test_what_claude_says_is_one_typed_cause(claude: Machine, printed: str, cause: Cause) -> None:
    """As the real client prints it."""
    claude.prints(printed, status=1)
    assert cause is failure(claude.model().ask(ASK)).cause


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("unexpected status 401 Unauthorized: invalid key, url: x", Cause.AUTH),
        ("Quota exceeded. Check your plan and billing details.", Cause.QUOTA),
        ("exceeded retry limit, last status: 429 Too Many Requests", Cause.QUOTA),
        ("You've hit your usage limit. Try again in 3 days 4 hours.", Cause.QUOTA),
        ("unexpected status 503 Service Unavailable: Overloaded", Cause.NETWORK),
        ("stream disconnected before completion", Cause.NETWORK),
        ("Incomplete response returned, reason: max_output_tokens", Cause.OVERLONG),
        ("Incomplete response returned, reason: content_filter", Cause.REFUSED),
    ],
)
def test_what_codex_says_is_one_typed_cause(tmp_path: Path, said: str, cause: Cause) -> None:
    """As the real client prints it."""
    machine = Machine(tmp_path, "codex")
    machine.prints(json.dumps({"type": "turn.failed", "error": {"message": said}}), status=1)
    assert cause is failure(machine.model().ask(ASK)).cause


@pytest.mark.parametrize(
    ("said", "status", "cause"),
    [
        ("Authentication failed with provider (HTTP 401).", 401, Cause.AUTH),
        ("429 You exceeded your current quota", 429, Cause.QUOTA),
        ("Failed to get response from the AI model; Last error: 503 Overloaded", 503, Cause.NETWORK),
        ("No response was returned. Send your message again to retry.", None, Cause.REFUSED),
    ],
)
def test_what_copilot_says_is_one_typed_cause(tmp_path: Path, said: str, status: int | None, cause: Cause) -> None:
    """As the real client prints it."""
    machine = Machine(tmp_path, "copilot")
    machine.prints(json.dumps({"type": "session.error", "data": {"message": said, "statusCode": status}}), status=1)
    assert cause is failure(machine.model().ask(ASK)).cause


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("copilot", {"type": "model.call_failure", "data": {"statusCode": 429, "errorMessage": "quota"}}),
        ("codex", {"type": "error", "message": "exceeded retry limit, last status: 429 Too Many Requests"}),
    ],
)
def test_a_client_that_repeats_until_the_deadline_still_says_why(
    tmp_path: Path, name: str, printed: dict[str, Any]
) -> None:
    """A used-up limit is no slow model: the one is outside of what the text can cause, the other is not."""
    machine = Machine(tmp_path, name)
    machine.prints("", first=f"echo '{json.dumps(printed)}'; sleep 60")
    assert Cause.QUOTA is failure(machine.model(timeout_s=3.0).ask(ASK)).cause


def test_an_overload_is_asked_again(claude: Machine) -> None:
    """As often as the settings allow, with a pause."""
    claude.prints(failed("API Error: 529 Overloaded.", 529), status=1)
    pauses: list[float] = []
    model = claude.model(max_retries=2)
    model._pause = pauses.append
    assert Cause.NETWORK is failure(model.ask(ASK)).cause
    assert 3 == claude.starts and [0.5, 1.0] == pauses


def test_the_reset_of_a_limit_is_a_time(claude: Machine) -> None:
    """So that the night can be put off until then."""
    claude.prints(failed("You've hit your limit · resets 3am (UTC)"), status=1)
    at = failure(claude.model().ask(ASK)).retry_at
    assert at is not None
    assert 3 == at.astimezone(UTC).hour and timedelta(0) < at - clock.now() <= timedelta(days=1)


def test_a_program_that_cannot_be_started_is_one_clear_line(claude: Machine) -> None:
    """A file of another machine's kind, for instance."""
    claude.prints(FINE["claude"])
    (claude.bin / "claude").write_bytes(b"\x7fELF rubbish")
    (claude.bin / "claude").chmod(0o755)
    assert "cannot be started" in failure(claude.model().ask(ASK)).message


def test_a_command_is_ready_without_being_started(machine: Machine) -> None:
    """`sleepd init` asks nobody to find out."""
    assert machine.model().ready() is None
    told = machine.model(api_key=None).ready()
    assert told is not None and "no login of" in told.message
    assert 0 == machine.starts and [] == machine.left()
