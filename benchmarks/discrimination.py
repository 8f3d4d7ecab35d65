"""Whether a figure tells the episodes that a person corrected from those that the person let pass.

Sessions are the units: the episodes of one session share a mood, a task and often a mistake, so that a hundred episodes
of three sessions prove little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from sleepd.core.discrimination import permuted

_Z: Final = 1.959964
_HALVINGS: Final = 60
_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedEpisode:
    """One episode as a judge and as the person saw it."""

    session: str
    fault: float
    """What the judge says: the higher, the worse. Only the order counts."""
    corrected: float
    """The probability that the person corrected the episode, in [0, 1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrimination:
    """How well a judge's figures agree with the person."""

    auc: float
    """The probability that a corrected episode has the higher figure than one that passed; 0.5 is chance."""
    low: float
    high: float
    """95 % interval. It counts sessions, not episodes, as the sample."""
    p: float
    """The share of shuffled histories with at least this AUC; the history itself counts as one of them."""
    corrected_sessions: int
    passed_sessions: int

    @property
    def shown(self) -> bool:
        """Whether the judge tells them apart better than chance: p ≤ .05, and the interval lies above 0.5."""
        return self.p <= 0.05 and self.low > 0.5


def discrimination(moments: Sequence[JudgedEpisode]) -> Discrimination | None:
    """How well a judge tells held-out episodes apart; None where nothing was corrected, or everything.

    A probability counts as a part of an episode that was corrected and a part that was not. The interval is Newcombe's
    (2006, "Confidence intervals for an effect size measure based on the Mann-Whitney statistic", method 5), with
    the sessions that hold corrected and passed episodes as sample sizes. For p the labels of whole sessions change
    places.
    """
    weights = np.array([m.corrected for m in moments])
    if not moments or weights.sum() <= 0 or (1 - weights).sum() <= 0:
        return None
    faults = np.array([m.fault for m in moments])
    sessions = [m.session for m in moments]
    order = np.argsort(faults, kind="stable")
    # Every group of equal figures is one step, and within it a pair counts one half.
    _, group = np.unique(faults[order], return_inverse=True)

    def area(labels: _Floats) -> float:
        ordered = labels[order]
        bad = np.bincount(group, weights=ordered)
        good = np.bincount(group, weights=1 - ordered)
        below = np.cumsum(good) - good
        return float((bad * (below + good / 2)).sum() / (bad.sum() * good.sum()))

    auc = area(weights)
    bad_sessions = _effective(sessions, weights)
    good_sessions = _effective(sessions, 1 - weights)
    low, high = _newcombe(auc, bad_sessions, good_sessions)
    return Discrimination(
        auc=auc,
        low=low,
        high=high,
        p=permuted(sessions, weights, area, auc),
        corrected_sessions=round(bad_sessions),
        passed_sessions=round(good_sessions),
    )


def _effective(sessions: Sequence[str], weights: _Floats) -> float:
    """How many sessions hold such an episode, each counted as the probability that it holds at least one."""
    none: dict[str, float] = {}
    for session, weight in zip(sessions, weights, strict=True):
        none[session] = none.get(session, 1.0) * (1 - float(weight))
    return sum(1 - share for share in none.values())


def _newcombe(auc: float, bad: float, good: float) -> tuple[float, float]:
    """The interval of an AUC from so many corrected and passed sessions; within [0, 1] and never of no width."""

    def reach(theta: float) -> float:
        spread = 1 + ((bad + good) / 2 - 1) * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return _Z * math.sqrt(max(0.0, theta * (1 - theta) * spread / (bad * good)))

    def solved(low: float, high: float, *, above: bool) -> float:
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            inside = abs(auc - middle) <= reach(middle)
            if inside is above:
                low = middle
            else:
                high = middle
        return (low + high) / 2

    return solved(0.0, auc, above=False), solved(auc, 1.0, above=True)
