"""Steps of one night on one skill: rollout, reflect, aggregate, select, update, gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sleepd.core import budget, edit, plaintext
from sleepd.core.budget import Schedule
from sleepd.core.drift import Drift
from sleepd.core.model import Split, Unmatched, Verdict
from sleepd.core.select import Bundle, Ranking
from sleepd.pipeline import waiting
from sleepd.pipeline.compact import OVER_BUDGET, CompactionConfig, compact, leaves_no_room
from sleepd.pipeline.describe import DescriptionConfig, describe, record
from sleepd.pipeline.drift import watch
from sleepd.pipeline.prove import prove
from sleepd.pipeline.rollout import RunContext
from sleepd.pipeline.step import StepTerms, step
from sleepd.pipeline.trial import Comparison, GateTerms, allowance, enter, identity, text_claim
from sleepd.pipeline.work import Work, live_text
from sleepd.skills.targets import starting_text
from sleepd.store import proposals
from sleepd.store.proposals import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizerTerms:
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
    """See `StepTerms.shorten`."""
    meta_notes: bool = True
    """The reflection model notes what it learnt about proposing edits, for its own later reflections."""
    steps: int = 2
    minibatch: int = 8
    samples: int = 1
    """Rollouts of each train task that one reflection reads."""
    recall_k: int = 5
    max_skill_tokens: int = 2_000
    compacting: CompactionConfig = field(default_factory=CompactionConfig)
    describing: DescriptionConfig | None = None
    """None: descriptions are neither measured nor changed."""

    def stepping(self, number: int, steps: int) -> StepTerms:
        """How the step `number` (from 0) of `steps` looks at the work."""
        return StepTerms(
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
    unmatched: tuple[Unmatched, ...] = ()
    problems: tuple[str, ...] = ()
    """Replies of the reflection model, or parts of them, that could not be used."""
    drift: Drift | None = None
    """Whether the model still answers as in earlier nights; None when there was nothing to compare with."""

    @property
    def accepted(self) -> bool:
        """Whether a candidate was accepted."""
        return any(t.candidate.verdict is Verdict.ACCEPTED for t in self.tried)

    def with_more(
        self, tried: Sequence[Trial] = (), unmatched: Sequence[Unmatched] = (), problems: Sequence[str] = ()
    ) -> OptimizeReport:
        """The report with what came in besides."""
        return replace(
            self,
            tried=(*self.tried, *tried),
            unmatched=(*self.unmatched, *unmatched),
            problems=(*self.problems, *problems),
        )


def optimize(
    ctx: RunContext,
    work: Work,
    optimizing: OptimizerTerms,
    gate: GateTerms,
    progress: Callable[[str], None] | None = None,
) -> OptimizeReport:
    """Go on with what waits, within its share; then try something new until a candidate is accepted or nothing is left.

    Before that, what earlier nights measured is set aside when the model does not answer any more as it did then.
    Raises `NotMeasured` or `BudgetSpent`. A rerun of the same night comes to the same candidates, finds what was
    measured of them, and goes on from there.
    """
    everything = Comparison(target=work.target, base=live_text(work.target), tasks=work.usable(Split.VAL))
    drift = watch(ctx, everything, gate)
    report = OptimizeReport(work=work, tried=tuple(waiting.go_on(ctx, everything, gate)), drift=drift)
    comparison = replace(everything, tasks=work.judging(gate.validation_tasks))
    before = waiting.tried_before(ctx, comparison)
    full = leaves_no_room(comparison.base, optimizing.max_skill_tokens, optimizing.compacting)
    if full:
        report = _make_room(ctx, comparison, optimizing, gate, report)
    if optimizing.describing is not None and not report.accepted:
        described = describe(ctx, comparison, work, optimizing.describing, gate)
        report = report.with_more(tried=described.tried, problems=described.problems)
        if described.drift is not None and described.drift.alarm:
            report = replace(report, drift=described.drift)
    for number in range(optimizing.steps):
        if _drawn(ctx, report.tried) >= gate.pairs_per_night or report.accepted:
            break
        if progress is not None:
            progress(f"{work.target.name}: step {number + 1} of {optimizing.steps}")
        known = [*before, *(t for t in report.tried if t.run == ctx.run)]
        stepped = step(ctx, comparison, work, optimizing.stepping(number, optimizing.steps), known)
        report = report.with_more(problems=stepped.problems, unmatched=stepped.unmatched)
        for bundle in stepped.bundles:
            done, lost = try_out(ctx, comparison, bundle, optimizing, gate)
            report = report.with_more(tried=done, unmatched=lost)
    if not full and any(one.reason == OVER_BUDGET for one in report.unmatched):
        report = _make_room(ctx, comparison, optimizing, gate, report)
    if optimizing.describing is not None:
        record(ctx, work, optimizing.describing)
    return report


def _make_room(
    ctx: RunContext, comparison: Comparison, optimizing: OptimizerTerms, gate: GateTerms, report: OptimizeReport
) -> OptimizeReport:
    """The report after a shorter text was tried, within the share of candidates that wait.

    Nothing is tried once a candidate was accepted tonight: two changes of one text could not both be adopted as they
    were gated.
    """
    if report.accepted:
        return report
    made = compact(ctx, comparison, gate, optimizing.compacting, optimizing.max_skill_tokens)
    report = report.with_more(problems=made.problems, unmatched=made.unmatched)
    if made.bundle is None:
        return report
    share = replace(gate, pairs_per_night=int(gate.pairs_per_night * gate.waiting_share))
    done, lost = try_out(ctx, comparison, made.bundle, optimizing, share)
    return report.with_more(tried=done, unmatched=lost)


def _drawn(ctx: RunContext, tried: Sequence[Trial]) -> int:
    if not tried:
        return 0
    with ctx.database.reading() as connection:
        return proposals.drawn(connection, ctx.run, *(t.candidate.id for t in tried))


def try_out(
    ctx: RunContext, comparison: Comparison, bundle: Bundle, optimizing: OptimizerTerms, gate: GateTerms
) -> tuple[tuple[Trial, ...], tuple[Unmatched, ...]]:
    """Put a bundle through the gate: what became of it, or the edits that have no place in the text."""
    if bundle.margin:
        bundle = replace(bundle, margin=gate.margin)
    start = comparison.base or starting_text(comparison.target)
    applied = edit.apply(start, bundle.edits, max_tokens=optimizing.max_skill_tokens)
    if _says_nothing(applied.text) and not _says_nothing(start):
        return (), tuple(Unmatched(edit=e, reason="would leave an empty skill") for e in bundle.edits)
    kept = replace(bundle, backed=tuple(b for b in bundle.backed if b.edit in applied.applied))
    claim = text_claim(ctx, comparison, kept, applied.text)
    budget = allowance(ctx, comparison, identity(ctx, comparison, claim, gate), gate.pairs_per_night)
    if not applied.applied or not budget:
        return (), applied.unmatched
    return prove(ctx, comparison, enter(ctx, comparison, claim, gate), gate, budget), applied.unmatched


def _says_nothing(text: str) -> bool:
    """Whether there is nothing in a text but frontmatter, our markers and blank lines."""
    rows = plaintext.lines(text)
    left = {row.strip() for row in rows[plaintext.frontmatter_end(rows) :]}
    return left <= {"", *(mark for region in edit.Region for mark in (region.opening, region.closing))}
