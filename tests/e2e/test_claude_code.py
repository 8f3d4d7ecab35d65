"""The plugin in the real Claude Code: validated, installed, run, and harmless when sleepd is broken."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sleepd import __version__
from tests.cli.command import live_in
from tests.e2e.clients import ROOT, Person, Terminal, eventually
from tests.stub.script import Run, Say

pytestmark = pytest.mark.e2e

COMMAND = "/sleepd:skillopt-sleep"


@pytest.fixture
def installed(person: Person) -> Person:
    """The same person after `sleepd plugin install claude-code`."""
    person.sleepd("plugin", "install", "claude-code")
    return person


def said_to_the_model(person: Person, request: int) -> str:
    """The messages of a request, as one text."""
    return json.dumps(person.asked("/messages")[request]["messages"], ensure_ascii=False)


def tool_result(person: Person) -> dict[str, Any]:
    """What the model was told last of a command that it had run."""
    blocks = [
        b for m in person.asked("/messages")[-1]["messages"] if isinstance(m["content"], list) for b in m["content"]
    ]
    return [block for block in blocks if block["type"] == "tool_result"][-1]


@pytest.mark.parametrize("part", [["plugins"], ["plugins/claude-code", "--profile", "directory"]])
def test_the_client_finds_nothing_to_refuse(person: Person, part: list[str]) -> None:
    """The marketplace passes validation, and the plugin passes it as the vendor's own directory does it."""
    ended = person.run("claude", "plugin", "validate", ROOT / part[0], *part[1:])
    assert 0 == ended.code, ended
    assert "✘" not in ended.out


def test_it_is_installed_and_listed_and_taken_out_again(person: Person) -> None:
    """What the client lists is what sleepd says; afterwards the client's files are as empty as its own commands leave them."""
    person.sleepd("plugin", "install", "claude-code")
    (listed,) = person.run("claude", "plugin", "list", "--json").json
    assert ("sleepd@sleepd", __version__, True) == (listed["id"], listed["version"], listed["enabled"])
    row = json.loads(person.sleepd("plugin", "status", "--json").out)[0]
    assert ("claude-code", True, True, True) == (row["agent"], row["installed"], row["enabled"], row["current"])
    person.sleepd("plugin", "uninstall", "claude-code")
    assert [] == person.run("claude", "plugin", "list", "--json").json
    settings = json.loads((person.home / ".claude" / "settings.json").read_text(encoding="utf-8"))
    assert {"enabledPlugins": {}, "extraKnownMarketplaces": {}} == settings
    assert not person.marketplace.exists()


def test_what_a_person_set_up_otherwise_stays(person: Person) -> None:
    """Another marketplace of the same name is named and left alone; other settings stay."""
    settings = person.home / ".claude" / "settings.json"
    settings.write_text('{"model": "opus", "env": {"A": "b"}}', encoding="utf-8")
    assert 0 == person.run("claude", "plugin", "marketplace", "add", ROOT / "plugins").code
    refused = person.run(str(Path(os.sys.executable).parent / "sleepd"), "plugin", "install", "claude-code")
    assert 2 == refused.code
    assert "claude plugin marketplace remove sleepd" in refused.out
    person.run("claude", "plugin", "marketplace", "remove", "sleepd")
    person.sleepd("plugin", "install", "claude-code")
    person.sleepd("plugin", "uninstall", "claude-code")
    kept = json.loads(settings.read_text(encoding="utf-8"))
    assert ("opus", {"A": "b"}) == (kept["model"], kept["env"])


def test_the_command_reaches_the_model_and_what_it_runs_comes_back(installed: Person) -> None:
    """The command's text is expanded with its words; `sleepd status` runs without a question, though PATH lacks it."""
    status = installed.sleepd("status").out
    ended = installed.run("claude", "-p", f"{COMMAND} status stub:asks-status", "--output-format", "json")
    assert (0, "That is how it stands.") == (ended.code, ended.json["result"])
    assert "The user asked sleepd for: status stub:asks-status" in said_to_the_model(installed, 0)
    result = tool_result(installed)
    assert (status.strip(), False) == (result["content"].strip(), result["is_error"])


@pytest.mark.parametrize(
    "order", ["sleepd adopt 1234 --digest 5678", "sleepd revert", "sleepd run", "sleepd service install"]
)
def test_what_changes_something_is_never_run_without_asking(installed: Person, order: str) -> None:
    """The command allows looking only: the client asks a person before it runs anything else."""
    installed.stub.scenarios = {"orders": (Run(order), Say("Not allowed."))}
    ended = installed.run("claude", "-p", f"{COMMAND} review stub:orders", "--output-format", "json")
    assert [order] == [denied["tool_input"]["command"] for denied in ended.json["permission_denials"]]


def test_a_session_is_harvested_when_it_ends(installed: Person) -> None:
    """The real client's transcript becomes rows with the person's own prompts, without any command of theirs."""
    name = "11111111-2222-4333-8444-555555555555"
    first = installed.run("claude", "-p", "Say stub:hello to the harvest", "--session-id", name)
    again = installed.run("claude", "-p", "And once more stub:hello", "--resume", name)
    assert (0, 0) == (first.code, again.code)
    wanted = ["Say stub:hello to the harvest", "And once more stub:hello"]
    eventually(lambda: wanted == installed.prompts("claude-code"), "both prompts are in the database")
    assert 0 == json.loads(installed.sleepd("harvest", "--json").out)["sessions"]


@pytest.fixture
def hanging(installed: Person, tmp_path: Path) -> Iterator[Path]:
    """Every `sleepd` of this person hangs; the file lists their process ids."""
    started = tmp_path / "started"
    yield _replace_program(installed, tmp_path, f"#!/bin/sh\necho $$ >>{started}\nexec sleep 60\n", started)
    for pid in started.read_text().split() if started.exists() else ():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)


def _replace_program(person: Person, folder: Path, text: str, told: Path) -> Path:
    broken = folder / "broken-sleepd"
    broken.write_text(text, encoding="utf-8")
    broken.chmod(0o755)
    (person.marketplace / "claude-code" / "sleepd-path").write_text(f"{broken}\n", encoding="utf-8")
    return told


def test_a_hanging_sleepd_delays_no_session(installed: Person, hanging: Path) -> None:
    """The client ends well while the harvest that it started still hangs."""
    ended = installed.run("claude", "-p", "stub:hello", "--output-format", "json", timeout=30)
    assert (0, "Hello from the stub.") == (ended.code, ended.json["result"])
    eventually(hanging.exists, "the harvest was started")
    (pid,) = hanging.read_text().split()
    os.kill(int(pid), 0)  # still there: the session did not wait for it


@pytest.mark.parametrize("script", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\nkill -9 $$\n", "no program at all\n"])
def test_a_broken_sleepd_fails_no_session(installed: Person, tmp_path: Path, script: str) -> None:
    """Whatever sleepd does, the session ends with status 0 and says nothing of it."""
    _replace_program(installed, tmp_path, script, tmp_path)
    ended = installed.run("claude", "-p", "stub:hello")
    assert (0, "Hello from the stub.\n", "") == (ended.code, ended.out, ended.err)


def test_a_missing_sleepd_fails_no_session(installed: Person) -> None:
    """The same when the program was taken away after the plugin was installed."""
    (installed.marketplace / "claude-code" / "sleepd-path").write_text("/nowhere/sleepd\n", encoding="utf-8")
    ended = installed.run("claude", "-p", "stub:hello")
    assert (0, "Hello from the stub.\n", "") == (ended.code, ended.out, ended.err)


@contextlib.contextmanager
def before_a_terminal(person: Person) -> Iterator[Terminal]:
    terminal = Terminal(person, "claude")
    try:
        terminal.waits_for("❯")  # before that, keys are lost
        yield terminal
    finally:
        terminal.close()


def test_a_person_hears_once_a_day_what_waits(installed: Person) -> None:
    """After a night with a proposal the next session shows one line, a headless one does not use it up, and the one
    after that is silent."""
    live_in(installed.home, 50)
    installed.dreams()
    assert 0 == installed.run("claude", "-p", "stub:hello").code
    with before_a_terminal(installed) as terminal:
        terminal.waits_for("SessionStart:startup says: sleepd: 1 proposal waits for you")
        terminal.types("Say stub:hello in a terminal")
        terminal.waits_for("Hello from the stub.")
        terminal.types("/exit")
        assert 0 == terminal.ends()
    eventually(lambda: "Say stub:hello in a terminal" in installed.prompts("claude-code"), "the session is harvested")
    with before_a_terminal(installed) as terminal:
        terminal.types("Again stub:hello")
        terminal.waits_for("Hello from the stub.")
        assert "waits for you" not in terminal.seen


def test_from_a_night_to_the_next_session(installed: Person) -> None:
    """A night proposes, the agent shows it, the person adopts what was shown, and the next session works under it."""
    project = live_in(installed.home, 50)
    installed.dreams()
    installed.run("claude", "-p", f"{COMMAND} review stub:asks-review")
    shown = str(tool_result(installed)["content"])
    (waiting,) = json.loads(installed.sleepd("review", "--json").out)
    proposal, digest = waiting["id"][:8], waiting["digest"][:12]
    assert (True, True) == (proposal in shown, digest in shown), shown
    installed.stub.scenarios = {
        **installed.stub.scenarios,
        "adopts": (Run(f"sleepd adopt {proposal} --digest {digest}"), Say("Adopted.")),
    }
    order = f"{COMMAND} adopt {proposal} stub:adopts"
    ended = installed.run("claude", "-p", order, "--allowedTools", "Bash(sleepd adopt:*)")
    assert "Adopted.\n" == ended.out
    learnt = (project / ".claude" / "skills" / "commit-message" / "SKILL.md").read_text(encoding="utf-8")
    rule = one(r"^- (.*)$", learnt)
    there = Person(home=installed.home, project=project, stub=installed.stub, env=installed.env)
    there.run("claude", "-p", "A commit message please stub:loads-learnt", "--allowedTools", "Skill")
    assert rule in json.dumps(installed.asked("/messages")[-1]["messages"], ensure_ascii=False)


def one(pattern: str, text: str) -> str:
    found: Any = re.search(pattern, text, re.MULTILINE)
    assert found is not None, f"{pattern} in {text}"
    return str(found[1])
