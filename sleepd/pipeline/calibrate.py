"""The gate on the user's own model and work: the live text against itself, and what gains of which size would take."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass

from sleepd.core import evidence, experiment, forecast, schedule
from sleepd.core.evidence import Floats, Scores
from sleepd.core.experiment import Experiment, TwoSided
from sleepd.core.model import Digest, Purpose, Sample, TaskId, Verdict, digest
from sleepd.pipeline.rollout import RunContext, mean_score, run_all
from sleepd.pipeline.trial import Comparison, GateTerms
from sleepd.store import proposals, rollouts
from sleepd.store.tasks import StoredTask


@dataclass(frozen=True, slots=True, kw_only=True)
class GainForecast:
    """What a gain of one size would take."""

    gain: float
    pairs: float
    """inf: it cannot be shown."""
    rollouts: float
    """Model calls, had no baseline rollout been made before."""
    nights: float
    cost_usd: float | None
    """None: the model's price is not known."""
    in_reach: bool
    """Within the pairs and nights that one candidate may use up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationResult:
    """What the live text against itself showed."""

    pairs: int
    unscored: int
    evidence: float
    """The most that bets in both directions on the text against itself had earned after any pair."""
    alarm_from: float
    """The wealth from which on it is an alarm; both are natural logarithms."""
    alarm: bool
    """Evidence between identical texts: something is wired wrongly, and no verdict can be trusted."""
    alpha: float
    """The level that the next candidate would have."""
    noise: float
    """Standard deviation of a pair's difference."""
    foreseen: tuple[GainForecast, ...]


def calibrate(ctx: RunContext, comparison: Comparison, gate: GateTerms, pairs: int) -> CalibrationResult:
    """Draw `pairs` pairs of the live text against itself and say what they mean.

    Raises `NotMeasured` or `BudgetSpent`; rollouts made until then are kept, and the same call goes on from there.
    """
    with ctx.database.writing() as connection:
        base = rollouts.put_text(connection, comparison.base)
        place = ctx.next_place(proposals.given(connection))
        alpha = evidence.level(place, proposals.acceptances(connection), gate.alpha)
    own, live = [], []
    by_task: dict[TaskId, list[float]] = {}
    each, left = divmod(pairs, len(comparison.tasks))
    for number, stored in enumerate(comparison.tasks):
        # As evenly as it goes, in the order of the tasks.
        mine, means = _scores(ctx, stored, base, each + (number < left), gate)
        own += mine
        live += means
        by_task[stored.task.id] = [score for score in (*mine, *means) if score is not None]
    known = [(a, b) for a, b in zip(own, live, strict=True) if a is not None and b is not None]
    scores = Scores.of([a for a, _ in known], [b for _, b in known])
    asked = Experiment(statistic=TwoSided(), alpha=gate.alpha, coverage=0.0, max_pairs=len(known) + 1)
    differences = forecast.noise(by_task, gate.baseline_samples)
    # Mean price of the rollouts of this text; None when none is known.
    prices = [r.usage.cost_usd for k, r in ctx.made.items() if k.text == base and r.usage.cost_usd is not None]
    return CalibrationResult(
        pairs=len(own),
        unscored=len(own) - len(known),
        evidence=float(experiment.paths(asked.statistic, scores).evidence.max(initial=0.0)),
        alarm_from=-math.log(gate.alpha),
        alarm=experiment.decide(asked, scores).verdict is Verdict.ACCEPTED,
        alpha=alpha,
        noise=float(differences.std()) if len(differences) else 0.0,
        foreseen=foresee(differences, alpha, gate, sum(prices) / len(prices) if prices else None),
    )


def foresee(
    differences: Floats, alpha: float, gate: GateTerms, cost_usd: float | None = None
) -> tuple[GainForecast, ...]:
    """What gains of 10, 20 and 30 points would take at this level; `cost_usd` is that of one rollout."""
    found = []
    most = min(gate.max_pairs, gate.max_nights * gate.pairs_per_night)
    for gain in forecast.GAINS:
        pairs = forecast.pairs_needed(differences, gain, alpha)
        calls = pairs * (1 + gate.baseline_samples)
        found.append(
            GainForecast(
                gain=gain,
                pairs=pairs,
                rollouts=calls,
                nights=pairs / gate.pairs_per_night,
                cost_usd=None if cost_usd is None else calls * cost_usd,
                in_reach=pairs <= most,
            )
        )
    return tuple(found)


def remembered(ctx: RunContext, comparison: Comparison, baseline_samples: int) -> Floats:
    """The noise that earlier nights' rollouts of the live text show; empty when too few are kept. No model is asked."""
    with ctx.database.reading() as connection:
        tasks = [s.task.id for s in comparison.tasks]
        rows = rollouts.scores(connection, tasks, digest(comparison.base), ctx.replay_key)
    scores: defaultdict[TaskId, list[float]] = defaultdict(list)
    for row in rows:
        if row.value is not None and row.key.sample.purpose is Purpose.BASELINE:
            scores[row.key.task_id].append(row.value)
    return forecast.noise(scores, baseline_samples)


def _scores(
    ctx: RunContext, task: StoredTask, base: Digest, turns: int, gate: GateTerms
) -> tuple[list[float | None], list[float | None]]:
    """Scores of the text's own side and means of the baseline side; None where one could not be scored."""
    r = gate.baseline_samples
    night = str(ctx.run)
    own = [ctx.request(task, base, Sample(purpose=Purpose.CALIBRATION, ordinal=n, night=night)) for n in range(turns)]
    live = [ctx.request(task, base, schedule.baseline(n, night)) for n in range(turns * r)]
    made = run_all(ctx, [*own, *live])
    return [mean_score([one]) for one in made[:turns]], [
        mean_score(made[turns + n * r : turns + (n + 1) * r]) for n in range(turns)
    ]
