"""Before earlier nights' rollouts are used again: does the model behind the name still answer as it did?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from sleepd.core import drift
from sleepd.core.drift import Drift, DriftPair
from sleepd.core.gate import Rule
from sleepd.core.model import Digest, TaskId, digest
from sleepd.core.schedule import BASELINE_SAMPLES, DRIFT_SAMPLE
from sleepd.pipeline.rollout import Bench, Order, by_task, key, run_all
from sleepd.pipeline.trial import Gating, Ground
from sleepd.store import proposals, rollouts
from sleepd.store.rollouts import Kept


def watched(gating: Gating) -> bool:
    """Whether nights under this rule use earlier baseline rollouts again: the paper's rules never do."""
    return gating.rule is Rule.EVIDENCE


def set_aside_because(bench: Bench) -> str:
    """The sentence for a person."""
    return f"the model behind {bench.model.key} answers differently than before: what was measured is set aside"


def watch(bench: Bench, ground: Ground, gating: Gating) -> Drift | None:
    """Draw tonight's drift pairs and judge all there are for this live text and model.

    None, and no model call, when no earlier night left baseline rollouts of the validation tasks. On an alarm all
    rollouts under this model of the live text and of the candidates on it, and those candidates, are put down to the
    model's former self, so that nothing uses them again; undecided ones are closed. Tonight's drift pairs are among
    them: they were chosen for how they came out.

    A pair is known by the sample number of its fresh rollout, so that all of them are found again in the rollouts.
    Raises `NotMeasured` or `BudgetSpent`; a rerun of the same night goes on from there, and says the same.
    """
    if not watched(gating):
        return None
    then = _rows(bench, ground, rollouts.former(bench.replay_key, bench.night_id))
    if then:
        # Tonight found it already, before it was killed.
        return replace(drift.judge(_pairs(then)), alarm=True)
    rows = _rows(bench, ground, bench.replay_key)
    judges = {s.task.id: key(bench, _order(ground, s.task.id, 0)).judge for s in ground.tasks}
    if not _reusable(rows, judges, bench.night_id):
        return None
    run_all(bench, _orders(bench, ground, [r for r in rows if r.key.sample >= DRIFT_SAMPLE], judges))
    found = drift.judge(_pairs(_rows(bench, ground, bench.replay_key)))
    if found.alarm:
        _set_aside(bench, digest(ground.base))
    return found


def _rows(bench: Bench, ground: Ground, model: str) -> tuple[Kept, ...]:
    with bench.database.reading() as connection:
        return rollouts.kept(connection, [s.task.id for s in ground.tasks], digest(ground.base), model)


def _reusable(rows: Sequence[Kept], judges: dict[TaskId, Digest], night_id: str) -> bool:
    """Whether an earlier night left a baseline rollout with the task's present checks."""
    return any(
        r.key.sample in BASELINE_SAMPLES and r.night_id != night_id and r.key.judge == judges[r.key.task_id]
        for r in rows
    )


def _orders(bench: Bench, ground: Ground, fresh: Sequence[Kept], judges: dict[TaskId, Digest]) -> list[Order]:
    """Tonight's pairs, each with the older rollout first.

    The older one is made as well when it is not there: whether it is depends on scores, by way of when candidates were
    decided, and leaving such pairs out would choose among them. The next candidate finds it made already.
    """
    earlier = [r.key for r in fresh if r.night_id != bench.night_id]
    first = max((k.sample - DRIFT_SAMPLE + 1 for k in earlier), default=0)
    seed = f"drift:{digest(ground.base)}:{bench.replay_key}"
    tasks = [s.task.id for s in ground.tasks]
    used = Counter(k.task_id for k in earlier if k.judge == judges[k.task_id])
    drawn = drift.draws(tasks, seed, first, used)
    with bench.database.writing() as connection:
        rollouts.put_text(connection, ground.base)
    samples = [(d.task_id, s) for d in drawn for s in (d.kept_sample, d.fresh_sample)]
    return [_order(ground, task, sample) for task, sample in samples]


def _order(ground: Ground, task: TaskId, sample: int) -> Order:
    return Order(task=by_task(ground.tasks)[task], text=digest(ground.base), sample=sample)


def _pairs(rows: Sequence[Kept]) -> list[DriftPair]:
    """All pairs, in the order of their numbers: the n-th of a task goes with its baseline rollout of number n.

    One whose older rollout was never made, because its night was ended in between, is left out.
    """
    by_key = {r.key: r for r in rows}
    turns: Counter[tuple[TaskId, Digest]] = Counter()
    pairs = []
    for row in rows:
        if row.key.sample >= DRIFT_SAMPLE:
            turn = turns[row.key.task_id, row.key.judge]
            turns[row.key.task_id, row.key.judge] += 1
            older = by_key.get(replace(row.key, sample=BASELINE_SAMPLES[turn]))
            if older is not None:
                pairs.append(DriftPair(kept=older.value, fresh=row.value))
    return pairs


def _set_aside(bench: Bench, base: Digest) -> None:
    model = bench.replay_key
    with bench.database.writing() as connection:
        texts = {base, *(t.candidate.text for t in proposals.on_base(connection, base, model))}
        rollouts.set_aside(connection, texts, model, bench.night_id)
        former = rollouts.former(model, bench.night_id)
        proposals.set_aside(connection, base, model, former, set_aside_because(bench))
    bench.made.clear()
