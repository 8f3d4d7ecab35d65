"""The story of one proof-run: history, nights, adoption, sealed tests, controls, revert."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sleepd.core.model import Purpose, Sample, Score, Split, Verdict
from sleepd.lab.proof.bundles import Mixed, mixed
from sleepd.lab.proof.gated import ModelChange, Tried, another_model, overfitted, stalling, useless_and_harmful
from sleepd.lab.proof.truth import Truth, changed_work
from sleepd.lab.proof.world import HISTORY, HISTORY_END, LATER, Terms, Variant, World
from sleepd.pipeline.rollout import run_all
from sleepd.pipeline.work import Work, live_text
from sleepd.simulate.life import Corrections
from sleepd.store import rollouts
from sleepd.store.nights import Night
from sleepd.store.proposals import Status
from sleepd.store.tasks import StoredTask

_SAMPLES = 4
"""Rollouts of each sealed task under each text."""


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
    """Single edits that do nothing or harm, over two nights."""
    stalling: tuple[Tried, ...]
    """Edits under which fewer answers come, and better ones."""
    overfitted: tuple[Tried, ...]
    """Edits for single pieces of work."""
    change: ModelChange
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
    main.live(0, HISTORY)
    main.harvest()
    nights = _nights(main, range(terms.nights))
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
    base = World(terms, Variant(name="the same days"))
    base.live(0, HISTORY)
    base.harvest()
    base.mine()
    progress("useless and harmful edits, while the model varies")
    gauntlet, proposed = useless_and_harmful(base, truth)
    progress("edits that stall, and edits for single pieces of work")
    stalled, fitted = stalling(base), overfitted(base, truth)
    progress("mixed bundles: what hurts or does nothing among edits that help")
    good = [text for t in tried if t.verdict == Verdict.ACCEPTED and t.status == Status.ADOPTED for text in t.edits]
    bundles = mixed(base, truth, good, proposed)
    progress("another model behind the name")
    change = another_model(base, good)
    controls = []
    for variant in (_DISTRACTORS, _WITHOUT_WORDS, _WITHOUT_CORRECTIONS, _WITHOUT_RECALL):
        progress(f"control: {variant.name}")
        if variant.corrections is base.variant.corrections:
            world = base.anew(variant)
        else:
            world = World(terms, variant)
            world.live(0, HISTORY)
            world.harvest()
        controls.append(_control(world, truth, _nights(world, range(min(_CONTROL_NIGHTS, terms.nights)))))
    return Findings(
        nights=nights,
        tried=tried,
        sealed=sealed,
        adopted=adopted,
        reverted=len({*adopted, *main.before}),
        restored=after == main.before,
        gauntlet=gauntlet,
        stalling=stalled,
        overfitted=fitted,
        change=change,
        controls=tuple(controls),
        mixed=bundles,
        learnt_by_recall=learnt,
    )


_CONTROL_NIGHTS = 2
"""What a world holds to be learnt, its first night learns; one more shows that nothing comes later."""
_DISTRACTORS = Variant(name="useless and harmful edits only", reflection="distractors-only", pairs=400)
_WITHOUT_WORDS = Variant(name="corrections without words", corrections=Corrections.WORDLESS)
_WITHOUT_CORRECTIONS = Variant(name="corrections removed", corrections=Corrections.NONE)
_WITHOUT_RECALL = Variant(name="recall returns nothing", recall_k=0)


def _nights(world: World, numbers: range) -> tuple[Night, ...]:
    """Some nights of a world; after each the person adopts what waits."""
    nights = []
    for number in numbers:
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
        proposal = proposed.get(candidate.id)
        yield Tried(
            index=candidate.index,
            verdict=candidate.verdict.value,
            edits=tuple(e.text for e in candidate.edits),
            pairs=world.pairs(trial),
            measured=trial.effect,
            effect=effect,
            status=proposal.status.value if proposal is not None else None,
            findings=proposal.findings if proposal is not None else (),
            night=str(trial.run),
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
