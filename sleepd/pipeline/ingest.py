"""Transcripts to rows: read what grew, take the secrets out, store."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from harvesters.records import Harvester
from sleepd.pipeline.jobs import Job, Lengths
from sleepd.settings.sections import HarvestConfig
from sleepd.store import sessions
from sleepd.store.database import Database
from sleepd.store.stored_file import StoredFile

_FILES_AT_ONCE = 64
_BYTES_AT_ONCE = 32_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where transcripts are looked for."""

    harvesters: Sequence[Harvester]
    env: Mapping[str, str]
    """The agents' own overrides."""
    home: Path
    since: datetime | None = None
    """Files last written before this are left alone until they grow; None: all."""
    only: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    """Agent -> files, when the user named some: then nothing else is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What one harvest did."""

    files: int
    """Transcript files found."""
    read: int
    """Files that were new or had grown."""
    bytes_read: int
    sessions: int
    """Sessions stored or added to."""
    turns: int
    defects: int
    redacted: int
    by_agent: Mapping[str, int]
    """Agent -> files found."""


def ingest(
    database: Database, sources: Sources, config: HarvestConfig, progress: Callable[[int, int], None] | None = None
) -> IngestReport:
    """Read every transcript that is new or grew, and store it without its secrets.

    Transactions hold readings with their cursors, so that a killed run goes on where it stopped, in a long file after
    the last piece. `progress` is told (files done, files in all).
    """
    found = [(h, path) for h in sources.harvesters for path in _paths(h, sources)]
    totals: Counter[str] = Counter()
    batch: list[StoredFile] = []
    jobs, waiting = _jobs(database, found, sources.since)
    done = len(found) - len(jobs)
    lengths = Lengths(text=config.max_text, tool_text=config.max_tool_text)
    for file in _readings(jobs, lengths, waiting):
        if file is not None:
            batch.append(file)
            totals["read"] += file.reading.bytes_read > 0 and not file.reading.more
            totals["bytes"] += file.reading.bytes_read
            totals["defects"] += len(file.reading.defects)
            if file.reading.session is not None:
                totals["sessions"] += not file.reading.more
                totals["turns"] += len(file.reading.session.turns)
            totals["redacted"] += file.redacted
        done += file is None or not file.reading.more
        if len(batch) >= _FILES_AT_ONCE or sum(f.reading.bytes_read for f in batch) >= _BYTES_AT_ONCE:
            _store(database, batch)
        if progress is not None:
            progress(done, len(found))
    _store(database, batch)
    return IngestReport(
        files=len(found),
        read=totals["read"],
        bytes_read=totals["bytes"],
        sessions=totals["sessions"],
        turns=totals["turns"],
        defects=totals["defects"],
        redacted=totals["redacted"],
        by_agent=Counter(h.agent for h, _ in found),
    )


def _paths(harvester: Harvester, sources: Sources) -> Iterable[Path]:
    if sources.only:
        return sources.only.get(harvester.agent, ())
    return harvester.find(sources.env, sources.home)


def _jobs(database: Database, found: Sequence[tuple[Harvester, Path]], since: datetime | None) -> tuple[list[Job], int]:
    """The files that have to be looked into, and how many bytes of them are new."""
    with database.reading() as connection:
        known = {agent: sessions.cursors(connection, agent) for agent in {h.agent for h, _ in found}}
    jobs, waiting = [], 0
    for harvester, path in found:
        cursor = known[harvester.agent].get(str(path))
        try:
            status = path.stat()
        except OSError:
            status = None  # it vanished or cannot be looked at: reading it says so as a defect
        if status is not None and cursor is None and since is not None and status.st_mtime < since.timestamp():
            continue
        seen = None if cursor is None else (cursor.inode, cursor.size, cursor.mtime_ns)
        if status is not None and seen == (status.st_ino, status.st_size, status.st_mtime_ns):
            continue
        jobs.append(Job(harvester=harvester, path=path, cursor=cursor))
        if status is not None and stat.S_ISREG(status.st_mode):
            waiting += max(0, status.st_size - (cursor.offset if cursor is not None else 0))
    return jobs, waiting


def _readings(jobs: Sequence[Job], lengths: Lengths, waiting: int) -> Iterator[StoredFile | None]:
    """What the jobs gave. The redactor is imported when there is something to read."""
    if jobs:
        from sleepd.pipeline.readers import readings

        yield from readings(jobs, lengths, waiting)


def _store(database: Database, batch: list[StoredFile]) -> None:
    with database.writing() as connection:
        sessions.save(connection, batch)
    batch.clear()
