"""Steps of one night on one skill: rollout, reflect, aggregate, select, update, gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sleepd.core import budget, edit, plaintext
from sleepd.core.budget import Schedule
from sleepd.core.drift import Drift
from sleepd.core.model import Split, Unmatched, Verdict, digest
from sleepd.core.select import Bundle, Ranking
from sleepd.pipeline import waiting
from sleepd.pipeline.compact import OVER_BUDGET, Compacting, compact, leaves_no_room
from sleepd.pipeline.describe import Describing, describe, record
from sleepd.pipeline.drift import watch
from sleepd.pipeline.prove import prove
from sleepd.pipeline.rollout import Bench
from sleepd.pipeline.step import Stepping, step
from sleepd.pipeline.trial import Gating, Ground, allowance, enter, identity
from sleepd.pipeline.work import Work, live_text
from sleepd.skills.targets import starting_text
from sleepd.store import proposals
from sleepd.store.proposals import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimizing:
    """The paper's knobs."""

    edit_budget: int = 4
    """The textual learning rate: edits per step, where the schedule begins."""
    edit_budget_end: int = 2
    """Where a falling schedule ends."""
    schedule: Schedule = Schedule.COSINE
    ranking: Ranking = Ranking.MODEL
    rejected_buffer: bool = True
    """What failed is shown to later reflections, and not tried again."""
    shorten: bool = False
    """See `Stepping.shorten`."""
    meta_notes: bool = True
    """The reflection model notes what it learnt about proposing edits, for its own later reflections."""
    steps: int = 2
    minibatch: int = 8
    samples: int = 1
    """Rollouts of each train task that one reflection reads."""
    recall_k: int = 5
    max_skill_tokens: int = 2_000
    compacting: Compacting = field(default_factory=Compacting)
    describing: Describing | None = None
    """None: descriptions are neither measured nor changed."""

    def stepping(self, number: int, steps: int) -> Stepping:
        """How the step `number` (from 0) of `steps` looks at the work."""
        return Stepping(
            number=number,
            edit_budget=budget.edits(self.schedule, number, steps, self.edit_budget, self.edit_budget_end),
            autonomous=self.schedule is Schedule.AUTONOMOUS,
            ranking=self.ranking,
            rejected_buffer=self.rejected_buffer,
            shorten=self.shorten,
            minibatch=self.minibatch,
            samples=self.samples,
            recall_k=self.recall_k,
        )


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
    everything = Ground(target=work.target, base=live_text(work.target), tasks=work.usable(Split.VAL))
    drift = watch(bench, everything, gating)
    tried = waiting.go_on(bench, everything, gating)
    ground = replace(everything, tasks=work.judging(gating.validation_tasks))
    before = waiting.tried_before(bench, ground)
    unmatched: list[Unmatched] = []
    problems: list[str] = []
    full = leaves_no_room(ground.base, optimizing.max_skill_tokens, optimizing.compacting)
    if full:
        _make_room(bench, ground, (optimizing, gating), (tried, unmatched, problems))
    if optimizing.describing is not None and not any(_accepted(t) for t in tried):
        described = describe(bench, ground, work, (optimizing.describing, gating))
        tried += described.tried
        problems += described.problems
    for number in range(optimizing.steps):
        if _drawn(bench, tried) >= gating.pairs_per_night or any(_accepted(t) for t in tried):
            break
        if progress is not None:
            progress(f"{work.target.name}: step {number + 1} of {optimizing.steps}")
        known = [*before, *(t for t in tried if t.night_id == bench.night_id)]
        stepped = step(bench, ground, work, optimizing.stepping(number, optimizing.steps), known)
        problems += stepped.problems
        unmatched += stepped.unmatched
        for bundle in stepped.bundles:
            done, lost = try_out(bench, ground, bundle, optimizing, gating)
            tried += done
            unmatched += lost
    if not full and any(one.reason == OVER_BUDGET for one in unmatched):
        _make_room(bench, ground, (optimizing, gating), (tried, unmatched, problems))
    if optimizing.describing is not None:
        record(bench, work, optimizing.describing)
    return OptimizeReport(
        work=work, tried=tuple(tried), unmatched=tuple(unmatched), problems=tuple(problems), drift=drift
    )


def _make_room(
    bench: Bench,
    ground: Ground,
    how: tuple[Optimizing, Gating],
    came: tuple[list[Trial], list[Unmatched], list[str]],
) -> None:
    """Try a shorter text, within the share of candidates that wait; what comes of it is added to `came`.

    Nothing once a candidate was accepted tonight: two changes of one text could not both be adopted as they were gated.
    """
    optimizing, gating = how
    tried, unmatched, problems = came
    if any(_accepted(t) for t in tried):
        return
    made = compact(bench, ground, gating, (optimizing.compacting, optimizing.max_skill_tokens))
    problems += made.problems
    unmatched += made.unmatched
    if made.bundle is not None:
        share = replace(gating, pairs_per_night=int(gating.pairs_per_night * gating.waiting_share))
        done, lost = try_out(bench, ground, made.bundle, optimizing, share)
        tried += done
        unmatched += lost


def _accepted(trial: Trial) -> bool:
    return trial.candidate.verdict is Verdict.ACCEPTED


def _drawn(bench: Bench, tried: Sequence[Trial]) -> int:
    if not tried:
        return 0
    with bench.database.reading() as connection:
        return proposals.drawn(connection, bench.night_id, *(t.candidate.id for t in tried))


def try_out(
    bench: Bench, ground: Ground, bundle: Bundle, optimizing: Optimizing, gating: Gating
) -> tuple[tuple[Trial, ...], tuple[Unmatched, ...]]:
    """Put a bundle through the gate: what became of it, or the edits that have no place in the text."""
    if bundle.margin:
        bundle = replace(bundle, margin=gating.margin)
    start = ground.base or starting_text(ground.target)
    applied = edit.apply(start, bundle.edits, max_tokens=optimizing.max_skill_tokens)
    if _says_nothing(applied.text) and not _says_nothing(start):
        return (), tuple(Unmatched(edit=e, reason="would leave an empty skill") for e in bundle.edits)
    id_ = identity(bench, ground, digest(applied.text), gating, bundle.margin)
    budget = allowance(bench, ground, id_, gating.pairs_per_night)
    if not applied.applied or not budget:
        return (), applied.unmatched
    kept = replace(bundle, backed=tuple(b for b in bundle.backed if b.edit in applied.applied))
    trial = enter(bench, ground, kept, applied.text, gating)
    return prove(bench, ground, trial, gating, budget), applied.unmatched


def _says_nothing(text: str) -> bool:
    """Whether there is nothing in a text but frontmatter, our markers and blank lines."""
    rows = plaintext.lines(text)
    left = {row.strip() for row in rows[plaintext.frontmatter_end(rows) :]}
    return left <= {"", *(mark for region in edit.Region for mark in (region.opening, region.closing))}
