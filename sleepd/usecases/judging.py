"""Which checks and judges of lessons gate: found out when sessions are mined, and read by every list after that."""

from __future__ import annotations

from sleepd.core.lesson import TriedLesson
from sleepd.settings.sections import LessonsConfig
from sleepd.store.database import Database
from sleepd.usecases import lessons, rubrics


def judge_checks(database: Database, floors: LessonsConfig, *, looked_at: bool = False) -> tuple[TriedLesson, ...]:
    """Hold the checks and rubrics of all lessons against the stored sessions, and remember which gate.

    Asks no model. Returns the lessons, also those that the person dropped. `looked_at`: they are shown to the person.
    """
    known = lessons.history(database)
    found = lessons.tried(lessons.book(database, floors, known, looked_at=looked_at).lessons, floors, known)
    lessons.keep_verdicts(database, found)
    rubrics.refresh(database, floors, known)
    return lessons.with_rubrics(database, found)
