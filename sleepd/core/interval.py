"""A mean of scores with what is known of it."""

from __future__ import annotations

import math
from collections.abc import Sequence


def around(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean and 95 % interval of scores in [0, 1], one for each task, as draws from work of this kind.

    Student's interval over the tasks (Miller 2024, "Adding error bars to evals": tasks are the draws), cut to [0, 1].
    One score of 0 and one of 1 are added to the spread, not to the mean: a few equal scores prove little. Raises
    ValueError without a score.
    """
    if not values:
        raise ValueError("no mean of no scores")
    count = len(values)
    mean = sum(values) / count
    squares = sum((value - mean) ** 2 for value in values) + mean**2 + (1 - mean) ** 2
    half = _quantile(count + 1) * math.sqrt(squares / (count + 1) / count)
    return mean, max(0.0, mean - half), min(1.0, mean + half)


def _quantile(degrees: int) -> float:
    """Student's 97.5 % quantile for 2 degrees of freedom or more, to a hundredth (Abramowitz and Stegun, 26.7.5)."""
    z = 1.959964
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return 4.3027 if degrees == 2 else sum(term / degrees**power for power, term in enumerate(terms))
