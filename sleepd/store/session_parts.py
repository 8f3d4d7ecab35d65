"""What belongs to a session beside its turns and calls: file changes and events; and how much of each file is known."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, select

from harvesters.records import EventKind, FileAction, FileChange, SessionEvent
from sleepd.core.model import SessionId
from sleepd.store import schema as t
from sleepd.store import schema_parts as p


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCount:
    """Records of one file by one version of a client."""

    agent: str
    version: str | None
    unknown: str | None
    """What the harvester did not know; None: the known records."""
    count: int
    written_at: datetime
    """When the file was last written, as its last reading saw it; UTC."""


def changes(connection: Connection, id_: SessionId) -> dict[str, tuple[FileChange, ...]]:
    """Call id -> the files that the call changed."""
    c = p.file_changes.c
    found: dict[str, tuple[FileChange, ...]] = {}
    for row in connection.execute(select(p.file_changes).where(c.session_id == id_).order_by(c.call_id, c.number)):
        change = FileChange(path=row.path, action=FileAction(row.action), patch=row.patch)
        found[row.call_id] = (*found.get(row.call_id, ()), change)
    return found


def events(connection: Connection, id_: SessionId) -> tuple[SessionEvent, ...]:
    """What happened between a session's messages, in order."""
    c = p.session_events.c
    rows = connection.execute(select(p.session_events).where(c.session_id == id_).order_by(c.position, c.number))
    return tuple(
        SessionEvent(
            position=row.position,
            kind=EventKind(row.kind),
            at=row.at,
            name=row.name,
            text=row.text,
            failed=row.failed,
            exit_code=row.exit_code,
            duration_ms=row.duration_ms,
            tokens=row.tokens,
        )
        for row in rows
    )


def record_counts(connection: Connection) -> tuple[FileCount, ...]:
    """What is known of every file's records, by agent and the time the file was written."""
    c, f = p.record_counts.c, t.files.c
    query = (
        select(c.agent, c.version, c.unknown, c["count"].label("records"), f.mtime_ns)
        .join(t.files, f.path == c.path)
        .order_by(c.agent, f.mtime_ns, c.path, c.version, c.unknown)
    )
    return tuple(
        FileCount(
            agent=row.agent,
            version=row.version or None,
            unknown=row.unknown or None,
            count=row.records,
            written_at=datetime.fromtimestamp(row.mtime_ns / 1e9, UTC),
        )
        for row in connection.execute(query)
    )
