"""Steps of one night on one skill: rollout, reflect, aggregate, select, update, gate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sleepd.core import edit, recall, schedule
from sleepd.core.drift import Drift
from sleepd.core.model import Digest, Split, Task, TaskId, Unmatched, Verdict, digest
from sleepd.core.schedule import TRAINING_SAMPLE
from sleepd.core.select import Backed, Bundle, Tried, aggregate, select
from sleepd.pipeline import buffer, trace
from sleepd.pipeline.buffer import Failed
from sleepd.pipeline.drift import watch
from sleepd.pipeline.mine import vectors_of
from sleepd.pipeline.prompts import Case
from sleepd.pipeline.reflect import reflect
from sleepd.pipeline.rollout import Bench, Order, run_all
from sleepd.pipeline.trial import Gating, Ground, allowance, enter, identity, measure
from sleepd.pipeline.work import Work, live_text
from sleepd.skills.targets import starting_text
from sleepd.store import proposals, rollouts
from sleepd.store.proposals import Status, Trial
from sleepd.store.tasks import StoredTask

_PATIENCE = 2
"""Nights without anything learnt after which the same work is passed over until something new comes in."""
_RECOGNISED = 200
"""So many of its first characters tell a request again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimizing:
    """The paper's knobs."""

    edit_budget: int = 4
    """The textual learning rate: edits per step."""
    steps: int = 2
    minibatch: int = 8
    recall_k: int = 5
    max_skill_tokens: int = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizeReport:
    """What a night's steps on one skill came to."""

    work: Work
    tried: tuple[Trial, ...]
    """The candidates that drew pairs tonight, as they stand now; those that waited from earlier nights first."""
    unmatched: tuple[Unmatched, ...]
    problems: tuple[str, ...]
    """What the reflection model said that could not be used."""
    drift: Drift | None = None
    """What beside earlier nights' rollouts was found; None when there were none to use again."""


def optimize(
    bench: Bench, work: Work, optimizing: Optimizing, gating: Gating, progress: Callable[[str], None] | None = None
) -> OptimizeReport:
    """Go on with what waits, within its share; then try something new until a candidate is accepted or nothing is left.

    Before that, what earlier nights measured is set aside when the model does not answer any more as it did then.
    Raises `NotMeasured` or `BudgetSpent`. A rerun of the same night comes to the same candidates, finds what was
    measured of them, and goes on from there.
    """
    ground = Ground(target=work.target, base=live_text(work.target), tasks=work.usable(Split.VAL))
    drift = watch(bench, ground, gating)
    tried = _continue_waiting(bench, ground, gating)
    before = _before_tonight(bench, ground)
    unmatched: list[Unmatched] = []
    problems: list[str] = []
    for step in range(optimizing.steps):
        if _drawn(bench, tried) >= gating.pairs_per_night or any(_accepted(t) for t in tried):
            break
        if progress is not None:
            progress(f"{work.target.name}: step {step + 1} of {optimizing.steps}")
        known = [*before, *(t for t in tried if t.night_id == bench.night_id)]
        bundles, said = _propose(bench, ground, work, optimizing, (step, known))
        problems += said
        for bundle in bundles:
            done = _try(bench, ground, bundle, optimizing, gating)
            if isinstance(done, Trial):
                tried.append(done)
            else:
                unmatched += done
    return OptimizeReport(
        work=work, tried=tuple(tried), unmatched=tuple(unmatched), problems=tuple(problems), drift=drift
    )


def exhausted(bench: Bench, work: Work) -> bool:
    """Whether all that two nights tried for this live text and these tasks was rejected, and nothing waits.

    Tonight's own tries do not count, so that a rerun of a killed night goes on with the same work.
    """
    base = digest(live_text(work.target))
    tasks = tuple(s.task.id for s in work.usable(Split.VAL))
    with bench.database.reading() as connection:
        trials = proposals.for_target(connection, work.target.path)
    earlier = [t for t in trials if t.night_id != bench.night_id]
    same = [t for t in earlier if _on(base, t) and t.candidate.tasks == tasks]
    failed = [t for t in same if t.candidate.verdict in (Verdict.REJECTED, Verdict.CLOSED)]
    return len({t.night_id for t in failed}) >= _PATIENCE and len(failed) == len(same)


def _accepted(trial: Trial) -> bool:
    return trial.candidate.verdict is Verdict.ACCEPTED


def _drawn(bench: Bench, tried: Sequence[Trial]) -> int:
    if not tried:
        return 0
    with bench.database.reading() as connection:
        return proposals.drawn(connection, bench.night_id, *(t.candidate.id for t in tried))


def _before_tonight(bench: Bench, ground: Ground) -> list[Trial]:
    """The candidates that earlier nights tried on this live text."""
    base = digest(ground.base)
    with bench.database.reading() as connection:
        trials = proposals.for_target(connection, ground.target.path)
    return [t for t in trials if _on(base, t) and t.night_id != bench.night_id]


def _on(base: Digest, trial: Trial) -> bool:
    """Whether it was tried on this live text; what a model that changed meanwhile failed with may work now."""
    return trial.candidate.base == base and not rollouts.is_former(trial.candidate.model)


def _continue_waiting(bench: Bench, ground: Ground, gating: Gating) -> list[Trial]:
    """Go on with the candidates of earlier nights. Those that tonight decided before it was killed count as tried."""
    with bench.database.reading() as connection:
        earlier = [t for t in proposals.for_target(connection, ground.target.path) if t.night_id != bench.night_id]
        nights = {t.candidate.id: proposals.nights(connection, t.candidate.id) for t in earlier}
    share = int(gating.pairs_per_night * gating.waiting_share)
    tried = []
    for trial in earlier:
        id_ = trial.candidate.id
        if trial.candidate.verdict is not Verdict.UNDECIDED:
            tried += [trial] * (bench.night_id in nights[id_])
            continue
        ended = _ended(bench, ground, trial, gating, len(nights[id_] - {bench.night_id}))
        if ended is not None:
            with bench.database.writing() as connection:
                proposals.close(connection, id_, ended)
        elif budget := allowance(bench, id_, share):
            measure(bench, ground, trial, gating, budget)
            tried.append(_now(bench, trial))
    return tried


def _ended(bench: Bench, ground: Ground, trial: Trial, gating: Gating, nights: int) -> str | None:
    """Why a candidate that waited for so many nights cannot go on; None when it can."""
    own = Ground(
        target=ground.target,
        base=ground.base,
        tasks=tuple(s for s in ground.tasks if s.task.id in trial.candidate.tasks),
    )
    if identity(bench, own, trial.candidate.text, gating) != trial.candidate.id:
        return "the live text, the tasks, the model or the gate changed: its evidence is about something else"
    if nights >= gating.max_nights:
        return f"{nights} nights used up without a decision"
    return None


def _propose(
    bench: Bench, ground: Ground, work: Work, optimizing: Optimizing, so_far: tuple[int, Sequence[Trial]]
) -> tuple[tuple[Bundle, ...], tuple[str, ...]]:
    """Rollouts of a minibatch of train tasks, reflections over them, and what is worth trying.

    `so_far` is (step, candidates tried on this live text until now).
    """
    step, trials = so_far
    train = work.usable(Split.TRAIN)
    with bench.database.writing() as connection:
        base = rollouts.put_text(connection, ground.base)
    chosen = schedule.minibatch([s.task.id for s in train], optimizing.minibatch, f"{base}:{step}:{len(trials)}")
    some = [s for s in train if s.task.id in chosen]
    made = run_all(bench, [Order(task=s, text=base, sample=TRAINING_SAMPLE + step) for s in some])
    near = _neighbours(bench, work, some, optimizing.recall_k)
    judging = [s.task for s in work.tasks if s.split is not Split.TRAIN]
    cases = [
        Case(task=_unsealed(s.task, judging), rollout=r, neighbours=near[s.task.id])
        for s, r in zip(some, made, strict=True)
    ]
    declined = buffer.turned_down(bench.database, ground.target.path, but_of=bench.night_id)
    known = (*declined, *buffer.failed(trials))
    reflected = reflect(bench, ground.base, cases, known, optimizing.edit_budget * 3)
    backed, again = _without(declined, aggregate(reflected.proposed))
    tried = [*(_tried(t) for t in trials), *_set_aside(bench, ground)]
    foreign = trace.foreign(bench.database, work, backed, ground.base)
    bundles = select(backed, optimizing.edit_budget, tried, reflections=len(reflected.proposed), foreign=foreign)
    return bundles, (*reflected.problems, *again)


def _without(declined: Sequence[Failed], backed: Sequence[Backed]) -> tuple[list[Backed], list[str]]:
    """What may be tried, and a line for each that a person turned down before."""
    again = [b for b in backed if any(buffer.says_the_same(b.edit, d.edit) for d in declined)]
    lines = [f"turned down by you before, so not tried: {b.edit.text or f'{b.edit.op} {b.edit.anchor}'}" for b in again]
    return [b for b in backed if b not in again], lines


def _set_aside(bench: Bench, ground: Ground) -> Iterator[Tried]:
    """Edits that were quarantined or that a person turned down: never again for this file, whatever its text.

    Tonight's own do not count, so that a rerun of a killed night comes to the same candidates.
    """
    with bench.database.reading() as connection:
        for one in proposals.proposals(connection):
            trial = proposals.trial(connection, one.id)
            if (
                one.status in (Status.QUARANTINED, Status.REJECTED)
                and one.night_id != bench.night_id
                and trial.candidate.target.path == ground.target.path
            ):
                yield _tried(trial)


def _unsealed(task: Task, judging: Sequence[Task]) -> Task:
    """The task without what came before it, when that may have been work that only judges (promise 5)."""
    told = any(
        t.session_id == task.session_id and (t.at < task.at or t.request[:_RECOGNISED] in task.context) for t in judging
    )
    return replace(task, context="") if told else task


def _neighbours(bench: Bench, work: Work, some: Sequence[StoredTask], k: int) -> dict[TaskId, tuple[Task, ...]]:
    """The most similar past tasks of each: only from the train side, and none of the minibatch itself."""
    chosen = {s.task.id for s in some}
    pool = [s for s in work.tasks if s.split is Split.TRAIN and not s.retired and s.task.id not in chosen]
    if not pool or not k:
        return dict.fromkeys(chosen, ())
    vectors, _ = vectors_of(bench.database, bench.embedder, [s.task.request for s in (*pool, *some)])
    by_id = {s.task.id: s.task for s in pool}
    ids = [s.task.id for s in pool]
    queries = vectors[len(pool) :]
    rows = np.ascontiguousarray(vectors[: len(pool)])
    found = (recall.nearest(query, ids, rows, k) for query in queries)
    return {s.task.id: tuple(by_id[i] for i, _ in near) for s, near in zip(some, found, strict=True)}


def _try(
    bench: Bench, ground: Ground, bundle: Bundle, optimizing: Optimizing, gating: Gating
) -> Trial | tuple[Unmatched, ...]:
    start = ground.base or starting_text(ground.target)
    applied = edit.apply(start, bundle.edits, max_tokens=optimizing.max_skill_tokens)
    id_ = identity(bench, ground, digest(applied.text), gating)
    budget = allowance(bench, id_, gating.pairs_per_night)
    if not applied.applied or not budget:
        return applied.unmatched
    kept = Bundle(backed=tuple(b for b in bundle.backed if b.edit in applied.applied))
    trial = enter(bench, ground, kept, applied.text, gating)
    measure(bench, ground, trial, gating, budget)
    return _now(bench, trial)


def _now(bench: Bench, trial: Trial) -> Trial:
    with bench.database.reading() as connection:
        return proposals.trial(connection, trial.candidate.id)


def _tried(trial: Trial) -> Tried:
    return Tried(edits=frozenset(e.id for e in trial.candidate.edits), verdict=trial.candidate.verdict)
