"""Whole lives of a user: many candidates under one account, night after night."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from sleepd.core import evidence
from sleepd.core.evidence import Place
from sleepd.lab.gate.trials import Outcome, Setup, trial
from sleepd.lab.gate.truth import Kind, Rates

MEAN_070 = (1.4, 0.6)
"""Beta with a mean of 0.70."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What became of the candidates of one life."""

    outcomes: tuple[Outcome, ...]
    good: tuple[bool, ...]
    """Whether each truly helps."""

    @property
    def has_false_adoption(self) -> bool:
        return any(o.accepted and not good for o, good in zip(self.outcomes, self.good, strict=True))

    @property
    def found(self) -> tuple[int, int]:
        """How many good candidates were accepted, of how many."""
        return sum(o.accepted for o, good in zip(self.outcomes, self.good, strict=True) if good), sum(self.good)


def life(rng: np.random.Generator, candidates: Sequence[tuple[Kind, Rates, bool]], setup: Setup, alpha: float) -> Life:
    """Candidates (kind, rates, whether it helps), each at its own level: α_t falls with t and rises with adoptions."""
    outcomes: list[Outcome] = []
    for index, (kind, rates, _) in enumerate(candidates, 1):
        level = evidence.level(Place(index=index), sum(o.accepted for o in outcomes), alpha)
        outcomes.append(trial(rng, kind, rates, setup, level))
    return Life(outcomes=tuple(outcomes), good=tuple(good for *_, good in candidates))


def nights(rng: np.random.Generator, kind: Kind, count: int, setup: Setup, alpha: float) -> Iterator[Outcome]:
    """Candidates of one kind, one after the other, for so many nights of `setup.pairs_per_night` pairs.

    Each is put into words by the person, as it were: no other candidate has as high a level. Under the paper's rules
    each night looks at one candidate.
    """
    left, index, accepted = count * setup.pairs_per_night, 0, 0
    while left > 0:
        index += 1
        outcome = trial(
            rng,
            kind,
            kind.make(rng, setup.tasks),
            setup,
            evidence.level(Place(index=index, stated=index), accepted, alpha),
        )
        left -= outcome.pairs + outcome.confirming if setup.experiment.by_evidence else setup.pairs_per_night
        if left >= 0:  # else the nights were over before its verdict
            accepted += outcome.accepted
            yield outcome


def dragged(rng: np.random.Generator, gain: float, count: int, setup: Setup, alpha: float) -> float:
    """The true pass rate, from 0.70, after so many nights of edits that each change it by `gain`."""
    live = rng.beta(*MEAN_070, setup.tasks)
    live += 0.70 - live.mean()  # exactly 0.70 for each user; a rate beyond 0 or 1 acts as 0 or 1

    def worse(_: np.random.Generator, tasks: int) -> Rates:  # noqa: ARG001 - the tasks are this user's
        return Rates(before=np.clip(live, 0, 1), after=np.clip(live + gain, 0, 1))

    for outcome in nights(rng, Kind(key="drag", words="", make=worse), count, setup, alpha):
        live = live + gain if outcome.accepted else live
    return float(live.mean())


def sampled(
    rng: np.random.Generator, idle: Kind, helpful: Kind, count: int, setup: Setup
) -> list[tuple[Kind, Rates, bool]]:
    """Candidates of a life, a fifth of them of the helpful kind, at random places."""
    helps = np.zeros(count, dtype=bool)
    helps[rng.choice(count, count // 5, replace=False)] = True
    chosen = [(helpful if good else idle, bool(good)) for good in helps]
    return [(kind, kind.make(rng, setup.tasks), good) for kind, good in chosen]
