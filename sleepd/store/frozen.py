"""The checks of a candidate's tasks as they were when it began (gate, promise 6b)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core.check import Check, check_of
from sleepd.core.model import CheckKind, Digest, TaskId
from sleepd.store import schema as t


def save(connection: Connection, id_: Digest, checks: Mapping[TaskId, Sequence[Check]]) -> None:
    """Keep the checks that a candidate's tasks are judged by; what was kept once stays."""
    rows = [
        {"candidate_id": id_, "task_id": task, "kind": check.kind.value, "value": check.value}
        for task, some in checks.items()
        for check in some
    ]
    if rows:
        connection.execute(upsert(t.candidate_checks).on_conflict_do_nothing(), rows)


def load(connection: Connection, id_: Digest) -> dict[TaskId, tuple[Check, ...]]:
    """The checks of a candidate's tasks, ordered as those of `store.tasks`; empty for one of an earlier version."""
    c = t.candidate_checks.c
    rows = connection.execute(
        select(t.candidate_checks).where(c.candidate_id == id_).order_by(c.task_id, c.kind, c.value)
    )
    return {
        TaskId(task): tuple(check_of(CheckKind(row.kind), row.value) for row in some)
        for task, some in groupby(rows, lambda row: row.task_id)
    }
