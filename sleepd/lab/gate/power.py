"""What the same error buys: candidates of one life through races and nights, until they are found or given up.

Races, levels, bets and limits are the shipped ones; rollouts are drawn by chance from known pass rates. All tasks pass
half the time, which is the hardest case for a gain of ten points.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from sleepd.core import evidence, experiment, race
from sleepd.core.evidence import Floats, Given, Place, Scores
from sleepd.core.experiment import Decision
from sleepd.core.model import Verdict
from sleepd.lab.gate.trials import Setup, drawn
from sleepd.lab.gate.truth import Rates, kind
from sleepd.pipeline.trial import PAIRS_AT_ONCE, GateTerms

GAIN: Final = 0.10
NIGHTS: Final = 4
PAIRS: Final = GateTerms().pairs_per_night
CANDIDATES: Final = 60
"""Of a life."""
_WAITING: Final = GateTerms().waiting_share


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerTerms:
    """How candidates are tried; the defaults are what is shipped."""

    stated: bool | None = True
    """The person put them into words. None: as in versions without a share for those."""
    runners: int = GateTerms().runners
    """Candidates of a race; 0: each is gated."""
    at_once: int = 8
    """Candidates that are proposed together."""
    helpful: int = CANDIDATES // 5
    """How many candidates of a life help."""
    leftover: bool = True
    """What new candidates leave goes to those that wait."""

    def place(self, given: Given) -> Place:
        """The next place of an account."""
        return (
            given.next(stated=True)
            if self.stated
            else replace(given.next(), stated=0 if self.stated is False else None)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLife:
    """What became of the candidates of a life."""

    found: int
    """Candidates that help and were accepted."""
    helpful: int
    """Candidates that help."""
    false: int
    """Candidates that do not help and were accepted."""
    pairs: int
    """Pairs of races and of the gate, those of the look at each task left out."""
    calls: int
    """Model calls for them."""

    @property
    def false_share(self) -> float:
        """The share of acceptances that are false; its mean is the false discovery rate."""
        return self.false / max(1, self.found + self.false)


def even(tasks: int, gain: float) -> Rates:
    """Tasks that all pass half the time and all gain as much."""
    before = np.full(tasks, 0.5)
    return Rates(before=before, after=before + gain)


def life(rng: np.random.Generator, setup: Setup, alpha: float, terms: PowerTerms) -> PowerLife:
    """`CANDIDATES` candidates under one account, some of which help, each gated until its verdict."""
    gains = np.zeros(CANDIDATES)
    gains[rng.choice(CANDIDATES, terms.helpful, replace=False)] = GAIN
    given, adoptions = Given(), 0
    found = false = pairs = calls = 0
    for first in range(0, CANDIDATES, terms.at_once):
        group = gains[first : first + terms.at_once]
        ended = _race(rng, setup.tasks, group) if min(terms.runners, len(group)) >= race.FEWEST else None
        on: Sequence[int] = range(len(group)) if ended is None else ended.on
        pairs, calls = pairs + (ended.pairs if ended else 0), calls + (ended.calls if ended else 0)
        for number in on:
            place = terms.place(given)
            given = given.after(place)
            asked = replace(setup.experiment, alpha=evidence.level(place, adoptions, alpha))
            columns = drawn(
                rng, kind("none"), even(setup.tasks, group[number]), asked.max_pairs, setup.baseline_samples
            )
            decision = experiment.decide(asked, columns.scores)
            pairs += decision.pairs
            calls += decision.pairs * (1 + setup.baseline_samples)
            accepted = decision.verdict is Verdict.ACCEPTED
            adoptions += accepted
            helps = bool(group[number] > 0)
            found, false = found + (accepted and helps), false + (accepted and not helps)
    return PowerLife(found=found, helpful=int((gains > 0).sum()), false=false, pairs=pairs, calls=calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class _RaceEnded:
    on: tuple[int, ...]
    pairs: int
    calls: int


def _race(rng: np.random.Generator, tasks: int, gains: Floats) -> _RaceEnded:
    """The shipped heats among candidates with these gains."""
    runners, live = tuple(range(len(gains))), np.zeros(0)
    own = {runner: np.zeros(0) for runner in runners}
    pairs = 0
    for heat in race.HEATS:
        task = rng.integers(0, tasks, heat.pairs)
        live = np.append(live, _passed(rng, even(tasks, 0.0).before[task]))
        for runner in runners:
            own[runner] = np.append(own[runner], _passed(rng, even(tasks, gains[runner]).after[task]))
        pairs += len(runners) * heat.pairs
        scores = {r: Scores(candidate=own[r], baseline=live) for r in runners}
        runners = race.leaders(scores, heat, last=heat is race.HEATS[-1])
    return _RaceEnded(on=runners, pairs=pairs, calls=race.rollouts(len(gains)))


def _passed(rng: np.random.Generator, rates: Floats) -> npt.NDArray[np.float64]:
    return (rng.random(len(rates)) < rates).astype(np.float64)


def found_within(rng: np.random.Generator, setup: Setup, alpha: float, terms: PowerTerms, *, rivals: int) -> bool:
    """Whether the first rule of a life, worth ten points, is accepted within `NIGHTS` nights of `PAIRS` pairs.

    Each night proposes it, until it is under trial, among `rivals` other candidates that do nothing. Without them
    nothing else is tried, and what a night leaves goes to the candidate that waits.
    """
    given, waiting, adoptions = Given(), list[_Waiting](), 0
    for night in range(NIGHTS):
        left = PAIRS
        for one in waiting:
            left -= _go_on(setup, one, min(left, int(PAIRS * _WAITING) - (PAIRS - left)))
        open_ = not any(one.gain for one in waiting)
        group = rng.permutation([GAIN] * (open_ and (not night or rivals > 0)) + [0.0] * rivals)
        on: Sequence[int] = range(len(group))
        cost = -(-race.rollouts(len(group)) // (1 + setup.baseline_samples)) if len(group) else 0
        if min(terms.runners, len(group)) >= race.FEWEST and left >= cost + PAIRS_AT_ONCE:
            on, left = _race(rng, setup.tasks, group).on, left - cost
        else:
            on = on[:1]
        for number in on:
            if left <= 0:
                break
            place = terms.place(given)
            given = given.after(place)
            level = evidence.level(place, adoptions, alpha)
            waiting.append(_Waiting.begun(rng, setup, float(group[number]), level))
            left -= _go_on(setup, waiting[-1], left)
        for one in waiting if terms.leftover else ():
            left -= _go_on(setup, one, left)
        adoptions = sum(one.decision is not None and one.decision.verdict is Verdict.ACCEPTED for one in waiting)
        if any(one.gain and one.decision is not None and one.decision.verdict is Verdict.ACCEPTED for one in waiting):
            return True
    return False


@dataclass(slots=True, kw_only=True)
class _Waiting:
    """A candidate under way: all pairs that it could draw, and how many of them it has drawn."""

    gain: float
    level: float
    scores: Scores
    used: int = 0
    decision: Decision | None = None

    @classmethod
    def begun(cls, rng: np.random.Generator, setup: Setup, gain: float, level: float) -> _Waiting:
        rates, most = even(setup.tasks, gain), setup.experiment.max_pairs
        scores = drawn(rng, kind("none"), rates, most, setup.baseline_samples).scores
        return cls(gain=gain, level=level, scores=scores)


def _go_on(setup: Setup, one: _Waiting, budget: int) -> int:
    """Draw at most `budget` more pairs of a candidate; how many were drawn until the verdict."""
    if budget <= 0 or (one.decision is not None and one.decision.verdict is not Verdict.UNDECIDED):
        return 0
    asked = replace(setup.experiment, alpha=one.level)
    one.decision = experiment.decide(asked, one.scores.first(one.used + budget))
    before, one.used = one.used, one.decision.pairs
    return one.used - before
