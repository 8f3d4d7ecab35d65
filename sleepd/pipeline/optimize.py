"""Steps of one night on one skill: rollout, reflect, aggregate, select, update, gate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sleepd.core import budget, edit, plaintext, race
from sleepd.core.budget import Schedule
from sleepd.core.drift import Drift
from sleepd.core.experiment import VerdictRule
from sleepd.core.model import Digest, Split, Unmatched, Verdict
from sleepd.core.race import FEWEST
from sleepd.core.select import Bundle, Ranking
from sleepd.pipeline import waiting
from sleepd.pipeline.compact import OVER_BUDGET, CompactionConfig, compact, leaves_no_room
from sleepd.pipeline.describe import DescriptionConfig, describe, record
from sleepd.pipeline.drift import watch
from sleepd.pipeline.prove import prove
from sleepd.pipeline.race import Runner, run
from sleepd.pipeline.rollout import RunContext
from sleepd.pipeline.step import StepProposal, StepTerms, step
from sleepd.pipeline.trial import PAIRS_AT_ONCE, Comparison, GateTerms, allowance, enter, identity, text_claim
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
    raced: int = 0
    """As many pairs as the rollouts of tonight's races would have made, rounded up for each."""

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
    *,
    last: bool = True,
) -> OptimizeReport:
    """Go on with what waits, within its share; then try something new until a candidate is accepted or nothing is left.

    In the end what waits has the pairs that are left, unless they go to other work of tonight (not `last`). Before all,
    what earlier nights measured is set aside when the model does not answer any more as it did then.
    Raises `NotMeasured` or `BudgetSpent`. A rerun of the same night comes to the same candidates, finds what was
    measured of them, and goes on from there.
    """
    everything = Comparison(target=work.target, base=live_text(work.target), tasks=work.usable(Split.VAL))
    drift = watch(ctx, everything, gate)
    report = OptimizeReport(work=work, tried=tuple(waiting.go_on(ctx, everything, gate)), drift=drift)
    waited = tuple(t.candidate.id for t in report.tried)
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
        left = (
            gate.pairs_per_night
            - report.raced
            - _drawn(ctx, report.tried, waited, int(gate.pairs_per_night * gate.waiting_share))
        )
        if left <= 0 or report.accepted:
            break
        if progress is not None:
            progress(f"{work.target.name}: step {number + 1} of {optimizing.steps}")
        known = [*before, *(t for t in report.tried if t.run == ctx.run)]
        stepped = step(ctx, comparison, work, optimizing.stepping(number, optimizing.steps), known)
        report = report.with_more(problems=stepped.problems, unmatched=stepped.unmatched)
        course = _Course(optimizing=optimizing, gate=gate, number=number, left=left)
        report, bundles = _raced(ctx, comparison, stepped, course, report)
        rest = replace(gate, pairs_per_night=gate.pairs_per_night - report.raced)
        for bundle in bundles:
            done, lost = try_out(ctx, comparison, bundle, optimizing, rest)
            report = report.with_more(tried=done, unmatched=lost)
        if stepped.own_words and not report.accepted:
            done, lost = try_out(ctx, comparison, stepped.own_words[0], optimizing, rest)
            report = report.with_more(tried=done, unmatched=lost)
    if not full and any(one.reason == OVER_BUDGET for one in report.unmatched):
        report = _make_room(ctx, comparison, optimizing, gate, report)
    if last and not report.accepted:
        more = waiting.go_on(ctx, everything, gate, gate.pairs_per_night - report.raced, decided=False)
        ids = {t.candidate.id for t in more}
        report = replace(report, tried=(*more, *(t for t in report.tried if t.candidate.id not in ids)))
    if optimizing.describing is not None:
        record(ctx, work, optimizing.describing)
    return report


@dataclass(frozen=True, slots=True, kw_only=True)
class _Course:
    """Where and under which terms a race is run."""

    optimizing: OptimizerTerms
    gate: GateTerms
    number: int
    """The step's."""
    left: int
    """Pairs that tonight may still draw."""


def _raced(
    ctx: RunContext, comparison: Comparison, stepped: StepProposal, course: _Course, report: OptimizeReport
) -> tuple[OptimizeReport, tuple[Bundle, ...]]:
    """The report after a race for the place of the first bundle, where one is worth running; and what is to be tried.

    A race is counted by its calls, since its pairs share a rollout of the live text. It leaves at least as many pairs
    of tonight as are drawn at once.
    """
    gate, start = course.gate, comparison.base or starting_text(comparison.target)
    runners = []
    for bundle in stepped.runners[: gate.runners]:
        applied = edit.apply(start, bundle.edits, max_tokens=course.optimizing.max_skill_tokens)
        if applied.applied and not _says_nothing(applied.text):
            runners.append(Runner(bundle=bundle, text=applied.text))
    cost = -(-race.rollouts(len(runners)) // (1 + gate.baseline_samples))
    if gate.rule is not VerdictRule.EVIDENCE or len(runners) < FEWEST or course.left < cost + PAIRS_AT_ONCE:
        return report, stepped.bundles
    ended = run(ctx, comparison, runners, course.number)
    behind = [f"others did better in a race of {len(runners)}, so not tried now: {_words(b)}" for b in ended.behind]
    after = replace(report.with_more(problems=behind), raced=report.raced + cost)
    return after, (*ended.on, *stepped.bundles[1:])


def _words(bundle: Bundle) -> str:
    return "; ".join(e.text or f"{e.op} {e.anchor}" for e in bundle.edits)


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
    share = replace(gate, pairs_per_night=gate.waiting_pairs)
    done, lost = try_out(ctx, comparison, made.bundle, optimizing, share)
    return report.with_more(tried=done, unmatched=lost)


def _drawn(ctx: RunContext, tried: Sequence[Trial], waited: Sequence[Digest], share: int) -> int:
    """How many pairs tonight has drawn for these candidates, those that `waited` counting for at most their share.

    They may have drawn more where a killed run of tonight had given them what was left in the end.
    """
    fresh = [t.candidate.id for t in tried if t.candidate.id not in waited]
    with ctx.database.reading() as connection:
        own = min(share, proposals.drawn(connection, ctx.run, *waited)) if waited else 0
        return own + (proposals.drawn(connection, ctx.run, *fresh) if fresh else 0)


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
