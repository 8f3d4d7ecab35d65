"""The same train tasks under two texts: what an epoch made better, worse, or left undone (SkillOpt, 3.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sleepd.core.model import Digest, Purpose, Rollout, Sample, Score
from sleepd.pipeline.prompts import history
from sleepd.pipeline.rollout import RunContext, run_all
from sleepd.replayers.prompt import part
from sleepd.store.tasks import StoredTask

_SHOWN = 4
"""Pieces of work of each kind that a prompt shows."""


class ScoreChange(StrEnum):
    """What became of one task."""

    REGRESSED = "regressed"
    PERSISTENT = "persistent"
    """Not right before, and no better now."""
    IMPROVED = "improved"
    STABLE = "stable"
    """Right under both."""
    UNSCORED = "unscored"


_TITLES = {
    ScoreChange.REGRESSED: "Worse than before",
    ScoreChange.PERSISTENT: "Not right before, and not now",
    ScoreChange.IMPROVED: "Better than before",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskComparison:
    """One train task under the first and the last text of an epoch."""

    task: StoredTask
    before: Rollout
    after: Rollout

    @property
    def change(self) -> ScoreChange:
        before, after = self.before.result, self.after.result
        if not isinstance(before, Score) or not isinstance(after, Score):
            return ScoreChange.UNSCORED
        if after.value != before.value:
            return ScoreChange.IMPROVED if after.value > before.value else ScoreChange.REGRESSED
        return ScoreChange.STABLE if after.value >= 1 else ScoreChange.PERSISTENT


def compare(
    ctx: RunContext, tasks: Sequence[StoredTask], first: Digest, last: Digest, epoch: int
) -> tuple[TaskComparison, ...]:
    """One rollout of each task under both texts. Raises `NotMeasured` or `BudgetSpent`.

    Where nothing was accepted both are one text, and one rollout: the chance between two would look like a change.
    """
    sample = Sample(purpose=Purpose.COMPARISON, series=epoch)
    made = run_all(ctx, [ctx.request(s, text, sample) for text in (first, last) for s in tasks])
    pairs = zip(tasks, made[: len(tasks)], made[len(tasks) :], strict=True)
    return tuple(TaskComparison(task=s, before=before, after=after) for s, before, after in pairs)


def counts(compared: Iterable[TaskComparison]) -> Mapping[ScoreChange, int]:
    """How many tasks there are of each kind, every kind named."""
    seen = Counter(one.change for one in compared)
    return {change: seen[change] for change in ScoreChange}


def comparison_prompt(compared: Sequence[TaskComparison], kinds: Iterable[ScoreChange]) -> str:
    """The work of these kinds for a prompt, and how much there is of every kind. Checks are never shown."""
    total = counts(compared)
    lines = [", ".join(f"{title.lower()}: {total[change]}" for change, title in _TITLES.items())]
    lines[0] += f", right under both: {total[ScoreChange.STABLE]}"
    for change in kinds:
        of_kind = [one for one in compared if one.change is change]
        lines += [_case(_TITLES[change], one) for one in of_kind[:_SHOWN]]
    return "\n\n".join(lines)


def _case(title: str, one: TaskComparison) -> str:
    parts = [
        f"## {title}",
        part("the request", one.task.task.request),
        part("the answer under the first file", one.before.answer) if one.before != one.after else "",
        part("the answer under the present file", one.after.answer),
        *history(one.task.task),
    ]
    return "\n".join(p for p in parts if p)
