"""What a night has to say of lessons: which belong to its work, which were needed again, how far the nearest is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sleepd.core.lesson import PAST, History, LessonBook, LessonFloors, LessonState, needs
from sleepd.core.model import ClusterId


@dataclass(frozen=True, slots=True, kw_only=True)
class NightLesson:
    """A lesson as a night sees it."""

    id: str
    text: str
    sessions: int
    """In which it was needed in all."""
    since: int | None
    """Of these those since the night before; None for the first night."""
    of_work: bool
    """It was needed in a kind of work that the night worked on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestLesson:
    """A finding that too few sessions support."""

    text: str
    sessions: int
    needs: int
    """Sessions that would make a lesson of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NightLessons:
    """The living lessons on the day of a night, worth most first."""

    lessons: tuple[NightLesson, ...]
    nearest: NearestLesson | None
    """None where there is a lesson, or where nothing came back in a second session."""


def night_lessons(
    book: LessonBook, known: History, work: Collection[ClusterId], before: datetime | None, floors: LessonFloors
) -> NightLessons:
    """The lessons of a book for a night on these kinds of work. `before` is when the night before began."""
    cluster = {
        (one.episode.session, one.episode.number): one.cluster
        for session in known.sessions
        for one in session
        if one.cluster is not None
    }
    living = [one for one in book.lessons if one.state not in (LessonState.REJECTED, *PAST)]
    found = []
    for one in living:
        newer = {s.session for s in one.signals if before is not None and s.at is not None and s.at > before}
        found.append(
            NightLesson(
                id=one.id,
                text=one.text,
                sessions=len(one.sessions),
                since=len(newer) if before is not None else None,
                of_work=any(cluster.get((s.session, s.episode)) in work for s in one.signals),
            )
        )
    near = book.nearest if not living else None
    return NightLessons(
        lessons=tuple(found),
        nearest=NearestLesson(
            text=near.text, sessions=len({s.session for s in near.signals}), needs=needs(near, floors)
        )
        if near is not None
        else None,
    )
