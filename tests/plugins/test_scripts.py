"""The plugin's scripts, run as an agent runs them, with a `sleepd` that a test wrote."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

PLUGIN = Path(__file__).resolve().parents[2] / "plugins" / "claude-code"
PATIENCE_S = 20.0


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """The plugin where an agent moved it: alone, in a folder with a space and a quote in its name."""
    return Path(shutil.copytree(PLUGIN, tmp_path / "plu gin's"))


@pytest.fixture
def pids(tmp_path: Path) -> Iterator[Path]:
    """A file of process ids, one a line; they are ended with the test."""
    file = tmp_path / "pids"
    yield file
    for pid in file.read_text().split() if file.exists() else ():
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(pid), signal.SIGKILL)


def program(folder: Path, text: str) -> Path:
    """An executable `sleepd` in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "sleepd"
    file.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def run(script: Path, *arguments: str, path: str = "/usr/bin:/bin", **more: str) -> subprocess.CompletedProcess[str]:
    """Run a script to its end, until nobody holds its output any more: that is what an agent waits for."""
    return subprocess.run(
        ["sh", str(script), *arguments],
        env={"PATH": path, **more},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def note(plugin: Path, found: Path) -> None:
    (plugin / "sleepd-path").write_text(f"{found}\n", encoding="utf-8")


def arrives(file: Path) -> str:
    """The text of a file that another process is about to write."""
    end = time.monotonic() + PATIENCE_S
    while not file.exists() or not file.read_text():
        assert time.monotonic() < end, f"{file} was not written"
        time.sleep(0.02)
    return file.read_text()


# Finding the program ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", [".", "", "bin", "./bin", ".."])
def test_a_program_in_the_present_folder_is_never_run(plugin: Path, tmp_path: Path, entry: str) -> None:
    """A repository that an agent works in may hold a `sleepd`, and PATH entries that are relative."""
    here = tmp_path / "somebodys" / "repository"
    for folder in (here, here / "bin", here.parent):
        program(folder, "echo stranger")
    trusted = program(tmp_path / "trusted", "echo trusted").parent
    for path, expected in ((f"{entry}:/usr/bin:/bin", ""), (f"{entry}:{trusted}:/usr/bin:/bin", "trusted\n")):
        done = subprocess.run(
            ["sh", str(plugin / "bin/sleepd"), "status"],
            env={"PATH": path}, cwd=here, capture_output=True, text=True, check=False, timeout=PATIENCE_S,
        )  # fmt: skip
        assert expected == done.stdout


def test_the_program_that_installed_the_plugin_comes_first(plugin: Path, tmp_path: Path) -> None:
    """Its path may hold spaces; words and status are passed through whole."""
    note(plugin, program(tmp_path / "a venv" / "bin", 'printf "%s|" mine "$@"; exit 4'))
    other = program(tmp_path / "other", "echo other").parent
    done = run(plugin / "bin/sleepd", "reject", "a b", "--why", "*", path=f"{other}:/usr/bin:/bin")
    assert ("mine|reject|a b|--why|*|", 4) == (done.stdout, done.returncode)


@pytest.mark.parametrize("noted", ["/nowhere/sleepd", "", "relative"])
def test_else_the_first_on_path_that_is_no_plugins(plugin: Path, tmp_path: Path, noted: str) -> None:
    """A note that leads nowhere is passed over, and so are this plugin and copies of it: they would call each other."""
    (plugin / "sleepd-path").write_text(noted)
    copy = Path(shutil.copytree(PLUGIN, tmp_path / "copy"))
    other = program(tmp_path / "other", "echo other").parent
    (tmp_path / "folder" / "sleepd").mkdir(parents=True)
    done = run(plugin / "bin/sleepd", path=f"{plugin}/bin:{copy}/bin:{tmp_path}/folder::{other}:/usr/bin:/bin")
    assert ("other\n", "") == (done.stdout, done.stderr)


def test_without_a_program_it_says_so(plugin: Path) -> None:
    """One line that names the remedy, and the status of a command that was not found."""
    done = run(plugin / "bin/sleepd", "status")
    assert (127, "") == (done.returncode, done.stdout)
    assert ["not installed", "sleepd plugin install"] == [
        w for w in ("not installed", "sleepd plugin install") if w in done.stderr
    ]
    assert 1 == len(done.stderr.splitlines())


# At the end of a session --------------------------------------------------------------------------------------------


def test_a_session_that_ends_starts_a_harvest(plugin: Path, tmp_path: Path) -> None:
    """Quietly, and with nothing of the agent's input or output in its hands."""
    told = tmp_path / "told"
    note(plugin, program(tmp_path / "bin", f'echo said; echo "$*" $(cat) >"{told}.part"; mv "{told}.part" "{told}"'))
    done = run(plugin / "hooks/session-end")
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    assert "harvest --quiet\n" == arrives(told)


def test_a_harvest_that_hangs_is_not_waited_for(plugin: Path, tmp_path: Path, pids: Path) -> None:
    """It goes on in a session of its own, where no signal to the agent's processes reaches it."""
    note(plugin, program(tmp_path / "bin", f'echo $$ >"{pids}"; exec sleep 60'))
    done = run(plugin / "hooks/session-end")
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    assert os.getsid(0) != os.getsid(int(arrives(pids)))


@pytest.mark.parametrize("hook", ["session-end", "session-start"])
def test_no_hook_fails_without_a_program(plugin: Path, hook: str) -> None:
    """Nothing installed: nothing said, and status 0."""
    done = run(plugin / "hooks" / hook)
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)


# At the start of a session ------------------------------------------------------------------------------------------


def test_what_is_worth_saying_is_passed_on(plugin: Path, tmp_path: Path) -> None:
    """As it stands: the agent reads it as JSON."""
    note(plugin, program(tmp_path / "bin", 'printf \'{"systemMessage": "%s"}\\n\' "$*"'))
    done = run(plugin / "hooks/session-start")
    assert (0, '{"systemMessage": "notice --hook claude-code"}\n') == (done.returncode, done.stdout)


@pytest.mark.parametrize("unseen", ["CLAUDE_CODE_SESSION_ATTENDED=0", "PLUGIN_ROOT=/anywhere"])
def test_where_nobody_sees_it_nothing_is_asked(plugin: Path, tmp_path: Path, unseen: str) -> None:
    """A headless session, or an agent that shows no such line, would use up the one of the day."""
    asked = tmp_path / "asked"
    note(plugin, program(tmp_path / "bin", f'echo >"{asked}"'))
    done = run(plugin / "hooks/session-start", **dict([unseen.split("=")]))
    assert (0, "", False) == (done.returncode, done.stdout, asked.exists())


@pytest.mark.parametrize("text", ["echo half; exit 1", "echo >&2 trouble; exit 70", "kill -9 $$", ":"])
def test_a_notice_that_fails_is_silence(plugin: Path, tmp_path: Path, text: str) -> None:
    """Half a line would be shown as an error."""
    note(plugin, program(tmp_path / "bin", text))
    done = run(plugin / "hooks/session-start")
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)


@pytest.mark.skipif(shutil.which("timeout") is None, reason="without timeout the agent's own limit holds")
def test_a_notice_that_hangs_is_ended(plugin: Path, tmp_path: Path, pids: Path) -> None:
    """With whatever it started; the session goes on."""
    note(plugin, program(tmp_path / "bin", f'echo $$ >"{pids}"; sleep 60; echo late'))
    done = run(plugin / "hooks/session-start")
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
