"""Sessions, turns and tool calls as they came from the harvesters, with the cursors of the files they came from."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from sqlalchemy import Connection, Table, bindparam, func, select, update

from harvesters.records import (
    Answered,
    Defect,
    Origin,
    Role,
    SkillTrigger,
    SkillUse,
    Tokens,
    ToolCall,
    ToolStatus,
    Turn,
)
from sleepd.core.model import SessionId
from sleepd.core.segment import Transcript
from sleepd.store import schema as t
from sleepd.store import session_parts, session_rows
from sleepd.store.stored_file import StoredFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What the database holds."""

    sessions: int
    turns: int
    tool_calls: int
    defects: int


def save(connection: Connection, files: Iterable[StoredFile]) -> None:
    """Store readings within a transaction that holds other statements, too; see `session_rows.save`."""
    session_rows.save(cast("sqlite3.Connection", connection.connection.driver_connection), files)


def counts(connection: Connection) -> Counts:
    return Counts(
        sessions=_count(connection, t.sessions),
        turns=_count(connection, t.turns),
        tool_calls=_count(connection, t.tool_calls),
        defects=_count(connection, t.defects),
    )


def unmined(connection: Connection, kinds: Sequence[str]) -> tuple[tuple[SessionId, int], ...]:
    """Sessions of these kinds that changed since they were last cut into tasks, oldest first, with their revision."""
    s = t.sessions.c
    changed = s.mined_revision.is_(None) | (s.mined_revision != s.revision)
    query = select(s.id, s.revision).where(s.kind.in_(kinds), changed).order_by(s.started_at, s.id)
    return tuple((SessionId(row.id), row.revision) for row in connection.execute(query))


def mark_mined(connection: Connection, done: Sequence[tuple[SessionId, int]]) -> None:
    if done:
        statement = (
            update(t.sessions).where(t.sessions.c.id == bindparam("done")).values(mined_revision=bindparam("rev"))
        )
        connection.execute(statement, [{"done": id_, "rev": revision} for id_, revision in done])


def transcript(connection: Connection, id_: SessionId) -> Transcript:
    """A stored session with its turns in order."""
    session = connection.execute(select(t.sessions).where(t.sessions.c.id == id_)).one()
    calls: dict[str, list[ToolCall]] = {}
    changes = session_parts.changes(connection, id_)
    c = t.tool_calls.c
    for row in connection.execute(select(t.tool_calls).where(c.session_id == id_).order_by(c.turn_id, c.number)):
        calls.setdefault(row.turn_id, []).append(
            ToolCall(
                id=row.id,
                name=row.name,
                input=row.input,
                output=row.output,
                status=ToolStatus(row.status),
                exit_code=row.exit_code,
                feedback=row.feedback,
                answers=tuple(Answered(question=q, answer=a) for q, a in json.loads(row.answers or "[]")),
                changes=changes.get(row.id, ()),
                duration_ms=row.duration_ms,
                subagent=row.subagent,
                subagent_tokens=row.subagent_tokens,
                result_id=row.result_id,
            )
        )
    turn_rows = connection.execute(
        select(t.turns).where(t.turns.c.session_id == id_).order_by(t.turns.c.position, t.turns.c.id)
    ).all()
    uses = connection.execute(
        select(t.skill_uses).where(t.skill_uses.c.session_id == id_).order_by(t.skill_uses.c.position)
    )
    return Transcript(
        id=id_,
        agent=session.agent,
        project=session.project or "",
        turns=[
            Turn(
                id=row.id,
                position=row.position,
                role=Role(row.role),
                origin=Origin(row.origin),
                text=row.text,
                at=row.at,
                model=row.model,
                skill=row.skill,
                cwd=row.cwd,
                branch=row.branch,
                abandoned=row.abandoned,
                tool_calls=tuple(calls.get(row.id, ())),
                queued=row.queued,
                source_id=row.source_id,
                tokens=Tokens(
                    input=row.tokens_input,
                    output=row.tokens_output,
                    cache_read=row.tokens_cache_read,
                    cache_write=row.tokens_cache_write,
                ),
            )
            for row in turn_rows
        ],
        skills=[
            SkillUse(name=row.name, path=row.path, trigger=SkillTrigger(row.trigger), position=row.position)
            for row in uses
        ],
        votes={row.id: row.vote for row in turn_rows if row.vote is not None},
    )


def known(connection: Connection, ids: Sequence[SessionId]) -> tuple[SessionId, ...]:
    """Those of the sessions that are stored, in the order asked for."""
    found = set(connection.execute(select(t.sessions.c.id).where(t.sessions.c.id.in_(ids))).scalars())
    return tuple(dict.fromkeys(id_ for id_ in ids if id_ in found))


def latest(connection: Connection) -> datetime | None:
    """When the newest session ended."""
    found: datetime | None = connection.execute(select(func.max(t.sessions.c.ended_at))).scalar()
    return found


def defects(connection: Connection, limit: int) -> tuple[Defect, ...]:
    """The pieces that could not be read, by file."""
    rows = connection.execute(select(t.defects).order_by(t.defects.c.path, t.defects.c.offset).limit(limit))
    return tuple(Defect(path=row.path, offset=row.offset, reason=row.reason) for row in rows)


def _count(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())
