"""One step of the loop before its gate: rollouts of a minibatch, reflections over them, and what is worth trying."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sleepd.core import edit, recall, schedule
from sleepd.core.aggregate import Backed, aggregate
from sleepd.core.model import Digest, Edit, Purpose, Sample, Split, Task, TaskId, Unmatched, Verdict
from sleepd.core.select import Bundle, EarlierTrial, Ranking, runners, select, sort_out
from sleepd.pipeline import buffer, trace
from sleepd.pipeline.buffer import Failed
from sleepd.pipeline.embed import vectors_of
from sleepd.pipeline.prompts import Case
from sleepd.pipeline.rank import rank
from sleepd.pipeline.reflect import reflect
from sleepd.pipeline.rollout import RunContext, run_all
from sleepd.pipeline.trial import Comparison
from sleepd.pipeline.work import Work
from sleepd.skills.targets import starting_text
from sleepd.store import attributions, proposals
from sleepd.store.proposals import Status, Trial
from sleepd.store.tasks import StoredTask

_OFFERED = 3
"""Times the edit budget that one reflection may propose, so that there is something to choose from."""
_STANDING = (Verdict.ACCEPTED, Verdict.UNDECIDED)
_RECOGNISED = 200
"""So many of its first characters tell a request again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTerms:
    """How one step looks at the work."""

    number: int
    """From 0 within the night or the epoch."""
    edit_budget: int
    """The textual learning rate in force: edits that one candidate may hold."""
    autonomous: bool = False
    """The reflection model states how many edits this step deserves, up to `edit_budget`."""
    ranking: Ranking = Ranking.MODEL
    rejected_buffer: bool = True
    """What failed is told to the reflection model and not tried again; without, only what a person turned down."""
    shorten: bool = False
    """Leave out a rule of which work that went well shows that it does nothing, where there is nothing else to try."""
    minibatch: int = 8
    samples: int = 1
    """Rollouts of each task: more show what the same text does differently from one time to the next."""
    recall_k: int = 5
    batch: tuple[TaskId, ...] | None = None
    """The train tasks of this step, where an epoch shares them out; None: so many as a minibatch holds, by hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepProposal:
    """What a step came to before its gate."""

    bundles: tuple[Bundle, ...]
    runners: tuple[Bundle, ...] = ()
    """Where reflections agree on nothing: the first of `bundles` and all that could take its place, for a race."""
    own_words: tuple[Bundle, ...] = ()
    """The person's exact words for rules whose wording the gate turned down on this text: tried where nothing else is
    accepted."""
    edit_budget: int = 0
    """What was in force: `StepTerms.edit_budget`, or what the reflection model stated."""
    problems: tuple[str, ...]
    """What the reflection model said that could not be used."""
    cases: tuple[Case, ...] = ()
    """What the reflection model was shown."""
    unmatched: tuple[Unmatched, ...] = ()
    """What it proposed that has no place in the text; nothing of that is in `bundles`."""


def step(
    ctx: RunContext, comparison: Comparison, work: Work, stepping: StepTerms, trials: Sequence[Trial]
) -> StepProposal:
    """Rollouts of a minibatch of train tasks, reflections over them, and what is worth trying.

    `trials` are the candidates tried on this text until now. Raises `NotMeasured` or `BudgetSpent`.
    """
    # The minibatch with what the present text makes of it, and the most similar past work.
    train = work.usable(Split.TRAIN)
    base = ctx.put_text(comparison.base)
    seed = f"{base}:{stepping.number}:{len(trials)}"
    chosen = stepping.batch or schedule.minibatch([s.task.id for s in train], stepping.minibatch, seed)
    some = [s for s in train if s.task.id in chosen]
    samples = [Sample(purpose=Purpose.LEARNING, series=stepping.number, ordinal=n) for n in range(stepping.samples)]
    made = iter(run_all(ctx, [ctx.request(s, base, sample) for s in some for sample in samples]))
    near = _neighbours(ctx, work, some, stepping.recall_k)
    judging = [s.task for s in work.tasks if s.split is not Split.TRAIN]
    cases = [
        Case(
            task=_unsealed(s.task, judging),
            rollouts=tuple(next(made) for _ in samples),
            neighbours=near[s.task.id],
        )
        for s in some
    ]
    declined = buffer.turned_down(ctx.database, comparison.target.path, but_of=ctx.run.id)
    known = (*declined, *(buffer.failed(ctx.database, trials) if stepping.rejected_buffer else ()))
    reflected = reflect(ctx, comparison.base, cases, known, stepping.edit_budget * _OFFERED)
    tried, worded = _history(ctx, comparison, trials, stepping)
    backed, again = _without(declined, aggregate(reflected.proposed, worded))
    # Those that have a place in the text, so that no other takes up the edit budget; and the others.
    start = comparison.base or starting_text(comparison.target)
    lost = {u.edit: u for b in backed for u in edit.apply(start, [b.edit]).unmatched}
    backed, unmatched = ([b for b in backed if b.edit not in lost], list(lost.values()))
    whose = trace.edit_sources(ctx.database, work, backed, comparison.base)
    # A reflection that finds nothing to add to work that went well does not speak against what failures teach.
    voices = sum(p.of_failures or bool(p.edits) for p in reflected.proposed)
    field = sort_out(backed, tried, reflections=voices, foreign=whose.foreign)
    idle = []
    if not stepping.shorten:
        why = "said to do nothing, and left in (`optimizer.shorten` tries without)"
        idle = [f"{why}: {b.edit.anchor}" for b in field.idle]
        field = replace(field, idle=())
    turned_down = _turned_down(ctx, work, trials, comparison.base)
    ranked = rank(ctx, comparison.base, field, stepping.ranking, stepping.edit_budget, autonomous=stepping.autonomous)
    alone = _with_words(runners(ranked.field, ranked.rivals), whose.stated) if ranked.edit_budget else ()
    spoken = _in_own_words([b for one in alone if one.stated for b in one.backed], whose.verbatim)
    return StepProposal(
        bundles=_with_words(select(ranked.field, ranked.edit_budget, ranked.rivals), whose.stated),
        runners=(*alone, *_each_alone(sort_out(spoken, tried).fresh)),
        own_words=_each_alone(sort_out(turned_down, tried).fresh),
        edit_budget=ranked.edit_budget,
        problems=(*reflected.problems, *again, *idle, *ranked.problems),
        cases=tuple(cases),
        unmatched=tuple(unmatched),
    )


def _turned_down(ctx: RunContext, work: Work, trials: Sequence[Trial], present: str) -> list[Backed]:
    """The person's exact words for each rule that was tried alone on this text and rejected."""
    rejected = [
        Backed(edit=trial.candidate.edits[0], support=1, rank=0, sessions=trial.sessions)
        for trial in trials
        if trial.candidate.verdict is Verdict.REJECTED and trial.candidate.stated and len(trial.candidate.edits) == 1
    ]
    if not rejected:
        return []
    return _in_own_words(rejected, trace.edit_sources(ctx.database, work, rejected, present).verbatim)


def _in_own_words(backed: Sequence[Backed], verbatim: Mapping[Digest, str]) -> list[Backed]:
    """The same edits with the person's exact words for each line, where one turn holds them."""
    return [
        replace(
            b, edit=replace(b.edit, text=f"- {said}" if b.edit.text.startswith("- ") else said, reason="your own words")
        )
        for b in backed
        if (said := verbatim.get(b.edit.id)) is not None
    ]


def _each_alone(backed: Sequence[Backed]) -> tuple[Bundle, ...]:
    """A bundle for each rule in the person's words."""
    return tuple(Bundle(backed=(b,), stated=True) for b in backed)


def _with_words(bundles: Sequence[Bundle], stated: frozenset[Edit]) -> tuple[Bundle, ...]:
    """The bundles, each knowing whether the person put all of its rules into words."""
    return tuple(replace(bundle, stated=stated.issuperset(bundle.edits)) for bundle in bundles)


def _without(declined: Sequence[Failed], backed: Sequence[Backed]) -> tuple[list[Backed], list[str]]:
    """What may be tried, and a line for each that a person turned down before."""
    again = [b for b in backed if any(buffer.says_the_same(b.edit, d.edit) for d in declined)]
    lines = [f"turned down by you before, so not tried: {b.edit.text or f'{b.edit.op} {b.edit.anchor}'}" for b in again]
    return [b for b in backed if b not in again], lines


def _tried(ctx: RunContext, trial: Trial) -> Iterator[EarlierTrial]:
    """What a candidate says about its edits. Of one that was taken apart: those of no measurable
    effect, one by one."""
    if trial.candidate.verdict is not Verdict.PRUNED:
        yield EarlierTrial(edits=frozenset(e.id for e in trial.candidate.edits), verdict=trial.candidate.verdict)
        return
    with ctx.database.reading() as connection:
        found = attributions.load(connection, trial.candidate.id)
    yield from (EarlierTrial(edits=frozenset([one.edit_id]), verdict=None) for one in found if not one.kept)


def _history(
    ctx: RunContext, comparison: Comparison, trials: Sequence[Trial], stepping: StepTerms
) -> tuple[list[EarlierTrial], list[Edit]]:
    """What was tried before and may not be tried again as it is, and the wording of each of its edits."""
    # Candidates that were quarantined or that a person turned down: never again for this file, whatever its text.
    # Tonight's own do not count, so that a rerun of a killed night comes to the same candidates.
    aside: list[Trial] = []
    with ctx.database.reading() as connection:
        for one in proposals.proposals(connection):
            trial = proposals.trial(connection, one.id)
            if (
                one.status in (Status.QUARANTINED, Status.REJECTED)
                and one.night_id != ctx.run.id
                and trial.candidate.target.path == comparison.target.path
            ):
                aside.append(trial)
    counting = [t for t in trials if stepping.rejected_buffer or t.candidate.verdict in _STANDING]
    tried = [one for t in counting for one in _tried(ctx, t)]
    tried += [
        EarlierTrial(edits=frozenset(e.id for e in t.candidate.edits), verdict=t.candidate.verdict) for t in aside
    ]
    return tried, [one for t in (*counting, *aside) for one in t.candidate.edits]


def _unsealed(task: Task, judging: Sequence[Task]) -> Task:
    """The task without what came before it, when that may have been work that only judges (promise 5)."""
    told = any(
        t.session_id == task.session_id and (t.at < task.at or t.request[:_RECOGNISED] in task.context) for t in judging
    )
    return replace(task, context="") if told else task


def _neighbours(ctx: RunContext, work: Work, some: Sequence[StoredTask], k: int) -> dict[TaskId, tuple[Task, ...]]:
    """The most similar past tasks of each: only from the train side, and none of the minibatch itself."""
    chosen = {s.task.id for s in some}
    pool = [s for s in work.tasks if s.split is Split.TRAIN and not s.retired and s.task.id not in chosen]
    if not pool or not k:
        return dict.fromkeys(chosen, ())
    vectors, _ = vectors_of(ctx.database, ctx.embedder, [s.task.request for s in (*pool, *some)])
    by_id = {s.task.id: s.task for s in pool}
    ids = [s.task.id for s in pool]
    queries = vectors[len(pool) :]
    rows = np.ascontiguousarray(vectors[: len(pool)])
    found = (recall.nearest(query, ids, rows, k) for query in queries)
    return {s.task.id: tuple(by_id[i] for i, _ in near) for s, near in zip(some, found, strict=True)}
