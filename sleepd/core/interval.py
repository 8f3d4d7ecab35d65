"""A mean of scores with what is known of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

_Z = 1.959964


def around(values: Sequence[float]) -> tuple[float, float, float]:
    """Mean and 95 % interval of scores in [0, 1], one for each task, as draws from work of this kind.

    Wilson's interval over the tasks (Miller 2024, "Adding error bars to evals": tasks are the draws), narrower by as
    much as the scores spread less than those of a coin with the same mean, one coin's toss being added to what was
    seen: a few equal scores prove little. Raises ValueError without a score.
    """
    if not values:
        raise ValueError("no mean of no scores")
    count = len(values)
    mean = min(1.0, max(0.0, math.fsum(values) / count))
    coin = mean * (1 - mean)
    squares = sum((value - mean) ** 2 for value in values)
    spread = min(1.0, (squares + coin) / ((count + 1) * coin)) if coin else 1.0
    low, high = _wilson(mean, count, spread)
    return mean, low, high


def wilson(share: float, count: float) -> tuple[float, float]:
    """Wilson's 95 % interval (1927) of a share of `count` independent draws. Raises ValueError without a draw."""
    if count <= 0:
        raise ValueError("no share of nothing")
    return _wilson(share, count, 1.0)


def _wilson(mean: float, count: float, spread: float) -> tuple[float, float]:
    shrink = _Z**2 * spread / count
    middle = (mean + shrink / 2) / (1 + shrink)
    half = math.sqrt(shrink * mean * (1 - mean) + shrink**2 / 4) / (1 + shrink)
    return max(0.0, middle - half), min(1.0, middle + half)
