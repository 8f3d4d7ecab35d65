"""Steps of one night on one skill: rollout, reflect, aggregate, select, update, gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sleepd.core import edit, recall, schedule
from sleepd.core.model import Edit, Split, Task, TaskId, Unmatched, Verdict, digest
from sleepd.core.select import Bundle, Tried, aggregate, select
from sleepd.pipeline.mine import vectors_of
from sleepd.pipeline.prompts import Case
from sleepd.pipeline.reflect import reflect
from sleepd.pipeline.rollout import Bench, Order, run_all
from sleepd.pipeline.trial import Gating, Ground, enter, identity, left, measure
from sleepd.pipeline.work import Work, live_text
from sleepd.skills.targets import starting_text
from sleepd.store import proposals, rollouts
from sleepd.store.proposals import Trial
from sleepd.store.tasks import StoredTask

# Training rollouts are apart from the baseline's, so that what reflections saw is never evidence.
_TRAIN_SAMPLE = 900_000_000


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
class Tally:
    """One candidate after tonight."""

    trial: Trial
    sessions: tuple[str, ...]
    """The sessions that taught it; empty for one that waited from an earlier night."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizeReport:
    """What a night's steps on one skill came to."""

    work: Work
    tried: tuple[Tally, ...]
    unmatched: tuple[Unmatched, ...]
    problems: tuple[str, ...]
    """What the reflection model said that could not be used."""


def optimize(
    bench: Bench, work: Work, optimizing: Optimizing, gating: Gating, progress: Callable[[str], None] | None = None
) -> OptimizeReport:
    """Go on with what waits, within its share; then try something new until a candidate is accepted or nothing is left.

    Raises `NotMeasured` or `BudgetSpent`. A rerun of the same night comes to the same candidates, finds what was
    measured of them, and goes on from there.
    """
    ground = Ground(target=work.target, base=live_text(work.target), tasks=work.usable(Split.VAL))
    tried = _continue_waiting(bench, ground, gating)
    before = _before_tonight(bench, ground)
    unmatched: list[Unmatched] = []
    problems: list[str] = []
    for step in range(optimizing.steps):
        if not left(bench, gating.pairs_per_night) or any(_accepted(t) for t in tried):
            break
        if progress is not None:
            progress(f"{work.target.name}: step {step + 1} of {optimizing.steps}")
        known = [*before, *(t.trial for t in tried if t.sessions)]
        bundles, said = _propose(bench, ground, work, optimizing, (step, known))
        problems += said
        for bundle in bundles:
            done = _try(bench, ground, bundle, optimizing, gating)
            if isinstance(done, Tally):
                tried.append(done)
            else:
                unmatched += done
    return OptimizeReport(work=work, tried=tuple(tried), unmatched=tuple(unmatched), problems=tuple(problems))


def exhausted(bench: Bench, work: Work, steps: int) -> bool:
    """Whether a whole night's tries for this live text and these tasks were rejected, and nothing waits."""
    base = digest(live_text(work.target))
    tasks = tuple(s.task.id for s in work.usable(Split.VAL))
    with bench.database.reading() as connection:
        trials = proposals.for_target(connection, work.target.path)
    same = [t for t in trials if t.candidate.base == base and t.candidate.tasks == tasks]
    failed = [t for t in same if t.candidate.verdict in (Verdict.REJECTED, Verdict.CLOSED)]
    return len(failed) >= steps and len(failed) == len(same)


def failed_edits(trials: Sequence[Trial]) -> tuple[Edit, ...]:
    """The rejected-edit buffer: edits of candidates that did not cross, oldest first."""
    failed = (t for t in trials if t.candidate.verdict in (Verdict.REJECTED, Verdict.CLOSED))
    return tuple(dict.fromkeys(e for t in failed for e in t.candidate.edits))


def _accepted(tally: Tally) -> bool:
    return tally.trial.candidate.verdict is Verdict.ACCEPTED


def _before_tonight(bench: Bench, ground: Ground) -> list[Trial]:
    """The candidates that earlier nights tried on this live text."""
    base = digest(ground.base)
    with bench.database.reading() as connection:
        trials = proposals.for_target(connection, ground.target.path)
    return [t for t in trials if t.candidate.base == base and t.night_id != bench.night_id]


def _continue_waiting(bench: Bench, ground: Ground, gating: Gating) -> list[Tally]:
    with bench.database.reading() as connection:
        waiting = proposals.under_trial(connection, ground.target.path)
    share = int(gating.pairs_per_night * gating.waiting_share)
    tallies = []
    for trial in (t for t in waiting if t.night_id != bench.night_id):
        ended = _ended(bench, ground, trial, gating)
        if ended is not None:
            with bench.database.writing() as connection:
                proposals.close(connection, trial.candidate.id, ended)
        elif left(bench, share):
            measure(bench, ground, trial, gating, left(bench, share))
            tallies.append(_tally(bench, trial, ()))
    return tallies


def _ended(bench: Bench, ground: Ground, trial: Trial, gating: Gating) -> str | None:
    """Why a waiting candidate cannot go on; None when it can."""
    own = Ground(
        target=ground.target,
        base=ground.base,
        tasks=tuple(s for s in ground.tasks if s.task.id in trial.candidate.tasks),
    )
    if identity(bench, own, trial.candidate.text, gating) != trial.candidate.id:
        return "the live text, the tasks, the model or the gate changed: its evidence is about something else"
    if trial.nights >= gating.max_nights:
        return f"{trial.nights} nights used up without a decision"
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
    made = run_all(bench, [Order(task=s, text=base, sample=_TRAIN_SAMPLE + step) for s in some])
    near = _neighbours(bench, work, some, optimizing.recall_k)
    cases = [Case(task=s.task, rollout=r, neighbours=near[s.task.id]) for s, r in zip(some, made, strict=True)]
    reflected = reflect(bench, ground.base, cases, failed_edits(trials), optimizing.edit_budget * 3)
    backed = aggregate(reflected.proposed)
    return select(backed, optimizing.edit_budget, [_tried(t) for t in trials]), reflected.problems


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
) -> Tally | tuple[Unmatched, ...]:
    start = ground.base or starting_text(ground.target)
    applied = edit.apply(start, bundle.edits, max_tokens=optimizing.max_skill_tokens)
    budget = left(bench, gating.pairs_per_night)
    if not applied.applied or not budget:
        return applied.unmatched
    kept = Bundle(backed=tuple(b for b in bundle.backed if b.edit in applied.applied))
    trial = enter(bench, ground, kept, applied.text, gating)
    measure(bench, ground, trial, gating, budget)
    return _tally(bench, trial, kept.sessions)


def _tally(bench: Bench, trial: Trial, sessions: tuple[str, ...]) -> Tally:
    with bench.database.reading() as connection:
        return Tally(trial=proposals.trial(connection, trial.candidate.id), sessions=sessions)


def _tried(trial: Trial) -> Tried:
    return Tried(edits=frozenset(e.id for e in trial.candidate.edits), verdict=trial.candidate.verdict)
