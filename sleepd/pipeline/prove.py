"""Put a candidate through the gate; a bundle that crosses is taken apart, and what is left of it is proven anew."""

from __future__ import annotations

from sleepd.core.model import Origin, Verdict, digest
from sleepd.core.select import Bundle
from sleepd.pipeline.attribute import applied, attribute
from sleepd.pipeline.rollout import Bench
from sleepd.pipeline.trial import Gating, Ground, allowance, crossed, enter, identity, measure
from sleepd.store import attributions, proposals
from sleepd.store.proposals import Trial


def prove(bench: Bench, ground: Ground, trial: Trial, gating: Gating, budget: int) -> tuple[Trial, ...]:
    """The candidate as it stands after at most `budget` pairs of tonight, and what came of taking it apart.

    A bundle whose edits all carry something is accepted as it is. Else it ends as `pruned`, and its text without the
    others is a new candidate with an index and a level of its own: what is adopted is what was gated (promise 7).
    Raises `NotMeasured` or `BudgetSpent`; a rerun goes on from there.
    """
    measure(bench, ground, trial, gating, budget)
    if not crossed(bench, trial, gating):
        return (again(bench, trial),)
    found = attribute(bench, ground, trial.candidate, gating.attributing)
    if all(one.kept for one in found):
        measure(bench, ground, trial, gating, budget)
        return (again(bench, trial),)
    rest = without(bench, ground, trial, gating)
    return (again(bench, trial), rest)


def without(bench: Bench, ground: Ground, trial: Trial, gating: Gating) -> Trial:
    """What is left of a bundle that was taken apart, as a candidate of its own, after what tonight had left for it.

    It is entered before the bundle ends, so that a kill in between loses nothing; called again it goes on with it.
    """
    with bench.database.reading() as connection:
        dropped = {one.edit_id for one in attributions.load(connection, trial.candidate.id) if not one.kept}
    kept = tuple(e for e in trial.candidate.edits if e.id not in dropped)
    text = applied(ground, kept).text
    budget = allowance(bench, ground, identity(bench, ground, digest(text), gating), gating.pairs_per_night)
    rest = enter(bench, ground, Bundle.of(kept, trial.sessions, origin=Origin.PRUNED), text, gating)
    _end(bench, trial, len(dropped))
    if budget:
        measure(bench, ground, rest, gating, budget)
    return again(bench, rest)


def again(bench: Bench, trial: Trial) -> Trial:
    """The trial as it stands now."""
    with bench.database.reading() as connection:
        return proposals.trial(connection, trial.candidate.id)


def _end(bench: Bench, trial: Trial, dropped: int) -> None:
    count = f"{dropped} of its {len(trial.candidate.edits)} edits"
    reason = f"better on the whole, but {count} carried nothing: goes on without {'it' if dropped == 1 else 'them'}"
    with bench.database.writing() as connection:
        proposals.end(connection, trial.candidate.id, Verdict.PRUNED, reason)
