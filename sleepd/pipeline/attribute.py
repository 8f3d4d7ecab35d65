"""Take a bundle apart: try it without each of its edits, and keep those that carry something."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sleepd.core import attribution, edit
from sleepd.core.attribution import Attributing
from sleepd.core.gate import Floats
from sleepd.core.model import Attribution, Candidate, Digest, Edit, Rollout, Score, TaskId
from sleepd.core.schedule import ATTRIBUTION_SAMPLE
from sleepd.pipeline.rollout import Bench, Order, by_task, run_all
from sleepd.pipeline.trial import Ground
from sleepd.skills.targets import starting_text
from sleepd.store import attributions, rollouts

_AT_ONCE = 8


@dataclass(slots=True, kw_only=True)
class _Scores:
    """The scores of one round so far: of the whole bundle, and of the bundle without each edit."""

    full: list[float]
    without: dict[Digest, list[float]]


def attribute(bench: Bench, ground: Ground, candidate: Candidate, how: Attributing) -> tuple[Attribution, ...]:
    """What each edit of a bundle carries, kept in rows; the last round's answer for each.

    In each round those in doubt are left out one at a time. When some carry nothing, the one that carries least goes,
    and the others in doubt are asked again without it: two edits that say the same would else be dropped together. The
    last edit stays. An edit without which another one has no place is not left out.

    Raises `NotMeasured` or `BudgetSpent`; a rerun goes on from the rollouts there are. At most `how.most` rollouts for
    each text of a round.
    """
    kept = list(candidate.edits)
    doubted = [e for e in kept if _without(ground, kept, e) is not None]
    settled = {e.id: _unasked(e) for e in kept}
    number = 1
    while len(kept) > 1 and doubted:
        found = _round(bench, ground, (candidate, kept), doubted, (how, number))
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
    with bench.database.writing() as connection:
        attributions.save(connection, candidate.id, result)
    return result


def applied(ground: Ground, edits: Sequence[Edit]) -> edit.Applied:
    """The base with these edits."""
    return edit.apply(ground.base or starting_text(ground.target), edits)


def _round(
    bench: Bench, ground: Ground, bundle: tuple[Candidate, Sequence[Edit]], doubted: Sequence[Edit],
    how: tuple[Attributing, int],
) -> list[Attribution]:  # fmt: skip
    """Leave each doubted edit out until it is known whether it carries something."""
    candidate, kept = bundle
    attributing, number = how
    texts = {e.id: _put(bench, _without(ground, kept, e) or "") for e in doubted}
    whole = _put(bench, applied(ground, kept).text)
    scores = _Scores(full=[], without={e.id: [] for e in doubted})
    answers: dict[Digest, bool] = {}
    while len(answers) < len(doubted):
        first = len(scores.full)
        open_ = {id_: text for id_, text in texts.items() if id_ not in answers}
        _draw(bench, ground, (f"{candidate.id}:{number}", first), (whole, open_), scores)
        for id_ in open_:
            decided = attribution.stays(*_columns(scores, id_), attributing)
            if decided is not None:
                answers[id_] = decided
    return [_made(e, answers[e.id], scores, number) for e in doubted]


def _draw(
    bench: Bench, ground: Ground, at: tuple[str, int], texts: tuple[Digest, dict[Digest, Digest]], scores: _Scores
) -> None:
    """The next few tasks, drawn by hash, each under the whole bundle and under it without each edit still in doubt."""
    seed, first = at
    whole, open_ = texts
    tasks = by_task(ground.tasks)
    names = sorted(tasks)
    drawn = [_task(names, seed, n) for n in range(first + _AT_ONCE)]
    turns: Counter[TaskId] = Counter()
    orders = []
    for n, task in enumerate(drawn):
        turns[task] += 1
        if n >= first:
            sample = ATTRIBUTION_SAMPLE + turns[task]
            orders += [Order(task=tasks[task], text=text, sample=sample) for text in (whole, *open_.values())]
    made = iter(run_all(bench, orders))
    for _ in range(_AT_ONCE):
        scores.full.append(_value(next(made)))
        for id_ in open_:
            scores.without[id_].append(_value(next(made)))


def _task(names: Sequence[TaskId], seed: str, number: int) -> TaskId:
    point = int.from_bytes(hashlib.sha256(f"without:{seed}:{number}".encode()).digest()[:8], "big")
    return names[point % len(names)]


def _columns(scores: _Scores, id_: Digest) -> tuple[Floats, Floats]:
    without = np.array(scores.without[id_])
    return np.array(scores.full[: len(without)]), without


def _made(one: Edit, kept: bool, scores: _Scores, number: int) -> Attribution:
    full, without = _columns(scores, one.id)
    known = (full - without)[~np.isnan(full - without)]
    low, high = attribution.interval(full, without)
    return Attribution(
        edit_id=one.id,
        round=number,
        kept=kept,
        effect=float(known.mean()) if len(known) else None,
        low=low,
        high=high,
        pairs=len(without),
        tokens=edit.tokens(one.text),
    )


def _unasked(one: Edit) -> Attribution:
    """What is known of an edit that was not left out."""
    return Attribution(
        edit_id=one.id, round=0, kept=True, effect=None, low=-1.0, high=1.0, pairs=0, tokens=edit.tokens(one.text)
    )


def _without(ground: Ground, kept: Sequence[Edit], left_out: Edit) -> str | None:
    """The text without one edit; None when another edit has no place without it."""
    others = [e for e in kept if e is not left_out]
    done = applied(ground, others)
    return done.text if len(done.applied) == len(others) else None


def _put(bench: Bench, text: str) -> Digest:
    with bench.database.writing() as connection:
        return rollouts.put_text(connection, text)


def _value(made: Rollout) -> float:
    return made.result.value if isinstance(made.result, Score) else float("nan")
