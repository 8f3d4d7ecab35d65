"""Tasks with their attempts, places, vectors, clusters and checks."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import ColumnElement, Connection, Row, Select, Table, bindparam, delete, func, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core.check import Check, check_of
from sleepd.core.excess import Excess
from sleepd.core.model import (
    AnswerOutcome,
    Attempt,
    CheckKind,
    ClusterId,
    Digest,
    EvidenceKind,
    SessionId,
    Split,
    Task,
    TaskId,
)
from sleepd.core.ports import HalfVectors, Vectors
from sleepd.core.split import Placed
from sleepd.core.validity import YOURS, Validity
from sleepd.store import schema as t
from sleepd.store import validities

_ROWS_IN_A_PORTION = 4_096
_ASKED_FOR_AT_ONCE = 2_000
"""Up to so many rows are asked for by name; more of them cost less in one go through the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTask:
    """A task with what mining found out about it."""

    task: Task
    agent: str
    split: Split | None
    group: TaskId | None
    cluster: ClusterId | None
    """Tasks that are asked for in like words; a limited share of a project."""
    kind: ClusterId | None
    """The kind of work: the oldest of the clusters that are one kind, the task's own if there is none but it."""
    retired: bool
    checks: tuple[Check, ...]
    """Those that gate: answers are scored by them."""
    observed: tuple[Check, ...] = ()
    """Those that are shown and decide nothing."""
    validity: Validity | None = None
    """Why its checks gate, or are only observed; None before its work was searched for checks."""
    reviewed: bool = False
    """A person edited the checks: mining leaves them alone."""

    @property
    def usable(self) -> bool:
        """It has a check that gates, a side, and no duplicate on a more sealed side."""
        return bool(self.checks) and self.split is not None and not self.retired


_NEW_TASK = upsert(t.tasks)
_SAVE_TASK = _NEW_TASK.on_conflict_do_update(
    index_elements=["id"],
    set_={name: _NEW_TASK.excluded[name] for name in ("session_id", "project", "request", "context", "skill")},
)


def save(connection: Connection, session: SessionId, agent: str, tasks: Sequence[Task]) -> None:
    """Store one session's tasks. A task that is there keeps its side and cluster; one that is gone is removed.

    A task that a fork repeats stays with the session that tells more of it.
    """
    c = t.tasks.c
    known = [task.id for task in tasks]
    connection.execute(delete(t.tasks).where(c.session_id == session, c.id.not_in(known)))
    # How many attempts another session tells of these tasks.
    query = (
        select(t.tasks.c.id, func.count().label("attempts"))
        .join(t.attempts, t.attempts.c.task_id == t.tasks.c.id)
        .where(t.tasks.c.id.in_(known), t.tasks.c.session_id != session)
        .group_by(t.tasks.c.id)
    )
    elsewhere = {TaskId(row.id): row.attempts for row in connection.execute(query)}
    tasks = [task for task in tasks if len(task.attempts) > elsewhere.get(task.id, -1)]
    if tasks:
        connection.execute(
            _SAVE_TASK,
            [
                {
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
                for task in tasks
            ],
        )
        connection.execute(delete(t.attempts).where(t.attempts.c.task_id.in_([task.id for task in tasks])))
    rows = [
        {
            "task_id": task.id,
            "number": n,
            "answer": attempt.answer,
            "outcome": attempt.outcome.value,
            "evidence": json.dumps([e.value for e in attempt.evidence]),
            "reaction": attempt.reaction,
            "tool_output": attempt.tool_output,
        }
        for task in tasks
        for n, attempt in enumerate(task.attempts)
    ]
    if rows:
        connection.execute(upsert(t.attempts), rows)


def load(connection: Connection, ids: Sequence[TaskId] | None = None) -> tuple[StoredTask, ...]:
    """All tasks, or those with these ids, oldest first; dropped ones are left out."""
    kind = func.coalesce(t.clusters.c.kind, t.tasks.c.cluster_id).label("kind")
    query = (
        select(t.tasks, kind)
        .join(t.clusters, t.clusters.c.id == t.tasks.c.cluster_id, isouter=True)
        .where(t.tasks.c.dropped.is_(False))
        .order_by(t.tasks.c.at, t.tasks.c.id)
    )
    of_attempts = select(t.attempts).order_by(t.attempts.c.task_id, t.attempts.c.number)
    of_checks = select(t.checks).order_by(t.checks.c.kind, t.checks.c.value)
    if ids is not None and len(ids) <= _ASKED_FOR_AT_ONCE:
        query = query.where(t.tasks.c.id.in_(ids))
        of_attempts = of_attempts.where(t.attempts.c.task_id.in_(ids))
        of_checks = of_checks.where(t.checks.c.task_id.in_(ids))
    wanted = None if ids is None else set(ids)
    rows = [row for row in connection.execute(query) if wanted is None or row.id in wanted]
    attempts = _grouped(connection, of_attempts)
    checks = _grouped(connection, of_checks)
    verdicts = validities.of_works(connection)
    return tuple(_stored(row, attempts.get(row.id, []), checks.get(row.id, []), verdicts) for row in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """What is known about a cluster."""

    id: ClusterId
    kind: ClusterId
    name: str
    """What a person would call the kind of work: no other kind of the project is called so; "" for a single task."""


def place(connection: Connection, placed: Sequence[Placed]) -> None:
    """Give tasks their group and side, for ever."""
    if placed:
        statement = (
            update(t.tasks)
            .where(t.tasks.c.id == bindparam("task"))
            .values(group_id=bindparam("group"), split=bindparam("side"))
        )
        connection.execute(statement, [{"task": p.task, "group": p.group, "side": p.split.value} for p in placed])


def set_clusters(connection: Connection, members: Mapping[TaskId, ClusterId]) -> None:
    """Give tasks their cluster."""
    if members:
        statement = update(t.tasks).where(t.tasks.c.id == bindparam("task")).values(cluster_id=bindparam("cluster"))
        connection.execute(statement, [{"task": task, "cluster": cluster} for task, cluster in members.items()])


def unplaced(connection: Connection) -> bool:
    """Whether some task has no cluster yet."""
    query = select(t.tasks.c.id).where(t.tasks.c.cluster_id.is_(None), t.tasks.c.dropped.is_(False)).limit(1)
    return connection.execute(query).first() is not None


def describe_clusters(connection: Connection, found: Sequence[Cluster]) -> None:
    """Put these in place of all that was known about clusters."""
    connection.execute(delete(t.clusters))
    if found:
        connection.execute(insert(t.clusters), [{"id": c.id, "kind": c.kind, "name": c.name} for c in found])


def retire(connection: Connection, ids: Sequence[TaskId]) -> None:
    """Put train tasks out of use because a duplicate was found on a sealed side."""
    if ids:
        statement = update(t.tasks).where(t.tasks.c.id == bindparam("task")).values(retired=True)
        connection.execute(statement, [{"task": i} for i in ids])


def drop(connection: Connection, id_: TaskId) -> bool:
    """Forget a task at the user's wish; it does not come back. False when there is none."""
    return connection.execute(update(t.tasks).where(t.tasks.c.id == id_).values(dropped=True)).rowcount > 0


def set_checks(
    connection: Connection,
    ids: Sequence[TaskId],
    checks: Mapping[TaskId, Sequence[Check]],
    observed: Mapping[TaskId, Sequence[Check]] | None = None,
) -> None:
    """Replace the checks of these tasks: those that gate, and those that are only observed."""
    if ids:
        statement = delete(t.checks).where(t.checks.c.task_id == bindparam("task"))
        connection.execute(statement, [{"task": i} for i in ids])
    rows = [
        {"task_id": i, "kind": c.kind.value, "value": c.value, "gates": gates}
        for gates, some in ((True, checks), (False, observed or {}))
        for i in ids
        for c in some.get(i, ())
    ]
    if rows:
        connection.execute(upsert(t.checks).on_conflict_do_nothing(), rows)


def review(connection: Connection, id_: TaskId, checks: Sequence[Check]) -> None:
    """Put a person's checks in place of the mined ones, for good."""
    connection.execute(update(t.tasks).where(t.tasks.c.id == id_).values(reviewed=True))
    set_checks(connection, [id_], {id_: checks})


def save_excess(connection: Connection, found: Mapping[ClusterId, Excess]) -> None:
    """Store what the last search for checks found in each kind of work, in the place of what was stored."""
    connection.execute(delete(t.wordings))
    rows = [
        {
            "kind": kind,
            "corrected_sessions": one.corrected_sessions,
            "wordings": one.wordings,
            "found": one.found,
            "by_chance": one.by_chance,
            "proven": one.proven,
        }
        for kind, one in found.items()
    ]
    if rows:
        connection.execute(insert(t.wordings), rows)


def load_requests(connection: Connection) -> tuple[tuple[TaskId, str], ...]:
    """Id and request of every task that is not dropped, by id: what recall looks through."""
    query = select(t.tasks.c.id, t.tasks.c.request).where(t.tasks.c.dropped.is_(False)).order_by(t.tasks.c.id)
    return tuple((TaskId(id_), request) for id_, request in connection.execute(query))


def vectors(connection: Connection, texts: Collection[Digest], space: str) -> dict[Digest, HalfVectors]:
    """Stored combined vectors by the digest of their text; shape (dimensions,)."""
    found = _blobs(connection, texts, t.vectors, t.vectors.c.space == space)
    return {text: np.frombuffer(blob, dtype=np.float16) for some in found for text, blob in some}


def vectors_in_portions(
    connection: Connection, texts: Collection[Digest], space: str
) -> Iterator[tuple[tuple[Digest, ...], HalfVectors]]:
    """As `vectors`, portion by portion: the digests, and a matrix with a row for each."""
    for some in _blobs(connection, texts, t.vectors, t.vectors.c.space == space):
        marks, blobs = zip(*some, strict=True)
        yield marks, np.frombuffer(b"".join(blobs), dtype=np.float16).reshape(len(marks), -1)


def embeddings(connection: Connection, texts: Collection[Digest], embedder: str) -> dict[Digest, Vectors]:
    """What versions that stored no combined vectors kept of an embedder, by the digest of its text."""
    found = _blobs(connection, texts, t.embeddings, t.embeddings.c.embedder == embedder)
    return {text: np.frombuffer(blob, dtype=np.float32) for some in found for text, blob in some}


def save_vectors(connection: Connection, found: Mapping[Digest, HalfVectors], space: str) -> None:
    """Keep combined vectors."""
    rows = [{"text": text, "space": space, "vector": vector.tobytes()} for text, vector in found.items()]
    if rows:
        connection.execute(upsert(t.vectors).on_conflict_do_nothing(), rows)


def count(connection: Connection) -> int:
    query = select(func.count()).select_from(t.tasks).where(t.tasks.c.dropped.is_(False))
    return int(connection.execute(query).scalar_one())


def _blobs(
    connection: Connection, texts: Collection[Digest], table: Table, of_kind: ColumnElement[bool]
) -> Iterator[list[tuple[Digest, bytes]]]:
    """The stored vectors of these texts, a portion at a time; no portion is empty."""
    query = select(table.c.text, table.c.vector).where(of_kind)
    if len(texts) <= _ASKED_FOR_AT_ONCE:
        query = query.where(table.c.text.in_(texts))
    rows = connection.execute(query.execution_options(yield_per=_ROWS_IN_A_PORTION))
    for some in rows.partitions():
        if wanted := [(Digest(text), blob) for text, blob in some if text in texts]:
            yield wanted


def _grouped(connection: Connection, query: Select[tuple[object, ...]]) -> dict[str, list[Row[tuple[object, ...]]]]:
    found: dict[str, list[Row[tuple[object, ...]]]] = {}
    for row in connection.execute(query):
        found.setdefault(row.task_id, []).append(row)
    return found


def _stored(
    row: Row[tuple[object, ...]],
    attempts: Sequence[Row[tuple[object, ...]]],
    checks: Sequence[Row[tuple[object, ...]]],
    verdicts: Mapping[ClusterId, Validity],
) -> StoredTask:
    task = Task(
        id=TaskId(row.id),
        session_id=SessionId(row.session_id),
        project=row.project,
        at=row.at,
        request=row.request,
        context=row.context,
        attempts=tuple(
            Attempt(
                answer=a.answer,
                outcome=AnswerOutcome(a.outcome),
                evidence=tuple(EvidenceKind(e) for e in json.loads(a.evidence)),
                reaction=a.reaction,
                tool_output=a.tool_output,
            )
            for a in attempts
        ),
        skill=row.skill,
    )
    return StoredTask(
        task=task,
        agent=row.agent,
        split=Split(row.split) if row.split else None,
        group=TaskId(row.group_id) if row.group_id else None,
        cluster=ClusterId(row.cluster_id) if row.cluster_id else None,
        kind=ClusterId(row.kind) if row.kind else None,
        retired=row.retired,
        checks=tuple(check_of(CheckKind(c.kind), c.value) for c in checks if c.gates),
        observed=tuple(check_of(CheckKind(c.kind), c.value) for c in checks if not c.gates),
        validity=YOURS if row.reviewed else verdicts.get(row.kind),
        reviewed=row.reviewed,
    )
