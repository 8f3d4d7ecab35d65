"""Which rollouts a candidate's pairs are made of, fixed before the first of them (gate, promise 9)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sleepd.core.model import Candidate, Pair, Purpose, Sample, TaskId

_MILLION = 1_000_000
_SEEDS = {
    Purpose.BASELINE: 0,
    Purpose.CONFIRMATION: 500_000,
    Purpose.LEARNING: 900 * _MILLION,
    Purpose.COMPARISON: 930 * _MILLION,
    Purpose.EVALUATION: 940 * _MILLION,
    Purpose.SEALED: 950 * _MILLION,
    Purpose.PROOF: 960 * _MILLION,
    Purpose.ATTRIBUTION: 970 * _MILLION,
    Purpose.CALIBRATION: 980 * _MILLION,
    Purpose.DRIFT: 2_000 * _MILLION,
    Purpose.RACE: 3_000 * _MILLION,
}
_LATER_CANDIDATES = 10_000 * _MILLION


def seed(sample: Sample) -> int:
    """A number below 2^53 for the model's seed: different samples have different ones.

    Nothing reads a meaning out of it. Samples that belong to no night have the numbers that earlier versions sent, so
    that a seeded model answers as it did. The others have 53 bits of a hash, so two of them are equal hardly ever.
    """
    if sample.night:
        words = f"{sample.night}:{sample.purpose}:{sample.series}:{sample.ordinal}"
        return int.from_bytes(hashlib.sha256(words.encode()).digest()[:7], "big") >> 3
    if sample.purpose is Purpose.CANDIDATE:
        first = sample.series * _MILLION
        return (first if first < _SEEDS[Purpose.LEARNING] else _LATER_CANDIDATES + first) + sample.ordinal
    apart = _MILLION if sample.purpose is Purpose.LEARNING else 1
    return _SEEDS[sample.purpose] + sample.series + apart * sample.ordinal


@dataclass(frozen=True, slots=True, kw_only=True)
class PairDraw:
    """One pair to be measured."""

    purpose: Purpose
    """As that of the `Pair`."""
    ordinal: int
    task_id: TaskId
    candidate: Sample
    baseline: tuple[Sample, ...]
    """Made for this pair alone, in the same night and together with the candidate's."""


def draws(
    candidate: Candidate, count: int, baseline_samples: int, night: str, *, first: int = 0
) -> tuple[PairDraw, ...]:
    """The candidate's first `count` draws, as `night` makes them, without the `first` ones, which were made before.

    Tasks are drawn uniformly by hash, with replacement, whatever the nights. Both sides of a pair belong to the night
    and to the candidate (promise 6): a model that answers otherwise in another night, or later in the same one, answers
    so on both sides. A baseline rollout that another candidate had made an hour ago would not be of the same model.
    """
    seen: Counter[TaskId] = Counter()
    out = []
    for number in range(count):
        task = by_hash(candidate.tasks, str(candidate.id), number)
        turn = seen[task]
        seen[task] += 1
        if number < first:
            continue
        out.append(
            PairDraw(
                purpose=Purpose.CANDIDATE,
                ordinal=number,
                task_id=task,
                candidate=_of(candidate, turn, night),
                baseline=tuple(
                    baseline(turn * baseline_samples + n, night, candidate.index) for n in range(baseline_samples)
                ),
            )
        )
    return tuple(out)


def one_pass(candidate: Candidate, night: str) -> tuple[PairDraw, ...]:
    """The draws of the paper's rules: every task once, in order, with one baseline rollout."""
    return tuple(
        PairDraw(
            purpose=Purpose.CANDIDATE,
            ordinal=n,
            task_id=task,
            candidate=_of(candidate, 0, night),
            baseline=(baseline(0, night, candidate.index),),
        )
        for n, task in enumerate(candidate.tasks)
    )


def confirming(
    candidate: Candidate,
    drawn: Sequence[Pair],
    wanting: Mapping[TaskId, int],
    count: int,
    night: str,
    under_way: Sequence[PairDraw] = (),
) -> tuple[PairDraw, ...]:
    """The next draws of the confirmation round, at most `count`: the wanting tasks, in the order of the tasks.

    `drawn` are all pairs of the candidate, those that were drawn behind the crossing one as well, and `under_way` are
    those that will be: no rollout of the candidate is used beside a baseline rollout that is younger. One baseline
    rollout a pair: a task's own drop is asked about.
    """
    turns = Counter([*(p.task_id for p in drawn), *(d.task_id for d in under_way)])
    again = Counter(p.task_id for p in drawn if p.confirms)
    wanted = [(task, n) for task in dict.fromkeys(candidate.tasks) for n in range(wanting.get(task, 0))]
    return tuple(
        PairDraw(
            purpose=Purpose.CONFIRMATION,
            ordinal=again.total() + place,
            task_id=task,
            candidate=_of(candidate, turns[task] + n, night),
            baseline=(
                Sample(purpose=Purpose.CONFIRMATION, series=candidate.index, ordinal=again[task] + n, night=night),
            ),
        )
        for place, (task, n) in enumerate(wanted[:count])
    )


def baseline(ordinal: int, night: str, index: int = 0) -> Sample:
    """A rollout of the live text in one night, made for the candidate with this index (0: for no candidate)."""
    return Sample(purpose=Purpose.BASELINE, series=index, ordinal=ordinal, night=night)


def minibatch(tasks: Sequence[TaskId], size: int, seed: str) -> tuple[TaskId, ...]:
    """`size` tasks in an order fixed by `seed`."""
    return tuple(sorted(tasks, key=lambda t: hashlib.sha256(f"{seed}:{t}".encode()).digest())[:size])


def by_hash(tasks: Sequence[TaskId], seed: str, number: int) -> TaskId:
    """One task, uniformly, by hash of a seed and a number."""
    point = int.from_bytes(hashlib.sha256(f"{seed}:{number}".encode()).digest()[:8], "big")
    return tasks[point % len(tasks)]


def _of(candidate: Candidate, turn: int, night: str) -> Sample:
    """Under the candidate's index and night: a text under a new index is measured afresh, and so is a pair that its
    night did not complete."""
    return Sample(purpose=Purpose.CANDIDATE, series=candidate.index, ordinal=turn, night=night)
