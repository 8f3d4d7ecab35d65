"""Does the model behind a name still answer as it did? Fresh rollouts of the live text beside older ones (promise 6).

Baseline rollouts are kept and used again in later nights. When a provider changes the model behind a name, they are
about another model, and a candidate that does nothing looks better or worse than they do. So each later night draws a
few drift pairs: one task, one fresh rollout of the live text, and one of the kept baseline rollouts.

Which task and which kept rollout the n-th pair is made of follows from a hash and depends on no score. So, without a
change, the two sides of a pair are draws from one distribution, independent of all other pairs: their difference has
expectation 0 given the pairs before it, and a bet on it, in either direction, earns nothing. Nights only decide how
many of the pairs are drawn, and stopping early, for whatever reason, cannot make an alarm more likely. The chance of
ever raising one for a text and a model that did not change is therefore at most the level (Ville).
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sleepd.core.gate import log_wealth
from sleepd.core.model import TaskId
from sleepd.core.schedule import BASELINE_SAMPLES, DRIFT_SAMPLE

LEVEL = 0.01
"""Chance of ever raising an alarm about a text and a model that did not change."""
PAIRS_PER_NIGHT = 24
"""Enough for a model that turns nearly all answers into their opposite to be noticed in its first night, mostly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftDraw:
    """One drift pair to be measured: which rollouts of the live text it is made of."""

    task_id: TaskId
    kept_sample: int
    """The task's lowest baseline sample that no earlier drift pair used."""
    fresh_sample: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftPair:
    """Two rollouts of one task under one text; None where one could not be scored for a cause the answer may have."""

    kept: float | None
    fresh: float | None

    @property
    def difference(self) -> float:
        """Fresh minus kept, in [-1, 1].

        A missing score counts as 0, on either side: the worst it can stand for, and the same for both, so that
        without a change the expectation stays 0. A model that begins to time out or to refuse is another model as well;
        leaving its pairs out would hide just that.
        """
        return (self.fresh or 0.0) - (self.kept or 0.0)


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


def draws(tasks: Sequence[TaskId], seed: str, first: int, used: Mapping[TaskId, int]) -> tuple[DriftDraw, ...]:
    """A night's drift pairs, numbered from `first` on; their tasks come uniformly by hash of `seed` and number.

    `used` says how many drift pairs each task had in earlier nights.
    """
    turns = Counter(used)
    out = []
    for number in range(first, first + PAIRS_PER_NIGHT):
        point = int.from_bytes(hashlib.sha256(f"{seed}:{number}".encode()).digest()[:8], "big")
        task = tasks[point % len(tasks)]
        kept = BASELINE_SAMPLES[turns[task]]
        turns[task] += 1
        out.append(DriftDraw(task_id=task, kept_sample=kept, fresh_sample=DRIFT_SAMPLE + number))
    return tuple(out)


def judge(pairs: Sequence[DriftPair], level: float = LEVEL) -> Drift:
    """Whether the pairs so far, in the order of their numbers, tell of a change.

    The evidence is the mean of two wealths, one bet on higher scores and one on lower. It is looked at after every
    pair, so that the result does not depend on how many were drawn in a night, and an alarm, once raised, stays.
    """
    if not pairs:
        return Drift(pairs=0, difference=None, evidence=0.0, alarm=False)
    differences = np.array([p.difference for p in pairs], dtype=np.float64)
    wealth = np.logaddexp(log_wealth(differences), log_wealth(-differences)) - math.log(2)
    most = max(0.0, float(wealth.max()))
    return Drift(pairs=len(pairs), difference=float(differences.mean()), evidence=most, alarm=most >= -math.log(level))
