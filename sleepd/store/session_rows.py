"""Readings into rows, without SQLAlchemy: nearly all that a harvest writes, and most harvests need nothing else of it.

The statements name the columns of `sleepd.store.schema`; a test holds each table's columns against it.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from harvesters.records import Session, SessionEvent, SkillUse, ToolCall, Turn
from sleepd.store.stored_file import StoredFile, groups

Row = tuple[object, ...]
"""The values of one row, in the order of its statement's columns."""

CURSOR_COLUMNS: Final = (
    *("path", "agent", "session_id", "inode", "size", "mtime_ns"),
    *("offset", "head", "head_length", "tail", "state"),
)
SESSION_COLUMNS: Final = (
    *("id", "agent", "kind", "parent_id", "project", "branch", "commit", "title", "version", "started_at", "ended_at"),
    *("models", "tokens_input", "tokens_output", "tokens_cache_read", "tokens_cache_write", "redacted", "revision"),
)
TURN_COLUMNS: Final = (
    *("session_id", "id", "position", "role", "origin", "text", "at", "model", "skill", "cwd", "branch", "abandoned"),
    *("queued", "source_id", "tokens_input", "tokens_output", "tokens_cache_read", "tokens_cache_write"),
)
_ANSWER: Final = (
    *("output", "status", "exit_code", "feedback"),
    *("answers", "duration_ms", "subagent", "subagent_tokens", "result_id"),
)
"""What a result tells of its call. The first four replace what was stored, of the others those that say something."""
CALL_COLUMNS: Final = ("session_id", "id", "turn_id", "number", "name", "input", *_ANSWER)
SKILL_COLUMNS: Final = ("session_id", "position", "name", "path", "trigger")
CHANGE_COLUMNS: Final = ("session_id", "call_id", "number", "path", "action", "patch")
EVENT_COLUMNS: Final = (
    *("session_id", "position", "number", "kind", "at", "name", "text"),
    *("failed", "exit_code", "duration_ms", "tokens"),
)
_OF_A_SESSION: Final = ("turns", "tool_calls", "skill_uses", "file_changes", "session_events")
"""The tables that a whole reading replaces."""


def _insert(table: str, columns: Sequence[str], on_conflict: str) -> str:
    names = ", ".join(f'"{name}"' for name in columns)
    # Names of this module, never text of a person.
    return f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(columns))}) ON CONFLICT {on_conflict}"  # noqa: S608


def _replacing(keys: str, columns: Iterable[str]) -> str:
    """Of a row that is there already, take these columns from the new one."""
    return f"({keys}) DO UPDATE SET " + ", ".join(f'"{name}" = excluded."{name}"' for name in columns)


def _session_change(columns: Sequence[str], *, whole: bool) -> str:
    """Replace a session's row, or add what a tail told to it; either way it has to be mined anew."""
    change = {name: f'excluded."{name}"' for name in columns if name not in ("id", "agent", "revision")}
    if not whole:
        # A tail tells neither who drove the session nor when and where it began.
        change = {name: f'coalesce(excluded."{name}", sessions."{name}")' for name in change}
        first = ("kind", "started_at", "project", "commit")
        change |= {name: f'coalesce(sessions."{name}", excluded."{name}")' for name in first}
        change["redacted"] = "sessions.redacted + excluded.redacted"
        change["models"] = "coalesce(nullif(excluded.models, '[]'), sessions.models)"
    change["revision"] = "sessions.revision + 1"
    return "(id) DO UPDATE SET " + ", ".join(f'"{name}" = {value}' for name, value in change.items())


# A tail goes on with the text of a turn: text behind text, tokens to tokens. A sum with something unknown is unknown.
_CONTINUED: Final = "(session_id, id) DO UPDATE SET text = turns.text || excluded.text, " + ", ".join(
    f"{name} = coalesce(turns.{name} + excluded.{name}, turns.{name}, excluded.{name})" for name in TURN_COLUMNS[-4:]
)
_SAVE_CURSOR: Final = _insert("files", CURSOR_COLUMNS, _replacing("path", CURSOR_COLUMNS[1:]))
_SAVE_CURSOR_ALONE: Final = _insert(
    "files", CURSOR_COLUMNS, _replacing("path", [n for n in CURSOR_COLUMNS[1:] if n != "session_id"])
)
"""A reading without a session leaves the file's session as it is."""
_SAVE_SESSION: Final = {
    whole: _insert("sessions", SESSION_COLUMNS, _session_change(SESSION_COLUMNS, whole=whole))
    for whole in (True, False)
}
_SAVE_TURN: Final = _insert("turns", TURN_COLUMNS, _CONTINUED)
_SAVE_CALL: Final = _insert("tool_calls", CALL_COLUMNS, _replacing("session_id, id", _ANSWER))
_SAVE_SKILL: Final = _insert("skill_uses", SKILL_COLUMNS, _replacing("session_id, position, name", ("path",)))
_SAVE_CHANGE: Final = _insert("file_changes", CHANGE_COLUMNS, "DO NOTHING")
_SAVE_EVENT: Final = _insert("session_events", EVENT_COLUMNS, "DO NOTHING")
_SAVE_DEFECT: Final = _insert("defects", ("path", "offset", "reason"), _replacing("path, offset", ("reason",)))
_SAVE_COUNT: Final = _insert(
    "record_counts",
    ("path", "version", "unknown", "agent", "count"),
    '(path, version, unknown) DO UPDATE SET "count" = record_counts."count" + excluded."count"',
)
_SAVE_LATE: Final = (
    "UPDATE tool_calls SET "  # noqa: S608
    + ", ".join(f"{name} = ?" if at < 4 else f"{name} = coalesce(?, {name})" for at, name in enumerate(_ANSWER))
    + " WHERE session_id = ? AND id = ?"
)


def session_id(agent: str, native: str) -> str:
    return f"{agent}:{native}"


def save(connection: sqlite3.Connection, files: Iterable[StoredFile]) -> None:
    """Store readings in order: replace a file's session, or add to it when the reading continues an earlier one.

    Commits nothing. Raises `sqlite3.DatabaseError`.
    """
    for group in groups(files):
        _save_files(connection, group)
        told = [(file, session_id(file.agent, found.id), found) for file in group if (found := file.reading.session)]
        gone = [(id_,) for file, id_, _ in told if file.reading.whole]
        for table in _OF_A_SESSION if gone else ():
            connection.executemany(f"DELETE FROM {table} WHERE session_id = ?", gone)  # noqa: S608
        for file, id_, session in told:
            connection.execute(_SAVE_SESSION[file.reading.whole], _session_row(file, session, id_))
        connection.executemany(_SAVE_TURN, (_turn_row(turn, id_) for _, id_, s in told for turn in s.turns))
        connection.executemany(_SAVE_CALL, _call_rows((id_, turn) for _, id_, s in told for turn in s.turns))
        connection.executemany(_SAVE_SKILL, (_skill_row(use, id_) for _, id_, s in told for use in s.skills))
        late = [(id_, call) for _, id_, session in told for call in session.late_results]
        connection.executemany(_SAVE_LATE, [(*_answer(call), id_, call.id) for id_, call in late])
        connection.executemany(
            "UPDATE turns SET vote = ? WHERE session_id = ? AND id = ?",
            [(vote, id_, turn) for _, id_, session in told for turn, vote in session.votes.items()],
        )
        changed = [(id_, call.id) for id_, call in late if call.changes]
        connection.executemany("DELETE FROM file_changes WHERE session_id = ? AND call_id = ?", changed)
        connection.executemany(_SAVE_CHANGE, (row for _, id_, session in told for row in _change_rows(session, id_)))
        connection.executemany(_SAVE_EVENT, (row for _, id_, s in told for row in _event_rows(s.events, id_)))


def _save_files(connection: sqlite3.Connection, group: Sequence[StoredFile]) -> None:
    """Where each file was left, what could not be read of it, and how many of its records are known."""
    rows: dict[bool, list[Row]] = {True: [], False: []}
    for file in group:
        session, cursor = file.reading.session, file.reading.cursor
        if cursor is not None:
            id_ = None if session is None else session_id(file.agent, session.id)
            state = json.dumps(dict(cursor.state), sort_keys=True)
            known = (cursor.inode, cursor.size, cursor.mtime_ns, cursor.offset)
            told = (cursor.head, cursor.head_length, cursor.tail, state)
            rows[id_ is not None].append((file.path, file.agent, id_, *known, *told))
    connection.executemany(_SAVE_CURSOR, rows[True])
    connection.executemany(_SAVE_CURSOR_ALONE, rows[False])
    whole = [file for file in group if file.reading.whole]
    connection.executemany("DELETE FROM defects WHERE path = ?", [(file.path,) for file in whole])
    connection.executemany(_SAVE_DEFECT, [(d.path, d.offset, d.reason) for f in group for d in f.reading.defects])
    counted = [(file.path,) for file in whole if file.reading.cursor is not None]
    connection.executemany("DELETE FROM record_counts WHERE path = ?", counted)
    connection.executemany(
        _SAVE_COUNT,
        [(f.path, r.version or "", r.unknown or "", f.agent, r.count) for f in group for r in f.reading.records],
    )


def moment(at: datetime | None) -> str | None:
    """An aware time as the database keeps it; a naive one is refused, so that no local time ever enters it."""
    if at is None:
        return None
    if at.tzinfo is None:
        raise ValueError(f"naive time {at!r}: times in the database are aware")
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _session_row(file: StoredFile, session: Session, id_: str) -> Row:
    used = session.tokens
    return (
        *(id_, file.agent, file.kind, session_id(file.agent, session.parent_id) if session.parent_id else None),
        *(session.cwd, session.branch, session.commit, session.title, session.version),
        *(moment(session.started_at), moment(session.ended_at), json.dumps(list(session.models))),
        *(used.input, used.output, used.cache_read, used.cache_write, file.redacted, 1),
    )


def _turn_row(turn: Turn, id_: str) -> Row:
    used = turn.tokens
    return (
        *(id_, turn.id, turn.position, turn.role.value, turn.origin.value, turn.text, moment(turn.at), turn.model),
        *(turn.skill, turn.cwd, turn.branch, turn.abandoned, turn.queued, turn.source_id),
        *(used.input, used.output, used.cache_read, used.cache_write),
    )


def _call_rows(turns: Iterable[tuple[str, Turn]]) -> Iterator[Row]:
    for id_, turn in turns:
        for number, call in enumerate(turn.tool_calls):
            yield (id_, call.id, turn.id, number, call.name, call.input, *_answer(call))


def _answer(call: ToolCall) -> Row:
    answers = json.dumps([[a.question, a.answer] for a in call.answers]) if call.answers else None
    return (
        *(call.output, call.status.value, call.exit_code, call.feedback),
        *(answers, call.duration_ms, call.subagent, call.subagent_tokens, call.result_id),
    )


def _skill_row(use: SkillUse, id_: str) -> Row:
    return (id_, use.position, use.name, use.path, use.trigger.value)


def _change_rows(session: Session, id_: str) -> Iterator[Row]:
    for call in (*(call for turn in session.turns for call in turn.tool_calls), *session.late_results):
        for number, change in enumerate(call.changes):
            yield (id_, call.id, number, change.path, change.action.value, change.patch)


def _event_rows(events: Sequence[SessionEvent], id_: str) -> Iterator[Row]:
    seen: Counter[int] = Counter()  # several events at one position are numbered
    for event in events:
        number = seen[event.position]
        seen[event.position] += 1
        yield (
            *(id_, event.position, number, event.kind.value, moment(event.at), event.name, event.text),
            *(event.failed, event.exit_code, event.duration_ms, event.tokens),
        )
