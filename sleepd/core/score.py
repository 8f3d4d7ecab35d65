"""From an answer to a number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sleepd.core import check as rules
from sleepd.core.check import Check
from sleepd.core.model import Cause, Digest, Score, Unscored


class Metric(StrEnum):
    """How the checks of one task become one number (the paper's three)."""

    HARD = "hard"
    """1 when every check passes, else 0."""
    SOFT = "soft"
    """The share that passes."""
    MIXED = "mixed"
    """The mean of both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckCriteria:
    """A task's rule checks, and how they become one number."""

    checks: tuple[Check, ...]
    metric: Metric = Metric.SOFT

    @property
    def judge(self) -> str:
        return "checks"

    @property
    def identity(self) -> Digest:
        return Digest(f"{self.metric}:{rules.identity(self.checks)}")


def score(answer: str, checks: Sequence[Check], metric: Metric) -> Score | Unscored:
    """Value an answer by a task's checks; `Unscored` when there is nothing to value it by."""
    if not checks:
        return Unscored(cause=Cause.NO_CHECK, reason="the task has no check")
    failed = [c for c in checks if not rules.passes(c, answer)]
    soft = 1 - len(failed) / len(checks)
    value = {Metric.SOFT: soft, Metric.HARD: float(not failed), Metric.MIXED: (soft + (not failed)) / 2}[metric]
    missed = ", ".join(f"{c.kind} {c.value!r}" for c in failed)
    return Score(value=value, reason=f"missed {missed}" if failed else "all checks passed")
