"""The story of one proof-run: history, nights, adoption, sealed tests, controls, revert."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sleepd.core.model import Purpose, Sample, Score, Split, Verdict
from sleepd.lab.proof.bundles import Mixed, mixed
from sleepd.lab.proof.truth import Truth, changed_work
from sleepd.lab.proof.world import HISTORY, HISTORY_END, LATER, Terms, Variant, World
from sleepd.pipeline.rollout import run_all
from sleepd.pipeline.work import Work, live_text
from sleepd.simulate.life import Corrections
from sleepd.store import rollouts
from sleepd.store.nights import Night
from sleepd.store.proposals import Proposal, Status, Trial
from sleepd.store.tasks import StoredTask

_SAMPLES = 4
"""Rollouts of each sealed task under each text."""
_USELESS = 1e-9
HARM = (0.05, 0.15)
"""The size of harm that counts as a harmful candidate, in score."""


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
    status: str | None
    """Of its proposal, if it became one."""
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """Means over sealed test tasks of later sessions, before and after."""

    tasks: int
    rollouts: int
    score_before: float
    score_after: float
    rules_before: float
    """Expected share of the person's own rules that are kept; the product never sees these."""
    rules_after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """A world in which nothing may improve."""

    name: str
    requests: int
    """Tasks that the figures are means over."""
    before: float
    after: float
    adopted: int
    candidates: int
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Everything that is asserted on, or shown."""

    nights: tuple[Night, ...]
    tried: tuple[Tried, ...]
    sealed: Sealed
    adopted: dict[str, str]
    """Relative path -> text, as it stood before the revert."""
    reverted: int
    """Files compared byte for byte after the revert."""
    restored: bool
    gauntlet: tuple[Tried, ...]
    """The candidates of the reflection that proposes only useless or harmful edits."""
    controls: tuple[Control, ...]
    mixed: tuple[Mixed, ...]
    """Bundles of edits that help with one that hurts or does nothing."""
    learnt_by_recall: tuple[float, float, int] = field(default=(0.0, 0.0, 0))
    """Probability that the rule which only neighbours show is kept, before and after, and the tasks it concerns."""


def prove(terms: Terms, progress: Callable[[str], None]) -> Findings:
    """Run the whole story. Nothing is asserted here."""
    progress("main world: history, nights, adoption")
    main = World(terms, Variant(name="main", poisoned=True))
    truth = Truth(terms.who)
    nights = _history(main)
    tried = tuple(_tried(main, truth))
    progress("sealed tests on later sessions")
    main.live(HISTORY, LATER)
    main.harvest()
    main.mine()
    sealed = _sealed(main, truth)
    learnt = _unworded(main, truth)
    adopted = {path: data.decode() for path, data in main.files() if main.before.get(path) != data}
    main.revert_all()
    after = dict(main.files())
    progress("control: a reflection that proposes only useless or harmful edits")
    candidates, gauntlet = _gauntlet(terms, truth)
    progress("mixed bundles: what hurts or does nothing among edits that help")
    good = [text for t in tried if t.verdict == Verdict.ACCEPTED and t.status == Status.ADOPTED for text in t.edits]
    riders = [text for t in candidates for text in t.edits]
    bundles = mixed(terms, truth, good, riders)
    controls = [gauntlet]
    for variant in (_WITHOUT_WORDS, _WITHOUT_CORRECTIONS, _WITHOUT_RECALL):
        progress(f"control: {variant.name}")
        world = World(terms, variant)
        controls.append(_control(world, truth, _history(world)))
    return Findings(
        nights=nights,
        tried=tried,
        sealed=sealed,
        adopted=adopted,
        reverted=len({*adopted, *main.before}),
        restored=after == main.before,
        gauntlet=candidates,
        controls=tuple(controls),
        mixed=bundles,
        learnt_by_recall=learnt,
    )


_DISTRACTORS = Variant(
    name="useless and harmful edits only", reflection="distractors-only", edit_budget=1, steps=44, pairs=20_000
)
ENOUGH = 10
"""Useless candidates, and harmful ones, that must have been gated."""
_NIGHTS_EACH = 10
"""At most so many nights of it for each night of the main world."""
_A_DAY = 8
"""Sessions between two of these nights."""
_WITHOUT_WORDS = Variant(name="corrections without words", corrections=Corrections.WORDLESS)
_WITHOUT_CORRECTIONS = Variant(name="corrections removed", corrections=Corrections.NONE)
_WITHOUT_RECALL = Variant(name="recall returns nothing", recall_k=0)


def _history(world: World) -> tuple[Night, ...]:
    world.live(0, HISTORY)
    world.harvest()
    nights = []
    for number in range(world.terms.nights):
        nights.append(world.night(number))
        world.adopt_waiting()
    return tuple(nights)


def _tried(world: World, truth: Truth) -> Iterator[Tried]:
    proposed = {p.id: p for p in world.proposals()}
    known = {s.task.id: s for work in world.work() for s in work.tasks}
    for trial in world.trials():
        candidate = trial.candidate
        tasks = [known[i] for i in candidate.tasks if i in known]
        effect = truth.effect(tasks, world.text(candidate.base), world.text(candidate.text))
        yield _row(trial, proposed.get(candidate.id), (world.pairs(trial), effect))


def _row(trial: Trial, proposal: Proposal | None, figures: tuple[int, float]) -> Tried:
    candidate = trial.candidate
    return Tried(
        index=candidate.index,
        verdict=candidate.verdict.value,
        edits=tuple(e.text for e in candidate.edits),
        pairs=figures[0],
        measured=trial.effect,
        effect=figures[1],
        status=proposal.status.value if proposal is not None else None,
        findings=proposal.findings if proposal is not None else (),
    )


def _sealed(world: World, truth: Truth) -> Sealed:
    """Score later sealed tasks of the changed skills under the original and the adopted text."""
    rows = [(w, s) for w in changed_work(world).values() for s in _later(w)]
    checkable = [(w, s) for w, s in rows if s.usable]
    before = _mean_score(world, [(s, world.original(w)) for w, s in checkable])
    after = _mean_score(world, [(s, live_text(w.target)) for w, s in checkable])
    return Sealed(
        tasks=len(checkable),
        rollouts=2 * _SAMPLES * len(checkable),
        score_before=before,
        score_after=after,
        rules_before=_mean([truth.rules_kept(s, world.original(w)) for w, s in rows]),
        rules_after=_mean([truth.rules_kept(s, live_text(w.target)) for w, s in rows]),
    )


def _later(work: Work) -> list[StoredTask]:
    """Sealed tasks from sessions after the history: no night has seen them."""
    return [s for s in work.tasks if s.split is Split.TEST and s.task.at >= HISTORY_END]


def _mean_score(world: World, wanted: Sequence[tuple[StoredTask, str]]) -> float:
    ctx = world.ctx("sealed")
    requests = []
    for stored, text in wanted:
        with world.database.writing() as connection:
            address = rollouts.put_text(connection, text)
        samples = [Sample(purpose=Purpose.PROOF, ordinal=n) for n in range(_SAMPLES)]
        requests += [ctx.request(stored, address, sample) for sample in samples]
    return _mean([r.result.value for r in run_all(ctx, requests) if isinstance(r.result, Score)])


def _unworded(world: World, truth: Truth) -> tuple[float, float, int]:
    """The rule that only neighbours show: how likely it is kept before and after, and over how many sealed tasks."""
    rule = next(r for f in world.terms.who.families for r in f.rules if r.unworded)
    changed = list(changed_work(world).values())
    if not changed:
        return rule.base, rule.base, 0
    work = max(changed, key=lambda w: w.frequency)
    before, after = truth.rule_kept(rule.key, world.original(work)), truth.rule_kept(rule.key, live_text(work.target))
    return before, after, len(_later(work))


def _gauntlet(terms: Terms, truth: Truth) -> tuple[tuple[Tried, ...], Control]:
    """Nights with a reflection that proposes only useless or harmful edits, until enough of both were gated.

    A night ends with the first candidate that is accepted, so a gate that lets them pass needs many nights for this.
    """
    world = World(terms, _DISTRACTORS)
    world.live(0, HISTORY)
    world.harvest()
    nights: list[Night] = []
    tried: tuple[Tried, ...] = ()
    while len(nights) < _NIGHTS_EACH * terms.nights and min(len(useless(tried)), len(harmful(tried))) < ENOUGH:
        nights.append(world.night(len(nights)))
        world.adopt_waiting()
        tried = tuple(_tried(world, truth))
        # Without new sessions, work that learnt nothing is passed over.
        world.live(HISTORY + _A_DAY * len(nights), _A_DAY)
        world.harvest()
    return tried, _control(world, truth, nights)


def _control(world: World, truth: Truth, nights: Sequence[Night]) -> Control:
    work = world.work()
    rows = [(w, s) for w in work for s in w.tasks]
    if world.variant is _WITHOUT_RECALL:
        rule = next(r for f in world.terms.who.families for r in f.rules if r.unworded)
        main = max(work, key=lambda w: w.frequency)
        before = truth.rule_kept(rule.key, world.original(main))
        after = truth.rule_kept(rule.key, live_text(main.target))
    else:
        before = _mean([truth.rules_kept(s, world.original(w)) for w, s in rows])
        after = _mean([truth.rules_kept(s, live_text(w.target)) for w, s in rows])
    return Control(
        name=world.variant.name,
        requests=len(rows),
        before=before,
        after=after,
        adopted=len(world.proposals(Status.ADOPTED)),
        candidates=len(world.trials()),
        message=nights[-1].message,
    )


def _mean(values: Sequence[float | None]) -> float:
    known = [v for v in values if v is not None]
    return sum(known) / len(known) if known else 0.0


def useless(tried: Sequence[Tried]) -> list[Tried]:
    """The candidates that change nothing, decided by the gate."""
    return [t for t in tried if abs(t.effect) <= _USELESS and t.verdict != Verdict.UNDECIDED]


def harmful(tried: Sequence[Tried]) -> list[Tried]:
    """The candidates that hurt by 5 to 15 points, decided by the gate."""
    low, high = HARM
    return [t for t in tried if low <= -t.effect <= high and t.verdict != Verdict.UNDECIDED]
