"""One night: harvest is done, the rest follows. Mine, choose a skill, optimise it, stage what was accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path

from harvesters.records import SessionKind
from sleepd.core import drift, evidence, plaintext
from sleepd.core.edit import split_regions
from sleepd.core.errors import BudgetSpent, Conflict, NotMeasured
from sleepd.core.experiment import VerdictRule
from sleepd.core.mark import OWN_MARK
from sleepd.core.model import Cause, Edit, Split, Verdict, digest
from sleepd.core.ports import Ask, CallPurpose, Failure
from sleepd.models.metered import Tally
from sleepd.pipeline.calibrate import foresee, remembered
from sleepd.pipeline.companions import with_companions
from sleepd.pipeline.describe import Whose
from sleepd.pipeline.drift import set_aside_because, watched
from sleepd.pipeline.loaded import REQUESTS
from sleepd.pipeline.meta import keep_notes, with_notes
from sleepd.pipeline.mine import kinds_of_work, mine
from sleepd.pipeline.optimize import OptimizeReport, OptimizerTerms, optimize
from sleepd.pipeline.reflect import CASES_AT_ONCE
from sleepd.pipeline.rollout import RunContext, outage
from sleepd.pipeline.route import by_meaning
from sleepd.pipeline.share import Share, shares
from sleepd.pipeline.stage import stage
from sleepd.pipeline.trial import Comparison, GateTerms
from sleepd.pipeline.waiting import exhausted
from sleepd.pipeline.work import Work, find_work, live_text
from sleepd.settings.sections import MineConfig
from sleepd.skills.surroundings import Surroundings
from sleepd.store import nights, proposals, rollouts, tasks
from sleepd.store.database import Database
from sleepd.store.nights import Night, NightStatus
from sleepd.store.proposals import Proposal, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class NightPlan:
    """How one night is to be run."""

    scope: str
    """A project's folder, or `user` for all projects."""
    date: str
    """Local date, ISO."""
    mining: MineConfig
    optimizing: OptimizerTerms
    gate: GateTerms
    surroundings: Surroundings
    skill: str | None = None
    """Work on this skill only."""
    skills: int = 3
    """Work on so many skills at most."""
    kinds: tuple[str, ...] = (SessionKind.INTERACTIVE,)
    """Sessions of these kinds hold work worth learning from; a script's or another agent's words do not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What a night would do, found out without asking a model."""

    work: tuple[Work, ...]
    chosen: tuple[Share, ...]
    """What would be worked on, each with its part of the night's pairs; () when nothing would."""
    reason: str
    """Why nothing was chosen; "" when something was."""
    calls: int
    """At most so many model calls."""


def night_id(database: Database, scope: str, date: str) -> str:
    """The id for a run now: an unfinished night of this scope and date is taken up, and so is one in which no model was
    asked; else the date's next number is given.

    The seeds of model calls follow from the id (`core.schedule.seed`), so the id says nothing about the place of the
    project: the same history in another folder gives the same night.
    """
    with database.reading() as connection:
        known = [n for n in nights.nights(connection, limit=1_000) if n.date == date]
    own = [n for n in known if n.scope == scope]
    for night in own:
        spending = night.report.get("spending")
        asked_nothing = isinstance(spending, Mapping) and spending.get("calls") == 0
        if night.status is not NightStatus.DONE or asked_nothing:
            return night.id
    return f"{date}-{len(known) + 1}"


def outlook(ctx: RunContext, plan: NightPlan) -> Outlook:
    """Mine, and say what would be worked on and what it may cost. No model is called."""
    mine(ctx.database, ctx.embedder, plan.mining, kinds=plan.kinds)
    with ctx.database.reading() as connection:
        everything = tasks.load(connection)
    in_scope = [s for s in everything if plan.scope in ("user", s.task.project)]
    work = find_work(kinds_of_work(in_scope, plan.mining.min_sessions), plan.surroundings, by_meaning(ctx))
    wanted = [w for w in work if plan.skill in (None, w.target.name)]
    ready, reason = _choose(ctx, wanted, plan.gate)
    chosen = shares(ready, plan.gate.pairs_per_night, plan.skills)
    return Outlook(work=work, chosen=chosen, reason=reason, calls=_most_calls(chosen, plan))


def run_night(
    ctx: RunContext, plan: NightPlan, clock: Callable[[], datetime], progress: Callable[[str], None] | None = None
) -> Night:
    """Run or go on with a night and write down how it ended.

    Never raises for what a model does: an outage ends the night as `not-measured`, a spent budget as `budget-spent`.
    """
    night = Night(
        id=ctx.run.id,
        scope=plan.scope,
        date=plan.date,
        status=NightStatus.RUNNING,
        started_at=clock(),
        ended_at=None,
        message="",
        report={},
    )
    with ctx.database.writing() as connection:
        night = replace(night, report=_begun(nights.exactly(connection, night.id), night.started_at))
        nights.begin(connection, night)
        before = _tally(rollouts.spent(connection, night.id))
    status, facts = NightStatus.DONE, dict[str, object]()
    try:
        seen = outlook(ctx, plan)
        facts = {
            "work": [
                {
                    "skill": w.target.name,
                    "agent": w.target.agent,
                    "sessions": w.frequency,
                    "friction": round(w.friction, 3),
                    "train": len(w.usable(Split.TRAIN)),
                    "val": len(w.usable(Split.VAL)),
                    "test": len(w.usable(Split.TEST)),
                }
                for w in seen.work
            ]
        }
        message = seen.reason
        if seen.chosen:
            preflight(ctx)
            done: list[_SkillResult] = []
            spare = 0
            for share in seen.chosen:
                # What one skill leaves over goes to the next. Both follow from rows: a rerun comes to the same parts.
                pairs = share.pairs + spare
                gate = replace(plan.gate, pairs_per_night=pairs)
                own = with_companions(ctx, share.work.target)
                if plan.optimizing.meta_notes:
                    own = with_notes(own, share.work.target.path)
                report = optimize(own, share.work, plan.optimizing, gate, progress, last=share is seen.chosen[-1])
                if plan.optimizing.meta_notes:
                    more = keep_notes(own, share.work.target.path, report.tried)
                    report = replace(report, problems=(*report.problems, *more))
                # Last of all: a rerun would not count among tonight's proposals what an earlier attempt has staged.
                done.append(_SkillResult(report=report, staged=stage(own, report)))
                with ctx.database.reading() as connection:
                    drawn = proposals.drawn_on(connection, ctx.run, share.work.target.path)
                spare = max(0, pairs - report.raced - drawn)
            facts |= {"skill": done[0].report.work.target.name, **_optimized(done)}
            message = "; ".join(_message(one) for one in done)
            if any(one.report.drift is not None and one.report.drift.alarm for one in done):
                message = f"{set_aside_because(ctx)}; {message}"
    except NotMeasured as error:
        status, message = NightStatus.NOT_MEASURED, f"could not be measured: {error}"
        facts = {} if error.retry_at is None else {"retry_at": error.retry_at.isoformat()}
    except BudgetSpent as error:
        status, message, facts = NightStatus.BUDGET_SPENT, f"budget spent: {error}", {}
    with ctx.database.writing() as connection:
        kept = _tally(rollouts.spent(connection, night.id))
        made = kept - before if ctx.ledger is None else ctx.ledger.spending().total
        # A call that failed, or that only asked whether the model is there, left no row to be counted next time.
        unkept = _unkept(night) + (made - (kept - before))
        attempts = {name: night.report[name] for name in ("attempts", "attempt_at")}
        facts = {**attempts, **facts, "spending": asdict(kept + unkept), "unkept": asdict(unkept)}
        night = replace(night, status=status, ended_at=clock(), message=message, report=facts)
        nights.end(connection, night)
    return night


def spent(database: Database, id_: str) -> Tally:
    """What all runs of a night came to so far, calls that failed and calls of the preflight included.

    Of a run that was killed, only what was kept is known.
    """
    with database.reading() as connection:
        known = nights.exactly(connection, id_)
        return Tally() if known is None else _tally(rollouts.spent(connection, id_)) + _unkept(known)


def preflight(ctx: RunContext) -> None:
    """One short real call to each model; raises `NotMeasured` or `BudgetSpent` when it gives no answer.

    A reply that was cut off is an answer: the model is there.
    """
    for model in dict.fromkeys((ctx.model, ctx.reflector)):
        ask = Ask(purpose=CallPurpose.PREFLIGHT, system=OWN_MARK, prompt="Reply with the word ready.", max_tokens=64)
        outcome = model.ask(ask)
        if isinstance(outcome, Failure) and outcome.cause is not Cause.OVERLONG:
            raise outage(outcome)


@dataclass(frozen=True, slots=True, kw_only=True)
class _SkillResult:
    """What a night came to for one skill."""

    report: OptimizeReport
    staged: tuple[Proposal, ...]


def _choose(ctx: RunContext, work: Sequence[Work], gate: GateTerms) -> tuple[list[Work], str]:
    """What can be judged and was not just tried in vain, the most expensive first; or why there is nothing."""
    ready: list[Work] = []
    reasons: dict[str, list[str]] = {}
    for one in work:
        reason = one.missing or _in_the_way(ctx, one, gate)
        if reason is None:
            ready.append(one)
        elif one.friction > 0:
            reasons.setdefault(reason, []).append(one.target.name)
    if ready:
        return ready, ""
    said = [f"{plaintext.listed(names)}: {reason}" for reason, names in reasons.items()]
    return [], "; ".join(said) or "no recurring work that was ever corrected"


def _in_the_way(ctx: RunContext, work: Work, gate: GateTerms) -> str | None:
    """Why nothing can be tried for this work tonight; None when something can."""
    if work.target.project and not Path(work.target.project).is_dir():
        return "its project folder is gone"
    try:
        live = live_text(work.target)
        split_regions(live)  # a text with broken markers takes no edit
        ctx = with_companions(ctx, work.target)
    except Conflict as error:
        return str(error)
    if hopeless := _hopeless(ctx, work, live, gate):
        return hopeless
    # Whether a proposal of an earlier night that fits the present text waits: trying more would be worth little.
    with ctx.database.reading() as connection:
        waiting = proposals.proposals(connection, Status.WAITING)
        candidates = [proposals.trial(connection, p.id).candidate for p in waiting if p.night_id != ctx.run.id]
    if any(c.target.path == work.target.path and c.base == digest(live) for c in candidates):
        return "a proposal for it waits for you; `sleepd review` shows it"
    if exhausted(ctx, work, gate):
        return "everything proposed for the present text was tried; new sessions will bring something new"
    return None


def _hopeless(ctx: RunContext, work: Work, live: str, gate: GateTerms) -> str | None:
    """The sentence for work whose scores vary so much that no gain worth having could be shown; None when one could."""
    comparison = Comparison(target=work.target, base=live, tasks=work.usable(Split.VAL))
    seen = remembered(ctx, comparison, gate.baseline_samples)
    if gate.rule is not VerdictRule.EVIDENCE or not len(seen):
        return None
    with ctx.database.reading() as connection:
        place, accepted = ctx.next_place(proposals.given(connection)), proposals.acceptances(connection)
    largest = foresee(seen, evidence.level(place, accepted, gate.alpha), gate)[-1]
    if largest.in_reach:
        return None
    return (
        f"even {100 * largest.gain:+.0f} points could not be shown within gate.max_pairs and gate.max_nights; "
        "`sleepd gate calibrate` says what it would take"
    )


def _most_calls(chosen: Sequence[Share], plan: NightPlan) -> int:
    if not chosen:
        return 0
    o, g = plan.optimizing, plan.gate
    pairs = g.pairs_per_night * (1 + g.baseline_samples)
    # Each bundle that crosses is taken apart, at worst edit by edit; a skill's night ends with the first accepted.
    apart = g.attribution.most * sum(edits + 1 for edits in range(2, o.edit_budget + 1))
    # Each drift pair is a fresh rollout. The live text is watched, and the description where one waits.
    watches = 1 if o.describing is None or o.describing.whose is Whose.OFF else 2
    drifting = watches * drift.PAIRS_PER_NIGHT * watched(g)
    reflections = o.steps * (-(-o.minibatch // CASES_AT_ONCE) + 2)
    learning = o.steps * o.minibatch * o.samples + reflections + 1 + o.meta_notes
    # The present description once, and that of a new file, or two texts of a changed one; each over both sides.
    describing = 6 * REQUESTS + 1 if o.describing is not None and o.describing.whose is not Whose.OFF else 0
    sealed = sum(2 * len(share.work.usable(Split.TEST)) for share in chosen)
    return 2 + pairs + sealed + len(chosen) * (apart + drifting + learning + describing)


def _begun(known: Night | None, now: datetime) -> Mapping[str, object]:
    """The report of a night that begins or goes on: a night that always kills its process is known by its attempts."""
    earlier = {} if known is None else known.report
    attempts = earlier.get("attempts", 0)
    return {
        "attempts": (attempts if isinstance(attempts, int) else 0) + 1,
        "attempt_at": now.isoformat(),
        **{name: earlier[name] for name in ("spending", "unkept") if name in earlier},
    }


def _tally(rows: rollouts.Spent) -> Tally:
    """What the calls came to whose replies are rows."""
    return Tally(
        calls=rows.rollouts + rows.reflections,
        tokens_in=rows.tokens_in,
        tokens_out=rows.tokens_out,
        cost_usd=rows.cost_usd,
    )


def _unkept(night: Night) -> Tally:
    """What the calls of earlier runs came to that left no row."""
    known = night.report.get("unkept")
    return Tally(**known) if isinstance(known, dict) else Tally()


def _optimized(done: Sequence[_SkillResult]) -> dict[str, object]:
    """The facts of all skills together; each candidate, edit and problem names its skill."""
    return {
        "skills": [one.report.work.target.name for one in done],
        "candidates": [
            {
                "skill": one.report.work.target.name,
                "index": t.candidate.index,
                "id": t.candidate.id,
                "verdict": t.candidate.verdict.value,
                "reason": t.candidate.reason,
                "effect": t.effect,
                "edits": [_said(e) for e in t.candidate.edits],
            }
            for one in done
            for t in one.report.tried
        ],
        "proposals": [p.id for one in done for p in one.staged],
        "unmatched": [
            {"skill": one.report.work.target.name, "edit": _said(u.edit), "reason": u.reason}
            for one in done
            for u in one.report.unmatched
        ],
        "problems": [problem for one in done for problem in one.report.problems],
        "drift": next((asdict(one.report.drift) for one in done if one.report.drift is not None), None),
    }


def _message(done: _SkillResult) -> str:
    tried, name = done.report.tried, done.report.work.target.name
    waiting = sum(p.status is Status.WAITING for p in done.staged)
    aside = sum(p.status is Status.QUARANTINED for p in done.staged)
    open_ = sum(t.candidate.verdict is Verdict.UNDECIDED for t in tried)
    if not tried:
        return f"{name}: nothing was proposed"
    parts = [f"{len(tried)} tried", f"{waiting} to review"]
    parts += [f"{aside} set aside as unsafe"] * bool(aside) + [f"{open_} undecided"] * bool(open_)
    return f"{name}: " + ", ".join(parts)


def _said(one: Edit) -> str:
    """The edit in a line: its words, or what it takes away."""
    return one.text or f"{one.op} {one.anchor}"
