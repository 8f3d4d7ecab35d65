"""Put a candidate through the gate; a bundle that crosses is taken apart, and what is left of it is proven anew."""

from __future__ import annotations

from sleepd.core import experiment
from sleepd.core.model import CandidateOrigin
from sleepd.core.select import Bundle
from sleepd.pipeline.attribute import applied, attribute
from sleepd.pipeline.rollout import Rollouts, RunContext
from sleepd.pipeline.trial import (
    Comparison,
    GateTerms,
    allowance,
    enter,
    identity,
    measure,
    text_arms,
    text_claim,
)
from sleepd.store import attributions, proposals
from sleepd.store.proposals import Trial


def prove(
    ctx: RunContext, comparison: Comparison, trial: Trial, gate: GateTerms, budget: int
) -> Rollouts[tuple[Trial, ...]]:
    """The candidate after at most `budget` pairs of tonight, and what came of taking it apart.

    A bundle whose edits all have an effect is accepted as it is. Else it ends as `pruned`, and its text without the
    others is a new candidate with an index and a level of its own: what is adopted is what was gated (promise 7).
    When it is ended by `NotMeasured` or `BudgetSpent`, a rerun goes on from there.
    """
    arms = text_arms(ctx, comparison, trial.candidate)
    concluded = yield from measure(ctx, arms, trial, gate, budget)
    if not concluded.parts_wanted:
        return (again(ctx, trial),)
    found = yield from attribute(ctx, comparison, trial.candidate, gate.attribution)
    if all(one.kept for one in found):
        yield from measure(ctx, arms, trial, gate, budget)
        return (again(ctx, trial),)
    rest, budget = without(ctx, comparison, trial, gate)
    if budget:
        yield from measure(ctx, text_arms(ctx, comparison, rest.candidate), rest, gate, budget)
    return (again(ctx, trial), again(ctx, rest))


def without(ctx: RunContext, comparison: Comparison, trial: Trial, gate: GateTerms) -> tuple[Trial, int]:
    """The rest of a bundle that was taken apart, as a candidate of its own, and the pairs that tonight has left for it.

    It is entered before the bundle ends, so that a kill in between loses nothing; called again it goes on with it.
    """
    with ctx.database.reading() as connection:
        parts = attributions.load(connection, trial.candidate.id)
        pairs = proposals.pairs(connection, trial.candidate.id)
    dropped = {one.edit_id for one in parts if not one.kept}
    kept = tuple(e for e in trial.candidate.edits if e.id not in dropped)
    bundle = Bundle.of(kept, trial.sessions, origin=CandidateOrigin.PRUNED, stated=bool(trial.candidate.stated))
    claim = text_claim(ctx, comparison, bundle, applied(comparison, kept).text)
    budget = allowance(ctx, comparison, identity(ctx, comparison, claim, gate), gate.pairs_per_night)
    rest = enter(ctx, comparison, claim, gate)
    concluded = experiment.conclude(gate.asked_of(trial.candidate), pairs, trial.candidate.tasks, parts)
    with ctx.database.writing() as connection:
        nights = proposals.drawn_in(connection, trial.candidate.id)
        proposals.decide(connection, trial.candidate.id, concluded.decision, len(nights))
    return rest, budget


def again(ctx: RunContext, trial: Trial) -> Trial:
    """The trial as it is now."""
    with ctx.database.reading() as connection:
        return proposals.trial(connection, trial.candidate.id)
