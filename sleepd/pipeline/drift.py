"""Before earlier nights' rollouts are used again: does the model behind the name still answer as it did?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sleepd.core import drift, experiment, schedule
from sleepd.core.drift import Drift, DriftPair
from sleepd.core.experiment import Rule
from sleepd.core.model import Digest, Origin, Purpose, TaskId, Verdict, digest
from sleepd.core.ports import RolloutRequest
from sleepd.pipeline.rollout import RunContext, by_task, run_all
from sleepd.pipeline.trial import Comparison, GateTerms
from sleepd.store import proposals, rollouts, runs
from sleepd.store.rollouts import RolloutScore


def watched(gate: GateTerms) -> bool:
    """Whether nights under this rule use earlier baseline rollouts again: the paper's rules never do."""
    return gate.rule is Rule.EVIDENCE


def set_aside_because(ctx: RunContext) -> str:
    """The sentence for a person."""
    return f"the model behind {ctx.model.key} answers differently than before: what was measured is set aside"


def watch(ctx: RunContext, comparison: Comparison, gate: GateTerms) -> Drift | None:
    """Draw tonight's drift pairs and judge all there are for this live text and model.

    None, and no model call, when no earlier night left baseline rollouts of the validation tasks. On an alarm all
    rollouts under this model of the live text and of the candidates on it, and those candidates, are invalidated
    because the model changed, so that nothing uses them again; undecided ones are closed. Tonight's drift pairs are
    among them: they were chosen for how they came out.

    Raises `NotMeasured` or `BudgetSpent`; a rerun of the same night goes on from there, and says the same.
    """
    if not watched(gate):
        return None
    with ctx.database.reading() as connection:
        change = runs.model_change(connection, ctx.replay_key, ctx.run)
    # Tonight found a change already, before it was killed.
    if change is not None and (then := _scores(ctx, comparison, change)):
        return drift.judge(_pairs(then))
    rows = _scores(ctx, comparison)
    judges = {s.task.id: ctx.criteria(s).identity for s in comparison.tasks}
    if not any(r.run_id != ctx.run.id for r in _kept(rows, judges)):
        return None
    run_all(ctx, _requests(ctx, comparison, rows, judges))
    found = drift.judge(_pairs(_scores(ctx, comparison)))
    if found.alarm:
        _invalidate(ctx, digest(comparison.base))
    return found


def _scores(ctx: RunContext, comparison: Comparison, change: int = 0) -> tuple[RolloutScore, ...]:
    tasks = [s.task.id for s in comparison.tasks]
    with ctx.database.reading() as connection:
        return rollouts.scores(connection, tasks, digest(comparison.base), ctx.replay_key, change)


def _requests(
    ctx: RunContext, comparison: Comparison, rows: Sequence[RolloutScore], judges: dict[TaskId, Digest]
) -> list[RolloutRequest]:
    """Tonight's pairs, each with the older rollout first.

    The older one is made as well when it is not there: whether it is depends on scores, by way of when candidates were
    decided, and leaving such pairs out would choose among them.
    """
    fresh = [r.key for r in rows if r.key.sample.purpose is Purpose.DRIFT]
    earlier = [r.key for r in rows if r.key.sample.purpose is Purpose.DRIFT and r.run_id != ctx.run.id]
    first = max((k.sample.ordinal + 1 for k in earlier), default=0)
    base = ctx.put_text(comparison.base)
    # The rollouts made for one candidate of one night, for as long as nothing changes: what is compared must not follow
    # from any score.
    compared = {k.sample for k in fresh if k.sample.night} or {
        r.key.sample for r in _kept(rows, judges) if r.run_id != ctx.run.id
    }
    against = schedule.baseline(0, *min((s.night, s.series) for s in compared))
    used = Counter(k.task_id for k in earlier if k.judge == judges[k.task_id] and k.sample.night)
    tasks = by_task(comparison.tasks)
    drawn = drift.draws(list(tasks), f"drift:{base}:{ctx.replay_key}", first, used, against)
    return [ctx.request(tasks[d.task_id], base, sample) for d in drawn for sample in (d.kept, d.fresh)]


def _kept(rows: Sequence[RolloutScore], judges: Mapping[TaskId, Digest]) -> list[RolloutScore]:
    """The baseline rollouts that belong to a night and were judged as those of today are."""
    mine = (r for r in rows if r.key.sample.purpose is Purpose.BASELINE and r.key.sample.night)
    return [r for r in mine if r.key.judge == judges[r.key.task_id]]


def _pairs(rows: Sequence[RolloutScore]) -> list[DriftPair]:
    """All pairs, in the order of their numbers: the n-th of a task goes with its baseline rollout of number n.

    One whose older rollout was never made, because its night was ended in between, is left out.
    """
    by_key = {r.key: r for r in rows}
    turns: Counter[tuple[TaskId, Digest]] = Counter()
    pairs = []
    fresh = (r for r in rows if r.key.sample.purpose is Purpose.DRIFT and r.key.sample.night)
    for row in sorted(fresh, key=lambda r: r.key.sample.ordinal):
        turn = turns[row.key.task_id, row.key.judge]
        turns[row.key.task_id, row.key.judge] += 1
        older = by_key.get(
            replace(row.key, sample=schedule.baseline(turn, row.key.sample.night, row.key.sample.series))
        )
        if older is not None:
            pairs.append(DriftPair(kept=older.value, fresh=row.value))
    return pairs


def _invalidate(ctx: RunContext, base: Digest) -> None:
    model = ctx.replay_key
    ending = experiment.closed(set_aside_because(ctx))
    with ctx.database.writing() as connection:
        change = runs.put_model_change(connection, model, ctx.run)
        texts = {base}
        for trial in proposals.on_base(connection, base, model):
            candidate = trial.candidate
            texts.add(candidate.text)
            if candidate.origin is Origin.DESCRIPTION:
                texts |= {digest(words) for e in candidate.edits for words in (e.anchor or "", e.text)}
            if candidate.verdict is Verdict.UNDECIDED:
                proposals.end(connection, candidate.id, ending)
            proposals.invalidate(connection, candidate.id, change)
        rollouts.invalidate(connection, texts, model, change)
    ctx.made.clear()
