"""A frozen check over all earlier episodes: how often it applied, how often it was broken, and what followed.

No model is asked. A rule that is hardly ever broken, or whose breaches the person never minded, is not worth trying.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from sleepd.core import behaviour, facts, interval
from sleepd.core.behaviour import Keeping, LessonCheck, NotJudged
from sleepd.core.discrimination import JudgedEpisode, discrimination, permuted
from sleepd.core.episode import Episode
from sleepd.core.model import SessionId
from sleepd.core.validity import Discrimination, Validity, measured, objective, observed

_Z: Final = 1.959964
_SHOWN: Final = 5
Place = tuple[SessionId, str]
"""A session, and the transcript's own id of the person's turn."""
_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportion:
    """A share with its 95 % interval (Wilson); all None where there is nothing to take a share of."""

    of: float
    """What it is a share of; probabilities count as parts."""
    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Odds:
    """How much likelier a correction is after a breach."""

    ratio: float
    """Odds of a correction after a breach over the odds after a kept moment. One half is added to each of the four
    counts (Haldane 1940, Anscombe 1956), so that it is finite."""
    low: float
    high: float
    """95 % interval of the logarithm's normal approximation (Woolf). It takes episodes as independent; p does not."""
    p: float
    """One-sided: the share of histories in which whole sessions change places with at least this ratio."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One episode in which the check was broken."""

    place: Place
    reason: str
    corrected: float | None
    """The probability that the person corrected it; None when unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Floors:
    """What a check has to reach before a candidate is worth a model call."""

    applies: int = 20
    broken: float = 0.2
    recall: float = 0.66

    def __post_init__(self) -> None:
        if self.applies < 1:
            raise ValueError(f"a check must apply at least once, found a floor of {self.applies}")
        for name, value in (("broken", self.broken), ("recall", self.recall)):
            if not 0 <= value <= 1:
                raise ValueError(f"the floor for {name} is a share from 0 to 1, found {value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Backtest:
    """What the history says of one check."""

    check: LessonCheck
    episodes: int
    """All episodes that were looked at."""
    applies: int
    """N: those in which the check applied."""
    sessions: int
    """The sessions of these."""
    broken: Proportion
    """Of the moments where it applied."""
    recall: Proportion
    """Of the moments where it applied and the person corrected: those that it flags."""
    false_alarms: Proportion
    """Of the moments where it applied and the person let them pass: those that it flags."""
    agreement: Discrimination | None
    """How well the check tells corrected from kept moments, whole sessions being held out: no session had a part in
    making the check. None for an objective check, of which nothing has to be shown, and where nothing was corrected,
    or everything."""
    odds: Odds | None
    """None where nothing was broken, nothing kept, or nothing corrected."""
    unknown: int
    """Moments where it applied and nobody knows whether the person corrected: they count in `broken` only."""
    newest: tuple[Breach, ...]
    """The last breaches, newest first."""

    def short_of(self, floors: Floors) -> tuple[str, ...]:
        """Why the check is not worth trying, one sentence each; empty when it is.

        The shares are compared as they are measured: the floors choose what to spend on, and the gate decides.
        """
        found = []
        if self.applies < floors.applies:
            found.append(f"applied in {self.applies} episodes, at least {floors.applies} needed")
        if self.broken.value is not None and self.broken.value < floors.broken:
            found.append(f"broken in {self.broken.value:.0%} of them, at least {floors.broken:.0%} needed")
        if self.recall.value is None:
            found.append("no corrected moment is known where it applies")
        elif self.recall.value < floors.recall:
            found.append(
                f"flags {self.recall.value:.0%} of the {self.recall.of:.1f} corrected moments, "
                f"at least {floors.recall:.0%} needed"
            )
        return tuple(found)


@dataclass(slots=True)
class _Known:
    """What was seen so far, one entry for each moment where the check applied and the outcome is known."""

    sessions: list[str] = field(default_factory=list)
    broken: list[bool] = field(default_factory=list)
    corrected: list[float] = field(default_factory=list)

    @property
    def judged(self) -> list[JudgedEpisode]:
        rows = zip(self.sessions, self.broken, self.corrected, strict=True)
        return [JudgedEpisode(session=s, fault=float(broken), corrected=c) for s, broken, c in rows]


def backtest(
    check: LessonCheck,
    sessions: Sequence[Sequence[Episode]],
    corrected: Mapping[Place, float],
    questions: Mapping[Place, bool] | None = None,
) -> Backtest | NotJudged:
    """The check over all episodes, each session's in order; sessions in the order of time.

    `corrected` gives the probability that the person corrected an episode, by the place of the episode itself and not
    of the turn that says so; an episode without one is unknown. For the recall of a lesson's check, give the
    corrections that the lesson is about: no check flags all that a person ever objects to. `questions` says which
    turns were mere questions. Returns why nothing can be said for a check of a family that nothing computes. Raises
    ValueError for a probability outside [0, 1].
    """
    wrong = next((place for place, chance in corrected.items() if not 0 <= chance <= 1), None)
    if wrong is not None:
        raise ValueError(f"the probability of a correction at {wrong} is {corrected[wrong]}")
    known = _Known()
    unknown = episodes = broken = applies = 0
    breaches: list[Breach] = []
    places_of_use: set[str] = set()
    for session in sessions:
        asked = [(questions or {}).get((episode.session, episode.turn)) for episode in session]
        for episode, seen in zip(session, facts.of_session(session, asked), strict=True):
            episodes += 1
            found = behaviour.judge(check, seen)
            if isinstance(found, NotJudged):
                return found
            if found.keeping is Keeping.DOES_NOT_APPLY:
                continue
            place = (episode.session, episode.turn)
            chance = corrected.get(place)
            is_broken = found.keeping is Keeping.BROKEN
            applies += 1
            broken += is_broken
            places_of_use.add(episode.session)
            if is_broken:
                breaches.append(Breach(place=place, reason=found.reason, corrected=chance))
            if chance is None:
                unknown += 1
            else:
                known.sessions.append(episode.session)
                known.broken.append(is_broken)
                known.corrected.append(chance)
    flagged, wanted = np.array(known.broken, dtype=float), np.array(known.corrected, dtype=float)
    return Backtest(
        check=check,
        episodes=episodes,
        applies=applies,
        sessions=len(places_of_use),
        broken=_proportion(float(broken), float(applies)),
        recall=_proportion(float((flagged * wanted).sum()), float(wanted.sum())),
        false_alarms=_proportion(float((flagged * (1 - wanted)).sum()), float((1 - wanted).sum())),
        agreement=None if behaviour.is_objective(check) else discrimination(known.judged),
        odds=_odds(known.sessions, flagged, wanted),
        unknown=unknown,
        newest=tuple(breaches[::-1][:_SHOWN]),
    )


def verdict(check: LessonCheck, result: Backtest | NotJudged) -> Validity:
    """Whether a check gates, before it is counted how many were measured: `validity.together` does."""
    if isinstance(result, NotJudged):
        return observed(result.reason)
    if behaviour.is_objective(check):
        return objective("the transcript says whether it was kept, and two readers always agree")
    return measured(result.agreement)


def _proportion(part: float, whole: float) -> Proportion:
    if whole <= 0:
        return Proportion(of=0.0, value=None, low=None, high=None)
    low, high = interval.wilson(part / whole, whole)
    return Proportion(of=whole, value=part / whole, low=low, high=high)


def _odds(sessions: Sequence[str], flagged: _Floats, corrected: _Floats) -> Odds | None:
    if not flagged.any() or flagged.all() or not corrected.any():
        return None

    def counts(labels: _Floats) -> _Floats:
        cells = (flagged * labels, flagged * (1 - labels), (1 - flagged) * labels, (1 - flagged) * (1 - labels))
        return np.array([float(cell.sum()) + 0.5 for cell in cells])

    def log_ratio(labels: _Floats) -> float:
        hit, alarm, missed, quiet = counts(labels)
        return math.log(hit * quiet / (alarm * missed))

    middle = log_ratio(corrected)
    half = _Z * math.sqrt(float((1 / counts(corrected)).sum()))
    return Odds(
        ratio=math.exp(middle),
        low=math.exp(middle - half),
        high=math.exp(middle + half),
        p=permuted(sessions, corrected, log_ratio, middle),
    )
