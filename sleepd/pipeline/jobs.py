"""What is to be read. Light to import: a harvest with nothing new needs no more than this."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from harvesters.records import Cursor, Harvester


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Characters kept of one text."""

    text: int
    tool_text: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One file to be read from where it was left, or one piece of a long file."""

    harvester: Harvester
    path: Path
    cursor: Cursor | None
    size: int = 0
    """Bytes of the file that are new, as far as that is known before it is opened."""
