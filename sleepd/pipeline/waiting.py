"""What earlier nights left: candidates that wait for more pairs, and work on which everything was tried."""

from __future__ import annotations

from dataclasses import replace

from sleepd.core.model import Digest, Origin, Verdict, digest
from sleepd.pipeline.prove import prove, without
from sleepd.pipeline.rollout import Bench
from sleepd.pipeline.trial import Gating, Ground, allowance, identity
from sleepd.pipeline.work import Work, live_text
from sleepd.store import proposals, rollouts
from sleepd.store.proposals import Trial

_PATIENCE = 2
"""Nights without anything learnt after which the same work is passed over until something new comes in."""


def tried_before(bench: Bench, ground: Ground) -> list[Trial]:
    """The candidates that earlier nights tried on this live text."""
    base = digest(ground.base)
    with bench.database.reading() as connection:
        trials = proposals.for_target(connection, ground.target.path)
    ours = [t for t in trials if t.candidate.origin is not Origin.DESCRIPTION]
    return [t for t in ours if _on(base, t) and t.night_id != bench.night_id]


def exhausted(bench: Bench, work: Work, gating: Gating) -> bool:
    """Whether all that two nights tried for this live text and these tasks was rejected, and nothing waits.

    Tonight's own tries do not count, so that a rerun of a killed night goes on with the same work.
    """
    base = digest(live_text(work.target))
    tasks = tuple(s.task.id for s in work.judging(gating.validation_tasks))
    with bench.database.reading() as connection:
        trials = proposals.for_target(connection, work.target.path)
    earlier = [t for t in trials if t.night_id != bench.night_id]
    same = [t for t in earlier if _on(base, t) and t.candidate.tasks == tasks]
    failed = [t for t in same if t.candidate.verdict in (Verdict.REJECTED, Verdict.CLOSED, Verdict.PRUNED)]
    return len({t.night_id for t in failed}) >= _PATIENCE and len(failed) == len(same)


def go_on(bench: Bench, ground: Ground, gating: Gating) -> list[Trial]:
    """Go on with the candidates of earlier nights, within their share of tonight.

    Those that tonight decided before it was killed count as tried. Raises `NotMeasured` or `BudgetSpent`.
    """
    with bench.database.reading() as connection:
        earlier = [t for t in proposals.for_target(connection, ground.target.path) if t.night_id != bench.night_id]
        nights = {t.candidate.id: proposals.nights(connection, t.candidate.id) for t in earlier}
    share = int(gating.pairs_per_night * gating.waiting_share)
    tried: list[Trial] = []
    for trial in earlier:
        id_ = trial.candidate.id
        if trial.candidate.origin is Origin.DESCRIPTION:
            continue  # `describe` goes on with those: they are asked something else
        own = replace(ground, tasks=tuple(s for s in ground.tasks if s.task.id in trial.candidate.tasks))
        if trial.candidate.verdict is not Verdict.UNDECIDED:
            tried += _decided_tonight(bench, own, trial, gating) if bench.night_id in nights[id_] else ()
            continue
        ended = _ended(bench, own, trial, gating, len(nights[id_] - {bench.night_id}))
        if ended is not None:
            with bench.database.writing() as connection:
                proposals.close(connection, id_, ended)
        elif budget := allowance(bench, ground, id_, share):
            tried += prove(bench, own, trial, gating, budget)
    return tried


def _decided_tonight(bench: Bench, own: Ground, trial: Trial, gating: Gating) -> tuple[Trial, ...]:
    """What tonight decided before it was killed; what is left of a bundle goes on."""
    if trial.candidate.verdict is not Verdict.PRUNED:
        return (trial,)
    return (trial, without(bench, own, trial, gating))


def _on(base: Digest, trial: Trial) -> bool:
    """Whether it was tried on this live text; what a model that changed meanwhile failed with may work now."""
    return trial.candidate.base == base and not rollouts.is_former(trial.candidate.model)


def _ended(bench: Bench, own: Ground, trial: Trial, gating: Gating, nights: int) -> str | None:
    """Why a candidate that waited for so many nights cannot go on with the tasks it began with; None when it can."""
    candidate = trial.candidate
    if identity(bench, own, candidate.text, gating, candidate.margin) != candidate.id:
        return "the live text, the tasks, the model or the gate changed: its evidence is about something else"
    if nights >= gating.max_nights:
        return f"{nights} nights used up without a decision"
    return None
