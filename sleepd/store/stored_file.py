"""What a harvest hands to the database. Light to import: the processes that read need no database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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


def groups(files: Iterable[StoredFile]) -> Iterator[list[StoredFile]]:
    """Runs of files of which no two tell of one file or one session: each run is stored by few statements."""
    group: list[StoredFile] = []
    seen: set[tuple[str, str]] = set()
    for file in files:
        session = file.reading.session
        names = {("path", file.path)} | ({(file.agent, session.id)} if session is not None else set())
        if names & seen:
            yield group
            group, seen = [], set()
        group.append(file)
        seen |= names
    if group:
        yield group
