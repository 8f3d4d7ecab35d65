"""One candidate after the other through the shipped gate, in memory."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from sleepd.core import confirmation, experiment
from sleepd.core.confirmation import Confirmation, ConfirmationConfig
from sleepd.core.evidence import Flags, Floats, Scores
from sleepd.core.experiment import Decision, Experiment, OnePass, VerdictRule
from sleepd.core.model import TaskId, Verdict
from sleepd.lab.gate.truth import Kind, Rates
from sleepd.pipeline.trial import AttributionConfig

_GRID = np.linspace(0.001, 0.999, 400)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setup:
    """What the laboratory's trials have in common; the defaults are those of the settings."""

    tasks: int = 13
    baseline_samples: int = 4
    pairs_per_night: int = 40
    experiment: Experiment
    margin: float = 0.03
    """What a shorter text may cost."""
    margin_pairs: int = 1_200
    attribution: AttributionConfig = field(default_factory=AttributionConfig)

    @property
    def rule(self) -> VerdictRule:
        statistic = self.experiment.statistic
        return statistic.rule if isinstance(statistic, OnePass) else VerdictRule.EVIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """A candidate's pairs: shape (pairs,) each."""

    task: npt.NDArray[np.int64]
    candidate: Floats
    baseline: Floats
    """NaN where one of its rollouts is missing."""
    baseline_low: Floats
    baseline_high: Floats

    @property
    def scores(self) -> Scores:
        return Scores(
            candidate=self.candidate,
            baseline=self.baseline,
            baseline_low=self.baseline_low,
            baseline_high=self.baseline_high,
        )

    def only(self, which: slice | Flags) -> Columns:
        """Some of the pairs."""
        return Columns(
            task=self.task[which],
            candidate=self.candidate[which],
            baseline=self.baseline[which],
            baseline_low=self.baseline_low[which],
            baseline_high=self.baseline_high[which],
        )

    def and_then(self, more: Columns) -> Columns:
        """These pairs, then those."""
        return Columns(
            task=np.append(self.task, more.task),
            candidate=np.append(self.candidate, more.candidate),
            baseline=np.append(self.baseline, more.baseline),
            baseline_low=np.append(self.baseline_low, more.baseline_low),
            baseline_high=np.append(self.baseline_high, more.baseline_high),
        )

    @classmethod
    def whole(cls, task: npt.NDArray[np.int64], candidate: Floats, baseline: Floats) -> Columns:
        """Pairs without a missing baseline rollout."""
        return cls(task=task, candidate=candidate, baseline=baseline, baseline_low=baseline, baseline_high=baseline)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a candidate ended."""

    verdict: Verdict
    pairs: int
    """Pairs until the evidence decided."""
    confirming: int
    """Pairs of the look at each task."""
    rollouts: int
    """Model calls, had nothing been cached."""
    effect: float
    """The true one."""
    blocked: bool
    """The evidence crossed, and a task was found broken."""

    @property
    def accepted(self) -> bool:
        return self.verdict is Verdict.ACCEPTED


def drawn(rng: np.random.Generator, kind: Kind, rates: Rates, count: int, samples: int) -> Columns:
    """Pairs as the schedule draws them: a task at random, one rollout of the candidate, `samples` of the live text."""
    task = rng.integers(0, len(rates.before), count)
    if kind.random_judge:
        return Columns.whole(task, rng.random(count), rng.random((count, samples)).mean(axis=1))
    passed = (rng.random(count) < rates.after[task]).astype(np.float64)
    if kind.timeouts:
        passed[passed == 0] = np.nan
    hits = rng.binomial(samples, rates.before[task])
    if not kind.missing:
        return Columns.whole(task, passed, hits / samples)
    passed[rng.random(count) < kind.missing] = np.nan
    lost_hits, lost = rng.binomial(hits, kind.missing), rng.binomial(samples - hits, kind.missing)
    lost += lost_hits
    low = (hits - lost_hits) / samples
    return Columns(
        task=task,
        candidate=passed,
        baseline=np.where(lost > 0, np.nan, low),
        baseline_low=low,
        baseline_high=low + lost / samples,
    )


def one_pass(rng: np.random.Generator, kind: Kind, rates: Rates) -> Columns:
    """Every task once, as the paper's rule looks at them."""
    tasks = np.arange(len(rates.before))
    if kind.random_judge:
        return Columns.whole(tasks, rng.random(len(tasks)), rng.random(len(tasks)))
    # A timeout is a 0 here: that rule knows no missing score.
    answered = 1 - kind.missing
    passed = (rng.random(len(tasks)) < rates.after * answered).astype(np.float64)
    return Columns.whole(tasks, passed, (rng.random(len(tasks)) < rates.before * answered).astype(np.float64))


def trial(rng: np.random.Generator, kind: Kind, rates: Rates, setup: Setup, alpha: float | None = None) -> Outcome:
    """A candidate through the gate at level `alpha` (that of the setup without it), with the look at each task."""
    asked = replace(setup.experiment, alpha=alpha) if alpha is not None else setup.experiment
    if not asked.by_evidence:
        return _outcome(experiment.decide(asked, one_pass(rng, kind, rates).scores), rates, 0, setup)
    columns = drawn(rng, kind, rates, asked.max_pairs, setup.baseline_samples)
    decision, more = experiment.decide(asked, columns.scores), 0
    if decision.verdict is Verdict.ACCEPTED and asked.confirmation.least:
        found, more = confirmed(rng, kind, rates, columns.only(slice(decision.pairs)), asked.confirmation)
        decision = experiment.confirmed(asked, decision, found, len(rates.before))
    return _outcome(decision, rates, more, setup)


def confirmed(
    rng: np.random.Generator, kind: Kind, rates: Rates, columns: Columns, how: ConfirmationConfig
) -> tuple[Confirmation, int]:
    """The look at each task after these pairs, and how many more were drawn for it."""
    tasks, more = len(rates.before), 0
    bar = confirmation.bar_of(tasks, how)
    for task in range(tasks):
        own = columns.only(columns.task == task)
        alone = Rates(before=rates.before[[task]], after=rates.after[[task]])
        while True:
            if confirmation.is_broken(own.scores, bar):
                return Confirmation(broken=(TaskId(str(task)),)), more
            wanted = confirmation.draws_wanted(own.scores, how)
            if not wanted:
                break
            own = own.and_then(drawn(rng, kind, alone, wanted, 1))
            more += wanted
    return Confirmation(), more


def least_pairs(rates: Rates, samples: int, alpha: float) -> float:
    """N*: the mean number of pairs that a bettor who knows the best fixed bet needs to pass 1/alpha; inf for no gain.

    ln(1/alpha) over the largest growth E[ln(1 + bet · d)], as in gate.md.
    """
    growth = np.zeros(len(_GRID))
    passes = np.arange(samples + 1)
    ways = np.array([math.comb(samples, hits) for hits in passes], dtype=np.float64)
    for before, after in zip(rates.before, rates.after, strict=True):
        weights = ways * float(before) ** passes * (1 - float(before)) ** (samples - passes)
        for passed, share in ((1.0, after), (0.0, 1 - after)):
            for hits, weight in enumerate(weights):
                growth += share * weight * np.log1p(_GRID * (passed - hits / samples))
    best = float(growth.max()) / len(rates.before)
    return float(-np.log(alpha)) / best if best > 0 else float("inf")


def _outcome(decision: Decision, rates: Rates, more: int, setup: Setup) -> Outcome:
    per_pair = 1 + (setup.baseline_samples if setup.experiment.by_evidence else 1)
    return Outcome(
        verdict=decision.verdict,
        pairs=decision.pairs,
        confirming=more,
        rollouts=decision.pairs * per_pair + 2 * more,
        effect=rates.effect,
        blocked=decision.blocked,
    )
