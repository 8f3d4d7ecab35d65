"""No task is broken for the mean (gate, promise 4): after the evidence crossed, each task is looked at by itself.

A house rule crosses after a dozen pairs, which draw less than half of the tasks: one that it breaks may not be among
them. So each validation task is drawn at least `least` times, and one that looks worse is drawn on, up to `most` times.
Against each task two bets run: one wins when the candidate does worse there, one when it is unscored more often than
the live text. The candidate is blocked when one of them reaches 2 · (number of tasks) / `level`. By Ville and a union
over all bets, the chance of blocking a candidate that lowers and silences no task is at most `level`. The chance of
missing a task that drops by `drop` depends on its scores: `sleepd gate-lab` states it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sleepd.core.evidence import Floats, Scores, log_wealth, scores_of
from sleepd.core.model import Pair, TaskId


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfirmationConfig:
    """How closely each task is looked at. With `least` 0 nothing is confirmed."""

    least: int = 4
    """Pairs of each task before a candidate is accepted."""
    most: int = 24
    """Pairs of a task that looks worse."""
    drop: float = 0.5
    """The drop of a task's mean score that is not to be missed; a task that fell by half of it is drawn on."""
    level: float = 0.1
    """The chance of blocking a candidate that lowers no task."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirmation:
    """What the look at each task found."""

    broken: tuple[TaskId, ...] = ()
    wanting: Mapping[TaskId, int] = field(default_factory=dict)
    """Tasks that have to be drawn again, with the number of times; empty when the round is over."""


def confirm(pairs: Sequence[Pair], tasks: Sequence[TaskId], how: ConfirmationConfig) -> Confirmation:
    """The tasks that a candidate breaks, and those that were not drawn often enough, over all pairs drawn of it."""
    bar = bar_of(len(tasks), how)
    broken, wanting = [], {}
    for task in dict.fromkeys(tasks):
        scores = scores_of([p for p in pairs if p.task_id == task])
        if is_broken(scores, bar):
            broken.append(task)
        elif missing := draws_wanted(scores, how):
            wanting[task] = missing
    return Confirmation(broken=tuple(broken), wanting={} if broken else wanting)


def bar_of(tasks: int, how: ConfirmationConfig) -> float:
    """The logarithm that a bet against one of so many tasks has to reach."""
    return float(np.log(2 * max(1, tasks) / how.level))


def is_broken(scores: Scores, bar: float) -> bool:
    """Whether one task's scores show that the candidate does worse there, or gives no answer."""
    worse = log_wealth(-scores.hopeful)
    silent = log_wealth(_silenced(scores))
    return bool((worse >= bar).any() or (silent >= bar).any())


def draws_wanted(scores: Scores, how: ConfirmationConfig) -> int:
    """How many more pairs a task needs: up to `least` at once, then one by one while it looks worse."""
    drawn = len(scores)
    if drawn < how.least:
        return how.least - drawn
    if not how.least or drawn >= how.most:
        return 0
    worse = float(scores.hopeful.mean()) <= -how.drop / 2
    return int(worse or float(_silenced(scores).mean()) >= how.drop / 2)


def _silenced(scores: Scores) -> Floats:
    """1 for a pair that only the candidate left unscored, -1 for one that only the live text did; of a baseline's
    rollouts the share."""
    return scores.candidate_missing - scores.baseline_missing
