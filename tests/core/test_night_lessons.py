"""What a night has to say of lessons."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sleepd.core.lesson import Found, History, LessonBook, LessonFloors, LessonState
from sleepd.core.model import ClusterId
from sleepd.core.night_lessons import NearestLesson, NightLessons, night_lessons
from sleepd.core.signal import SignalKind
from sleepd.views.night_lessons_view import night_lessons_lines
from tests.core.test_episode import START
from tests.core.test_retirement import known, needed, quiet, the_lesson

LINT, PARSER = ClusterId("lint"), ClusterId("parser")


def history() -> History:
    """Two sessions that needed the linter and one that did not; the person's turns about it are one kind of work."""
    found = known(needed(0), needed(1), quiet(2))
    return History(
        sessions=tuple(
            tuple(replace(one, cluster=LINT if one.episode.number else PARSER) for one in session)
            for session in found.sessions
        )
    )


def book(*, state: LessonState = LessonState.NEW) -> LessonBook:
    return LessonBook(lessons=(replace(the_lesson(history()), state=state),), sessions=3, turns=5, nearest=None)


@pytest.mark.parametrize(("work", "of_work"), [({LINT}, True), ({PARSER}, False), (set(), False)])
def test_a_lesson_belongs_to_the_work_in_which_it_was_needed(work: set[ClusterId], *, of_work: bool) -> None:
    (found,) = night_lessons(book(), history(), work, None, LessonFloors()).lessons
    assert (2, None, of_work) == (found.sessions, found.since, found.of_work)


def test_needs_since_the_night_before_are_counted_by_sessions() -> None:
    """What was said at the moment when it began counts for the night before."""
    last = max(one.at for one in the_lesson(history()).signals if one.at is not None)
    counts = [
        night_lessons(book(), history(), (), before, LessonFloors()).lessons[0].since
        for before in (START, last, START.replace(day=9))
    ]
    assert [2, 0, 0] == counts


@pytest.mark.parametrize("state", [LessonState.REJECTED, LessonState.RETIRED, LessonState.SPLIT])
def test_only_living_lessons_are_told_of(state: LessonState) -> None:
    assert NightLessons(lessons=(), nearest=None) == night_lessons(
        book(state=state), history(), {LINT}, None, LessonFloors()
    )


def test_without_a_lesson_the_nearest_one_says_how_far_it_is() -> None:
    """With as many sessions as one of its kind needs."""
    signal = replace(the_lesson(history()).signals[0], kind=SignalKind.FAILURE)
    near = Found(key="k", about="errcheck", text="Check the error.", signals=(signal,))
    none = LessonBook(lessons=(), sessions=3, turns=5, nearest=near)
    assert (
        NearestLesson(text="Check the error.", sessions=1, needs=3)
        == night_lessons(none, history(), (), None, LessonFloors()).nearest
    )


def row(**more: object) -> dict[str, object]:
    return {"id": "0123456789ab", "text": "Run the linter.", "sessions": 3, "since": 0, "of_work": False, **more}


@pytest.mark.parametrize(
    ("lessons", "expected"),
    [
        ([row()], ["1 lesson: 0 needed again since the night before, 0 in this night's work (sleepd lessons)"]),
        (
            [row(since=2, of_work=True), row()],
            [
                "2 lessons: 1 needed again since the night before, 1 in this night's work (sleepd lessons)",
                "  012345  needed again in 2 sessions, in this night's work: Run the linter.",
            ],
        ),
        (
            [row(since=None)],
            ["1 lesson: this is the first night, 0 in this night's work (sleepd lessons)"],
        ),
        ([], ["no lesson yet; the nearest was seen in 1 session and needs 3: Check the error."]),
    ],
)
def test_a_night_names_the_lessons_that_it_touches(lessons: list[object], expected: list[str]) -> None:
    nearest = {"text": "Check the error.", "sessions": 1, "needs": 3}
    assert expected == night_lessons_lines({"lessons": {"lessons": lessons, "nearest": nearest}})


def test_a_night_of_an_older_sleepd_says_nothing_of_lessons() -> None:
    assert [] == night_lessons_lines({})
