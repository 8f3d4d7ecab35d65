"""Sessions, turns and tool calls as they came from the harvesters, with the cursors of the files they came from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from sqlalchemy import Connection, Table, bindparam, delete, func, select, update
from sqlalchemy.dialects.sqlite import Insert
from sqlalchemy.dialects.sqlite import insert as upsert

from harvesters.records import (
    Answered,
    Defect,
    Origin,
    Role,
    Session,
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
from sleepd.store import session_parts
from sleepd.store.stored_file import StoredFile, groups

_ANSWER = (
    *("output", "status", "exit_code", "feedback"),
    *("answers", "duration_ms", "subagent", "subagent_tokens", "result_id"),
)
"""What a result tells of its call. The first four replace what was stored, of the others those that say something."""

_NEW_TURN = upsert(t.turns)
# What continues a turn: text behind text, tokens to tokens. A sum with something unknown is unknown to SQL.
_SAVE_TURN = _NEW_TURN.on_conflict_do_update(
    index_elements=["session_id", "id"],
    set_={"text": t.turns.c.text + _NEW_TURN.excluded.text}
    | {
        name: func.coalesce(t.turns.c[name] + _NEW_TURN.excluded[name], t.turns.c[name], _NEW_TURN.excluded[name])
        for name in ("tokens_input", "tokens_output", "tokens_cache_read", "tokens_cache_write")
    },
)
"""A tail goes on with the text of a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What the database holds."""

    sessions: int
    turns: int
    tool_calls: int
    defects: int


def session_id(agent: str, native: str) -> SessionId:
    return SessionId(f"{agent}:{native}")


def save(connection: Connection, files: Iterable[StoredFile]) -> None:
    """Store readings in order: replace a file's session, or add to it when the reading continues an earlier one."""
    for group in groups(files):
        _save_cursors(connection, group)
        _save_defects(connection, group)
        session_parts.save_counts(connection, group)
        told = [(file, session_id(file.agent, found.id), found) for file in group if (found := file.reading.session)]
        whole = [id_ for file, id_, _ in told if file.reading.whole]
        for id_ in known(connection, whole):
            for table in (t.turns, t.tool_calls, t.skill_uses):
                connection.execute(delete(table).where(table.c.session_id == id_))
            session_parts.forget(connection, id_)
        for file, id_, session in told:
            _save_session(connection, file, session, id_)
        rows = [
            {
                "session_id": id_,
                "id": turn.id,
                "position": turn.position,
                "role": turn.role.value,
                "origin": turn.origin.value,
                "text": turn.text,
                "at": turn.at,
                "model": turn.model,
                "skill": turn.skill,
                "cwd": turn.cwd,
                "branch": turn.branch,
                "abandoned": turn.abandoned,
                "queued": turn.queued,
                "source_id": turn.source_id,
                "tokens_input": turn.tokens.input,
                "tokens_output": turn.tokens.output,
                "tokens_cache_read": turn.tokens.cache_read,
                "tokens_cache_write": turn.tokens.cache_write,
            }
            for _, id_, session in told
            for turn in session.turns
        ]
        if rows:
            connection.execute(_SAVE_TURN, list(rows))
        calls = [
            _call_row(call, turn.id, n, id_)
            for _, id_, session in told
            for turn in session.turns
            for n, call in enumerate(turn.tool_calls)
        ]
        _put(connection, t.tool_calls, calls, _ANSWER)
        skills = [
            {
                "session_id": id_,
                "position": use.position,
                "name": use.name,
                "path": use.path,
                "trigger": use.trigger.value,
            }
            for _, id_, session in told
            for use in session.skills
        ]
        _put(connection, t.skill_uses, skills, ("path",))
        for _, id_, session in told:
            _save_late_results(connection, session.late_results, id_)
            c = t.turns.c
            statement = (
                update(t.turns).where(c.session_id == id_, c.id == bindparam("turn")).values(vote=bindparam("value"))
            )
            if session.votes:
                connection.execute(statement, [{"turn": turn, "value": vote} for turn, vote in session.votes.items()])
        session_parts.save(connection, [(id_, session) for _, id_, session in told])


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


def _save_cursors(connection: Connection, group: Sequence[StoredFile]) -> None:
    """Where each file was left. A reading without a session leaves the file's session as it is."""
    rows = [
        {
            "path": file.path,
            "agent": file.agent,
            "session_id": session_id(file.agent, session.id) if (session := file.reading.session) is not None else None,
            "inode": cursor.inode,
            "size": cursor.size,
            "mtime_ns": cursor.mtime_ns,
            "offset": cursor.offset,
            "head": cursor.head,
            "head_length": cursor.head_length,
            "tail": cursor.tail,
            "state": json.dumps(dict(cursor.state), sort_keys=True),
        }
        for file in group
        if (cursor := file.reading.cursor) is not None
    ]
    named = [row for row in rows if row["session_id"] is not None]
    _put(connection, t.files, named, tuple(name for name in named[0] if name != "path") if named else ())
    others = [row for row in rows if row["session_id"] is None]
    _put(connection, t.files, others, tuple(n for n in others[0] if n not in ("path", "session_id")) if others else ())


def _save_defects(connection: Connection, group: Sequence[StoredFile]) -> None:
    whole = [{"gone": file.path} for file in group if file.reading.whole]
    if whole:
        connection.execute(delete(t.defects).where(t.defects.c.path == bindparam("gone")), whole)
    found = [defect for file in group for defect in file.reading.defects]
    _put(connection, t.defects, [{"path": d.path, "offset": d.offset, "reason": d.reason} for d in found], ("reason",))


def _save_session(connection: Connection, file: StoredFile, session: Session, id_: SessionId) -> None:
    row = {
        "id": id_,
        "agent": file.agent,
        "kind": file.kind,
        "parent_id": session_id(file.agent, session.parent_id) if session.parent_id else None,
        "project": session.cwd,
        "branch": session.branch,
        "commit": session.commit,
        "title": session.title,
        "version": session.version,
        "started_at": session.started_at,
        "ended_at": session.ended_at,
        "models": json.dumps(list(session.models)),
        "tokens_input": session.tokens.input,
        "tokens_output": session.tokens.output,
        "tokens_cache_read": session.tokens.cache_read,
        "tokens_cache_write": session.tokens.cache_write,
        "redacted": file.redacted,
        "revision": 1,
    }
    connection.execute(_session_statement(tuple(row), whole=file.reading.whole), row)


@cache
def _session_statement(columns: tuple[str, ...], *, whole: bool) -> Insert:
    """Replace a session's row, or add what a tail told to it; either way it has to be mined anew."""
    statement = upsert(t.sessions)
    new, old = statement.excluded, t.sessions.c
    change: dict[str, object] = {name: new[name] for name in columns if name not in ("id", "agent", "revision")}
    if not whole:
        # A tail tells neither who drove the session nor when and where it began.
        change = {name: func.coalesce(new[name], old[name]) for name in change}
        change |= {name: func.coalesce(old[name], new[name]) for name in ("kind", "started_at", "project", "commit")}
        change |= {"redacted": old.redacted + new.redacted}
        change |= {"models": func.coalesce(func.nullif(new.models, "[]"), old.models)}
    change["revision"] = old.revision + 1
    return statement.on_conflict_do_update(index_elements=["id"], set_=change)


def _put(connection: Connection, table: Table, rows: Sequence[Mapping[str, object]], updated: tuple[str, ...]) -> None:
    """Insert rows; of one that is there already, take the named columns from the new."""
    if rows:
        connection.execute(_put_statement(table, updated), list(rows))


# Building a statement costs more than running it; each of these is the same for every file.
@cache
def _put_statement(table: Table, updated: tuple[str, ...]) -> Insert:
    statement = upsert(table)
    keys = [column.name for column in table.primary_key]
    values = {name: statement.excluded[name] for name in updated}
    return statement.on_conflict_do_update(index_elements=keys, set_=values)


def _save_late_results(connection: Connection, results: Sequence[ToolCall], id_: SessionId) -> None:
    if not results:
        return
    c = t.tool_calls.c
    statement = (
        update(t.tool_calls)
        .where(c.session_id == id_, c.id == bindparam("call"))
        .values(
            {name: bindparam(f"new_{name}") for name in _ANSWER[:4]}
            | {name: func.coalesce(bindparam(f"new_{name}"), c[name]) for name in _ANSWER[4:]}
        )
    )
    rows = []
    for result in results:
        row = _call_row(result, "", 0, id_)
        rows.append({"call": result.id} | {f"new_{name}": row[name] for name in _ANSWER})
    connection.execute(statement, rows)


def _call_row(call: ToolCall, turn_id: str, number: int, id_: SessionId) -> dict[str, object]:
    return {
        "session_id": id_,
        "id": call.id,
        "turn_id": turn_id,
        "number": number,
        "name": call.name,
        "input": call.input,
        "output": call.output,
        "status": call.status.value,
        "exit_code": call.exit_code,
        "feedback": call.feedback,
        "answers": json.dumps([[a.question, a.answer] for a in call.answers]) if call.answers else None,
        "duration_ms": call.duration_ms,
        "subagent": call.subagent,
        "subagent_tokens": call.subagent_tokens,
        "result_id": call.result_id,
    }
