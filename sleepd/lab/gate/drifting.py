"""Lives of a user whose model varies: does a candidate without effect cross, only because the nights differ?

The pairs are those of the shipped schedule, so which baseline rollouts a candidate is compared with, and from which
night, is what a night would do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from sleepd.core import drift, evidence, experiment, schedule
from sleepd.core.drift import DriftPair
from sleepd.core.evidence import Place, Scores
from sleepd.core.experiment import Decision
from sleepd.core.model import Candidate, Digest, Sample, SkillTarget, TaskId, Verdict
from sleepd.lab.gate.trials import Setup
from sleepd.lab.gate.truth import shifted
from sleepd.pipeline.trial import FIRST, ROUND, GateTerms

NIGHTS: Final = 14
WATCHED: Final = 40
"""Nights of the watch for drift."""
PAIRS: Final = GateTerms().pairs_per_night
"""Of a night: so many as a night draws unless set otherwise, since a useless candidate profits from every night."""
_KNOWS: Final = 0.95
"""Pass rate of a model that knows the person's rules of its own accord."""
_WAITING: Final = GateTerms().waiting_share
_AT_ONCE: Final = 24
"""Pairs between two looks here; a night looks more often, and comes to the same verdict."""
_NOWHERE: Final = SkillTarget(agent="", name="", path="", project="", description="")

Rate = Callable[[int, float, float], float]
"""A task's pass rate in a night (from 0), after a share of the night's pairs, from its rate without the variation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drifting:
    """A way in which a model varies."""

    key: str
    words: str
    make: Callable[[np.random.Generator], Rate]
    """From chance: the variation of one life."""


def _shocks(sd: float) -> Callable[[np.random.Generator], Rate]:
    def make(rng: np.random.Generator) -> Rate:
        shock = rng.normal(0, sd, NIGHTS)
        return lambda night, _share, rate: float(min(1.0, max(0.0, rate + shock[night])))

    return make


def _from_a_night_on(change: Callable[[float], float]) -> Callable[[np.random.Generator], Rate]:
    def make(rng: np.random.Generator) -> Rate:
        begins = int(rng.integers(1, NIGHTS))
        return lambda night, _share, rate: change(rate) if night >= begins else rate

    return make


def _in_one_piece(rng: np.random.Generator) -> Rate:
    begins = rng.random(NIGHTS) * 0.75
    return lambda night, share, rate: _KNOWS if begins[night] <= share < begins[night] + 0.25 else rate


WORLDS: Final = (
    Drifting(key="steady", words="the model does not vary", make=_shocks(0.0)),
    Drifting(key="shock .05", words="each night another shock, standard deviation .05", make=_shocks(0.05)),
    Drifting(key="shock .10", words="each night another shock, standard deviation .10", make=_shocks(0.10)),
    Drifting(
        key="better",
        words="the model becomes 10 points better in some night",
        make=_from_a_night_on(lambda rate: min(1.0, rate + 0.10)),
    ),
    Drifting(
        key="mixture",
        words="from some night on a quarter of the answers come from a model that knows the rules",
        make=_from_a_night_on(lambda rate: 0.75 * rate + 0.25 * _KNOWS),
    ),
    Drifting(
        key="piece",
        words="in each night a quarter of the answers, in one piece, come from a model that knows the rules",
        make=_in_one_piece,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NullLife:
    """What became of candidates without effect in a life of `NIGHTS` nights."""

    adopted: int
    """How many crossed; the look at each task, which could only lower the number, is left out."""
    candidates: int
    pairs: int
    calls: int
    """Model calls; a rollout that several pairs use was made once."""


@dataclass(slots=True)
class _Trial:
    """A candidate under way."""

    candidate: Candidate
    own: list[float]
    live: list[float]


def null_life(
    rng: np.random.Generator,
    world: Drifting,
    setup: Setup,
    alpha: float,
    shared: Callable[[Sample], Sample] = lambda sample: sample,
) -> NullLife:
    """Candidates without effect, one after the other, for `NIGHTS` nights; one that waits is gone on with first.

    The person put each of them into words, as it were: at those levels a useless candidate is adopted most easily.

    `shared` says under which sample a baseline rollout is kept and found again; without it, under that of the schedule.
    """
    rates = shifted(rng, setup.tasks, 0.0).before
    rate = world.make(rng)
    tasks = tuple(TaskId(str(n)) for n in range(setup.tasks))
    life = int(rng.integers(2**60))
    made: dict[tuple[TaskId, Sample], float] = {}
    waiting: list[_Trial] = []
    index = adopted = calls = pairs = 0
    for night in range(NIGHTS):
        left = setup.pairs_per_night
        queue, waiting = waiting, []
        while left > 0:
            if queue:
                trial, most = queue.pop(0), int(setup.pairs_per_night * _WAITING)
            else:
                index += 1
                level = evidence.level(Place(index=index, stated=index), adopted, alpha)
                candidate = Candidate(
                    id=Digest(f"{life}:{index}"), index=index, alpha=level, target=_NOWHERE, base=Digest(""),
                    text=Digest(""), edits=(), tasks=tasks, model="",
                )  # fmt: skip
                trial, most = _Trial(candidate, [], []), left
            before, first = len(made), len(trial.own)
            until = min(setup.experiment.max_pairs, first + min(most, left))
            drawn = schedule.draws(trial.candidate, until, setup.baseline_samples, str(night))[first:]
            fresh: list[list[tuple[TaskId, Sample]]] = []
            for number, draw in enumerate(drawn):
                share = (setup.pairs_per_night - left + number) / setup.pairs_per_night
                now = rate(night, share, float(rates[int(draw.task_id)]))
                trial.own.append(float(rng.random() < now))
                rollouts = [(draw.task_id, shared(sample)) for sample in draw.baseline]
                fresh.append([at for at in dict.fromkeys(rollouts) if at not in made])
                made |= {at: float(rng.random() < now) for at in fresh[-1]}
                trial.live.append(sum(made[at] for at in rollouts) / setup.baseline_samples)
                if not (number + 1) % _AT_ONCE and _drawn(_decided(setup, trial), first, len(drawn)) <= number + 1:
                    break
            # What lies behind the verdict was not drawn, but for the round that is under way then in a night.
            used = _drawn(_decided(setup, trial), first, len(drawn))
            del trial.own[first + used :], trial.live[first + used :]
            for at in (at for some in fresh[used:] for at in some):
                del made[at]
            found = _decided(setup, trial)
            left, pairs, calls = left - used, pairs + used, calls + used + len(made) - before
            adopted += found.verdict is Verdict.ACCEPTED
            if found.verdict is Verdict.UNDECIDED:
                waiting.append(trial)
    return NullLife(adopted=adopted, candidates=index, pairs=pairs, calls=calls)


def alarmed(rng: np.random.Generator, tasks: int, missing: float) -> bool:
    """Whether the watch for drift raises an alarm in `WATCHED` nights of one model.

    `missing` is the share of rollouts that time out, on either side; as a night keeps them, they stay as they fell.
    """
    count = WATCHED * drift.PAIRS_PER_NIGHT
    rates = shifted(rng, tasks, 0.0).before[rng.integers(0, tasks, count)]
    passed = (rng.random((2, count)) < rates).astype(np.float64)
    gone = rng.random((2, count)) < missing
    return drift.judge(
        [
            DriftPair(
                kept=None if gone[0, n] else float(passed[0, n]), fresh=None if gone[1, n] else float(passed[1, n])
            )
            for n in range(count)
        ]
    ).alarm


def _drawn(found: Decision, first: int, most: int) -> int:
    """How many of at most `most` pairs a night begins of a candidate that had drawn `first` before."""
    if found.verdict is Verdict.UNDECIDED:
        return most
    looked_at = FIRST - ROUND
    while first + looked_at < found.pairs:
        looked_at += ROUND
    return min(most, looked_at + ROUND)


def _decided(setup: Setup, trial: _Trial) -> Decision:
    asked = replace(setup.experiment, alpha=trial.candidate.alpha)
    return experiment.decide(asked, Scores.of(trial.own, trial.live))
