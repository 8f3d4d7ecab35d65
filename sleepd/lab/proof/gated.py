"""Edits whose true effect is known, each put through the gate of the run: useless, harmful, stalling, overfitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sleepd.core.model import CandidateOrigin, Edit, EditOp, Purpose, Sample, Split, Verdict
from sleepd.core.score import Metric
from sleepd.core.select import Bundle
from sleepd.lab.proof.truth import Truth
from sleepd.lab.proof.world import SLOW, Variant, World
from sleepd.pipeline.attribute import applied
from sleepd.pipeline.drift import watch
from sleepd.pipeline.prompts import Case
from sleepd.pipeline.prove import prove
from sleepd.pipeline.reflect import MOST_EDITS, reflect
from sleepd.pipeline.rollout import RunContext, drive, run_all
from sleepd.pipeline.step import StepTerms, step
from sleepd.pipeline.trial import Comparison, GateTerms, enter, text_claim
from sleepd.pipeline.work import Work, live_text
from sleepd.simulate.agent import Nature
from sleepd.store.proposals import Trial

EACH = 11
"""Useless edits, and harmful ones, that are put through the gate."""
FIRST = 3
"""Of these so many in the first night, the others in the second."""
PAIRS = 400
_NOTHING = 1e-9
HARM = (0.05, 0.15)
"""The size of harm that counts as a harmful candidate, in score."""
_BETTER_DAY = 0.4
"""In the second night the model does so much unasked, of what it did not do in the first."""
_KNOWS = 0.9
"""What another model does unasked, of what this one does not do."""
_IDLE = "Keep a calm tone."
"""An edit that does nothing, which takes many pairs to find out."""
_NEVER = 1e-9
_MEASURED = 128
_STALLING = (
    "Do not answer until no fault is left in it.",
    "Give no answer unless nothing is missing in it.",
    "Take your time until nothing is wrong with the answer.",
)
_STALLING_PAIRS = 240
_STRICT = 3
"""Checks of a task that most mistakes show in."""
_FITTED = 6
"""Steps of the reflection that writes for the pieces of work it is shown."""
_SHOWN = 4
_JUDGING = 8
"""Validation tasks that these are judged on: so few that half of them fit into one reflection."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """One candidate with what the gate saw and what is true."""

    index: int
    verdict: str
    edits: tuple[str, ...]
    pairs: int
    measured: float | None
    effect: float
    """The true effect on the gate's own scale."""
    status: str | None = None
    """Of its proposal, if it became one."""
    findings: tuple[str, ...] = ()
    night: str = ""

    @property
    def crossed(self) -> bool:
        """Whether the gate let it pass, as it is or taken apart."""
        return self.verdict in (Verdict.ACCEPTED, Verdict.PRUNED)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedWork:
    """The most frequent work of a world, and the comparison that edits of its skill are put to."""

    world: World
    work: Work
    comparison: Comparison

    @classmethod
    def of(cls, base: World, variant: Variant) -> GatedWork:
        """In a world of its own, which begins as `base`."""
        world = base.anew(variant)
        work = max(world.work(), key=lambda w: w.frequency)
        tasks = work.judging(world.gate.validation_tasks)
        comparison = Comparison(target=work.target, base=live_text(work.target), tasks=tasks)
        return cls(world=world, work=work, comparison=comparison)

    def effect(self, truth: Truth, texts: Sequence[str], company: Sequence[Edit] = ()) -> float:
        """The true effect of edits that add these texts, beside others."""
        before = applied(self.comparison, company).text
        after = applied(self.comparison, [*company, *(adding(text) for text in texts)]).text
        return truth.effect(self.comparison.tasks, before, after)

    def judged(self, ctx: RunContext, gate: GateTerms, edits: Sequence[Edit]) -> tuple[Trial, ...]:
        """Put edits together through the gate: what became of them, and of what was left of them."""
        bundle = Bundle.of(edits, (), origin=CandidateOrigin.REFLECTION)
        claim = text_claim(ctx, self.comparison, bundle, applied(self.comparison, edits).text)
        trial = enter(ctx, self.comparison, claim, gate)
        return drive(ctx, prove(ctx, self.comparison, trial, gate, gate.pairs_per_night))

    def row(self, trial: Trial, effect: float) -> Tried:
        """What became of a candidate that became no proposal."""
        candidate = trial.candidate
        return Tried(
            index=candidate.index,
            verdict=candidate.verdict.value,
            edits=tuple(e.text for e in candidate.edits),
            pairs=self.world.pairs(trial),
            measured=trial.effect,
            effect=effect,
            night=str(trial.run),
        )


def adding(text: str) -> Edit:
    return Edit(op=EditOp.ADD, anchor=None, text=text, reason="")


def useless_and_harmful(base: World, truth: Truth) -> tuple[tuple[Tried, ...], tuple[str, ...]]:
    """Single edits that do nothing or harm, in two nights, the model having a better day in the second; and all edits
    that the reflection came up with."""
    variant = Variant(name="useless and harmful edits one by one", reflection="distractors-only", pairs=PAIRS)
    place = GatedWork.of(base, variant)
    # All that the world's reflection proposes when it reads the work of the train side, in its order.
    ctx = place.world.ctx("reading")
    base_text = ctx.put_text(place.comparison.base)
    train = place.work.usable(Split.TRAIN)
    made = run_all(ctx, [ctx.request(s, base_text, Sample(purpose=Purpose.LEARNING)) for s in train])
    cases = [Case(task=s.task, rollouts=(one,), neighbours=()) for s, one in zip(train, made, strict=True)]
    found = reflect(ctx, place.comparison.base, cases, (), MOST_EDITS).proposed
    proposed = tuple(dict.fromkeys(edit.text for one in found for edit in one.edits))
    idle: list[tuple[str, float]] = []
    harm: list[tuple[str, float]] = []
    for text in proposed:
        if min(len(idle), len(harm)) >= EACH:
            break
        effect = place.effect(truth, [text])
        if abs(effect) <= _NOTHING:
            idle.append((text, effect))
        elif HARM[0] <= -effect <= HARM[1]:
            harm.append((text, effect))
    tried = []
    for number, nature in enumerate((Nature(slow=SLOW), Nature(habit=_BETTER_DAY, slow=SLOW))):
        ctx = place.world.ctx(f"night {number + 1}", nature)
        tonight = slice(FIRST, EACH) if number else slice(FIRST)
        for text, effect in (*idle[tonight], *harm[tonight]):
            tried += [place.row(trial, effect) for trial in place.judged(ctx, place.world.gate, [adding(text)])]
    place.world.close()
    return tuple(tried), proposed


def stalling(base: World) -> tuple[Tried, ...]:
    """Edits beside all of the person's rules, under which an agent gives no answer where it makes a mistake.

    Counted by the answers that are all right. The answers that come are better, and fewer: an effect of nothing.
    """
    place = GatedWork.of(base, Variant(name="edits that stall", pairs=_STALLING_PAIRS))
    rules = [adding(rule.wordings[0]) for family in base.terms.who.families for rule in family.rules]
    strict = tuple(s for s in place.comparison.tasks if len(s.checks) >= _STRICT)
    learnt = replace(
        place, comparison=replace(place.comparison, base=applied(place.comparison, rules).text, tasks=strict)
    )
    ctx = replace(place.world.ctx("night"), metric=Metric.HARD)
    gate = replace(place.world.gate, max_pairs=_STALLING_PAIRS)
    tried = [learnt.row(trial, 0.0) for text in _STALLING for trial in learnt.judged(ctx, gate, [adding(text)])]
    place.world.close()
    return tuple(tried)


def overfitted(base: World, truth: Truth) -> tuple[Tried, ...]:
    """Edits of a reflection that writes for the very pieces of work it was shown."""
    place = GatedWork.of(base, Variant(name="edits for single pieces of work", reflection="case-by-case", pairs=PAIRS))
    comparison = replace(place.comparison, tasks=place.comparison.tasks[-_JUDGING:])
    apart = {s.task.id for s in place.work.usable(Split.VAL)} - {s.task.id for s in comparison.tasks}
    work = replace(place.work, tasks=tuple(s for s in place.work.tasks if s.task.id not in apart))
    narrow = replace(place, work=work, comparison=comparison)
    ctx = place.world.ctx("night", Nature(slow=SLOW))
    tried = []
    for number in range(_FITTED):
        looking = StepTerms(number=number, edit_budget=1, minibatch=_SHOWN, recall_k=0)
        for bundle in step(ctx, comparison, work, looking, []).bundles:
            effect = narrow.effect(truth, [e.text for e in bundle.edits])
            tried += [narrow.row(t, effect) for t in narrow.judged(ctx, place.world.gate, bundle.edits)]
    place.world.close()
    return tuple(tried)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChange:
    """What came of another model behind the same name."""

    pairs: int
    """Drift pairs that the watch rests on."""
    difference: float | None
    noticed: bool
    proven: int
    """Accepted candidates whose proof is about the former model."""
    marked: int
    """How many of them say so."""


def another_model(base: World, good: Sequence[str]) -> ModelChange:
    """A night that measures much of the live text and proves something, and a night with another model, which does
    nearly everything unasked."""
    place = GatedWork.of(base, Variant(name="another model", pairs=PAIRS))
    gate = place.world.gate
    first = place.world.ctx("night 1", Nature(slow=SLOW))
    # The watch compares with what was drawn for a night's first candidate: that one is not given up early.
    place.judged(first, replace(gate, beta=_NEVER, max_pairs=_MEASURED), [adding(_IDLE)])
    place.judged(first, gate, [adding(text) for text in good])
    proven = {t.candidate.id for t in place.world.trials() if t.candidate.verdict is Verdict.ACCEPTED}
    seen = watch(place.world.ctx("night 2", Nature(habit=_KNOWS, slow=SLOW)), place.comparison, gate)
    marked = {t.candidate.id for t in place.world.trials() if t.candidate.invalidated_in is not None}
    place.world.close()
    return ModelChange(
        pairs=0 if seen is None else seen.pairs,
        difference=None if seen is None else seen.difference,
        noticed=seen is not None and seen.alarm,
        proven=len(proven),
        marked=len(proven & marked),
    )


def useless(tried: Sequence[Tried]) -> list[Tried]:
    """The candidates that change nothing, decided by the gate."""
    return [t for t in tried if abs(t.effect) <= _NOTHING and t.verdict != Verdict.UNDECIDED]


def harmful(tried: Sequence[Tried]) -> list[Tried]:
    """The candidates that hurt by 5 to 15 points, decided by the gate."""
    low, high = HARM
    return [t for t in tried if low <= -t.effect <= high and t.verdict != Verdict.UNDECIDED]
