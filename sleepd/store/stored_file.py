"""What a harvest hands to the database. Light to import: the processes that read need no database."""

from __future__ import annotations

from dataclasses import dataclass

from harvesters.records import Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One transcript file's reading on its way into the database."""

    path: str
    agent: str
    reading: Reading
    kind: str
    """The session's kind, or `own` for a run that sleepd itself started."""
    redacted: int
    """How many secrets were taken out of this reading."""
