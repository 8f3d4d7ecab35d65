"""Before earlier nights' rollouts are used again: does the model behind the name still answer as it did?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sleepd.core import drift, experiment, schedule
from sleepd.core.drift import Drift, DriftPair
from sleepd.core.experiment import VerdictRule
from sleepd.core.model import CandidateOrigin, Digest, Purpose, Replay, Sample, TaskId, Verdict, digest
from sleepd.core.ports import RolloutRequest
from sleepd.pipeline.rollout import RunContext, by_task, run_all
from sleepd.pipeline.trial import Comparison, GateTerms
from sleepd.store import proposals, rollouts, runs
from sleepd.store.rollouts import RolloutScore


def watched(gate: GateTerms) -> bool:
    """Whether nights under this rule use earlier baseline rollouts again: the paper's rules never do."""
    return gate.rule is VerdictRule.EVIDENCE


def set_aside_because(ctx: RunContext) -> str:
    """The sentence for a person."""
    return f"the model behind {ctx.model.key} answers differently than before: what was measured is set aside"


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A text that is in use, and the tasks or requests on which it is watched."""

    text: Digest
    judges: Mapping[TaskId, Digest]
    """What each task is judged by, in the order of the tasks."""
    replay: Replay
    request: Callable[[TaskId, Sample], RolloutRequest]


def watch(ctx: RunContext, comparison: Comparison, gate: GateTerms) -> Drift | None:
    """Draw tonight's drift pairs on the validation tasks and judge all there are for this live text and model.

    None, and no model call, when no earlier night left baseline rollouts of the validation tasks. For an alarm see
    `watch_one`. Raises `NotMeasured` or `BudgetSpent`; a rerun of the same night goes on from there, and says the same.
    """
    if not watched(gate):
        return None
    tasks, base = by_task(comparison.tasks), ctx.put_text(comparison.base)
    one = Watched(
        text=base,
        judges={id_: ctx.criteria(stored).identity for id_, stored in tasks.items()},
        replay=Replay.TEXT,
        request=lambda task, sample: ctx.request(tasks[task], base, sample),
    )
    return watch_one(ctx, comparison, one)


def watch_one(ctx: RunContext, comparison: Comparison, one: Watched) -> Drift | None:
    """Draw tonight's drift pairs of a text, or a description, and judge all there are of it.

    None, and no model call, when no earlier night left baseline rollouts of it. On an alarm all rollouts under this
    model of the live text and of the candidates on it, and those candidates, are invalidated because the model changed,
    so that nothing uses them again; undecided ones are closed. Tonight's drift pairs are among them: they were chosen
    for how they came out. What was accepted for the file before is marked: its proof is about the former model.

    Raises `NotMeasured` or `BudgetSpent`.
    """
    with ctx.database.reading() as connection:
        change = runs.model_change(connection, ctx.replay_key, ctx.run)
    # Tonight found a change already, before it was killed.
    if change is not None and (then := _scores(ctx, one, change)):
        return drift.judge(_pairs(then))
    rows = _scores(ctx, one)
    if not any(r.run_id != ctx.run.id for r in _kept(rows, one.judges)):
        return None
    # Tonight's pairs, each with the older rollout first. The older one is made as well when it is not there: whether
    # it is depends on scores, by way of when candidates were decided, and leaving such pairs out would choose among
    # them. One that could not be scored stays as it fell, as the fresh one does: making the older ones again until
    # they are scored would turn every timeout into a difference.
    fresh = [r.key for r in rows if r.key.sample.purpose is Purpose.DRIFT]
    earlier = [r.key for r in rows if r.key.sample.purpose is Purpose.DRIFT and r.run_id != ctx.run.id]
    first = max((k.sample.ordinal + 1 for k in earlier), default=0)
    # The rollouts made for one candidate of one night, for as long as nothing changes: what is compared must not follow
    # from any score.
    compared = {k.sample for k in fresh if k.sample.night} or {
        r.key.sample for r in _kept(rows, one.judges) if r.run_id != ctx.run.id
    }
    against = schedule.baseline(0, *min((s.night, s.series) for s in compared))
    used = Counter(k.task_id for k in earlier if k.judge == one.judges[k.task_id] and k.sample.night)
    drawn = drift.draws(list(one.judges), f"drift:{one.text}:{ctx.replay_key}", first, used, against)
    run_all(ctx, [one.request(d.task_id, sample) for d in drawn for sample in (d.kept, d.fresh)])
    found = drift.judge(_pairs(_scores(ctx, one)))
    if found.alarm:
        _invalidate(ctx, comparison)
    return found


def _scores(ctx: RunContext, one: Watched, change: int = 0) -> tuple[RolloutScore, ...]:
    with ctx.database.reading() as connection:
        return rollouts.scores(connection, list(one.judges), one.text, ctx.replay_key, change, one.replay)


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


def _invalidate(ctx: RunContext, comparison: Comparison) -> None:
    base, model = digest(comparison.base), ctx.replay_key
    ending = experiment.closed(set_aside_because(ctx))
    with ctx.database.writing() as connection:
        change = runs.put_model_change(connection, model, ctx.run)
        texts = {base}
        for trial in proposals.on_base(connection, base, model):
            candidate = trial.candidate
            texts.add(candidate.text)
            if candidate.origin is CandidateOrigin.DESCRIPTION:
                texts |= {digest(words) for e in candidate.edits for words in (e.anchor or "", e.text)}
            if candidate.verdict is Verdict.UNDECIDED:
                proposals.end(connection, candidate.id, ending)
            proposals.invalidate(connection, candidate.id, change)
        for trial in proposals.accepted_for(connection, comparison.target.path, model):
            proposals.invalidate(connection, trial.candidate.id, change)
        rollouts.invalidate(connection, texts, model, change)
    ctx.made.clear()
