"""A mean of scores with what is known of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

_Z = 1.959964


def around(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean and 95 % interval of scores in [0, 1], one for each task, as draws from work of this kind.

    Wilson's interval with the spread that was seen in place of a coin's (Miller 2024, "Adding error bars to evals", on
    why the tasks are the draws): it stays within [0, 1] and has a width also where all scores are equal. Raises
    ValueError without a score.
    """
    if not values:
        raise ValueError("no mean of no scores")
    count = len(values)
    mean = sum(values) / count
    spread = sum((value - mean) ** 2 for value in values) / max(1, count - 1)
    shrink = 1 + _Z**2 / count
    middle = (mean + _Z**2 / (2 * count)) / shrink
    half = _Z / shrink * math.sqrt(spread / count + _Z**2 / (4 * count**2))
    return mean, max(0.0, middle - half), min(1.0, middle + half)
