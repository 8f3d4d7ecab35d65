"""The recurring work in figures, counted by the database: it reads no answer, and no request but the listed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, text

from sleepd.core.chance import NO_EXCESS, Excess
from sleepd.core.check import Check, check_of, in_order
from sleepd.core.model import CheckKind, ClusterId, Split, TaskId
from sleepd.store.schema import wordings


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurring:
    """One kind of recurring work."""

    kind: ClusterId
    name: str
    """What a person would call the work; "" when it has no name."""
    project: str
    request: str
    """Its oldest task's."""
    tasks: int
    sessions: int
    friction: int
    """How often the user had to ask again, over all its tasks."""
    by_split: dict[Split, int]
    """Checkable tasks on each side."""
    checks: tuple[Check, ...]
    excess: Excess
    """What the search for checks found, beside the same search in labels that mean nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some of the recurring work, those that cost the user most first, with how much there is in all."""

    found: tuple[Recurring, ...]
    first: int
    """Which kind of work the page begins with, from 1."""
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One task of a kind of work."""

    task: TaskId
    kind: ClusterId
    split: Split | None
    friction: int
    request: str


# `first_at` is there for `first_id`: of a bare column, SQLite gives the value in the row that has the minimum.
_KINDS = text(
    """
    WITH again AS (SELECT task_id, count(*) AS times FROM attempts WHERE outcome = 'rejected' GROUP BY task_id),
         checked AS (SELECT DISTINCT task_id FROM checks),
         work AS (SELECT coalesce(c.kind, t.cluster_id) AS kind, coalesce(c.name, '') AS name, t.id, t.session_id, t.at,
                         CASE WHEN NOT t.retired THEN t.split END AS side
                  FROM tasks t LEFT JOIN clusters c ON c.id = t.cluster_id
                  WHERE t.cluster_id IS NOT NULL AND NOT t.dropped)
    SELECT work.kind, work.name, min(work.at) AS first_at, work.id AS first_id,
           count(*) AS tasks, count(DISTINCT work.session_id) AS sessions, coalesce(sum(again.times), 0) AS friction,
           sum(checked.task_id IS NOT NULL AND side IS 'train') AS train,
           sum(checked.task_id IS NOT NULL AND side IS 'val') AS val,
           sum(checked.task_id IS NOT NULL AND side IS 'test') AS test
    FROM work LEFT JOIN again ON again.task_id = work.id LEFT JOIN checked ON checked.task_id = work.id
    GROUP BY work.kind HAVING count(DISTINCT work.session_id) >= :min_sessions
    ORDER BY friction DESC, sessions DESC, work.kind
    """
)
_FIRST = text("SELECT id, project, request FROM tasks WHERE id IN :ids").bindparams(bindparam("ids", expanding=True))
_CHECKS = text(
    """
    SELECT DISTINCT coalesce(c.kind, t.cluster_id) AS work, checks.kind, checks.value
    FROM checks JOIN tasks t ON t.id = checks.task_id LEFT JOIN clusters c ON c.id = t.cluster_id
    WHERE work IN :kinds AND NOT t.dropped
    """
).bindparams(bindparam("kinds", expanding=True))
_MEMBERS = text(
    """
    SELECT t.id, coalesce(c.kind, t.cluster_id) AS work, t.split, t.request,
           (SELECT count(*) FROM attempts a WHERE a.task_id = t.id AND a.outcome = 'rejected') AS friction
    FROM tasks t LEFT JOIN clusters c ON c.id = t.cluster_id
    WHERE work IN :kinds AND NOT t.dropped
    ORDER BY t.at, t.id
    """
).bindparams(bindparam("kinds", expanding=True))


def page(connection: Connection, min_sessions: int, *, first: int = 1, count: int | None = None) -> Page:
    """The kinds of work that span enough sessions: `count` of them (None: all) from number `first` on."""
    rows = connection.execute(_KINDS, {"min_sessions": min_sessions}).all()
    some = rows[first - 1 :] if count is None else rows[first - 1 : first - 1 + count]
    oldest = {row.id: row for row in connection.execute(_FIRST, {"ids": [row.first_id for row in some]})}
    checks: dict[str, list[Check]] = {}
    for row in connection.execute(_CHECKS, {"kinds": [row.kind for row in some]}):
        checks.setdefault(row.work, []).append(check_of(CheckKind(row.kind), row.value))
    kept = {
        row.kind: Excess(
            corrected_sessions=row.corrected_sessions,
            wordings=row.wordings,
            found=row.found,
            by_chance=row.by_chance,
            proven=row.proven,
        )
        for row in connection.execute(select(wordings))
    }
    found = tuple(
        _recurring(row, oldest[row.first_id], checks.get(row.kind, []), kept.get(row.kind, NO_EXCESS)) for row in some
    )
    return Page(found=found, first=first, total=len(rows))


def members(connection: Connection, kinds: Sequence[ClusterId]) -> tuple[Member, ...]:
    """The tasks of these kinds of work, oldest first."""
    return tuple(
        Member(
            task=TaskId(row.id),
            kind=ClusterId(row.work),
            split=Split(row.split) if row.split else None,
            friction=row.friction,
            request=row.request,
        )
        for row in connection.execute(_MEMBERS, {"kinds": kinds})
    )


def save_excess(connection: Connection, found: Mapping[ClusterId, Excess]) -> None:
    """Store what the last search for checks found in each kind of work, in the place of what was stored."""
    connection.execute(delete(wordings))
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
        connection.execute(insert(wordings), rows)


def _recurring(
    row: Row[tuple[object, ...]], oldest: Row[tuple[object, ...]], checks: Sequence[Check], excess: Excess
) -> Recurring:
    return Recurring(
        kind=ClusterId(row.kind),
        name=row.name,
        project=oldest.project,
        request=oldest.request,
        tasks=row.tasks,
        sessions=row.sessions,
        friction=row.friction,
        by_split={Split.TRAIN: row.train, Split.VAL: row.val, Split.TEST: row.test},
        checks=in_order(checks),
        excess=excess,
    )
