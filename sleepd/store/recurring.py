"""The recurring work in figures, counted by the database: it reads no answer, and no request but the listed.

Without SQLAlchemy and numpy, whose import takes longer than the counting of an ordinary history.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from sleepd.core.check import Check, check_of, in_order
from sleepd.core.excess import NO_EXCESS, Excess
from sleepd.core.model import CheckKind, ClusterId, Split, TaskId
from sleepd.core.validity import Validity
from sleepd.store.overview import glance
from sleepd.store.validity_rows import CheckFamily, validity_of


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
    """Those that gate."""
    observed: tuple[Check, ...]
    """Those that are shown and decide nothing."""
    own_checks: bool
    """Whether the person wrote some of those that gate."""
    validity: Validity | None
    """The verdict on the mined ones; None before the work was searched."""
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
_KINDS = """
    WITH again AS (SELECT task_id, count(*) AS times FROM attempts WHERE outcome = 'rejected' GROUP BY task_id),
         checked AS (SELECT DISTINCT task_id FROM checks WHERE gates),
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
    GROUP BY work.kind HAVING count(DISTINCT work.session_id) >= ?
    ORDER BY friction DESC, sessions DESC, work.kind
    """
_FIRST = "SELECT id, project, request FROM tasks WHERE id IN (SELECT value FROM json_each(?))"
_CHECKS = """
    SELECT DISTINCT coalesce(c.kind, t.cluster_id) AS work, checks.kind, checks.value, checks.gates, t.reviewed
    FROM checks JOIN tasks t ON t.id = checks.task_id LEFT JOIN clusters c ON c.id = t.cluster_id
    WHERE work IN (SELECT value FROM json_each(?)) AND NOT t.dropped
    """
_VERDICTS = "SELECT * FROM validities WHERE family = ?"
_MEMBERS = """
    SELECT t.id, coalesce(c.kind, t.cluster_id) AS work, t.split, t.request,
           (SELECT count(*) FROM attempts a WHERE a.task_id = t.id AND a.outcome = 'rejected') AS friction
    FROM tasks t LEFT JOIN clusters c ON c.id = t.cluster_id
    WHERE work IN (SELECT value FROM json_each(?)) AND NOT t.dropped
    ORDER BY t.at, t.id
    """


@dataclass(slots=True)
class _Checks:
    """The checks of one kind of work as its rows are read."""

    gating: list[Check] = field(default_factory=list)
    observed: list[Check] = field(default_factory=list)
    own: bool = False


_NO_CHECKS: Final = _Checks()


def page(path: Path, min_sessions: int, *, first: int = 1, count: int | None = None) -> Page:
    """The kinds of work that span enough sessions: `count` of them (None: all) from number `first` on.

    An empty page where there is no database; none is made. Raises as `overview.glance` does.
    """
    if not path.exists():
        return Page(found=(), first=first, total=0)

    def read(connection: sqlite3.Connection) -> Page:
        rows = connection.execute(_KINDS, (min_sessions,)).fetchall()
        some = rows[first - 1 :] if count is None else rows[first - 1 : first - 1 + count]
        ids, kinds = (json.dumps([row[name] for row in some]) for name in ("first_id", "kind"))
        oldest = {row["id"]: row for row in connection.execute(_FIRST, (ids,))}
        checks: dict[str, _Checks] = {}
        for row in connection.execute(_CHECKS, (kinds,)):
            of_work = checks.setdefault(row["work"], _Checks())
            listed = of_work.gating if row["gates"] else of_work.observed
            listed.append(check_of(CheckKind(row["kind"]), row["value"]))
            of_work.own = of_work.own or bool(row["reviewed"])
        verdicts = {
            row["subject"]: validity_of(row) for row in connection.execute(_VERDICTS, (CheckFamily.WORK.value,))
        }
        kept = {
            row["kind"]: Excess(
                corrected_sessions=row["corrected_sessions"],
                wordings=row["wordings"],
                found=row["found"],
                by_chance=row["by_chance"],
                proven=row["proven"],
            )
            for row in connection.execute("SELECT * FROM wordings")
        }
        found = tuple(
            Recurring(
                kind=ClusterId(row["kind"]),
                name=row["name"],
                project=oldest[row["first_id"]]["project"],
                request=oldest[row["first_id"]]["request"],
                tasks=row["tasks"],
                sessions=row["sessions"],
                friction=row["friction"],
                by_split={Split.TRAIN: row["train"], Split.VAL: row["val"], Split.TEST: row["test"]},
                checks=in_order(checks.get(row["kind"], _NO_CHECKS).gating),
                observed=in_order(checks.get(row["kind"], _NO_CHECKS).observed),
                own_checks=checks.get(row["kind"], _NO_CHECKS).own,
                validity=verdicts.get(row["kind"]),
                excess=kept.get(row["kind"], NO_EXCESS),
            )
            for row in some
        )
        return Page(found=found, first=first, total=len(rows))

    return glance(path, read)


def members(path: Path, kinds: Sequence[ClusterId]) -> tuple[Member, ...]:
    """The tasks of these kinds of work, oldest first. Raises as `page` does."""
    if not kinds:
        return ()
    rows = glance(path, lambda connection: connection.execute(_MEMBERS, (json.dumps(kinds),)).fetchall())
    return tuple(
        Member(
            task=TaskId(row["id"]),
            kind=ClusterId(row["work"]),
            split=Split(row["split"]) if row["split"] else None,
            friction=row["friction"],
            request=row["request"],
        )
        for row in rows
    )
