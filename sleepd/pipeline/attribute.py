"""Take a bundle apart (leave-one-out): try it without each of its edits, and keep those with an effect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sleepd.core import edit, evidence, experiment, schedule
from sleepd.core.evidence import Scores
from sleepd.core.experiment import Decision
from sleepd.core.model import (
    Attribution,
    Candidate,
    Digest,
    Edit,
    Purpose,
    Rollout,
    Sample,
    Score,
    TaskId,
    Verdict,
)
from sleepd.core.ports import RolloutRequest
from sleepd.pipeline.rollout import Rollouts, RunContext, Wanted, by_task
from sleepd.pipeline.trial import AttributionConfig, Comparison
from sleepd.skills.targets import starting_text
from sleepd.store import attributions

_CALLS = 16


def attribute(
    ctx: RunContext, comparison: Comparison, candidate: Candidate, how: AttributionConfig
) -> Rollouts[tuple[Attribution, ...]]:
    """The effect of each edit of a bundle, kept in rows; the last round's answer for each.

    In each round those in doubt are left out one at a time. When some have no measurable effect, the one with the least
    goes, and the others in doubt are asked again without it: two edits that say the same would else be dropped
    together. The last edit stays. An edit without which another one has no place is not left out.

    When it is ended in the middle, a rerun of the same night goes on from the rollouts there are, and another night
    begins anew, since the bundle and the bundle without an edit are compared within one night. At most `how.most`
    rollouts for each text of a round.
    """
    kept = list(candidate.edits)
    doubted = [e for e in kept if _without(comparison, kept, e) is not None]
    settled = {
        e.id: Attribution(
            edit_id=e.id, round=0, kept=True, effect=None, low=-1.0, high=1.0, pairs=0, tokens=edit.tokens(e.text)
        )
        for e in kept
    }
    number = 1
    while len(kept) > 1 and doubted:
        found = yield from _round(
            _Round(ctx=ctx, comparison=comparison, candidate=candidate, kept=kept, number=number), doubted, how
        )
        settled |= {one.edit_id: one for one in found}
        lost = [one for one in found if not one.kept]
        if not lost:
            break
        worst = min(lost, key=lambda one: (one.effect if one.effect is not None else -1.0, one.edit_id)).edit_id
        kept = [e for e in kept if e.id != worst]
        doubted = [e for e in kept if e.id in {one.edit_id for one in lost}]
        number += 1
    names = {e.id for e in kept}
    result = tuple(replace(one, kept=one.edit_id in names) for one in settled.values())
    with ctx.database.writing() as connection:
        attributions.save(connection, candidate.id, result)
    return result


def applied(comparison: Comparison, edits: Sequence[Edit]) -> edit.Applied:
    """The base with these edits."""
    return edit.apply(comparison.base or starting_text(comparison.target), edits)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Round:
    """One round: the bundle that is left, each doubted edit of which is left out."""

    ctx: RunContext
    comparison: Comparison
    candidate: Candidate
    kept: Sequence[Edit]
    number: int

    def requests(self, texts: Sequence[Digest], numbers: range) -> list[RolloutRequest]:
        """The tasks with these numbers, drawn by hash, each under all of these texts."""
        tasks = by_task(self.comparison.tasks)
        names, seed = sorted(tasks), f"without:{self.candidate.id}:{self.number}"
        turns: Counter[TaskId] = Counter()
        out = []
        for n in range(numbers.stop):
            task = schedule.by_hash(names, seed, n)
            turns[task] += 1
            if n in numbers:
                sample = Sample(purpose=Purpose.ATTRIBUTION, ordinal=turns[task], night=str(self.ctx.run))
                out += [self.ctx.request(tasks[task], text, sample) for text in texts]
        return out


def _round(round_: _Round, doubted: Sequence[Edit], how: AttributionConfig) -> Rollouts[list[Attribution]]:
    """Leave each doubted edit out until it is known whether it has an effect.

    So many tasks are drawn together as make about `_CALLS` rollouts; none is drawn ahead (`docs/decisions/0016`).
    """
    ctx, comparison, kept = round_.ctx, round_.comparison, round_.kept
    whole = ctx.put_text(applied(comparison, kept).text)
    texts = {e.id: ctx.put_text(_without(comparison, kept, e) or "") for e in doubted}
    full: list[float | None] = []
    without: dict[Digest, list[float | None]] = {e.id: [] for e in doubted}
    decided: dict[Digest, tuple[Scores, Decision]] = {}
    while len(decided) < len(doubted):
        open_ = {id_: text for id_, text in texts.items() if id_ not in decided}
        many = min(how.most - len(full), max(1, _CALLS // (1 + len(open_))))
        requests = round_.requests([whole, *open_.values()], range(len(full), len(full) + many))
        made = iter((yield Wanted(requests=requests)))
        for _ in range(many):
            full.append(_value(next(made)))
            for id_ in open_:
                without[id_].append(_value(next(made)))
        for id_ in open_:
            scores = Scores.of(full, without[id_])
            decision = experiment.decide(how.experiment, scores)
            if decision.verdict is not Verdict.UNDECIDED:
                decided[id_] = (scores, decision)
    result = []
    for one in doubted:
        scores, decision = decided[one.id]
        low, high = evidence.interval(scores)
        result.append(
            Attribution(
                edit_id=one.id,
                round=round_.number,
                kept=decision.verdict is Verdict.ACCEPTED,
                effect=scores.effect,
                low=low,
                high=high,
                pairs=len(scores),
                tokens=edit.tokens(one.text),
            )
        )
    return result


def _without(comparison: Comparison, kept: Sequence[Edit], left_out: Edit) -> str | None:
    """The text without one edit; None when another edit has no place without it."""
    others = [e for e in kept if e is not left_out]
    done = applied(comparison, others)
    return done.text if len(done.applied) == len(others) else None


def _value(made: Rollout) -> float | None:
    return made.result.value if isinstance(made.result, Score) else None
