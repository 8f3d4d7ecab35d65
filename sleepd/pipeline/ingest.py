"""Transcripts to rows: read what grew, take the secrets out, store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from sleepd.pipeline.jobs import Job, Lengths
from sleepd.pipeline.unread import IngestReport, Sources, unread
from sleepd.settings.sections import HarvestConfig
from sleepd.store import session_rows
from sleepd.store.database import Database
from sleepd.store.stored_file import StoredFile

_FILES_AT_ONCE = 64
_BYTES_AT_ONCE = 32_000_000


def ingest(
    database: Database, sources: Sources, config: HarvestConfig, progress: Callable[[int, int], None] | None = None
) -> IngestReport:
    """Read every transcript that is new or grew, and store it without its secrets.

    Transactions hold readings with their cursors, so that a killed run goes on where it stopped, in a long file after
    the last piece. `progress` is told (files done, files in all).
    """
    totals: Counter[str] = Counter()
    batch: list[StoredFile] = []
    new = unread(database.path, sources)
    done = new.files - len(new.jobs)
    lengths = Lengths(text=config.max_text, tool_text=config.max_tool_text)
    for file in _readings(new.jobs, lengths, new.bytes_waiting):
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
            progress(done, new.files)
    _store(database, batch)
    return IngestReport(
        files=new.files,
        read=totals["read"],
        bytes_read=totals["bytes"],
        sessions=totals["sessions"],
        turns=totals["turns"],
        defects=totals["defects"],
        redacted=totals["redacted"],
        by_agent=new.by_agent,
    )


def _readings(jobs: Sequence[Job], lengths: Lengths, waiting: int) -> Iterator[StoredFile | None]:
    """What the jobs gave. The redactor is imported when there is something to read."""
    if jobs:
        from sleepd.pipeline.readers import readings

        yield from readings(jobs, lengths, waiting)


def _store(database: Database, batch: list[StoredFile]) -> None:
    with database.storing() as connection:
        session_rows.save(connection, batch)
    batch.clear()
