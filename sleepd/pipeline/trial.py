"""Put a candidate through the gate: draw pairs as its schedule says, and let `core.gate` decide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sleepd.core import gate, schedule
from sleepd.core.attribution import Attributing
from sleepd.core.confirmation import Confirmed, Confirming, settle
from sleepd.core.gate import Decision, Rule, Terms
from sleepd.core.model import Candidate, Digest, Origin, Pair, Rollout, Score, SkillTarget, TaskId, Verdict, digest
from sleepd.core.schedule import Draw
from sleepd.core.select import Bundle
from sleepd.pipeline.rollout import Bench, Order, by_task, key, run_all
from sleepd.store import attributions, proposals, rollouts
from sleepd.store.proposals import Trial
from sleepd.store.tasks import StoredTask

_PAIRS_AT_ONCE = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Gating:
    """What a candidate must show, and what a night may spend on it."""

    rule: Rule = Rule.EVIDENCE
    alpha: float = 0.05
    beta: float = 0.10
    smallest_effect: float = 0.10
    baseline_samples: int = 4
    pairs_per_night: int = 200
    max_pairs: int = 400
    margin: float = 0.03
    """What a shorter text may cost (promise 8)."""
    margin_pairs: int = 1_200
    """`max_pairs` of a candidate with a margin: that something is not worse takes longer to show than that it helps."""
    max_nights: int = 14
    coverage: float = 0.8
    waiting_share: float = 0.5
    validation_tasks: int = 24
    """Tasks that a new candidate is judged on, the newest."""
    confirming: Confirming = field(default_factory=Confirming)
    attributing: Attributing = field(default_factory=Attributing)

    def terms(self, alpha: float, margin: float = 0.0) -> Terms:
        """The terms of a candidate whose level is `alpha`."""
        return Terms(
            alpha=alpha,
            margin=margin,
            beta=self.beta,
            smallest_effect=self.smallest_effect,
            coverage=self.coverage,
            max_pairs=self.most(margin),
            rule=self.rule,
        )

    def most(self, margin: float) -> int:
        """Pairs after which a candidate with this margin is closed."""
        return self.margin_pairs if margin else self.max_pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What candidates of one night are compared on."""

    target: SkillTarget
    base: str
    """The live text; "" when there is no file yet."""
    tasks: tuple[StoredTask, ...]
    """The validation tasks."""


def enter(bench: Bench, ground: Ground, bundle: Bundle, text: str, gating: Gating) -> Trial:
    """Give a candidate its index and level, before its first pair; one that was entered before is found again."""
    id_ = identity(bench, ground, digest(text), gating, bundle.margin)
    with bench.database.writing() as connection:
        base = rollouts.put_text(connection, ground.base)
        after = rollouts.put_text(connection, text)
        index = proposals.next_index(connection)
        candidate = Candidate(
            id=id_,
            index=index,
            alpha=gate.level(index, proposals.acceptances(connection), gating.alpha),
            target=ground.target,
            base=base,
            text=after,
            edits=bundle.edits,
            tasks=tuple(s.task.id for s in ground.tasks),
            model=bench.replay_key,
            origin=bundle.origin,
            margin=bundle.margin,
        )
        return proposals.start(connection, candidate, bench.night_id, bundle.sessions)


def identity(bench: Bench, ground: Ground, text: Digest, gating: Gating, margin: float = 0.0) -> Digest:
    """What the evidence is about (promise 6): any change makes another candidate, which starts at 1.

    The number of baseline rollouts counts too: with another number the schedule would use some of them twice.
    """
    judged = [f"{o.task_id}:{o.judge}" for o in (key(bench, _order(s, text, 0)) for s in ground.tasks)]
    with bench.database.reading() as connection:
        tasks = [s.task.id for s in ground.tasks]
        changes = rollouts.changes(connection, tasks, digest(ground.base), bench.replay_key)
    # What was measured of a model that went by the same name is about something else, too.
    judged += [f"the model changed {changes} times"] * bool(changes)
    parts = (ground.target.agent, ground.target.name, digest(ground.base), text, bench.replay_key)
    asked = f"margin {margin}" if margin else ""
    rule = (str(gating.rule), str(gating.alpha), str(gating.baseline_samples), *filter(None, [asked]))
    return digest("candidate", *parts, *rule, *judged)


def allowance(bench: Bench, ground: Ground, id_: Digest, pairs: int) -> int:
    """How many of tonight's `pairs` a candidate may draw: those it drew already, and those that no other candidate for
    the same file drew yet.

    So a rerun of a killed night gives each candidate what the undisturbed night would have given it.
    """
    with bench.database.reading() as connection:
        own = proposals.drawn(connection, bench.night_id, id_)
        return own + max(0, pairs - proposals.drawn_on(connection, bench.night_id, ground.target.path))


def measure(bench: Bench, ground: Ground, trial: Trial, gating: Gating, budget: int) -> Decision:
    """Draw pairs until the gate decides, at most `budget` of them in this night. What was drawn before counts.

    Raises `NotMeasured` or `BudgetSpent`; the pairs until then are kept, and the schedule goes on from there.
    """
    candidate = trial.candidate
    with bench.database.reading() as connection:
        done = list(proposals.pairs(connection, candidate.id))
        tonight = proposals.drawn(connection, bench.night_id, candidate.id)
    left = budget - tonight
    held = _is_held(bench, candidate, gating)
    standing = _standing(done, candidate, gating, held=held)
    if done:
        _keep(bench, candidate, (), standing.decision, held=held)
    while draws := _next(done, candidate, gating, standing, left):
        fresh = _pairs(bench, ground, candidate, draws)
        done += fresh
        left -= len(fresh)
        standing = _standing(done, candidate, gating, held=held)
        _keep(bench, candidate, fresh, standing.decision, held=held)
    return standing.decision


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """Where a candidate's gate stands."""

    decision: Decision
    confirmed: Confirmed


def crossed(bench: Bench, trial: Trial, gating: Gating) -> bool:
    """Whether it passed the gate and only waits for its edits to be looked at one by one."""
    with bench.database.reading() as connection:
        done = proposals.pairs(connection, trial.candidate.id)
    held = _is_held(bench, trial.candidate, gating)
    return held and _standing(done, trial.candidate, gating, held=held).decision.verdict is Verdict.ACCEPTED


def _is_held(bench: Bench, candidate: Candidate, gating: Gating) -> bool:
    """Whether a crossing does not accept it yet: a bundle that was not taken apart."""
    if candidate.origin is not Origin.REFLECTION or len(candidate.edits) < 2 or not gating.attributing.most:
        return False
    with bench.database.reading() as connection:
        found = attributions.load(connection, candidate.id)
    return gating.rule is Rule.EVIDENCE and not (found and all(one.kept for one in found))


def _standing(done: Sequence[Pair], candidate: Candidate, gating: Gating, *, held: bool) -> _Standing:
    """Where it stands. A bundle that is held has its tasks looked at once it is known which text it comes to."""
    terms = gating.terms(candidate.alpha, candidate.margin)
    confirming = replace(gating.confirming, least=0) if held else gating.confirming
    decision, confirmed = settle(done, candidate.tasks, terms, confirming)
    return _Standing(decision=decision, confirmed=confirmed)


def _next(
    done: Sequence[Pair], candidate: Candidate, gating: Gating, standing: _Standing, left: int
) -> tuple[Draw, ...]:
    """The draws to be made before the gate looks again; () when it decided or nothing is left."""
    if gating.rule is not Rule.EVIDENCE:
        # The paper's rules look once, when every task was drawn.
        return schedule.draws(candidate, left, 1, gating.rule)[len(done) :]
    if standing.decision.verdict is not Verdict.UNDECIDED or left <= 0:
        return ()
    at_once = min(_PAIRS_AT_ONCE, left)
    if standing.confirmed.wanting:
        return schedule.confirming(candidate, standing.confirmed.pairs, standing.confirmed.wanting, at_once)
    drawn = sum(not p.confirms for p in done)
    limit = min(gating.most(candidate.margin), drawn + at_once)
    return schedule.draws(candidate, limit, gating.baseline_samples, gating.rule)[drawn:]


def _keep(bench: Bench, candidate: Candidate, fresh: Sequence[Pair], decision: Decision, *, held: bool) -> None:
    if held and decision.verdict is Verdict.ACCEPTED:
        decision = replace(decision, verdict=Verdict.UNDECIDED, reason=f"{decision.reason}; each edit is left out once")
    with bench.database.writing() as connection:
        proposals.save_pairs(connection, candidate.id, fresh, bench.night_id)
        nights = proposals.nights(connection, candidate.id)
        proposals.decide(connection, candidate.id, decision, len(nights))


def _pairs(bench: Bench, ground: Ground, candidate: Candidate, draws: Sequence[Draw]) -> list[Pair]:
    tasks = by_task(ground.tasks)
    orders = [order for draw in draws for order in _orders(draw, candidate, tasks)]
    results = iter(run_all(bench, orders))
    pairs = []
    for draw in draws:
        tried = _value([next(results)])
        baseline = _value([next(results) for _ in draw.baseline_samples])
        pairs.append(Pair(draw=draw.number, task_id=draw.task_id, candidate=tried, baseline=baseline))
    return pairs


def _orders(draw: Draw, candidate: Candidate, tasks: dict[TaskId, StoredTask]) -> list[Order]:
    task = tasks[draw.task_id]
    tried = _order(task, candidate.text, draw.candidate_sample)
    return [tried, *(_order(task, candidate.base, sample) for sample in draw.baseline_samples)]


def _order(task: StoredTask, text: Digest, sample: int) -> Order:
    return Order(task=task, text=text, sample=sample)


def _value(made: Sequence[Rollout]) -> float | None:
    """The mean score, or None when one could not be scored: leaving it out would choose among the rollouts."""
    values = [r.result.value for r in made if isinstance(r.result, Score)]
    return sum(values) / len(values) if len(values) == len(made) else None
