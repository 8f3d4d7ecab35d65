"""Put a candidate through its experiment: draw pairs as its schedule says, and let `core.experiment` conclude."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sleepd.core import evidence, experiment, schedule
from sleepd.core.check import Check
from sleepd.core.confirmation import ConfirmationConfig
from sleepd.core.experiment import (
    Conclusion,
    Experiment,
    LeaveOneOut,
    NonInferiority,
    OnePass,
    Superiority,
    TriggerAccuracy,
    VerdictRule,
)
from sleepd.core.model import (
    Attribution,
    Candidate,
    CandidateOrigin,
    Digest,
    Pair,
    Purpose,
    Sample,
    Score,
    SkillTarget,
    Split,
    TaskId,
    Verdict,
    digest,
)
from sleepd.core.ports import RolloutRequest
from sleepd.core.schedule import PairDraw
from sleepd.core.select import Bundle
from sleepd.pipeline.rollout import Rollouts, RunContext, Wanted, by_task, mean_score
from sleepd.store import attributions, frozen, proposals, rollouts, tasks
from sleepd.store.proposals import Trial
from sleepd.store.tasks import StoredTask

ROUND = 3
"""Pairs between two looks of the gate. As many again are under way meanwhile, so that no worker waits for the last
calls of a round; at a verdict they were drawn in vain."""
FIRST = 8
"""Pairs of a candidate that are begun before the gate looks at any of the night. Hardly a verdict takes fewer; and
whether they are there says nothing about their scores, so the watch for drift rests on them (`core.drift`)."""
PAIRS_AT_ONCE = 16
"""Pairs of the look at each task that are drawn together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributionConfig:
    """How a bundle is taken apart, each edit being left out once. With `most` 0 it is not."""

    level: float = 0.05
    """The chance that an edit which does `harm` stays."""
    harm: float = 0.15
    """The loss of mean score that never rides along."""
    beta: float = 0.10
    """The chance that an edit worth `smallest_effect` goes before its pairs are used up."""
    smallest_effect: float = 0.10
    worth: float = 0.075
    """The mean that an edit must show at least when its pairs are used up."""
    most: int = 64
    """Pairs for each edit of one round."""

    @property
    def experiment(self) -> Experiment:
        """The bundle against the bundle without one edit."""
        statistic = LeaveOneOut(smallest_effect=self.smallest_effect, harm=self.harm, worth=self.worth)
        return Experiment(statistic=statistic, alpha=self.level, beta=self.beta, coverage=0.0, max_pairs=self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTerms:
    """What a candidate must show, and what a night may spend on it."""

    rule: VerdictRule = VerdictRule.EVIDENCE
    alpha: float = 0.05
    beta: float = 0.10
    smallest_effect: float = 0.10
    baseline_samples: int = 4
    pairs_per_night: int = 200
    max_pairs: int = 1_000
    margin: float = 0.03
    """What a shorter text may cost (promise 8)."""
    margin_pairs: int = 1_200
    """`max_pairs` of a candidate with a margin: that something is not worse takes longer to show than that it helps."""
    max_nights: int = 14
    coverage: float = 0.8
    waiting_share: float = 0.5
    runners: int = 8
    """Candidates that a race chooses among, at most; 0: no race."""
    validation_tasks: int = 24
    """Tasks that a new candidate is judged on, the newest."""
    confirmation: ConfirmationConfig = field(default_factory=ConfirmationConfig)
    attribution: AttributionConfig = field(default_factory=AttributionConfig)

    @property
    def waiting_pairs(self) -> int:
        """What candidates of earlier nights may draw before something new is tried."""
        return int(self.pairs_per_night * self.waiting_share)

    def experiment(
        self, alpha: float, margin: float = 0.0, *, description: bool = False, adaptive: bool = True
    ) -> Experiment:
        """What is asked of a candidate whose level is `alpha`; `adaptive` as in `Superiority`."""
        if self.rule is not VerdictRule.EVIDENCE:
            statistic: experiment.Statistic = OnePass(rule=self.rule)
        elif description:
            statistic = TriggerAccuracy(margin=margin, smallest_effect=self.smallest_effect)
        else:
            better = Superiority(smallest_effect=self.smallest_effect, adaptive=adaptive)
            statistic = NonInferiority(margin=margin) if margin else better
        return Experiment(
            statistic=statistic,
            alpha=alpha,
            beta=self.beta,
            coverage=self.coverage,
            max_pairs=self.margin_pairs if margin else self.max_pairs,
            confirmation=self.confirmation,
        )

    def asked_of(self, candidate: Candidate) -> Experiment:
        """What is asked of this candidate."""
        description = candidate.origin is CandidateOrigin.DESCRIPTION
        adaptive = candidate.stated is not None  # else it was entered when there were fixed bets only
        return self.experiment(candidate.alpha, candidate.margin, description=description, adaptive=adaptive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What the candidates of one night are compared on."""

    target: SkillTarget
    base: str
    """The live text; "" when there is no file yet."""
    tasks: tuple[StoredTask, ...]
    """The validation tasks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """The two sides of a candidate's pairs."""

    candidate: Digest
    baseline: Digest
    request: Callable[[TaskId, Digest, Sample], RolloutRequest]
    own: Mapping[TaskId, bool] | None = None
    """For a description: whether its skill is for the request."""


def text_arms(ctx: RunContext, comparison: Comparison, candidate: Candidate) -> Arms:
    """The candidate's text against the live text, as text replays."""
    judging = by_task(comparison.tasks)
    return Arms(
        candidate=candidate.text,
        baseline=candidate.base,
        request=lambda task, text, sample: ctx.request(judging[task], text, sample),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateClaim:
    """What a candidate claims, and what it is judged on."""

    bundle: Bundle
    text: str
    """The whole file."""
    judges: Mapping[TaskId, Digest]
    """What each task, or request, is judged by, in the order of the tasks."""
    baselines: tuple[Digest, ...]
    """The texts that its baseline rollouts, and the watch for drift, are made under."""
    checks: Mapping[TaskId, tuple[Check, ...]] = field(default_factory=dict)
    """The rule checks behind `judges`; none for a description."""

    @property
    def description(self) -> bool:
        return self.bundle.origin is CandidateOrigin.DESCRIPTION


def text_claim(ctx: RunContext, comparison: Comparison, bundle: Bundle, text: str) -> CandidateClaim:
    """The claim of a candidate text, judged by the checks of the validation tasks."""
    judges = {s.task.id: ctx.criteria(s).identity for s in comparison.tasks}
    return CandidateClaim(
        bundle=bundle,
        text=text,
        judges=judges,
        baselines=(digest(comparison.base),),
        checks={s.task.id: s.checks for s in comparison.tasks},
    )


def as_begun(ctx: RunContext, comparison: Comparison, candidate: Candidate) -> Comparison:
    """The comparison on the tasks that a candidate began with, each with the checks that it was judged by then.

    Mining replaces checks with each new session; new ones are for new candidates (promise 6b). A task that a person
    dropped, or that a duplicate put out of use, is left out, and one whose checks a person rewrote has those: then the
    candidate's identity is another one.
    """
    with ctx.database.reading() as connection:
        kept = frozen.load(connection, candidate.id)
        known = by_task(tasks.load(connection, candidate.tasks))
    judging = [known[id_] for id_ in candidate.tasks if id_ in known]
    return replace(
        comparison,
        tasks=tuple(
            s if s.reviewed else replace(s, checks=kept.get(s.task.id, s.checks))
            for s in judging
            if s.split is Split.VAL and not s.retired
        ),
    )


def identity(ctx: RunContext, comparison: Comparison, claim: CandidateClaim, gate: GateTerms) -> Digest:
    """What the evidence is about (promise 6): any change makes another candidate, which starts at 1.

    The number of baseline rollouts counts too: with another number the schedule would use some of them twice. So does
    each change of the model: what was measured of a model that went by the same name is about something else.
    """
    with ctx.database.reading() as connection:
        changes = rollouts.model_changes(connection, list(claim.judges), claim.baselines, ctx.replay_key)
    judged = [f"{task}:{judge}" for task, judge in claim.judges.items()]
    judged += [f"the model changed {changes} times"] * bool(changes)
    target, margin = comparison.target, claim.bundle.margin
    parts = (target.agent, target.name, digest(comparison.base), digest(claim.text), ctx.replay_key)
    # The words tell these candidates from those whose pairs used baseline rollouts of other nights.
    levels = (str(gate.alpha), str(gate.baseline_samples), "baselines drawn with it")
    if claim.description:
        return digest("description", *parts, *levels, str(margin), *judged)
    asked = [f"margin {margin}"] if margin else []
    return digest("candidate", *parts, str(gate.rule), *levels, *asked, *judged)


def enter(ctx: RunContext, comparison: Comparison, claim: CandidateClaim, gate: GateTerms) -> Trial:
    """Give a candidate its place and level, before its first pair; one that was entered before is found again."""
    id_ = identity(ctx, comparison, claim, gate)
    with ctx.database.writing() as connection:
        known = proposals.known(connection, id_)
        if known is not None:
            return known
        place = ctx.take_place(proposals.given(connection), id_, stated=claim.bundle.stated)
        candidate = Candidate(
            id=id_,
            index=place.index,
            stated=place.stated,
            alpha=evidence.level(place, proposals.acceptances(connection), gate.alpha),
            target=comparison.target,
            base=rollouts.put_text(connection, comparison.base),
            text=rollouts.put_text(connection, claim.text),
            edits=claim.bundle.edits,
            tasks=tuple(claim.judges),
            model=ctx.replay_key,
            origin=claim.bundle.origin,
            margin=claim.bundle.margin,
        )
        trial = proposals.start(connection, candidate, ctx.run, claim.bundle.sessions)
        frozen.save(connection, id_, claim.checks)
        return trial


def allowance(ctx: RunContext, comparison: Comparison, id_: Digest, pairs: int) -> int:
    """How many of tonight's `pairs` a candidate may draw: those it drew already, and those that no other candidate for
    the same file drew yet.

    So a rerun of a killed night gives each candidate what the undisturbed night would have given it.
    """
    with ctx.database.reading() as connection:
        own = proposals.drawn(connection, ctx.run, id_)
        return own + max(0, pairs - proposals.drawn_on(connection, ctx.run, comparison.target.path))


def measure(ctx: RunContext, arms: Arms, trial: Trial, gate: GateTerms, budget: int) -> Rollouts[Conclusion]:
    """Draw pairs until there is a verdict, at most `budget` of them in this night. What was drawn before counts.

    The gate looks at the pairs `ROUND` at a time, while the next round is under way; which round is begun follows from
    the pairs it has looked at. A round under way at the verdict is drawn to its end and kept with the verdict, so that
    a rerun of a killed night has the same rows. Such pairs decide nothing.

    When it is ended by `NotMeasured` or `BudgetSpent`, the pairs until then are kept, and the schedule goes on from
    there.
    """
    candidate, asked = trial.candidate, gate.asked_of(trial.candidate)
    # What leaving out each edit of a bundle showed; () for one that was not taken apart yet, or has edits to lose.
    parts: tuple[Attribution, ...] | None = None
    if candidate.origin is CandidateOrigin.REFLECTION and len(candidate.edits) > 1 and gate.attribution.most:
        with ctx.database.reading() as connection:
            found = attributions.load(connection, candidate.id)
        # What is left of a bundle is entered before the bundle ends as pruned (`prove`), so that a kill loses nothing.
        parts = found if all(one.kept for one in found) else ()
    with ctx.database.reading() as connection:
        done = list(proposals.pairs(connection, candidate.id))
        drawn = proposals.drawn(connection, ctx.run, candidate.id)
    fresh: list[Pair] = []
    ahead: tuple[PairDraw, ...] = ()
    while True:
        concluded = experiment.conclude(asked, done, candidate.tasks, parts)
        tonight = _Tonight(night=str(ctx.run), drawn=drawn, left=budget - drawn)
        following = _next(done, ahead, candidate, gate, concluded, tonight)
        if ahead and following.now != ahead:
            # A verdict, or the look at each task: what is under way comes first.
            following = _Following(now=ahead, ahead=following.now)
        elif done:
            with ctx.database.writing() as connection:
                proposals.save_pairs(connection, candidate.id, fresh, ctx.run)
                nights = proposals.drawn_in(connection, candidate.id)
                proposals.decide(connection, candidate.id, concluded.decision, len(nights))
            fresh = []
        if not following.now:
            return concluded
        ahead = following.ahead
        made = iter((yield Wanted(requests=_requests(arms, following.now), ahead=_requests(arms, ahead))))
        for draw in following.now:
            own, live = next(made), [next(made) for _ in draw.baseline]
            sure = sum(r.result.value for r in live if isinstance(r.result, Score))
            lost = sum(not isinstance(r.result, Score) for r in live)
            fresh.append(
                Pair(
                    purpose=draw.purpose,
                    ordinal=draw.ordinal,
                    replay=own.key.replay,
                    task_id=draw.task_id,
                    own=None if arms.own is None else arms.own[draw.task_id],
                    candidate=mean_score([own]),
                    baseline=mean_score(live),
                    baseline_low=sure / len(live) if lost else None,
                    baseline_high=(sure + lost) / len(live) if lost else None,
                )
            )
        done += fresh[-len(following.now) :]
        drawn += len(following.now)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tonight:
    """The night that draws, how many pairs of the candidate it has drawn, and how many more it may draw."""

    night: str
    drawn: int
    left: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Following:
    """What is drawn before the next look, and what is under way meanwhile."""

    now: tuple[PairDraw, ...] = ()
    ahead: tuple[PairDraw, ...] = ()


def _next(
    done: Sequence[Pair],
    under_way: Sequence[PairDraw],
    candidate: Candidate,
    gate: GateTerms,
    concluded: Conclusion,
    tonight: _Tonight,
) -> _Following:
    """What follows the pairs that are done; nothing when there is a verdict or nothing is left. For the look at each
    task, what follows the scheduled pairs `under_way` as well."""
    if gate.rule is not VerdictRule.EVIDENCE:
        # The paper's rules look once, when every task was drawn.
        return _Following(now=schedule.one_pass(candidate, tonight.night)[len(done) :])
    if concluded.decision.verdict is not Verdict.UNDECIDED or concluded.parts_wanted or tonight.left <= 0:
        return _Following()
    if wanting := concluded.confirmation.wanting:
        behind = [d for d in under_way if d.purpose is Purpose.CANDIDATE]
        most = max(0, min(PAIRS_AT_ONCE, tonight.left - len(behind)))
        return _Following(now=schedule.confirming(candidate, done, wanting, most, tonight.night, behind))
    drawn = sum(not p.confirms for p in done)
    begun = 2 * ROUND if tonight.drawn else FIRST
    limit = min(gate.asked_of(candidate).max_pairs, drawn + min(begun, tonight.left))
    draws = schedule.draws(candidate, limit, gate.baseline_samples, tonight.night, first=drawn)
    return _Following(now=draws[: begun - ROUND], ahead=draws[begun - ROUND :])


def _requests(arms: Arms, draws: Sequence[PairDraw]) -> list[RolloutRequest]:
    """The candidate's rollout of each pair, then its baseline rollouts."""
    return [
        request
        for draw in draws
        for request in (
            arms.request(draw.task_id, arms.candidate, draw.candidate),
            *(arms.request(draw.task_id, arms.baseline, sample) for sample in draw.baseline),
        )
    ]
