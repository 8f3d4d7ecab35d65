"""Training: epochs of the night's own steps over a task set, with what happens where an epoch ends.

Nothing here is saved but what each step saves by itself: rollouts, replies, candidates with their pairs, all in rows
keyed by content. So a run that was killed is run again from its beginning, finds what was paid for, and comes to the
same history (architecture, rule 9).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sleepd.core import provenance, schedule
from sleepd.core.experiment import VerdictRule
from sleepd.core.model import CandidateOrigin, Digest, Split, TaskId, Verdict
from sleepd.core.screen import EXCERPT_CHARS
from sleepd.core.screened import screened
from sleepd.core.select import Bundle
from sleepd.pipeline.compact import compact, leaves_no_room
from sleepd.pipeline.compare import TaskComparison, compare
from sleepd.pipeline.evaluate import Evaluation, MeanScore, evaluate, measured
from sleepd.pipeline.meta import take_notes
from sleepd.pipeline.optimize import OptimizerTerms, try_out
from sleepd.pipeline.prove import prove
from sleepd.pipeline.remind import remind
from sleepd.pipeline.rollout import RunContext
from sleepd.pipeline.slow import RegionChange, SlowMode, slow_update
from sleepd.pipeline.stage import rules
from sleepd.pipeline.step import step
from sleepd.pipeline.trace import source_texts
from sleepd.pipeline.trained import Epoch, Step, StepKind, StepOutcome, Trained, TrainedText
from sleepd.pipeline.trial import Comparison, GateTerms, enter, text_claim
from sleepd.pipeline.work import Work
from sleepd.store.proposals import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingTerms:
    """The knobs of a run. `docs/explanation/loop.md` has the reason and the source of each default."""

    epochs: int = 4
    steps: int | None = None
    """Steps of one epoch; None: as many as show every train task once."""
    optimizing: OptimizerTerms = field(default_factory=OptimizerTerms)
    """`minibatch` is the batch; the schedule runs over all steps of all epochs; `steps` is not read."""
    slow: SlowMode = SlowMode.GATED
    compared: int = 20
    """Train tasks that the end of an epoch looks at under its first and its last text."""
    meta: bool = True
    appendix: bool = True
    patience: int = 0
    """Steps in a row without a gain after which training stops; 0: never."""
    min_gain: float = 0.0
    """The gain of the validation mean below which an acceptance does not count for `patience`; 0: each one counts."""
    seed: int = 1
    """Which tasks come in which order."""


Keep = Callable[[Trained], None]
"""Told after each step and each epoch what there is by then."""


def train(ctx: RunContext, work: Work, start: str, training: TrainingTerms, gate: GateTerms, keep: Keep) -> Trained:
    """Train the text `start` on the work's tasks. `ctx.run` names the run.

    Raises `NotMeasured` or `BudgetSpent`; the same call goes on from there without paying again.
    """
    # A night's allowance is what stops a candidate for the day; here it goes on until the gate decides or closes it.
    run = _Run(ctx, work, training, replace(gate, pairs_per_night=3 * max(gate.max_pairs, gate.margin_pairs)))
    run.begin(start)
    keep(run.so_far())
    for epoch in range(1, training.epochs + 1):
        if run.stopped:
            break
        run.epoch(epoch, keep)
    done = replace(run.so_far(), test=run.test())
    keep(done)
    return done


def steps_of(training: TrainingTerms, work: Work) -> int:
    """Steps of one epoch."""
    return training.steps or max(1, -(-len(work.usable(Split.TRAIN)) // training.optimizing.minibatch))


def batch(tasks: Sequence[TaskId], number: int, size: int, seed: str) -> tuple[TaskId, ...]:
    """The batch with this number (from 0): each task once before any comes again, in an order that `seed` fixes."""
    if not tasks:
        return ()
    first = number * size
    rounds = range(first // len(tasks), (first + size - 1) // len(tasks) + 1)
    order = [t for n in rounds for t in schedule.minibatch(tasks, len(tasks), f"{seed}:{n}")]
    start = first - rounds[0] * len(tasks)
    return tuple(dict.fromkeys(order[start : start + size]))


class _Run:
    """A run under way."""

    def __init__(self, ctx: RunContext, work: Work, training: TrainingTerms, gate: GateTerms) -> None:
        self._ctx = ctx
        self._work = work
        self._training = training
        self._gate = gate
        self._texts: list[TrainedText] = []
        self._steps: list[Step] = []
        self._epochs: list[Epoch] = []
        self._notes = ""
        self._in_vain = 0
        self._begun = ""

    @property
    def stopped(self) -> bool:
        """Whether `patience` is at its end."""
        return 0 < self._training.patience <= self._in_vain

    def so_far(self) -> Trained:
        return Trained(
            texts=tuple(self._texts),
            best=self._best,
            steps=tuple(self._steps),
            epochs=tuple(self._epochs),
            stopped_early=self.stopped,
        )

    def begin(self, start: str) -> None:
        """Measure what training begins with."""
        self._begun = start
        ctx = self._ctx_of(0)
        address = ctx.put_text(start)
        self._best = TrainedText(
            address=address, step=0, origin=None, gated=False, validation=self._validation(ctx, address)
        )
        self._texts.append(self._best)

    def epoch(self, number: int, keep: Keep) -> None:
        """One epoch with its end."""
        first = self._texts[-1].address
        begun = len(self._steps)
        count = steps_of(self._training, self._work)
        for place in range(count):
            self._step(number, (number - 1) * count + place)
            keep(self.so_far())
            if self.stopped:
                break
        self._end(number, first, begun, keep)

    def test(self) -> tuple[Evaluation, Evaluation] | None:
        """The sealed tasks, once, after everything is decided."""
        tasks = self._work.usable(Split.TEST)
        if not tasks:
            return None
        ctx = self._ctx_of(len(self._steps) + 1)
        before, after = (evaluate(ctx, tasks, text.address, self._samples) for text in (self._texts[0], self._best))
        return before, after

    # One step ---------------------------------------------------------------------------------------------------------

    def _step(self, epoch: int, place: int) -> None:
        training = self._training
        ctx = self._ctx_of(len(self._steps) + 1)
        comparison = self._ground(ctx)
        train = [s.task.id for s in self._work.usable(Split.TRAIN)]
        names = batch(train, place, training.optimizing.minibatch, f"{training.seed}")
        total = training.epochs * steps_of(training, self._work)
        stepping = replace(training.optimizing.stepping(place, total), batch=names)
        # What reflections are told, and what is not paid for again: this epoch's, and all on the present text.
        present = self._texts[-1].address
        stepped = step(
            ctx,
            comparison,
            self._work,
            stepping,
            [t for s in self._steps for t in s.trials if s.epoch == epoch or t.candidate.base == present],
        )
        trials: list[Trial] = []
        unmatched = list(stepped.unmatched)
        problems = list(stepped.problems)
        for bundle in stepped.bundles:
            if found := self._unsafe(comparison, bundle):
                problems += found
                continue
            done, lost = try_out(ctx, comparison, bundle, training.optimizing, self._gate)
            trials += done
            unmatched += lost
            if _accepted(done):
                break
        made = [rollout for case in stepped.cases for rollout in case.rollouts]
        self._record(
            ctx,
            epoch,
            StepKind.STEP,
            trials,
            RegionChange(text="", bundle=None, unmatched=tuple(unmatched), problems=tuple(problems)),
            edit_budget=stepped.edit_budget,
            train=measured(made) if made else None,
        )

    # The end of an epoch ----------------------------------------------------------------------------------------------

    def _end(self, number: int, first: Digest, begun: int, keep: Keep) -> None:
        last = self._texts[-1].address
        compared = self._compare(number, first, last)
        if self._training.slow is not SlowMode.OFF:
            ctx = self._ctx_of(len(self._steps) + 1)
            written = slow_update(
                ctx,
                ctx.text(last),
                compared,
                began_with=ctx.text(first),
                max_tokens=self._training.optimizing.max_skill_tokens,
                margin=self._gate.margin,
            )
            self._take_over(ctx, number, StepKind.SLOW_UPDATE, written)
        if self._training.appendix:
            ctx = self._ctx_of(len(self._steps) + 1)
            present = ctx.text(self._texts[-1].address)
            written = remind(ctx, present, compared, self._training.optimizing.max_skill_tokens)
            self._take_over(ctx, number, StepKind.APPENDIX, written)
        self._make_room(number)
        steps = self._steps[begun:]
        problems: tuple[str, ...] = ()
        if self._training.meta:
            noted = take_notes(self._ctx_of(len(self._steps)), [t for s in steps for t in s.trials], compared)
            self._notes, problems = noted.notes, noted.problems
        self._epochs.append(
            Epoch(
                number=number,
                steps=tuple(s.number for s in steps),
                first=first,
                last=last,
                compared=compared,
                notes=self._notes,
                problems=problems,
            )
        )
        keep(self.so_far())

    def _make_room(self, number: int) -> None:
        """Where the text leaves no room for more, try a shorter one."""
        optimizing = self._training.optimizing
        ctx = self._ctx_of(len(self._steps) + 1)
        comparison = self._ground(ctx)
        if leaves_no_room(comparison.base, optimizing.max_skill_tokens, optimizing.compacting):
            made = compact(ctx, comparison, self._gate, optimizing.compacting, optimizing.max_skill_tokens)
            trials: tuple[Trial, ...] = ()
            if made.bundle is not None:
                trials, _ = try_out(ctx, comparison, made.bundle, optimizing, self._gate)
            written = RegionChange(text="", bundle=None, unmatched=made.unmatched, problems=made.problems)
            self._record(ctx, number, StepKind.COMPACTION, trials, written)

    def _compare(self, number: int, first: Digest, last: Digest) -> tuple[TaskComparison, ...]:
        training = self._training
        if training.slow is SlowMode.OFF and not training.appendix and not training.meta:
            return ()
        train = self._work.usable(Split.TRAIN)
        names = schedule.minibatch([s.task.id for s in train], training.compared, f"{training.seed}:compared:{number}")
        tasks = [s for s in train if s.task.id in names]
        return compare(self._ctx_of(len(self._steps) + 1), tasks, first, last, number)

    def _take_over(self, ctx: RunContext, epoch: int, kind: StepKind, written: RegionChange) -> None:
        trials: Sequence[Trial] = ()
        comparison = self._ground(ctx)
        if written.bundle is not None and (found := self._unsafe(comparison, written.bundle)):
            written = replace(written, bundle=None, problems=(*written.problems, *found))
        forced = kind is StepKind.SLOW_UPDATE and self._training.slow is SlowMode.FORCED
        if written.bundle is not None and forced:
            self._present(ctx, ctx.put_text(written.text), CandidateOrigin.SLOW_UPDATE, gated=False)
        elif written.bundle is not None:
            claim = text_claim(ctx, comparison, written.bundle, written.text)
            trial = enter(ctx, comparison, claim, self._gate)
            trials = prove(ctx, comparison, trial, self._gate, self._gate.pairs_per_night)
        self._record(ctx, epoch, kind, trials, written)

    # What is so now ---------------------------------------------------------------------------------------------------

    def _record(
        self,
        ctx: RunContext,
        epoch: int,
        kind: StepKind,
        trials: Sequence[Trial],
        written: RegionChange,
        *,
        edit_budget: int | None = None,
        train: MeanScore | None = None,
    ) -> None:
        base = self._steps[-1].text if self._steps else self._texts[0].address
        before = self._texts[-1].validation
        winner = next(iter(_accepted(trials)), None)
        if winner is not None:
            gated = self._gate.rule is VerdictRule.EVIDENCE
            self._present(ctx, winner.candidate.text, winner.candidate.origin, gated=gated)
        now = self._texts[-1]
        done = Step(
            number=len(self._steps) + 1,
            epoch=epoch,
            kind=kind,
            edit_budget=edit_budget,
            base=base,
            text=now.address,
            outcome=StepOutcome.FORCED if winner is None and now.address != base else _outcome(trials),
            validation=now.validation,
            train=train,
            trials=tuple(trials),
            unmatched=written.unmatched,
            problems=written.problems,
            run=ctx.run,
        )
        self._steps.append(done)
        least = self._training.min_gain
        if winner is not None and (not least or _gain(before, now.validation) >= least):
            self._in_vain = 0
        elif kind is StepKind.STEP:
            self._in_vain += 1

    def _present(self, ctx: RunContext, address: Digest, origin: CandidateOrigin, *, gated: bool) -> None:
        """Make a text the present one, and the best one where it is that.

        What crossed against the best text is better on evidence that a mean of a few rollouts must not overrule.
        Anything else has to show a higher validation score.
        """
        was_best = self._texts[-1].address == self._best.address
        step = len(self._steps) + 1
        validation = self._validation(ctx, address)
        text = TrainedText(address=address, step=step, origin=origin, gated=gated, validation=validation)
        self._texts.append(text)
        if (gated and was_best) or _gain(self._best.validation, validation) > 0:
            self._best = text

    def _unsafe(self, comparison: Comparison, bundle: Bundle) -> list[str]:
        """Why a bundle is not even tried: a night would set it aside for a person to look at, and here is nobody."""
        added = "\n".join(e.text for e in bundle.edits)
        heard = source_texts(self._ctx.database, self._work, bundle.sessions, comparison.base)
        foreign = provenance.taken_over(added, heard.returned, heard.own)
        found = {f.rule: (f.why, f.excerpt) for f in reversed(screened(bundle.edits))}
        if foreign:
            found[provenance.RULE] = (provenance.WHY, foreign[0].excerpt)
        if not found and (lines := provenance.unsaid(rules(comparison.target, added), heard.said)):
            found[provenance.UNSAID] = (provenance.WHY_UNSAID, lines[0][:EXCERPT_CHARS])
        return [f"set aside, since it looks unsafe: {rule}: {why}: {text}" for rule, (why, text) in found.items()]

    def _validation(self, ctx: RunContext, address: Digest) -> MeanScore:
        return evaluate(ctx, self._work.usable(Split.VAL), address, self._samples).measure

    @property
    def _samples(self) -> int:
        return self._gate.baseline_samples

    def _ground(self, ctx: RunContext) -> Comparison:
        present = ctx.text(self._texts[-1].address)
        return Comparison(target=self._work.target, base=present, tasks=self._work.usable(Split.VAL))

    def _ctx_of(self, number: int) -> RunContext:
        """The context of one step: calls and pairs are kept under its number, and nothing is carried over in memory."""
        return replace(self._ctx, run=replace(self._ctx.run, step=number), notes=self._notes, made={})


def _accepted(trials: Sequence[Trial]) -> list[Trial]:
    return [t for t in trials if t.candidate.verdict is Verdict.ACCEPTED]


def _outcome(trials: Sequence[Trial]) -> StepOutcome:
    verdicts = {t.candidate.verdict for t in trials}
    if Verdict.ACCEPTED in verdicts:
        return StepOutcome.ACCEPTED
    if not verdicts:
        return StepOutcome.NOTHING
    return StepOutcome.UNDECIDED if Verdict.UNDECIDED in verdicts else StepOutcome.REJECTED


def _gain(before: MeanScore, after: MeanScore) -> float:
    """How much higher the validation mean is; -1 when one is not known."""
    return after.mean - before.mean if after.mean is not None and before.mean is not None else -1.0
