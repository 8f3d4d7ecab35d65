"""The command as a whole: what it imports, how it ends, what it says when something is wrong."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sleepd import cli
from sleepd.cli.ending import CommandExit
from sleepd.store import overview
from tests.cli.command import configure, environment, sleepd, started
from tests.stub.server import Stub
from tests.usecases.waiting import Home

NIGHT = ("sleepd.pipeline", "sleepd.core.screen", "sleepd.core.experiment", "sleepd.core.redact", "sleepd.models")
HEAVY = ("torch", "scipy", "alembic", "openai", "anthropic", "sentence_transformers", "sklearn")


def imported(*arguments: str) -> set[str]:
    """Top-level packages that a command imports."""
    program = (
        "import contextlib, io, sys\n"
        "from sleepd.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main({list(arguments)!r})\n"
        "print(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_help_imports_typer_and_nothing_heavier() -> None:
    """Neither a verb's module nor any library but typer and what it needs itself."""
    found = imported("--help")
    ours = {name for name in found if name.startswith(("sleepd.", "harvesters"))}
    assert {"sleepd.cli", "sleepd.cli.ending", "sleepd.core", "sleepd.core.errors"} == ours
    assert set() == found & {"rich", "pydantic", "sqlalchemy", "numpy", "structlog", "platformdirs", *HEAVY}


@pytest.mark.slow
def test_status_imports_no_library_that_a_glance_cannot_wait_for(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither before there is a database nor after."""
    monkeypatch.setenv("SLEEPD_HOME", str(begun / "nothing"))
    before = imported("status")
    monkeypatch.delenv("SLEEPD_HOME")
    after = imported("status")
    unwanted = {*HEAVY, "numpy", "sqlalchemy", "structlog", "rich", "apscheduler", "watchdog", "msgspec"}
    assert set() == (before | after) & unwanted
    assert "sqlite3" in after  # it did look


@pytest.mark.slow
@pytest.mark.parametrize(
    ("verb", "most"), [(("status",), 55), (("proposals",), 45), (("notice",), 50), (("tasks", "list"), 55)]
)
def test_a_glance_imports_no_night(begun: Path, verb: tuple[str, ...], most: int) -> None:
    """Neither the pipeline nor a database library, and few modules in all: a list once imported four times as many."""
    Home(folder=begun).propose()
    found = imported(*verb)
    assert set() == {name for name in found if name.startswith((*NIGHT, "asyncio"))}
    assert set() == found & {*HEAVY, "numpy", "sqlalchemy", "msgspec", "rich", "dotenv"}
    assert len(found - imported("--version")) < most


@pytest.mark.slow
@pytest.mark.parametrize("verb", [("lessons",), ("episodes",), ("recall", "a text")])
def test_a_question_imports_no_night(begun: Path, verb: tuple[str, ...]) -> None:
    """The database and the vectors, but neither what runs a night nor what screens, redacts and judges."""
    found = imported(*verb)
    mine = {name for name in found if name.startswith(NIGHT)}
    assert mine <= {
        f"sleepd.{name}"
        for name in (
            "pipeline",
            "pipeline.embed",
            "models",
            "models.hashed",
            "models.memoized",
            "models.settings",
            "models.surrogates",
        )
    }
    assert set() == found & {*HEAVY, "msgspec", "rich", "structlog", "dotenv"}


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["nights", "show"])
def test_who_looks_at_what_a_night_left_runs_none(begun: Path, verb: str) -> None:
    """Neither what runs a night nor the screen's patterns, which take longer than the look."""
    Home(folder=begun).propose()
    assert set() == imported(verb) & {"sleepd.usecases.run_night", "sleepd.pipeline.night", "sleepd.core.screen"}


@pytest.mark.slow
def test_what_builds_a_night_imports_the_night_when_it_is_built() -> None:
    """Whoever only opens the database does not wait for the rest."""
    program = "import sys, sleepd.compose; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    night = ("sleepd.pipeline", "sleepd.core.screen", "sleepd.models", "numpy")
    assert [] == [name for name in done.stdout.split() if name.startswith(night)]


def test_help_names_every_verb_and_each_verb_has_help() -> None:
    """The table that help prints without importing, and the verbs themselves, say the same names."""
    text = sleepd("--help").out
    for name in cli.VERBS:
        shown = sleepd(name, "--help")
        assert f"  {name} " in text and 0 == shown.code and shown.out.startswith(f"Usage: sleepd {name} "), name


def test_no_arguments_show_the_help() -> None:
    """Somebody who types `sleepd` wants to know what it can do."""
    alone = sleepd()
    assert (0, sleepd("--help").out.strip()) == (alone.code, alone.out.strip())


def test_every_verb_that_reports_knows_json() -> None:
    """`--json` on each but those that report as they go, or speak a protocol of their own."""
    group = cli.get_command(cli.app)
    verbs = [group.get_command(None, name) for name in cli.VERBS]
    single = [one for verb in verbs for one in getattr(verb, "commands", {"": verb}).values()]
    options = {one.name: {option for p in one.params for option in p.opts} for one in single}
    assert ["completion", "daemon", "logs", "mcp"] == sorted(
        name for name, known in options.items() if "--json" not in known
    )


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["hravest"], ["did you mean 'harvest'?", "sleepd --help"]),
        (["undoo"], ["did you mean 'undo'?"]),
        (["run", "--max-cals", "3"], ["--max-calls", "sleepd run --help"]),
        (["recall"], ["text", "sleepd recall --help"]),
        (["tasks"], ["sleepd tasks --help"]),
        (["reject", "abc"], ["--why", "sleepd reject --help"]),
        (["run", "--since", "yesterday", "--max-calls", "1"], ["command line", "30d"]),
    ],
)
def test_a_wrong_command_line_is_one_line_with_the_remedy(arguments: list[str], named: list[str]) -> None:
    """Exit status 2, nothing on stdout, and the line says where to look."""
    done = sleepd(*arguments)
    assert (2, "", 1) == (done.code, done.out, done.err.count("\n"))
    assert all(word in done.err for word in named), done.err


@pytest.mark.parametrize("word", ["rum", "rn", "runn", "trian", "evla", "eval1", "gat", "deamon"])
def test_a_verb_that_spends_is_never_offered_for_a_misspelt_one(word: str) -> None:
    """Whoever types yes too fast pays nothing for it."""
    done = sleepd(word)
    spending = [name for name, verb in cli.VERBS.items() if verb.spends]
    assert ["run", "daemon", "gate", "train", "eval"] == spending
    assert (2, []) == (done.code, [name for name in spending if f"'{name}'?" in done.err]), done.err


def test_wrong_settings_are_one_line_that_names_the_file(own_home: Path) -> None:
    """A misspelt key names the nearest; nothing else happens."""
    file = configure(own_home, "[night]\nmax_cals = 3\n")
    done = sleepd("status")
    assert (2, 1) == (done.code, done.err.count("\n"))
    assert str(file) in done.err and "max_calls" in done.err


def test_a_folder_that_cannot_be_written_is_named(own_home: Path) -> None:
    """A file stands where the data folder should be: one line that names it."""
    (own_home / ".local").mkdir()
    (own_home / ".local" / "share").write_text("in the way")
    done = sleepd("lessons")
    assert 1 == done.err.count("\n") and str(own_home / ".local/share") in done.err and done.code in (2, 70), done.err


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_takes_no_more_is_expected(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the system does not say in which file."""
    with pytest.raises(SystemExit) as end, CommandExit(verbose=False):
        raise OSError(number, os.strerror(number))
    said = capsys.readouterr().err
    assert (3, 1) == (end.value.code, said.count("\n")) and "cannot be written" in said and "make room" in said


def test_the_unexpected_is_one_line_and_a_trace_in_the_log(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exit status 70; the trace is where the line says, and not on the terminal."""

    def broken(*_: object) -> None:
        raise LookupError("a\nlong story")

    monkeypatch.setattr(overview, "_read", broken)
    done = sleepd("status")
    log = begun / ".local" / "state" / "sleepd" / "sleepd.log"
    assert (70, 1) == (done.code, done.err.count("\n"))
    assert "LookupError: a" in done.err and str(log) in done.err and "Traceback" not in done.err
    entry = json.loads(log.read_text().splitlines()[-1])
    assert "command.failed" == entry["event"] and "long story" in entry["exception"]
    assert "Traceback" in sleepd("--verbose", "status").err


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_says_how_to_go_on(lived_in: Path, number: signal.Signals) -> None:
    """130 and one line; the same command then continues the same night."""
    asked, go_on = threading.Event(), threading.Event()

    def answer(system: str, prompt: str) -> str:
        asked.set()
        go_on.wait(10)
        return "ready"

    with Stub(answer=answer) as stub:
        configure(lived_in, SETTINGS_OF_STUB.format(url=stub.url))
        run = started("run", env=environment(SLEEPD_API_KEY="k"))
        assert asked.wait(30)
        run.send_signal(number)
        go_on.set()
        _, err = run.communicate(timeout=30)
        assert (130, 1) == (run.returncode, err.count("\n")), err
        assert "same command again" in err
        assert "not finished" in sleepd("status").out


STOPPED_AGAIN = """
import os, signal, threading, time
from sleepd.cli.ending import CommandExit
def work():
    try:
        os.kill(os.getpid(), signal.{first})
        time.sleep(10)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)
def call_under_way():
    time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)
threading.Thread(target=call_under_way).start()
with CommandExit(verbose=False):
    work()
"""
"""Told to stop, told again while it cleans up, and again while a thread finishes its call."""


@pytest.mark.parametrize("first", ["SIGTERM", "SIGINT"])
def test_whoever_is_stopped_twice_ends_as_if_stopped_once(first: str) -> None:
    """Service managers tell a process and its group: 130 and one line, whenever the second signal comes."""
    done = subprocess.run(
        [sys.executable, "-c", STOPPED_AGAIN.format(first=first)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (130, 1) == (done.returncode, done.stderr.count("\n")), done.stderr


SETTINGS_OF_STUB = """\
[harvest]
since = "all"
[embedder]
name = "hashed-tfidf"
[model]
name = "openai"
model = "stub"
base_url = "{url}/v1"
max_retries = 0
[night]
max_calls = 50
"""


@pytest.mark.slow
def test_a_reader_that_goes_away_ends_the_command_quietly(lived_in: Path) -> None:
    """`sleepd … | head` is no error to report."""
    assert 0 == sleepd("harvest", "--quiet").code and 0 == sleepd("mine").code
    export = started("tasks", "export", "-")
    assert export.stdout is not None and export.stderr is not None
    export.stdout.read(10)
    export.stdout.close()
    assert "" == export.stderr.read()
    assert export.wait(60) in (0, 1)
    export.stderr.close()
