"""What earlier nights left: candidates that wait for more pairs, and work on which everything was tried."""

from __future__ import annotations

from sleepd.core import experiment
from sleepd.core.model import CandidateOrigin, Digest, Verdict, digest
from sleepd.core.select import Bundle
from sleepd.pipeline.prove import prove, without
from sleepd.pipeline.rollout import RunContext, drive
from sleepd.pipeline.trial import Comparison, GateTerms, allowance, as_begun, identity, text_claim
from sleepd.pipeline.work import Work, live_text
from sleepd.store import proposals
from sleepd.store.proposals import Trial

_PATIENCE = 2
"""Nights without anything learnt after which the same work is passed over until something new comes in."""


def tried_before(ctx: RunContext, comparison: Comparison) -> list[Trial]:
    """The candidates that earlier nights tried on this live text."""
    base = digest(comparison.base)
    with ctx.database.reading() as connection:
        trials = proposals.for_target(connection, comparison.target.path)
    ours = [t for t in trials if t.candidate.origin is not CandidateOrigin.DESCRIPTION]
    return [t for t in ours if _on(base, t) and t.run != ctx.run]


def exhausted(ctx: RunContext, work: Work, gate: GateTerms) -> bool:
    """Whether all that two nights tried for this live text and these tasks was rejected, and nothing waits.

    Tonight's own tries do not count, so that a rerun of a killed night goes on with the same work.
    """
    base = digest(live_text(work.target))
    tasks = tuple(s.task.id for s in work.judging(gate.validation_tasks))
    with ctx.database.reading() as connection:
        trials = proposals.for_target(connection, work.target.path)
    earlier = [t for t in trials if t.run != ctx.run]
    same = [t for t in earlier if _on(base, t) and t.candidate.tasks == tasks]
    failed = [t for t in same if t.candidate.verdict in (Verdict.REJECTED, Verdict.CLOSED, Verdict.PRUNED)]
    return len({t.run for t in failed}) >= _PATIENCE and len(failed) == len(same)


def go_on(
    ctx: RunContext, comparison: Comparison, gate: GateTerms, most: int | None = None, *, decided: bool = True
) -> list[Trial]:
    """Go on with the candidates of earlier nights, within `most` of tonight's pairs for the file, else their share.

    With `decided`, those that tonight decided before it was killed count as tried. Raises `NotMeasured` or
    `BudgetSpent`.
    """
    with ctx.database.reading() as connection:
        earlier = [t for t in proposals.for_target(connection, comparison.target.path) if t.run != ctx.run]
        nights = {t.candidate.id: proposals.drawn_in(connection, t.candidate.id) for t in earlier}
    tonight = (ctx.run.id, ctx.run.step)
    share = gate.waiting_pairs if most is None else most
    tried: list[Trial] = []
    for trial in earlier:
        id_ = trial.candidate.id
        if trial.candidate.origin is CandidateOrigin.DESCRIPTION:
            continue  # `describe` goes on with those: they are asked something else
        own = as_begun(ctx, comparison, trial.candidate)
        if trial.candidate.verdict is not Verdict.UNDECIDED:
            # What tonight decided before it was killed; what is left of a bundle goes on.
            if decided and tonight in nights[id_]:
                tried.append(trial)
                if trial.candidate.verdict is Verdict.PRUNED:
                    rest, budget = without(ctx, own, trial, gate)
                    tried += drive(ctx, prove(ctx, own, rest, gate, budget)) if budget else (rest,)
            continue
        ended = _ended(ctx, own, trial, gate, len(nights[id_] - {tonight}))
        if ended is not None:
            with ctx.database.writing() as connection:
                proposals.end(connection, id_, experiment.closed(ended))
        elif budget := allowance(ctx, comparison, id_, share):
            tried += drive(ctx, prove(ctx, own, trial, gate, budget))
    return tried


def _on(base: Digest, trial: Trial) -> bool:
    """Whether it was tried on this live text; what a model that changed meanwhile failed with may work now."""
    return trial.candidate.base == base and trial.candidate.invalidated_in is None


def _ended(ctx: RunContext, own: Comparison, trial: Trial, gate: GateTerms, nights: int) -> str | None:
    """Why a candidate that waited for so many nights cannot go on with the tasks it began with; None when it can."""
    candidate = trial.candidate
    bundle = Bundle.of(candidate.edits, (), origin=candidate.origin, margin=candidate.margin)
    if identity(ctx, own, text_claim(ctx, own, bundle, ctx.text(candidate.text)), gate) != candidate.id:
        return "the live text, the tasks, the model or the gate changed: its evidence is about something else"
    if nights >= gate.max_nights:
        return f"{nights} nights used up without a decision"
    return None
