"""Lessons as they were listed before. Light: whoever only looks them up imports nothing that finds them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from sleepd.store.schema_parts import lesson_decisions, lessons


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A lesson as it was listed before."""

    id: str
    first_listed: datetime
    first_sessions: int
    """In how many sessions it was needed when it was first listed."""
    sessions: int
    about: str
    text: str


def listed(connection: Connection) -> dict[str, Listed]:
    """The lessons that were listed before, by id."""
    return {
        row.id: Listed(
            id=row.id,
            first_listed=row.first_listed,
            first_sessions=row.first_sessions,
            sessions=row.sessions,
            about=row.about,
            text=row.text,
        )
        for row in connection.execute(select(lessons))
    }


def to_recall(connection: Connection) -> Mapping[str, Listed]:
    """As `listed`, without those that the person rejected."""
    rejected = select(lesson_decisions.c.lesson_id).where(lesson_decisions.c.decision == "rejected")
    gone = set(connection.execute(rejected).scalars())
    return {id_: one for id_, one in listed(connection).items() if id_ not in gone}
