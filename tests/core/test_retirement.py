"""Lessons that are not needed any more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sleepd.core.acts import judge
from sleepd.core.episode import Episode
from sleepd.core.lesson import EpisodeWithAct, History, Lesson, LessonFloors, lessons, of_words
from sleepd.core.retirement import silence
from tests.core.test_episode import reply, said, shell
from tests.core.test_lesson import edit, session, work

LEAST = 20


def needed(n: int) -> tuple[Episode, ...]:
    return work(n, "the lint still fails, fix it", shell("npm run lint"))


def quiet(n: int, *, project: str = "/p") -> tuple[Episode, ...]:
    return session(n, said(f"Add option {n}", 0), reply("Done.", 1, edit("parser.py", n)), project=project)


def talk(n: int) -> tuple[Episode, ...]:
    return session(n, said("What is this?", 0), reply("A parser.", 1))


def known(*sessions: tuple[Episode, ...]) -> History:
    judged = (zip(one, judge(one), strict=True) for one in sessions)
    return History(
        sessions=tuple(tuple(EpisodeWithAct(episode=e, judged=j, cluster=None) for e, j in one) for one in judged)
    )


def the_lesson(history: History) -> Lesson:
    told = [([one.episode for one in each], [one.judged for one in each]) for each in history.sessions]
    projects = {each[0].episode.session: each[0].episode.project for each in history.sessions}
    return next(one for one in lessons(of_words(told), projects, LessonFloors()) if one.about == "lint")


@pytest.mark.parametrize(("later", "retired"), [(LEAST - 1, False), (LEAST, True)])
def test_a_lesson_that_was_needed_each_time_and_then_no_more_is_retired(later: int, *, retired: bool) -> None:
    history = known(*(needed(n) for n in range(3)), *(quiet(3 + n) for n in range(later)))
    found = silence(the_lesson(history), history)
    assert (later, 0.0, retired) == (found.sessions, found.chance, found.retires(LEAST))


def test_a_silence_that_may_be_chance_retires_nothing() -> None:
    """Needed in every twenty-first session, twenty without are nothing new."""
    rows = [needed(n) if n % 21 == 0 else quiet(n) for n in range(63)]
    found = silence(the_lesson(known(*rows)), known(*rows))
    assert (20, False) == (found.sessions, found.retires(LEAST))
    assert pytest.approx((1 - 2 / 42) ** 20) == found.chance


def test_sessions_in_which_it_could_not_be_needed_do_not_count() -> None:
    """Those of another project, those in which nothing was done, those to which its check does not apply."""
    apart = [quiet(10 + n, project="/other") for n in range(5)]
    talks = [talk(20 + n) for n in range(5)]
    reads = [session(30 + n, said("look", 0), reply("ok", 1, shell("ls"))) for n in range(5)]
    history = known(needed(0), needed(1), *apart, *talks, *reads, quiet(40))
    found = the_lesson(history)
    assert (1, 6) == (silence(found, history).sessions, silence(replace(found, checks=()), history).sessions)


def test_a_lesson_returns_when_it_is_needed_again() -> None:
    history = known(needed(0), needed(1), *(quiet(2 + n) for n in range(30)), needed(40))
    assert (0, False) == ((found := silence(the_lesson(history), history)).sessions, found.retires(LEAST))
