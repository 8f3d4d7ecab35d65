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
from dataclasses import dataclass, replace

import numpy as np

from sleepd.core import gate
from sleepd.core.gate import Decision, Floats, Rule, Terms
from sleepd.core.model import Pair, TaskId, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Confirming:
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
class Confirmed:
    """What the look at each task found."""

    broken: tuple[TaskId, ...]
    wanting: Mapping[TaskId, int]
    """Tasks that have to be drawn again, with the number of times; empty when the round is over."""
    pairs: tuple[Pair, ...] = ()
    """What it rests on: the pairs up to the crossing, and those of the round. Pairs that were drawn in one go with the
    crossing one, and lie behind it, are left out: how many there are depends on where a night ended."""


def confirm(pairs: Sequence[Pair], tasks: Sequence[TaskId], how: Confirming) -> Confirmed:
    """The tasks that a candidate breaks, and those that were not drawn often enough, over all pairs drawn of it."""
    bar = bar_of(len(tasks), how)
    broken, wanting = [], {}
    for task in dict.fromkeys(tasks):
        candidate, baseline = gate.columns([p for p in pairs if p.task_id == task])
        if is_broken(candidate, baseline, bar):
            broken.append(task)
        elif missing := draws_wanted(candidate, baseline, how):
            wanting[task] = missing
    return Confirmed(broken=tuple(broken), wanting={} if broken else wanting, pairs=tuple(pairs))


def bar_of(tasks: int, how: Confirming) -> float:
    """The logarithm that a bet against one of so many tasks has to reach."""
    return float(np.log(2 * max(1, tasks) / how.level))


def is_broken(candidate: Floats, baseline: Floats, bar: float) -> bool:
    """Whether one task's scores (NaN for an unscored one) show that the candidate does worse there, or is silent."""
    worse = gate.log_wealth(-gate.hopeful(candidate, baseline))
    silent = gate.log_wealth(_silenced(candidate, baseline))
    return bool((worse >= bar).any() or (silent >= bar).any())


def draws_wanted(candidate: Floats, baseline: Floats, how: Confirming) -> int:
    """How many more pairs a task needs: up to `least` at once, then one by one while it looks worse."""
    drawn = len(candidate)
    if drawn < how.least:
        return how.least - drawn
    if not how.least or drawn >= how.most:
        return 0
    worse = float(gate.hopeful(candidate, baseline).mean()) <= -how.drop / 2
    return int(worse or float(_silenced(candidate, baseline).mean()) >= how.drop / 2)


def _silenced(candidate: Floats, baseline: Floats) -> Floats:
    """1 for a pair that only the candidate left unscored, -1 for one that only the live text did."""
    return np.isnan(candidate).astype(np.float64) - np.isnan(baseline).astype(np.float64)


def settle(pairs: Sequence[Pair], tasks: Sequence[TaskId], terms: Terms, how: Confirming) -> tuple[Decision, Confirmed]:
    """The verdict over all pairs: `gate.decide` on those of the schedule, and then task by task.

    A candidate whose evidence crossed stays undecided while tasks are wanting, and is rejected when it breaks one.
    """
    scheduled = [p for p in pairs if not p.confirms]
    decision = gate.decide(scheduled, terms)
    nothing = Confirmed(broken=(), wanting={})
    if decision.verdict is not Verdict.ACCEPTED or terms.rule is not Rule.EVIDENCE or not how.least:
        return decision, nothing
    found = confirm([*scheduled[: decision.pairs], *(p for p in pairs if p.confirms)], tasks, how)
    if found.broken:
        lost = f"better on the whole, but {len(found.broken)} of {len(tasks)} tasks got worse"
        return replace(decision, verdict=Verdict.REJECTED, reason=f"{lost} (error at most {how.level:.2g})"), found
    if found.wanting:
        return replace(decision, verdict=Verdict.UNDECIDED, reason=f"{decision.reason}; each task is looked at"), found
    return replace(decision, reason=f"{decision.reason}; none of {len(tasks)} tasks got worse"), found
