"""What Tab offers: through bash itself where that is here, and by the protocol of the other shells."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sleepd import cli
from sleepd.cli.completion import VARIABLE
from sleepd.settings import config
from tests.cli.command import environment, sleepd
from tests.usecases.waiting import Home


def asked(line: str, shell: str) -> str:
    """What the command answers to a shell whose user pressed Tab at the end of this line."""
    words = line.split(" ")
    variables = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)} if shell == "bash" else {}
    variables |= {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"} if shell != "bash" else {}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {VARIABLE: f"complete_{shell}", **variables}.items():
            patch.setenv(name, value)
        done = sleepd()
    assert (0, "") == (done.code, done.err)
    return done.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_verbs_are_offered(shell: str, own_home: Path) -> None:
    """With their help where the shell shows one."""
    offered = asked("sleepd re", shell)
    words = re.findall({"bash": r"(?m)^(\S+)$", "zsh": r'"(\S+?)":', "fish": r"(?m)^(\S+)\t"}[shell], offered)
    assert [name for name in cli.VERBS if name.startswith("re")] == words
    assert (shell != "bash") == ("Undo an adoption." in offered)


def test_options_settings_and_proposals_are_offered(begun: Path) -> None:
    """A proposal by the beginning of its id, as the list shows it."""
    id_ = Home(folder=begun).propose()
    assert "--digest" in asked("sleepd adopt --", "bash").split()
    assert [k for k in config.known_keys() if k.startswith("night.")] == asked(
        "sleepd config set night.", "bash"
    ).split()
    assert [id_[:8]] == asked("sleepd adopt ", "bash").split() == asked(f"sleepd reject {id_[:3]}", "bash").split()


def test_where_nothing_can_be_read_nothing_is_offered_and_nothing_said(begun: Path) -> None:
    """A damaged database is no reason to print into somebody's line."""
    config.places().database.write_bytes(b"no database" * 1000)
    assert "" == asked("sleepd adopt ", "bash").strip()


def test_offering_verbs_imports_none_of_them(own_home: Path) -> None:
    """The table that help prints is enough."""
    program = (
        "import sys\nfrom sleepd.cli import main\n"
        "try:\n    main([])\nexcept SystemExit:\n    pass\n"
        "print([m for m in sys.modules if m.startswith('sleepd.cli.')], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(**{VARIABLE: "complete_bash", "COMP_WORDS": "sleepd re", "COMP_CWORD": "1"}),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ("revert" in done.stdout, "['sleepd.cli.ending']\n") == (True, done.stderr)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
def test_bash_completes_with_the_printed_lines(own_home: Path, tmp_path: Path) -> None:
    """As a person who put the line of the help into their .bashrc."""
    (tmp_path / "sleepd").write_text(f'#!/bin/sh\nexec {sys.executable} -m sleepd "$@"\n')
    (tmp_path / "sleepd").chmod(0o755)
    script = """
    PATH="$0:$PATH"
    eval "$(sleepd completion bash)"
    complete -p sleepd
    COMP_WORDS=(sleepd tasks dr) COMP_CWORD=2
    _sleepd_completion sleepd
    echo "${COMPREPLY[*]}"
    """
    done = subprocess.run(
        ["bash", "-c", script, str(tmp_path)], env=environment(), capture_output=True, text=True, check=True
    )
    assert ("drop", "") == (done.stdout.splitlines()[-1], done.stderr)


def test_a_shell_that_is_not_known_is_one_line() -> None:
    """With those that are."""
    done = sleepd("completion", "tcsh")
    assert (2, 1) == (done.code, done.err.count("\n")) and "fish" in done.err
