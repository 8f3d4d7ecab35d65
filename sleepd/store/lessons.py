"""Lessons as they were listed before, and what the person decided on them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core import behaviour
from sleepd.core.behaviour import LessonCheck
from sleepd.core.lesson import Lesson
from sleepd.core.model import ClusterId, SessionId, TaskId
from sleepd.store import schema as t
from sleepd.store.schema_parts import lesson_checks, lesson_decisions, lessons


class LessonChoice(StrEnum):
    """What a person can decide on a lesson."""

    PINNED = "pinned"
    REJECTED = "rejected"
    WRITTEN = "written"


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonDecision:
    """What the person decided on a lesson; of a written one also what was written where."""

    lesson_id: str
    choice: LessonChoice
    at: datetime
    why: str = ""
    rule: str = ""
    path: str | None = None
    before: bytes | None = None
    """None: there was no file."""
    after: bytes | None = None


def interactive(connection: Connection) -> tuple[SessionId, ...]:
    """The sessions that a person drove, oldest first."""
    s = t.sessions.c
    query = select(s.id).where(s.kind == "interactive").order_by(s.started_at, s.id)
    return tuple(SessionId(id_) for id_ in connection.execute(query).scalars())


def clusters(connection: Connection) -> dict[TaskId, ClusterId]:
    """Task -> its cluster, of the tasks that have one."""
    c = t.tasks.c
    rows = connection.execute(select(c.id, c.cluster_id).where(c.cluster_id.is_not(None)))
    return {TaskId(row.id): ClusterId(row.cluster_id) for row in rows}


def keep(connection: Connection, found: Iterable[Lesson], now: datetime) -> None:
    """Remember that these lessons were listed."""
    rows = [
        {
            "id": lesson.id,
            "first_listed": now,
            "first_sessions": len(lesson.sessions),
            "sessions": len(lesson.sessions),
            "about": lesson.about,
            "text": lesson.text,
            "last_listed": now,
        }
        for lesson in found
    ]
    if rows:
        statement = upsert(lessons)
        changed = {name: statement.excluded[name] for name in ("sessions", "about", "text", "last_listed")}
        connection.execute(statement.on_conflict_do_update(index_elements=["id"], set_=changed), rows)


def decisions(connection: Connection) -> dict[str, LessonDecision]:
    """What the person decided, by lesson."""
    return {
        row.lesson_id: LessonDecision(
            lesson_id=row.lesson_id,
            choice=LessonChoice(row.decision),
            at=row.at,
            why=row.why,
            rule=row.rule,
            path=row.path,
            before=row.before,
            after=row.after,
        )
        for row in connection.execute(select(lesson_decisions))
    }


def decide(connection: Connection, decision: LessonDecision) -> None:
    """Store a decision in the place of an earlier one."""
    row = {
        "lesson_id": decision.lesson_id,
        "decision": decision.choice.value,
        "at": decision.at,
        "why": decision.why,
        "rule": decision.rule,
        "path": decision.path,
        "before": decision.before,
        "after": decision.after,
    }
    statement = upsert(lesson_decisions)
    changed = {name: statement.excluded[name] for name in row if name != "lesson_id"}
    connection.execute(statement.on_conflict_do_update(index_elements=["lesson_id"], set_=changed), row)


def reviewed_checks(connection: Connection) -> dict[str, tuple[LessonCheck, ...]]:
    """The checks that the person gave a lesson in the place of its own, by lesson; none is a choice, too."""
    rows = connection.execute(select(lesson_checks.c.lesson_id, lesson_checks.c.checks))
    return {row.lesson_id: tuple(behaviour.read(one) for one in json.loads(row.checks)) for row in rows}


def review_checks(connection: Connection, lesson_id: str, checks: Sequence[LessonCheck], now: datetime) -> None:
    """Keep the person's checks of a lesson, in the place of earlier ones."""
    row = {"lesson_id": lesson_id, "checks": json.dumps([behaviour.written(one) for one in checks]), "at": now}
    statement = upsert(lesson_checks)
    changed = {name: statement.excluded[name] for name in ("checks", "at")}
    connection.execute(statement.on_conflict_do_update(index_elements=["lesson_id"], set_=changed), row)
