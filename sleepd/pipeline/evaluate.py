"""How good a text is by itself: a mean over tasks with its interval, what could not be scored counted apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sleepd.core import interval
from sleepd.core.errors import NotMeasured
from sleepd.core.model import Digest, Purpose, Rollout, Sample, Score, TaskId
from sleepd.pipeline.rollout import RunContext, run_all
from sleepd.store.tasks import StoredTask


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """The mean over tasks of each one's mean score, in [0, 1]."""

    mean: float | None
    """None when nothing could be scored."""
    low: float | None
    high: float | None
    """The 95 % interval, the tasks being draws from work of this kind."""
    tasks: int
    """Those with a score."""
    scored: int
    """Rollouts."""
    unscored: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskScore:
    """What became of one task."""

    task_id: TaskId
    mean: float | None
    """Over its scored rollouts; None without one."""
    scored: int
    unscored: int
    reason: str
    """Why the first rollout that is not perfect is not; "" when all are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """A text on some tasks."""

    measure: Measure
    by_task: tuple[TaskScore, ...]
    """In the order of the tasks."""


def evaluate(ctx: RunContext, tasks: Sequence[StoredTask], text: Digest, samples: int) -> Evaluated:
    """So many rollouts of each task under a text. What decides nothing: the gate draws its own.

    Raises `BudgetSpent`, and `NotMeasured` also when not one rollout could be scored: an outage by another name.
    """
    wanted = [Sample(purpose=Purpose.EVALUATION, ordinal=n) for n in range(samples)]
    made = run_all(ctx, [ctx.request(s, text, sample) for s in tasks for sample in wanted])
    rows = [_of_task(s.task.id, made[n * samples : (n + 1) * samples]) for n, s in enumerate(tasks)]
    if tasks and not any(row.scored for row in rows):
        raise NotMeasured(f"not one of {len(made)} rollouts could be scored: {rows[0].reason}")
    return Evaluated(measure=measured(made), by_task=tuple(rows))


def measured(made: Sequence[Rollout]) -> Measure:
    """The measure of some rollouts, whatever tasks they are of."""
    tasks = dict.fromkeys(r.key.task_id for r in made)
    rows = [_of_task(task, [r for r in made if r.key.task_id == task]) for task in tasks]
    means = [row.mean for row in rows if row.mean is not None]
    mean, low, high = interval.around(means) if means else (None, None, None)
    return Measure(
        mean=mean,
        low=low,
        high=high,
        tasks=len(means),
        scored=sum(row.scored for row in rows),
        unscored=sum(row.unscored for row in rows),
    )


def _of_task(task: TaskId, made: Sequence[Rollout]) -> TaskScore:
    values = [r.result.value for r in made if isinstance(r.result, Score)]
    wanting = [r.result.reason for r in made if not isinstance(r.result, Score) or r.result.value < 1]
    return TaskScore(
        task_id=task,
        mean=sum(values) / len(values) if values else None,
        scored=len(values),
        unscored=len(made) - len(values),
        reason=wanting[0] if wanting else "",
    )
