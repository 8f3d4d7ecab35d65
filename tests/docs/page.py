"""A page's commands: what the reader types and what the page says comes of it.

In a ```console block a line that begins with `$ ` is typed into a shell, and the lines below it are what it prints. What
follows a question (`… [30d]: 14d`) is typed as well. `…` stands for what differs from one machine to the next: anything
within a line; on a line of its own, any lines. The home folder reads /home/you. A ```toml block is put into the settings.
A block below `<!-- with agents and systemd -->` is carried out by the test in tests/e2e alone.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

HOME = "/home/you"
_BLOCK = re.compile(r"^(<!-- with agents and systemd -->\n+)?^```(console|toml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ANSWER = re.compile(r"^.*\[[\w/]+\]:? (\S+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command line with the output that the page shows."""

    line: str
    shown: str
    elsewhere: bool = False
    """Whether it takes agents and a service manager."""

    @property
    def answers(self) -> list[str]:
        """What the page types when it is asked."""
        return [found[1] for line in self.shown.splitlines() if (found := _ANSWER.match(line))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Keys that the reader puts into the settings file, `section.key` -> value."""

    values: dict[str, object]


Step = Command | Setting


def steps(page: Path) -> list[Step]:
    """Everything the page tells its reader to do, in order."""
    found: list[Step] = []
    for elsewhere, kind, body in _BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "toml":
            tables = tomllib.loads(body)
            found.append(Setting(values={f"{t}.{key}": v for t, keys in tables.items() for key, v in keys.items()}))
        else:
            found += commands(body, elsewhere=bool(elsewhere))
    return found


def commands(block: str, *, elsewhere: bool = False) -> list[Command]:
    """The commands of one block; what stands before the first belongs to none."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    lines = (part.partition("\n") for part in parts)
    return [Command(line=head, shown=rest, elsewhere=elsewhere) for head, _, rest in lines]


def comes_true(shown: str, came: str) -> bool:
    """Whether what the page shows is what came."""
    return re.fullmatch(_pattern(_stripped(shown)), _stripped(came)) is not None


def as_shown(text: str, home: Path) -> str:
    """What came, in the words of a page."""
    return _stripped(text.replace(str(home), HOME))


def _stripped(text: str) -> str:
    """Lines without the blanks at their ends, and no empty ones around the text; the last ends in a newline too."""
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


def _pattern(shown: str) -> str:
    lines = (r"(?:[^\n]*\n)*?" if line == "…" else _line(line) + r"\n" for line in shown.splitlines())
    return "".join(lines)


def _line(line: str) -> str:
    return r"[^\n]*?".join(re.escape(part) for part in line.split("…"))
