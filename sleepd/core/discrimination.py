"""Whether a figure tells the episodes that a person corrected from those that the person kept.

Sessions are the units: the episodes of one session share a mood, a task and often a mistake, so that a hundred episodes
of three sessions prove little.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from sleepd.core.model import digest
from sleepd.core.validity import Discrimination

SHUFFLES: Final = 999
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
class JudgedContrast:
    """One task as a judge saw its answers: figures of fault, the higher, the worse."""

    session: str
    rejected: tuple[float, ...]
    """In the order of the answers; () where the first answer was kept."""
    kept: float


def discrimination(moments: Sequence[JudgedEpisode]) -> Discrimination | None:
    """How well a judge tells held-out episodes apart; None where nothing was corrected, or everything.

    A probability counts as a part of an episode that was corrected and a part that was not. The interval is Newcombe's
    (2006, "Confidence intervals for an effect size measure based on the Mann-Whitney statistic", method 5), with
    the sessions that hold corrected and kept episodes as sample sizes. For p the labels of whole sessions change
    places.
    """
    weights = np.array([m.corrected for m in moments])
    if not moments or weights.sum() <= 0 or (1 - weights).sum() <= 0:
        return None
    sessions = [m.session for m in moments]
    area = _area(np.array([m.fault for m in moments]))
    auc = area(weights)
    return _with_interval(auc, permuted(sessions, weights, area, auc), sessions, weights)


def of_contrasts(contrasts: Sequence[JudgedContrast]) -> Discrimination | None:
    """The same of tasks whose rejected and kept answers lie in one session.

    There the labels of whole sessions changing places would change nothing. For p a coin decides for each session
    whether the kept answer and the last rejected one change places in all its tasks; the history itself counts as
    one of the shuffles, and the same sessions give the same coins.
    """
    sessions: list[str] = []
    faults: list[float] = []
    labels: list[float] = []
    swapped: dict[str, list[int]] = {}
    for one in contrasts:
        if one.rejected:
            last = len(faults) + len(one.rejected) - 1
            swapped.setdefault(one.session, []).append(last)
        for fault, label in [*((fault, 1.0) for fault in one.rejected), (one.kept, 0.0)]:
            sessions.append(one.session)
            faults.append(fault)
            labels.append(label)
    weights = np.array(labels)
    if not labels or weights.sum() <= 0:
        return None
    area = _area(np.array(faults))
    auc = area(weights)
    names = sorted(swapped)
    chance = np.random.default_rng(int(digest("answers change places", *names)[:16], 16))
    reached = 1
    for _ in range(SHUFFLES):
        laid = weights.copy()
        for name, heads in zip(names, chance.random(len(names)) < 0.5, strict=True):
            if heads:
                rows = np.array(swapped[name])
                laid[rows], laid[rows + 1] = 0.0, 1.0
        reached += area(laid) >= auc - 1e-12
    return _with_interval(auc, reached / (SHUFFLES + 1), sessions, weights)


def _area(faults: _Floats) -> Callable[[_Floats], float]:
    """From labels to the area under the curve of these figures."""
    order = np.argsort(faults, kind="stable")
    # Every group of equal figures is one step, and within it a pair counts one half.
    _, group = np.unique(faults[order], return_inverse=True)

    def area(labels: _Floats) -> float:
        ordered = labels[order]
        bad = np.bincount(group, weights=ordered)
        good = np.bincount(group, weights=1 - ordered)
        below = np.cumsum(good) - good
        return float((bad * (below + good / 2)).sum() / (bad.sum() * good.sum()))

    return area


def _with_interval(auc: float, p: float, sessions: Sequence[str], weights: _Floats) -> Discrimination:
    bad, good = _effective(sessions, weights), _effective(sessions, 1 - weights)
    low, high = _newcombe(auc, bad, good)
    return Discrimination(auc=auc, low=low, high=high, p=p, corrected_sessions=round(bad), kept_sessions=round(good))


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


def permuted(sessions: Sequence[str], labels: _Floats, statistic: Callable[[_Floats], float], observed: float) -> float:
    """One-sided p of a statistic of the labels when whole sessions change places.

    The labels of each session stay together and in order; the sessions are put into another order and laid along
    the episodes as they are. So labels that come in runs give shuffled labels in runs. The history itself counts as one
    of the shuffles; the same sessions give the same shuffles.
    """
    rows: dict[str, list[int]] = {}
    for row, session in enumerate(sessions):
        rows.setdefault(session, []).append(row)
    blocks = [np.array(rows[session]) for session in sorted(rows)]
    places = np.concatenate(blocks)
    chance = np.random.default_rng(int(digest("sessions change places", *sorted(rows))[:16], 16))
    reached = 1
    for _ in range(SHUFFLES):
        laid = np.empty_like(labels)
        laid[places] = labels[np.concatenate([blocks[at] for at in chance.permutation(len(blocks))])]
        reached += statistic(laid) >= observed - 1e-12
    return reached / (SHUFFLES + 1)
