"""Versions of skills, with what went wrong where they were loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from sleepd.core.acts import Act, JudgedAct, judge
from sleepd.core.episode import Episode
from sleepd.core.lesson import EpisodeWithAct, History, Lesson, LessonFloors, lessons, of_words
from sleepd.core.skill_text import SkillText
from sleepd.core.skill_versions import SkillHistory, skill_versions
from tests.exchanges import exchange, shell

OLD = SkillText(name="review", text="Reply to each comment.\nThen commit.")
NEW = SkillText(name="review", text="Commit first.\nReply with its sha.\nThen commit.")


def session(number: int, skill: SkillText, *acts: Act, text: str = "commit first", project: str = "/p") -> History:
    """A review, and what the person said after it."""
    first = replace(
        exchange("/review", shell("make test", code=1), shell("ls"), session=number), loaded=(skill,), project=project
    )
    more = [replace(exchange(text, session=number, number=n), project=project) for n in range(1, len(acts) + 1)]
    rows = zip((first, *more), (Act.REQUEST, *acts), strict=True)
    return History(sessions=(tuple(with_act(episode, act) for episode, act in rows),))


def with_act(episode: Episode, act: Act) -> EpisodeWithAct:
    (plain,) = judge([episode])
    return EpisodeWithAct(episode=episode, judged=replace(plain, act=act), cluster=None)


def versions(*sessions: History, book: Sequence[Lesson] = ()) -> tuple[SkillHistory, ...]:
    return skill_versions(History(sessions=tuple(one for each in sessions for one in each.sessions)), book)


def test_each_version_has_what_went_wrong_where_it_was_loaded() -> None:
    """Objections up to the next request and failed calls, with the days and what was changed since the version before."""
    (found,) = versions(
        session(1, OLD, Act.CORRECTION),
        session(2, OLD, Act.APPROVAL, Act.REFINEMENT),
        session(3, OLD, Act.REQUEST, Act.CORRECTION),
        session(4, NEW, Act.APPROVAL),
    )
    old, new = found.versions
    assert ("review", "/p", 4) == (found.name, found.project, found.exchanges)
    assert (3, 2, 6, 3) == (old.exchanges, old.corrected, old.calls, old.failed)
    assert (1, 0, 2, 1) == (new.exchanges, new.corrected, new.calls, new.failed)
    assert (0, 0, 2, 1) == (old.added, old.removed, new.added, new.removed)
    days = [datetime(2026, 3, day, 9, tzinfo=UTC) for day in (3, 5, 6)]
    assert days == [old.first, old.last, new.first]
    assert ["commit first", "commit first"] == [quote.text for quote in old.quotes]


def test_a_lesson_that_was_needed_there_is_named() -> None:
    """Words count for the exchange before them."""
    told = [session(n, OLD, Act.CORRECTION, text="the lint still fails, fix it") for n in (1, 2)]
    history = [one for each in told for one in each.sessions]
    acts: list[tuple[list[Episode], list[JudgedAct]]] = [
        ([one.episode for one in each], [one.judged for one in each]) for each in history
    ]
    book = lessons(of_words(acts), {}, LessonFloors())[:1]
    then = [session(n, OLD, Act.REQUEST, text="the lint still fails, fix it") for n in (1, 2)]
    (found,) = versions(*then, book=book)
    assert [((book[0].id, 2),)] == [one.lessons for one in found.versions]


def test_skills_of_one_name_are_apart_unless_they_share_a_text() -> None:
    """Two projects may each have a review of their own."""
    mine, theirs = session(1, OLD, project="/mine"), session(2, NEW, project="/theirs")
    assert {("/mine", 1), ("/theirs", 1)} == {(one.project, len(one.versions)) for one in versions(mine, theirs)}
    both = versions(mine, theirs, session(3, OLD, project="/theirs"))
    assert [("", 2)] == [(one.project, len(one.versions)) for one in both]


def test_what_a_fork_repeats_counts_once() -> None:
    """The same exchange at the same moment in another session."""
    one = session(1, OLD, Act.CORRECTION)
    (found,) = versions(one, one)
    assert 1 == found.versions[0].exchanges
