"""Tasks with their attempts, places, vectors, clusters and checks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from sqlalchemy import Connection, Row, Select, bindparam, delete, func, select, update
from sqlalchemy.dialects.sqlite import Insert
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core.check import Check, check_of
from sleepd.core.model import (
    Attempt,
    CheckKind,
    ClusterId,
    EvidenceKind,
    Outcome,
    SessionId,
    Split,
    Task,
    TaskId,
    digest,
)
from sleepd.core.ports import Vectors
from sleepd.core.split import Placed
from sleepd.store import schema as t


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTask:
    """A task with what mining found out about it."""

    task: Task
    agent: str
    split: Split | None
    group: TaskId | None
    cluster: ClusterId | None
    retired: bool
    checks: tuple[Check, ...]
    reviewed: bool = False
    """A person edited the checks: mining leaves them alone."""

    @property
    def usable(self) -> bool:
        """It has a check, a side, and no duplicate on a more sealed side."""
        return bool(self.checks) and self.split is not None and not self.retired


def save(connection: Connection, session: SessionId, agent: str, tasks: Sequence[Task]) -> None:
    """Store one session's tasks. A task that is there keeps its side and cluster; one that is gone is removed.

    A task that a fork repeats stays with the session that tells more of it.
    """
    c = t.tasks.c
    known = [task.id for task in tasks]
    connection.execute(delete(t.tasks).where(c.session_id == session, c.id.not_in(known)))
    elsewhere = _told_elsewhere(connection, session, known)
    tasks = [task for task in tasks if len(task.attempts) > elsewhere.get(task.id, -1)]
    if tasks:
        connection.execute(_task_statement(), [_task_row(task, agent) for task in tasks])
        connection.execute(delete(t.attempts).where(t.attempts.c.task_id.in_([task.id for task in tasks])))
    rows = [_attempt_row(task.id, n, attempt) for task in tasks for n, attempt in enumerate(task.attempts)]
    if rows:
        connection.execute(upsert(t.attempts), rows)


@cache
def _task_statement() -> Insert:
    statement = upsert(t.tasks)
    change = {name: statement.excluded[name] for name in ("session_id", "project", "request", "context", "skill")}
    return statement.on_conflict_do_update(index_elements=["id"], set_=change)


def load(connection: Connection, ids: Sequence[TaskId] | None = None) -> tuple[StoredTask, ...]:
    """All tasks, or those with these ids, oldest first; dropped ones are left out."""
    query = select(t.tasks).where(t.tasks.c.dropped.is_(False)).order_by(t.tasks.c.at, t.tasks.c.id)
    if ids is not None:
        query = query.where(t.tasks.c.id.in_(ids))
    rows = connection.execute(query).all()
    attempts = _grouped(connection, select(t.attempts).order_by(t.attempts.c.task_id, t.attempts.c.number))
    checks = _grouped(connection, select(t.checks).order_by(t.checks.c.kind, t.checks.c.value))
    return tuple(_stored(row, attempts.get(row.id, []), checks.get(row.id, [])) for row in rows)


def place(connection: Connection, placed: Sequence[Placed], clusters: Mapping[TaskId, ClusterId]) -> None:
    """Give tasks their side and cluster, for ever."""
    if not placed:
        return
    statement = (
        update(t.tasks)
        .where(t.tasks.c.id == bindparam("task"))
        .values(group_id=bindparam("group"), split=bindparam("side"), cluster_id=bindparam("cluster"))
    )
    rows = [{"task": p.task, "group": p.group, "side": p.split.value, "cluster": clusters[p.task]} for p in placed]
    connection.execute(statement, rows)


def join(connection: Connection, joined: Mapping[ClusterId, ClusterId]) -> None:
    """Let clusters become part of older ones."""
    if joined:
        c = t.tasks.c.cluster_id
        statement = update(t.tasks).where(c == bindparam("old")).values(cluster_id=bindparam("new"))
        connection.execute(statement, [{"old": old, "new": new} for old, new in joined.items()])


def retire(connection: Connection, ids: Sequence[TaskId]) -> None:
    """Put train tasks out of use because a duplicate was found on a sealed side."""
    if ids:
        statement = update(t.tasks).where(t.tasks.c.id == bindparam("task")).values(retired=True)
        connection.execute(statement, [{"task": i} for i in ids])


def drop(connection: Connection, id_: TaskId) -> bool:
    """Forget a task at the user's wish; it does not come back. False when there is none."""
    return connection.execute(update(t.tasks).where(t.tasks.c.id == id_).values(dropped=True)).rowcount > 0


def set_checks(connection: Connection, ids: Sequence[TaskId], checks: Mapping[TaskId, Sequence[Check]]) -> None:
    """Replace the checks of these tasks."""
    if ids:
        statement = delete(t.checks).where(t.checks.c.task_id == bindparam("task"))
        connection.execute(statement, [{"task": i} for i in ids])
    rows = [{"task_id": i, "kind": c.kind.value, "value": c.value} for i in ids for c in checks.get(i, ())]
    if rows:
        connection.execute(upsert(t.checks).on_conflict_do_nothing(), rows)


def review(connection: Connection, id_: TaskId, checks: Sequence[Check]) -> None:
    """Put a person's checks in place of the mined ones, for good."""
    connection.execute(update(t.tasks).where(t.tasks.c.id == id_).values(reviewed=True))
    set_checks(connection, [id_], {id_: checks})


def vectors(connection: Connection, texts: Sequence[str], embedder: str) -> dict[str, Vectors]:
    """Stored vectors of these texts, by text; shape (dimensions,)."""
    by_digest = {str(digest(text)): text for text in texts}
    c = t.embeddings.c
    rows = connection.execute(select(c.text, c.vector).where(c.embedder == embedder))
    return {by_digest[r.text]: np.frombuffer(r.vector, dtype=np.float32) for r in rows if r.text in by_digest}


def save_vectors(connection: Connection, found: Mapping[str, Vectors], embedder: str) -> None:
    rows = [
        {"text": digest(text), "embedder": embedder, "vector": vector.astype(np.float32).tobytes()}
        for text, vector in found.items()
    ]
    if rows:
        connection.execute(upsert(t.embeddings).on_conflict_do_nothing(), rows)


def count(connection: Connection) -> int:
    query = select(func.count()).select_from(t.tasks).where(t.tasks.c.dropped.is_(False))
    return int(connection.execute(query).scalar_one())


def _told_elsewhere(connection: Connection, session: SessionId, ids: Sequence[TaskId]) -> dict[TaskId, int]:
    """How many attempts another session tells of these tasks."""
    query = (
        select(t.tasks.c.id, func.count().label("attempts"))
        .join(t.attempts, t.attempts.c.task_id == t.tasks.c.id)
        .where(t.tasks.c.id.in_(ids), t.tasks.c.session_id != session)
        .group_by(t.tasks.c.id)
    )
    return {TaskId(row.id): row.attempts for row in connection.execute(query)}


def _task_row(task: Task, agent: str) -> dict[str, object]:
    return {
        "id": task.id,
        "session_id": task.session_id,
        "agent": agent,
        "project": task.project,
        "at": task.at,
        "request": task.request,
        "context": task.context,
        "skill": task.skill,
        "retired": False,
        "dropped": False,
    }


def _attempt_row(task: TaskId, number: int, attempt: Attempt) -> dict[str, object]:
    return {
        "task_id": task,
        "number": number,
        "answer": attempt.answer,
        "outcome": attempt.outcome.value,
        "evidence": json.dumps([e.value for e in attempt.evidence]),
        "reaction": attempt.reaction,
        "tool_output": attempt.tool_output,
    }


def _grouped(connection: Connection, query: Select[tuple[object, ...]]) -> dict[str, list[Row[tuple[object, ...]]]]:
    found: dict[str, list[Row[tuple[object, ...]]]] = {}
    for row in connection.execute(query):
        found.setdefault(row.task_id, []).append(row)
    return found


def _stored(
    row: Row[tuple[object, ...]],
    attempts: Sequence[Row[tuple[object, ...]]],
    checks: Sequence[Row[tuple[object, ...]]],
) -> StoredTask:
    task = Task(
        id=TaskId(row.id),
        session_id=SessionId(row.session_id),
        project=row.project,
        at=row.at,
        request=row.request,
        context=row.context,
        attempts=tuple(_attempt(a) for a in attempts),
        skill=row.skill,
    )
    return StoredTask(
        task=task,
        agent=row.agent,
        split=Split(row.split) if row.split else None,
        group=TaskId(row.group_id) if row.group_id else None,
        cluster=ClusterId(row.cluster_id) if row.cluster_id else None,
        retired=row.retired,
        checks=tuple(check_of(CheckKind(c.kind), c.value) for c in checks),
        reviewed=row.reviewed,
    )


def _attempt(row: Row[tuple[object, ...]]) -> Attempt:
    return Attempt(
        answer=row.answer,
        outcome=Outcome(row.outcome),
        evidence=tuple(EvidenceKind(e) for e in json.loads(row.evidence)),
        reaction=row.reaction,
        tool_output=row.tool_output,
    )
