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

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sleepd.core import experiment, schedule
from sleepd.core.evidence import Scores
from sleepd.core.experiment import Experiment, TwoSided
from sleepd.core.model import Purpose, Sample, TaskId, Verdict

LEVEL = 0.01
"""Chance of ever raising an alarm about a text and a model that did not change."""
PAIRS_PER_NIGHT = 24
"""Enough for a model that turns nearly all answers into their opposite to be noticed in its first night, mostly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftDraw:
    """One drift pair to be measured: which rollouts of the live text it is made of."""

    task_id: TaskId
    kept: Sample
    """The task's first baseline sample of the earlier night that no earlier drift pair used."""
    fresh: Sample


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


def draws(
    tasks: Sequence[TaskId], seed: str, first: int, used: Mapping[TaskId, int], against: Sample
) -> tuple[DriftDraw, ...]:
    """A night's drift pairs, numbered from `first` on; their tasks come uniformly by hash of `seed` and number.

    `used` says how many drift pairs each task had in earlier nights, `against` is one of the earlier
    night's baseline samples that the fresh ones are compared with; its ordinal does not matter.
    """
    turns = Counter(used)
    out = []
    for number in range(first, first + PAIRS_PER_NIGHT):
        task = schedule.by_hash(tasks, seed, number)
        kept = replace(against, ordinal=turns[task])
        fresh = replace(against, purpose=Purpose.DRIFT, ordinal=number)
        turns[task] += 1
        out.append(DriftDraw(task_id=task, kept=kept, fresh=fresh))
    return tuple(out)


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
