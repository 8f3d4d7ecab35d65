"""Before what earlier nights measured is gone on with: does the model behind the name still answer as it did?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from sleepd.core import drift, experiment, schedule
from sleepd.core.drift import Drift, DriftPair, KeptRollout
from sleepd.core.experiment import VerdictRule
from sleepd.core.model import CandidateOrigin, Digest, Purpose, Replay, Sample, TaskId, Verdict, digest
from sleepd.core.ports import RolloutRequest
from sleepd.pipeline.rollout import RunContext, at_once, by_task, drive
from sleepd.pipeline.trial import FIRST, Comparison, GateTerms
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
    return watch_one(ctx, comparison, one, gate)


def watch_one(ctx: RunContext, comparison: Comparison, one: Watched, gate: GateTerms) -> Drift | None:
    """Draw tonight's drift pairs of a text, or a description, and judge all there are of it.

    None, and no model call, when no earlier night left baseline rollouts of it. On an alarm all rollouts under this
    model of the live text and of the candidates on it, and those candidates, are invalidated because the model changed,
    so that nothing uses them again; undecided ones are closed. Tonight's drift pairs are among them: they were chosen
    for how they came out. What was accepted for the file before is marked: its proof is about the former model.

    Raises `NotMeasured` or `BudgetSpent`.
    """
    seed = f"drift:{one.text}:{ctx.replay_key}"
    with ctx.database.reading() as connection:
        change = runs.model_change(connection, ctx.replay_key, ctx.run)
    # Tonight found a change already, before it was killed.
    if change is not None and (then := _scores(ctx, one, change)):
        return drift.judge(_pairs(then, seed))
    rows = _scores(ctx, one)
    # A pair whose fresh rollout could not be scored stays as it fell, as the kept one does: making it again until it is
    # scored would turn every timeout into a difference.
    earlier = [r.key for r in rows if r.key.sample.purpose is Purpose.DRIFT and r.run_id != ctx.run.id]
    used = {drift.kept_beside(k.task_id, k.sample) for k in earlier if k.judge == one.judges[k.task_id]}
    kept = drift.in_order(_kept(ctx, comparison, one, gate, rows), seed)
    if not kept:
        return None
    drawn = [k for k in kept if k not in used][: drift.PAIRS_PER_NIGHT]
    drive(ctx, at_once([one.request(k.task_id, k.fresh) for k in drawn]))
    found = drift.judge(_pairs(_scores(ctx, one), seed))
    if found.alarm:
        _invalidate(ctx, comparison)
    return found


def _scores(ctx: RunContext, one: Watched, change: int = 0) -> tuple[RolloutScore, ...]:
    with ctx.database.reading() as connection:
        return rollouts.scores(connection, list(one.judges), one.text, ctx.replay_key, change, one.replay)


def _kept(
    ctx: RunContext, comparison: Comparison, one: Watched, gate: GateTerms, rows: Sequence[RolloutScore]
) -> list[KeptRollout]:
    """The baseline rollouts of the pairs that each candidate drew first in each earlier night, if judged as today.

    Those pairs were begun before the gate looked at any of the night, so whether they are there says nothing about
    their scores. A candidate whose pairs had another number of baseline rollouts has none.
    """
    there = {(r.key.task_id, r.key.sample) for r in rows if r.key.judge == one.judges[r.key.task_id]}
    found: list[KeptRollout] = []
    with ctx.database.reading() as connection:
        for trial in proposals.on_base(connection, digest(comparison.base), ctx.replay_key):
            for run, numbers in proposals.numbers_drawn(connection, trial.candidate.id).items():
                if run == ctx.run.id:
                    continue
                first, last = numbers[0], min(numbers[-1], numbers[0] + FIRST - 1)
                draws = schedule.draws(trial.candidate, last + 1, gate.baseline_samples, run)[first:]
                some = [KeptRollout(task_id=d.task_id, sample=sample) for d in draws for sample in d.baseline]
                if all((k.task_id, k.sample) in there for k in some):
                    found += some
    return found


def _pairs(rows: Sequence[RolloutScore], seed: str) -> list[DriftPair]:
    """All pairs, in the order in which they were drawn."""
    by_key = {r.key: r for r in rows}
    fresh: dict[KeptRollout, RolloutScore] = {}
    for row in rows:
        if row.key.sample.purpose is Purpose.DRIFT and (beside := drift.kept_beside(row.key.task_id, row.key.sample)):
            fresh[beside] = row
    pairs = []
    for beside in drift.in_order(fresh, seed):
        older = by_key.get(replace(fresh[beside].key, sample=beside.sample))
        if older is not None:
            pairs.append(DriftPair(kept=older.value, fresh=fresh[beside].value))
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
