"""A short race among candidates: which of them are worth the pairs of the gate.

All runners draw the same tasks and share one rollout of the live text a task, since only their order is asked about. A
pair of a race is never evidence. A candidate is given its place in the account after the race and before its first
counted pair, and its counted pairs are made of fresh rollouts. Given all that the race showed, each of them has the
expectation that it would have had without a race, so the choice of the best runner costs no error (gate, promise 1).
A candidate that is left behind was given no place and may run again another night.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from sleepd.core.evidence import Scores

_Runner = TypeVar("_Runner")

FEWEST: Final = 3
"""Runners without which there is no race: two go on anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heat:
    """One part of a race."""

    pairs: int
    """That each runner draws in it."""
    most: int
    """Runners that are left after it, the best of all their pairs so far."""


HEATS: Final = (Heat(pairs=8, most=4), Heat(pairs=16, most=2))
"""Of eight candidates, a fifth of which gain ten points at a pass rate of one half, longer races cost more pairs for
each that is found, and so do races that one alone survives (`benchmarks/power.py` states the figures)."""


def leaders(scores: Mapping[_Runner, Scores], heat: Heat, *, last: bool) -> tuple[_Runner, ...]:
    """The runners that are left after a heat, best first; of equal ones the first.

    A missing score counts as in the bet for a candidate. After the `last` heat all but the best have to look no worse
    than the live text.
    """
    means = {runner: float(seen.cautious.mean()) for runner, seen in scores.items()}
    order = sorted(means, key=lambda runner: -means[runner])[: heat.most]
    return tuple(runner for place, runner in enumerate(order) if not (last and place) or means[runner] >= 0)


def rollouts(runners: int) -> int:
    """How many rollouts a race of so many takes, those of the live text included."""
    left, count = runners, 0
    for heat in HEATS:
        count += (left + 1) * heat.pairs
        left = min(left, heat.most)
    return count
