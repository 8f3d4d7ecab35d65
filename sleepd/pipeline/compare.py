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


class Change(StrEnum):
    """What became of one task."""

    REGRESSED = "regressed"
    PERSISTENT = "persistent"
    """Not right before, and no better now."""
    IMPROVED = "improved"
    STABLE = "stable"
    """Right under both."""
    UNSCORED = "unscored"


_TITLES = {
    Change.REGRESSED: "Worse than before",
    Change.PERSISTENT: "Not right before, and not now",
    Change.IMPROVED: "Better than before",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One train task under the first and the last text of an epoch."""

    task: StoredTask
    before: Rollout
    after: Rollout

    @property
    def change(self) -> Change:
        before, after = self.before.result, self.after.result
        if not isinstance(before, Score) or not isinstance(after, Score):
            return Change.UNSCORED
        if after.value != before.value:
            return Change.IMPROVED if after.value > before.value else Change.REGRESSED
        return Change.STABLE if after.value >= 1 else Change.PERSISTENT


def compare(
    ctx: RunContext, tasks: Sequence[StoredTask], texts: tuple[Digest, Digest], epoch: int
) -> tuple[Compared, ...]:
    """One rollout of each task under both texts. Raises `NotMeasured` or `BudgetSpent`.

    Where nothing was accepted both are one text, and one rollout: the chance between two would look like a change.
    """
    sample = Sample(purpose=Purpose.COMPARISON, series=epoch)
    first, last = ([ctx.request(s, text, sample) for s in tasks] for text in texts)
    made = run_all(ctx, [*first, *last])
    pairs = zip(tasks, made[: len(tasks)], made[len(tasks) :], strict=True)
    return tuple(Compared(task=s, before=before, after=after) for s, before, after in pairs)


def counts(compared: Iterable[Compared]) -> Mapping[Change, int]:
    """How many tasks there are of each kind, every kind named."""
    seen = Counter(one.change for one in compared)
    return {change: seen[change] for change in Change}


def told(compared: Sequence[Compared], kinds: Iterable[Change]) -> str:
    """The work of these kinds for a prompt, and how much there is of every kind. Checks are never shown."""
    total = counts(compared)
    lines = [", ".join(f"{title.lower()}: {total[change]}" for change, title in _TITLES.items())]
    lines[0] += f", right under both: {total[Change.STABLE]}"
    for change in kinds:
        of_kind = [one for one in compared if one.change is change]
        lines += [_case(_TITLES[change], one) for one in of_kind[:_SHOWN]]
    return "\n\n".join(lines)


def _case(title: str, one: Compared) -> str:
    parts = [
        f"## {title}",
        part("the request", one.task.task.request),
        part("the answer under the first file", one.before.answer) if one.before != one.after else "",
        part("the answer under the present file", one.after.answer),
        *history(one.task.task),
    ]
    return "\n".join(p for p in parts if p)
