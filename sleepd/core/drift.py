"""Does the model behind a name still answer as it did? Fresh rollouts of the live text beside older ones (promise 6).

Baseline rollouts are kept and used again in later nights. When a provider changes the model behind a name, they are
about another model, and a candidate that does nothing looks better or worse than they do. So each later night draws a
few drift pairs: one task, one fresh rollout of the live text, and one of the kept baseline rollouts.

Kept are the first pairs of each candidate of a night: those that are drawn before the gate first looks, so that they
are there whatever their scores say. (Whether later ones are there depends on the scores: nearly all of a candidate that
is decided late, few of one that is decided soon.) They are used once each, night by night, within a night in the order
of the candidates, and within a candidate by hash. Whether a later candidate was tried at all may depend on the scores
of an earlier one, which all were used by then. So, without a change, the two sides of a pair are draws from one
distribution, given all pairs before it: their difference has expectation 0, and a bet on it, in either direction, earns
nothing. Nights only decide how many of the pairs are drawn, and stopping early, for whatever reason, cannot make an
alarm more likely. The chance of ever raising one for a text and a model that did not change is therefore at most the
level (Ville).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from sleepd.core import experiment
from sleepd.core.evidence import Scores
from sleepd.core.experiment import Experiment, TwoSided
from sleepd.core.model import Purpose, Sample, TaskId, Verdict

LEVEL = 0.01
"""Chance of ever raising an alarm about a text and a model that did not change."""
PAIRS_PER_NIGHT = 24
"""Enough for a model that turns nearly all answers into their opposite to be noticed in its first night, mostly."""


_FRESH = 1_000_000
"""Added to the ordinal of a kept rollout for the fresh one beside it. Earlier versions numbered the fresh ones from 0,
as pairs of another order; those are left alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRollout:
    """A baseline rollout of an earlier night that a fresh one may be compared with."""

    task_id: TaskId
    sample: Sample

    @property
    def fresh(self) -> Sample:
        """The rollout of the same task that is drawn beside it."""
        return replace(self.sample, purpose=Purpose.DRIFT, ordinal=self.sample.ordinal + _FRESH)


def in_order(kept: Iterable[KeptRollout], seed: str) -> list[KeptRollout]:
    """In the order in which they are used: by night, by candidate, then by hash of `seed`."""

    def place(one: KeptRollout) -> Any:
        sample = one.sample
        return sample.night, sample.series, sha256(f"{seed}:{one.task_id}:{sample.ordinal}".encode()).digest()

    return sorted(kept, key=place)


def kept_beside(task: TaskId, fresh: Sample) -> KeptRollout | None:
    """The kept rollout that a fresh one was drawn beside; None for one of a version that chose otherwise."""
    if fresh.ordinal < _FRESH:
        return None
    sample = replace(fresh, purpose=Purpose.BASELINE, ordinal=fresh.ordinal - _FRESH)
    return KeptRollout(task_id=task, sample=sample)


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftPair:
    """Two rollouts of one task under one text; None where one could not be scored for a cause the answer may have.

    A missing score counts as 0, on either side: the worst it can stand for, and the same for both, so that without a
    change the expectation stays 0. A model that begins to time out or to refuse is another model as well; leaving its
    pairs out would hide just that.
    """

    kept: float | None
    fresh: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """What the drift pairs of one text and model say."""

    pairs: int
    difference: float | None
    """Mean of fresh minus kept; None without pairs."""
    evidence: float
    """The most that the bets had earned after any pair, as a natural logarithm."""
    alarm: bool
    """The evidence reached 1/level: the model answers differently than before."""


def judge(pairs: Sequence[DriftPair], level: float = LEVEL) -> Drift:
    """Whether the pairs so far, in the order of their numbers, tell of a change; an alarm, once raised, stays."""
    scores = Scores.of([p.fresh or 0.0 for p in pairs], [p.kept or 0.0 for p in pairs])
    asked = Experiment(statistic=TwoSided(), alpha=level, coverage=0.0, max_pairs=len(pairs) + 1)
    return Drift(
        pairs=len(pairs),
        difference=scores.effect,
        evidence=float(experiment.paths(asked.statistic, scores).evidence.max(initial=0.0)),
        alarm=experiment.decide(asked, scores).verdict is Verdict.ACCEPTED,
    )
