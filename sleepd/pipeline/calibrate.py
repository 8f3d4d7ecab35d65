"""The gate on the user's own model and work: the live text against itself, and what gains of which size would take."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from sleepd.core import forecast, gate
from sleepd.core.model import Digest, Score, TaskId, digest
from sleepd.core.schedule import BASELINE_SAMPLES, CALIBRATION_SAMPLE, CONFIRMING_SAMPLE
from sleepd.pipeline.rollout import Bench, Order, run_all
from sleepd.pipeline.trial import Gating, Ground
from sleepd.store import proposals, rollouts
from sleepd.store.tasks import StoredTask


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreseen:
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
class Calibrated:
    """What the live text against itself showed."""

    pairs: int
    unscored: int
    evidence: float
    """Wealth of the larger of the two bets, for and against the text against itself."""
    alarm_from: float
    """The wealth from which on it is an alarm; both are natural logarithms."""
    alarm: bool
    """Evidence between identical texts: something is wired wrongly, and no verdict can be trusted."""
    alpha: float
    """The level that the next candidate would have."""
    noise: float
    """Standard deviation of a pair's difference."""
    foreseen: tuple[Foreseen, ...]


def calibrate(bench: Bench, ground: Ground, gating: Gating, pairs: int) -> Calibrated:
    """Draw `pairs` pairs of the live text against itself and say what they mean.

    Raises `NotMeasured` or `BudgetSpent`; rollouts made until then are kept, and the same call goes on from there.
    """
    with bench.database.writing() as connection:
        base = rollouts.put_text(connection, ground.base)
        index = proposals.next_index(connection)
        alpha = gate.level(index, proposals.acceptances(connection), gating.alpha)
    scores = {TaskId(s.task.id): _scores(bench, s, base, _turns(ground, s, pairs), gating) for s in ground.tasks}
    columns = [pair for own, live in scores.values() for pair in zip(own, live, strict=True)]
    candidate, baseline = np.array(columns).T if columns else (np.zeros(0), np.zeros(0))
    known = (candidate - baseline)[~np.isnan(candidate - baseline)]
    wealth = [float(gate.log_wealth(sign * known).max(initial=0.0)) for sign in (1, -1)]
    bar = -float(np.log(gating.alpha / 2))
    by_task = {task: [*own[~np.isnan(own)], *live[~np.isnan(live)]] for task, (own, live) in scores.items()}
    differences = forecast.noise(by_task, gating.baseline_samples)
    return Calibrated(
        pairs=len(columns),
        unscored=len(columns) - len(known),
        evidence=max(wealth),
        alarm_from=bar,
        alarm=max(wealth) >= bar,
        alpha=alpha,
        noise=float(differences.std()) if len(differences) else 0.0,
        foreseen=foresee(differences, alpha, gating, _cost(bench, base)),
    )


def foresee(
    differences: gate.Floats, alpha: float, gating: Gating, cost_usd: float | None = None
) -> tuple[Foreseen, ...]:
    """What gains of 10, 20 and 30 points would take at this level; `cost_usd` is that of one rollout."""
    found = []
    most = min(gating.max_pairs, gating.max_nights * gating.pairs_per_night)
    for gain in forecast.GAINS:
        pairs = forecast.pairs_needed(differences, gain, alpha)
        calls = pairs * (1 + gating.baseline_samples)
        found.append(
            Foreseen(
                gain=gain,
                pairs=pairs,
                rollouts=calls,
                nights=pairs / gating.pairs_per_night,
                cost_usd=None if cost_usd is None else calls * cost_usd,
                in_reach=pairs <= most,
            )
        )
    return tuple(found)


def remembered(bench: Bench, ground: Ground, baseline_samples: int) -> gate.Floats:
    """The noise that earlier nights' rollouts of the live text show; empty when too few are kept. No model is asked."""
    with bench.database.reading() as connection:
        rows = rollouts.kept(connection, [s.task.id for s in ground.tasks], digest(ground.base), bench.replay_key)
    scores: defaultdict[TaskId, list[float]] = defaultdict(list)
    for row in rows:
        if row.value is not None and row.key.sample in BASELINE_SAMPLES and row.key.sample < CONFIRMING_SAMPLE:
            scores[row.key.task_id].append(row.value)
    return forecast.noise(scores, baseline_samples)


def _turns(ground: Ground, task: StoredTask, pairs: int) -> int:
    """How many of the pairs are this task's: as evenly as it goes, in the order of the tasks."""
    place = [s.task.id for s in ground.tasks].index(task.task.id)
    return pairs // len(ground.tasks) + (place < pairs % len(ground.tasks))


def _scores(
    bench: Bench, task: StoredTask, base: Digest, turns: int, gating: Gating
) -> tuple[gate.Floats, gate.Floats]:
    """Scores of the text's own side and means of the baseline side; NaN for what could not be scored."""
    r = gating.baseline_samples
    own = [Order(task=task, text=base, sample=CALIBRATION_SAMPLE + n) for n in range(turns)]
    live = [Order(task=task, text=base, sample=n) for n in range(turns * r)]
    made = [x.result.value if isinstance(x.result, Score) else float("nan") for x in run_all(bench, [*own, *live])]
    return np.array(made[:turns]), np.array(made[turns:]).reshape(turns, r).mean(axis=1)


def _cost(bench: Bench, base: Digest) -> float | None:
    """Mean price of the rollouts of this text; None when none is known."""
    known = [r.cost_usd for k, r in bench.made.items() if k.text == base and r.cost_usd is not None]
    return sum(known) / len(known) if known else None
