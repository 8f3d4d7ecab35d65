"""What belongs to a session beside its turns and calls: file changes and events; and how much of each file is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, bindparam, delete, select
from sqlalchemy.dialects.sqlite import insert as upsert

from harvesters.records import EventKind, FileAction, FileChange, Session, SessionEvent
from sleepd.core.model import SessionId
from sleepd.store import schema as t
from sleepd.store import schema_parts as p
from sleepd.store.stored_file import StoredFile


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


def forget(connection: Connection, id_: SessionId) -> None:
    """Take out a session's file changes and events, before a whole reading takes their place."""
    for table in (p.file_changes, p.session_events):
        connection.execute(delete(table).where(table.c.session_id == id_))


def save(connection: Connection, told: Sequence[tuple[SessionId, Session]]) -> None:
    """Store the file changes and events of readings of different sessions; those of earlier readings stay."""
    rows: list[dict[str, object]] = []
    happened: list[dict[str, object]] = []
    for id_, session in told:
        late = [call for call in session.late_results if call.changes]
        for call in late:
            c = p.file_changes.c
            connection.execute(delete(p.file_changes).where(c.session_id == id_, c.call_id == call.id))
        calls = (call for turn in session.turns for call in turn.tool_calls)
        rows += [
            {
                "session_id": id_,
                "call_id": call.id,
                "number": n,
                "path": change.path,
                "action": change.action.value,
                "patch": change.patch,
            }
            for call in (*calls, *late)
            for n, change in enumerate(call.changes)
        ]
        seen: Counter[int] = Counter()  # several events at one position are numbered
        for event in session.events:
            happened.append(
                {
                    "session_id": id_,
                    "position": event.position,
                    "number": seen[event.position],
                    "kind": event.kind.value,
                    "at": event.at,
                    "name": event.name,
                    "text": event.text,
                    "failed": event.failed,
                    "exit_code": event.exit_code,
                    "duration_ms": event.duration_ms,
                    "tokens": event.tokens,
                }
            )
            seen[event.position] += 1
    if rows:
        connection.execute(upsert(p.file_changes).on_conflict_do_nothing(), rows)
    if happened:
        connection.execute(upsert(p.session_events).on_conflict_do_nothing(), happened)


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


def save_counts(connection: Connection, files: Sequence[StoredFile]) -> None:
    """Store how many records of each file are known: instead of what was stored, or added to it."""
    c = p.record_counts.c
    gone = [{"gone": file.path} for file in files if file.reading.whole and file.reading.cursor is not None]
    if gone:
        connection.execute(delete(p.record_counts).where(c.path == bindparam("gone")), gone)
    rows = [
        {
            "path": file.path,
            "version": record.version or "",
            "unknown": record.unknown or "",
            "agent": file.agent,
            "count": record.count,
        }
        for file in files
        for record in file.reading.records
    ]
    if rows:
        statement = upsert(p.record_counts)
        added = {"count": c["count"] + statement.excluded["count"]}
        keys = ["path", "version", "unknown"]
        connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=added), rows)


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
