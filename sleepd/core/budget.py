"""How many edits a step may try together: the textual learning rate, and how it falls over a run.

SkillOpt (arXiv 2605.23904) and its reference implementation: constant, linear, cosine from 4 to 2, autonomous.
"""

from __future__ import annotations

import math
from enum import StrEnum

UNLIMITED = 999


class Schedule(StrEnum):
    """How the edit budget changes from step to step."""

    CONSTANT = "constant"
    LINEAR = "linear"
    COSINE = "cosine"
    AUTONOMOUS = "autonomous"
    """No limit of ours: the reflection model decides."""


def edits(schedule: Schedule, step: int, steps: int, most: int, least: int) -> int:
    """The budget of one step (from 0) of `steps`: `most` at the beginning, `least` at the last."""
    done = min(step + 1, steps) / steps if steps > 1 else 0.0
    match schedule:
        case Schedule.CONSTANT:
            return most
        case Schedule.LINEAR:
            return max(least, round(most + (least - most) * done))
        case Schedule.COSINE:
            return max(least, round(least + (most - least) * (1 + math.cos(math.pi * done)) / 2))
        case Schedule.AUTONOMOUS:
            return UNLIMITED
