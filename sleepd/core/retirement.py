"""Lessons that are not needed any more: told from a silence that may be chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sleepd.core import behaviour, facts
from sleepd.core.acts import Act
from sleepd.core.behaviour import Judged, Keeping, LessonCheck
from sleepd.core.lesson import EpisodeWithAct, History, Lesson, Scope

_CHANCE: Final = 0.05
"""A silence that is likelier than this at the lesson's former rate is no sign."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """How long a lesson was not needed."""

    sessions: int
    """Sessions since the last need in which the lesson could have been needed."""
    chance: float
    """The probability of so long a silence if the lesson were needed as often as it was between first and last need."""

    def retires(self, least: int) -> bool:
        """Whether the lesson is not needed any more: at least so many sessions, and hardly by chance."""
        return self.sessions >= least and self.chance <= _CHANCE


def silence(lesson: Lesson, known: History) -> Silence:
    """The sessions since the last need of a lesson to which it applied.

    It applies to sessions of its project, or to all where it holds in several, in which the agent called a tool. Where
    the lesson has a check, the check has to apply to an exchange of the session.
    """
    last = next((n for n in range(len(known.sessions) - 1, -1, -1) if _of(known.sessions[n]) in lesson.sessions), None)
    if last is None:
        return Silence(sessions=0, chance=1.0)
    first = next(n for n, session in enumerate(known.sessions) if _of(session) in lesson.sessions)
    later = [session for session in known.sessions[last + 1 :] if _applies(lesson, session, known)]
    between = [
        session
        for session in known.sessions[first + 1 : last + 1]
        if _of(session) in lesson.sessions or _applies(lesson, session, known)
    ]
    # Both ends are needs: only the sessions behind the first one tell how often it was needed again.
    rate = (len(lesson.sessions) - 1) / len(between) if between else 1.0
    return Silence(sessions=len(later), chance=(1.0 - min(1.0, rate)) ** len(later))


def _of(session: Sequence[EpisodeWithAct]) -> str:
    return session[0].episode.session


def _applies(lesson: Lesson, session: Sequence[EpisodeWithAct], known: History) -> bool:
    if lesson.scope is Scope.PROJECT and known.repository(session[0].episode.project) != lesson.project:
        return False
    if not any(one.episode.calls for one in session):
        return False
    return not lesson.checks or any(_check_applies(check, session) for check in lesson.checks)


def _check_applies(check: LessonCheck, session: Sequence[EpisodeWithAct]) -> bool:
    """Whether the check says kept or broken of an exchange; of a check that nothing computes, always."""
    seen = facts.of_session([one.episode for one in session], [one.judged.act is Act.QUESTION for one in session])
    results = [behaviour.judge(check, one) for one in seen]
    return any(not isinstance(one, Judged) or one.keeping is not Keeping.DOES_NOT_APPLY for one in results)
