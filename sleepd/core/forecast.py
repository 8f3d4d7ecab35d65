"""How many pairs a gain would need, foreseen from how much the same text's scores differ from one time to the next."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sleepd.core.evidence import Floats
from sleepd.core.model import TaskId

GAINS = (0.10, 0.20, 0.30)
"""Gains of mean score that are foreseen."""
OVERHEAD = 1.3
"""Pairs of the gate over those of a bettor who knows the best bet, at most, as `sleepd gate-lab` measures it."""
_BETS = np.linspace(0.005, 0.995, 200)
_LEAST_TASKS = 3


def noise(scores: Mapping[TaskId, Sequence[float]], baseline_samples: int) -> Floats:
    """Differences that pairs of one text would show: every rollout of a task against means of its others.

    Shape (differences,); empty unless three tasks were rolled out twice. `scores` are the text's scores by task.
    """
    found: list[float] = []
    tasks = [list(values) for values in scores.values() if len(values) > 1]
    for values in tasks:
        for place, value in enumerate(values):
            others = [*values[place + 1 :], *values[:place]][:baseline_samples]
            found.append(value - sum(others) / len(others))
    return np.array(found if len(tasks) >= _LEAST_TASKS else [], dtype=np.float64)


def pairs_needed(differences: Floats, gain: float, alpha: float) -> float:
    """Pairs until a true gain passes 1/alpha, about; inf when it never would. `differences` are those of `noise`."""
    shifted = np.clip(differences + gain, -1, 1)
    growth = float(np.log1p(np.outer(_BETS, shifted)).mean(axis=1).max()) if len(shifted) else 0.0
    return math.inf if growth <= 0 else OVERHEAD * -math.log(alpha) / growth
