"""How many edits a step may try together: the textual learning rate, and how it falls over the steps of a run.

SkillOpt (arXiv 2605.23904) and its reference implementation: constant, linear, cosine from 4 to 2, autonomous. One
function of the step and the number of steps, read by the nightly run and by training alike.
"""

from __future__ import annotations

import math
import re
from enum import StrEnum

UNLIMITED = 999
"""The budget in force where there is none: more edits than any step proposes."""


class Schedule(StrEnum):
    """How the edit budget changes from step to step."""

    CONSTANT = "constant"
    LINEAR = "linear"
    COSINE = "cosine"
    AUTONOMOUS = "autonomous"
    """The reflection model states at each step how many edits it deserves, up to the most there may be."""
    UNBOUNDED = "unbounded"
    """No budget at all: for ablations."""


def edits(schedule: Schedule, step: int, steps: int, most: int, least: int) -> int:
    """The budget of one step (from 0) of `steps`: `most` at the first, `least` (if it is less) at the last; at least 1.

    A single step has `most`; steps beyond the last have what the last has. Halves are rounded up.
    """
    end = min(least, most)
    # From 0 at the first step to 1 at the last.
    done = min(max(step, 0), steps - 1) / (steps - 1) if steps > 1 else 0.0
    match schedule:
        case Schedule.UNBOUNDED:
            return UNLIMITED
        case Schedule.LINEAR:
            left = 1 - done
        case Schedule.COSINE:
            left = (1 + math.cos(math.pi * done)) / 2
        case Schedule.CONSTANT | Schedule.AUTONOMOUS:
            left = 1.0
    return max(1, math.floor(end + (most - end) * left + 0.5))


def stated(value: object, most: int) -> int | None:
    """What a model stated as the number of edits, in 0..`most`; None when it is no whole number."""
    if isinstance(value, str) and re.fullmatch(r"\s*[0-9]{1,9}\s*", value):
        value = int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return min(max(0, value), most)
