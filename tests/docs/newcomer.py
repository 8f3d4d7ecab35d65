"""A newcomer who does what a page says: `python -m tests.docs.newcomer docs/tutorial/first-night.md`.

Run like that, it writes into the page what came, wherever the page shows something else.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sleepd.usecases import answers
from tests.docs.machine import provider, with_history
from tests.docs.page import Command, Setting, Step, as_shown, comes_true, steps
from tests.docs.terminal import Terminal
from tests.stub.server import Stub

SESSIONS = 60
_FOREIGN = ("SLEEPD_", "XDG_", "CLAUDE", "CODEX", "COPILOT", "VSCODE", "ANTHROPIC_", "OPENAI_", "DBUS_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A command of the page, and what came of it in the page's words."""

    command: Command
    came: str
    status: int

    @property
    def as_shown(self) -> bool:
        return comes_true(self.command.shown, self.came)


def follow(page: Path, home: Path) -> Iterator[Done]:
    """Do what the page says in an empty home that some weeks of work are put into; one item for each command.

    What takes agents and a service manager is left out.
    """
    with_history(home, datetime.now(UTC), sessions=SESSIONS)  # noqa: TID251  the reader has today's transcripts
    with machine(home) as (terminal, address):
        here = [step for step in steps(page) if isinstance(step, Setting) or not step.elsewhere]
        yield from carry_out(here, home, terminal, address)


def carry_out(todo: Iterable[Step], home: Path, terminal: Terminal, address: str) -> Iterator[Done]:
    """Do these steps, one after another."""
    for step in todo:
        if isinstance(step, Setting):
            # The only thing the reader does not do: the provider is reached on this machine.
            here = {"model.base_url": address} if "model.name" in step.values else {}
            answers.write(home / ".config/sleepd/config.toml", {**step.values, **here})
            continue
        ended = terminal.run(step.line, step.answers)
        yield Done(command=step, came=as_shown(ended.text, home), status=ended.status)


@contextmanager
def machine(home: Path) -> Iterator[tuple[Terminal, str]]:
    """A terminal in this home with `sleepd` on its path, and the address of a provider."""
    with Stub(answer=provider()) as stub, Terminal(home, clean_environment(home)) as terminal:
        yield terminal, stub.url


def clean_environment(home: Path) -> dict[str, str]:
    """This process's environment for a user with this home: none of the developer's settings, keys or desktop."""
    given = {k: v for k, v in os.environ.items() if not k.startswith(_FOREIGN)}  # noqa: TID251  handed to a child
    path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
    return {**given, "HOME": str(home), "USERPROFILE": str(home), "PATH": path}


def main() -> None:
    """Write into the page what came."""
    page = Path(sys.argv[1])
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for done in follow(page, Path(folder)):
            head = f"$ {done.command.line}\n"
            if not done.as_shown:
                text = text.replace(head + done.command.shown, head + done.came, 1)
                sys.stdout.write(head)
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
