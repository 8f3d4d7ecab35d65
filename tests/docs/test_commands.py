"""Every command that a page, the README or the notes for contributors name can be typed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from docs import generate
from sleepd.app import cli

ROOT = Path(__file__).parents[2]
MADE = {ROOT / "docs" / name for name in generate.PAGES}
PAST = set((ROOT / "docs" / "decisions").glob("*.md"))
"""Decisions also name what was not built."""
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(set((ROOT / "docs").rglob("*.md")) - MADE - PAST)]
_SPANS = re.compile(r"```(?:sh|console)\n(.*?)```|`([^`\n]+)`", re.DOTALL)
_CALL = re.compile(r"(?:^|[\s;&|(=])(?:\S*bin/)?sleepd (.+)")


def typed(page: Path) -> Iterator[str]:
    """The words behind `sleepd` in each span of code and on each line of a block, without comments."""
    for block, span in _SPANS.findall(page.read_text(encoding="utf-8")):
        # In a console block, only what is typed is a command; in others every line is.
        lines = block.splitlines() or [span]
        if any(line.startswith("$ ") for line in lines):
            lines = [line for line in lines if line.startswith("$ ")]
        for line in lines:
            if found := _CALL.match(line.removeprefix("$ ")) or _CALL.search(line):
                yield re.split(r"\s#\s|\s*(?:[;|]|&&)\s*", found[1])[0].strip()


def refused(words: str) -> str | None:
    """What is wrong with a command line; None when nothing is. Capitals and `…` stand for what the reader puts in."""
    command: Any = get_command(cli.app)
    for word in shlex.split(words):
        group = getattr(command, "get_command", None)
        if word.startswith("-") and word != "-":
            known = {option for p in command.params for option in (*p.opts, *p.secondary_opts)} | {"--help"}
            if word.partition("=")[0] not in known:
                return f"no option {word}"
        elif group is not None and (word.isupper() or not word.isascii()):
            return None  # `sleepd VERB`
        elif group is not None and word != "FILE":
            command = group(None, word)
            if command is None:
                return f"no verb {word}"
    return None


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_command_on_a_page_can_be_typed(page: Path) -> None:
    """Verb, subcommand and options are those of the command line."""
    wrong = {words: why for words in typed(page) if (why := refused(words)) is not None}
    assert {} == wrong


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("harvest --watch", None),
        ("hravest", "no verb hravest"),
        ("harvest --wach", "no option --wach"),
        ("tasks export work.json", None),
        ("tasks exprot work.json", "no verb exprot"),
        ("reject ID --why 'done by hand'", None),
        ("--verbose VERB", None),
        ("--verbos VERB", "no option --verbos"),
    ],
)
def test_a_command_that_does_not_exist_is_noticed(words: str, why: str | None) -> None:
    """A misspelt verb, subcommand or option."""
    assert why == refused(words)


def test_commands_are_found_where_pages_put_them(tmp_path: Path) -> None:
    """In a span of code, on a line of a block, behind a path; output and file names are none."""
    page = tmp_path / "page.md"
    page.write_text(
        "Run `sleepd status` or `cd x && sleepd run --dry-run  # free`; see `sleepd.db`.\n"
        "```sh\n.venv/bin/sleepd init   # first\n```\n```console\n$ sleepd mine\nnow sleepd review\n```\n"
    )
    assert ["status", "run --dry-run", "init", "mine"] == list(typed(page))
