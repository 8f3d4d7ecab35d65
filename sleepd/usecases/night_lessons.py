"""The lessons on the day of a night, kept with its report."""

from __future__ import annotations

from dataclasses import asdict

from sleepd.core.lesson import LessonFloors
from sleepd.core.night_lessons import night_lessons
from sleepd.settings.sections import LessonsConfig
from sleepd.store import nights, tasks
from sleepd.store.database import Database
from sleepd.store.nights import Night
from sleepd.usecases import lessons, show

LESSONS = "lessons"
"""Where the lessons stand in a night's report."""
_RECENT = 1_000


def remember(database: Database, night: Night, floors: LessonsConfig) -> Night:
    """Keep the lessons with a night that ended: which belong to its work, and which were needed since the one before.

    No model is asked.
    """
    known = lessons.history(database)
    book = lessons.book(database, floors, known)
    tried = show.night_shown(database, night.id).tried
    with database.reading() as connection:
        ids = {task for one in tried for task in one.trial.candidate.tasks}
        work = {one.cluster for one in tasks.load(connection, sorted(ids)) if one.cluster is not None}
        earlier = [one.started_at for one in nights.nights(connection, _RECENT) if one.started_at < night.started_at]
    wanted = LessonFloors(words=floors.sessions, steps=floors.sessions_of_steps)
    found = night_lessons(book, known, work, max(earlier, default=None), wanted)
    with database.writing() as connection:
        return nights.annotate(connection, night, {LESSONS: asdict(found)})
