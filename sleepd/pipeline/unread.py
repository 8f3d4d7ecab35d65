"""Which transcripts hold something new. Light to import: most harvests find that none does."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from harvesters.records import Harvester
from sleepd.pipeline.jobs import Job
from sleepd.store.cursors import cursors


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """The files that have to be looked into, of all that were found."""

    jobs: Sequence[Job]
    bytes_waiting: int
    """How many bytes of these files are new."""
    files: int
    """Files found."""
    by_agent: Mapping[str, int]
    """Agent -> files found."""

    def report(self) -> IngestReport:
        """The report of a harvest that has nothing to read."""
        return IngestReport(
            files=self.files,
            read=0,
            bytes_read=0,
            sessions=0,
            turns=0,
            defects=0,
            redacted=0,
            by_agent=self.by_agent,
        )


def unread(database: Path, sources: Sources) -> Unread:
    """The files of these sources that are new or changed since the database was told of them; opens none of them."""
    found = [(h, path) for h in sources.harvesters for path in _paths(h, sources)]
    # Of every agent, also without a transcript: a damaged database is named even when there is nothing to read.
    known = {agent: cursors(database, agent) for agent in {h.agent for h in sources.harvesters}}
    jobs = []
    for harvester, path in found:
        cursor = known[harvester.agent].get(str(path))
        try:
            status = path.stat()
        except OSError:
            status = None  # it vanished or cannot be looked at: reading it says so as a defect
        if status is not None and cursor is not None:
            if (cursor.inode, cursor.size, cursor.mtime_ns) == (status.st_ino, status.st_size, status.st_mtime_ns):
                continue
        elif status is not None and sources.since is not None and status.st_mtime < sources.since.timestamp():
            continue
        is_file = status is not None and stat.S_ISREG(status.st_mode)
        size = max(0, status.st_size - (cursor.offset if cursor is not None else 0)) if status and is_file else 0
        jobs.append(Job(harvester=harvester, path=path, cursor=cursor, size=size))
    waiting = sum(job.size for job in jobs)
    return Unread(jobs=jobs, bytes_waiting=waiting, files=len(found), by_agent=Counter(h.agent for h, _ in found))


def _paths(harvester: Harvester, sources: Sources) -> Iterable[Path]:
    if sources.only:
        return sources.only.get(harvester.agent, ())
    return harvester.find(sources.env, sources.home)
