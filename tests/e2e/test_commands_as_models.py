"""The real commands as models: what reaches the provider, what their failures mean, and what they leave."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sleepd.core.model import Cause
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.models import claude_code, codex, copilot
from sleepd.models.command_line import CommandModel
from sleepd.models.settings import ClientSettings, ModelSettings
from tests.e2e.clients import program
from tests.stub.script import Fail, Hang, Run, Say
from tests.stub.server import Stub

pytestmark = pytest.mark.e2e(seconds=25)

SCENARIOS = {
    "answers": (Say("Fine."),),
    "unknown": (Fail(401, "authentication_error", "no such key"),) * 40,
    "used-up": (Fail(429, "rate_limit_error", "You exceeded your current quota", code="insufficient_quota"),) * 40,
    "acts": (Run("touch /tmp/sleepd-was-here"), Say("I did it.")),
    "declines": (Say("", stop="refusal"),) * 8,
}


@dataclass(frozen=True)
class Client:
    name: str
    make: Callable[[ModelSettings], CommandModel]
    key: str
    version: str
    options: tuple[str, ...]
    help: tuple[str, ...]


CLIENTS = [
    Client("claude", claude_code.from_settings, "sk-ant-oat01-made-up-token", "", claude_code.OPTIONS, ("--help",)),
    Client("codex", codex.from_settings, "sk-made-up", "/v1", codex.OPTIONS, ("exec", "--help")),
    Client("copilot", copilot.from_settings, "ghu_made_up", "/v1", copilot.OPTIONS, ("--help",)),
]


@pytest.fixture(params=CLIENTS, ids=lambda client: str(client.name))
def client(request: pytest.FixtureRequest) -> Client:
    found: Client = request.param
    return found


def model(client: Client, stub: Stub, folder: Path, **settings: Any) -> CommandModel:
    """The command as `[model]` would configure it, in a home that holds nothing but a poisoned memory."""
    home = folder / "home"
    (home / ".claude").mkdir(parents=True, exist_ok=True)
    for file in (home / "CLAUDE.md", home / "AGENTS.md", home / ".claude" / "CLAUDE.md", folder / "CLAUDE.md"):
        file.write_text("OF-THE-USER")
    given = {"api_key": client.key, "base_url": f"{stub.url}{client.version}", "timeout_s": 60.0, "max_retries": 0}
    path = f"{program(client.name).parent}:/usr/bin:/bin"
    return client.make(
        ModelSettings(
            name=client.name,
            model="haiku" if client.name == "claude" else "gpt-4.1",
            price_in_per_mtok=0,
            price_out_per_mtok=0,
            client=ClientSettings(env={"PATH": path, "HOME": str(home)}, folder=str(folder / "clients")),
            **{**given, **settings},
        )
    )


def ask(word: str) -> Ask:
    return Ask(purpose=CallPurpose.ROLLOUT, system="The skill under trial.", prompt=f"Do it. stub:{word}")


def test_the_skill_reaches_the_provider_and_nothing_of_the_user_does(client: Client, tmp_path: Path) -> None:
    """With counts of tokens; and no session is left that a harvest could read."""
    with Stub(scenarios=SCENARIOS) as stub:
        outcome = model(client, stub, tmp_path).ask(ask("answers"))
    assert isinstance(outcome, Reply), outcome
    assert "Fine." == outcome.text and (outcome.tokens_in or 0) > 0 and (outcome.tokens_out or 0) > 0
    (sent,) = [str(request.body) for request in stub.requests if request.scenario is not None]
    assert "The skill under trial." in sent and "OF-THE-USER" not in sent
    assert [] == [p for p in tmp_path.rglob("*") if p.suffix in (".jsonl", ".db") and p.is_file()]


def test_a_tool_that_the_model_asks_for_is_not_run(client: Client, tmp_path: Path) -> None:
    """A replay of words does nothing on this machine."""
    with Stub(scenarios=SCENARIOS) as stub:
        model(client, stub, tmp_path).ask(ask("acts"))
    assert not Path("/tmp/sleepd-was-here").exists()


@pytest.mark.parametrize(
    ("word", "cause"), [("unknown", Cause.AUTH), ("used-up", Cause.QUOTA), ("declines", Cause.REFUSED)]
)
def test_a_failure_of_the_real_client_is_one_typed_cause(
    client: Client, word: str, cause: Cause, tmp_path: Path
) -> None:
    """So that nothing is scored, and the user reads the remedy."""
    with Stub(scenarios=SCENARIOS) as stub:
        outcome = model(client, stub, tmp_path, timeout_s=15.0).ask(ask(word))
    assert isinstance(outcome, Failure) and cause is outcome.cause, outcome


def test_a_provider_that_never_answers_ends_with_the_deadline(client: Client, tmp_path: Path) -> None:
    """And leaves no process."""
    with Stub(scenarios={"hangs": (Hang(60.0),) * 8}) as stub:
        outcome = model(client, stub, tmp_path, timeout_s=4.0).ask(ask("hangs"))
    assert isinstance(outcome, Failure) and Cause.TIMEOUT is outcome.cause
    running = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert str(tmp_path) not in running


def test_the_options_are_those_of_the_installed_client(client: Client, tmp_path: Path) -> None:
    """Its own help names each of them; an option that is gone shows here first."""
    env = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    words = [str(program(client.name)), *client.help]
    told = subprocess.run(words, capture_output=True, text=True, check=True, env=env, timeout=60).stdout
    missing = [option for option in client.options if option.startswith("--") and option.partition("=")[0] not in told]
    assert [] == missing
