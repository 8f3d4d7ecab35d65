"""What is true in the laboratory: tasks with known pass rates, and candidates with known effects on them.

A task's pass rate under the live text is drawn from Beta(0.8, 0.6): many tasks are nearly always done or nearly never,
as on real days. A gain that would lead above 1 or below 0 is cut there, so the realised effect is stated beside the one
aimed at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from sleepd.core.evidence import Floats

_BETA: Final = (0.8, 0.6)
_SETTLED: Final = (30.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Pass rates of each task, shape (tasks,) each: under the live text and under the candidate."""

    before: Floats
    after: Floats

    @property
    def effect(self) -> float:
        """The true mean gain over the tasks."""
        return float((self.after - self.before).mean())


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of candidate."""

    key: str
    words: str
    make: Callable[[np.random.Generator, int], Rates]
    """From chance and a number of tasks."""
    timeouts: bool = False
    """What the candidate fails at becomes a timeout: unscored, instead of 0."""
    missing: float = 0.0
    """The share of all calls that time out, under either text and whatever they would have scored."""
    random_judge: bool = False
    """Every score is a random number."""


def shifted(rng: np.random.Generator, tasks: int, gain: float) -> Rates:
    """Each task gains as much, as far as it can."""
    before = rng.beta(*_BETA, tasks)
    return Rates(before=before, after=np.clip(before + gain, 0, 1))


def mixed(rng: np.random.Generator, tasks: int) -> Rates:
    """Pairs of tasks of one rate: one gains 30 points, or what there is room for both ways, and one loses as much."""
    half = rng.beta(*_BETA, (tasks + 1) // 2)
    before = np.concatenate([half, half])[:tasks]
    room = np.minimum(0.3, np.minimum(half, 1 - half))
    step = np.concatenate([room, -room])[:tasks]
    if tasks % 2:
        step[tasks // 2] = 0.0
    return Rates(before=before, after=before + step)


def house_rule(rng: np.random.Generator, tasks: int, lost: int = 0) -> Rates:
    """A convention that is broken nearly always without the rule and kept nearly always with it; `lost` tasks that were
    done nearly always are lost to it.
    """
    before, after = np.full(tasks, 0.1), np.full(tasks, 0.95)
    before[:lost], after[:lost] = 0.95, 0.1
    return Rates(before=rng.permutation(before), after=after) if not lost else Rates(before=before, after=after)


def settled(rng: np.random.Generator, tasks: int, gain: float) -> Rates:
    """A skill that has been learnt: what it is about is done nearly always, Beta(30, 1)."""
    before = rng.beta(*_SETTLED, tasks)
    return Rates(before=before, after=np.clip(before + gain, 0, 1))


def varying(rng: np.random.Generator, tasks: int, mean: float, sd: float) -> Rates:
    """Tasks sampled from a population in which the effect of the candidate differs from task to task."""
    before = rng.beta(*_BETA, tasks)
    return Rates(before=before, after=np.clip(before + rng.normal(mean, sd, tasks), 0, 1))


def _shift(gain: float) -> Callable[[np.random.Generator, int], Rates]:
    return lambda rng, tasks: shifted(rng, tasks, gain)


KINDS: Final = (
    Kind(key="none", words="no effect", make=_shift(0.0)),
    Kind(key="mixed", words="half the tasks up, half down, no effect on the whole", make=mixed),
    Kind(key="timeouts", words="no effect; its failures become timeouts", make=_shift(0.0), timeouts=True),
    Kind(key="random", words="no effect; the judge returns random numbers", make=_shift(0.0), random_judge=True),
    Kind(key="-15", words="-15 points", make=_shift(-0.15)),
    Kind(key="+10", words="+10 points", make=_shift(0.10)),
    Kind(key="+20", words="+20 points", make=_shift(0.20)),
    Kind(key="+30", words="+30 points", make=_shift(0.30)),
    Kind(key="+50", words="+50 points", make=_shift(0.50)),
    Kind(key="house-rule", words="house rule, 0.10 to 0.95", make=house_rule),
    Kind(
        key="breaks-one",
        words="house rule that breaks one task, 0.95 to 0.10",
        make=lambda rng, tasks: house_rule(rng, tasks, lost=1),
    ),
    Kind(key="lossy none", words="no effect; 6 % of all calls time out", make=_shift(0.0), missing=0.06),
    Kind(key="lossy +20", words="+20 points; 6 % of all calls time out", make=_shift(0.20), missing=0.06),
)


def kind(key: str) -> Kind:
    """The kind with this key. Raises KeyError."""
    return next(one for one in KINDS if one.key == key)
