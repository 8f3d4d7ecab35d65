"""Output and questions of the verbs. Results go to stdout; questions, progress and errors to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Protocol

import typer

from sleepd.core import plaintext
from sleepd.core.errors import SleepdError

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")]


class Progress(Protocol):
    """Called with (done, total)."""

    def __call__(self, done: int, total: int, /) -> None: ...


def show(text: str) -> None:
    """Print a result for a person; control characters are made visible, so the text cannot control the terminal."""
    sys.stdout.write(plaintext.shown(text).rstrip("\n") + "\n")


def show_json(value: object) -> None:
    """Print a result for a program: one JSON value, keys in a stable order, valid in any encoding."""
    ascii_only = "utf" not in (sys.stdout.encoding or "").lower()
    show_json_text(json.dumps(value, indent=2, ensure_ascii=ascii_only, default=str))


def show_json_text(text: str) -> None:
    """Print JSON that was made elsewhere; the value stays the same."""
    sys.stdout.write(plaintext.shown_in_json(text).rstrip("\n") + "\n")


def note(text: str) -> None:
    """Tell the person something that is no result."""
    sys.stderr.write(f"{plaintext.shown(text)}\n")


def can_ask() -> bool:
    """Whether somebody sits there who can answer."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str, default: str, check: Callable[[str], object]) -> str:
    """Ask until the answer passes `check`, which raises ValueError or an error of sleepd for a wrong one.

    An empty default means no default: it is not shown, and Enter alone is checked like any answer.
    """
    while True:
        answer = str(typer.prompt(question, default=default, show_default=bool(default), err=True)).strip()
        try:
            check(answer)
        except (ValueError, SleepdError) as wrong:
            note(f"  {wrong}")
            continue
        return answer


@contextmanager
def progress(title: str, *, hidden: bool = False) -> Iterator[Progress]:
    """A bar on stderr while work lasts; nothing where stderr is no terminal."""
    if hidden or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def steps(title: str, *, hidden: bool = False) -> Iterator[Callable[[str], None]]:
    """A line on stderr that names the current step; nothing where stderr is no terminal."""
    if hidden or not sys.stderr.isatty():
        yield lambda _text: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(title) as spinner:
        yield lambda text: spinner.update(Text(plaintext.shown(text)))
