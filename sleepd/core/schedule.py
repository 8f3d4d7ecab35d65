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
}
_LATER_CANDIDATES = 10_000 * _MILLION


def seed(sample: Sample) -> int:
    """A number for the model's seed: different samples have different ones.

    Nothing reads a meaning out of it. The numbers are those that earlier versions sent, so that a seeded model answers
    as it did.
    """
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
    """Fresh to this candidate; another candidate of the same base may use the same ones."""


def draws(candidate: Candidate, count: int, baseline_samples: int) -> tuple[PairDraw, ...]:
    """The candidate's first `count` draws; asking for more later gives the same ones first.

    Tasks are drawn uniformly by hash, with replacement.
    """
    seen: Counter[TaskId] = Counter()
    out = []
    for number in range(count):
        task = by_hash(candidate.tasks, str(candidate.id), number)
        turn = seen[task]
        seen[task] += 1
        out.append(
            PairDraw(
                purpose=Purpose.CANDIDATE,
                ordinal=number,
                task_id=task,
                candidate=_of(candidate, turn),
                baseline=tuple(baseline(turn * baseline_samples + n) for n in range(baseline_samples)),
            )
        )
    return tuple(out)


def one_pass(candidate: Candidate) -> tuple[PairDraw, ...]:
    """The draws of the paper's rules: every task once, in order, with one baseline rollout."""
    return tuple(
        PairDraw(
            purpose=Purpose.CANDIDATE,
            ordinal=n,
            task_id=task,
            candidate=_of(candidate, 0),
            baseline=(baseline(candidate.index),),
        )
        for n, task in enumerate(candidate.tasks)
    )


def confirming(
    candidate: Candidate, drawn: Sequence[Pair], wanting: Mapping[TaskId, int], count: int
) -> tuple[PairDraw, ...]:
    """The next draws of the confirmation round, at most `count`: the wanting tasks, in the order of the tasks.

    `drawn` are the pairs that the round rests on so far. One baseline rollout a pair: a task's own drop is asked about,
    and the live text's answers serve every candidate.
    """
    turns = Counter(p.task_id for p in drawn)
    again = Counter(p.task_id for p in drawn if p.confirms)
    wanted = [(task, n) for task in dict.fromkeys(candidate.tasks) for n in range(wanting.get(task, 0))]
    return tuple(
        PairDraw(
            purpose=Purpose.CONFIRMATION,
            ordinal=again.total() + place,
            task_id=task,
            candidate=_of(candidate, turns[task] + n),
            baseline=(Sample(purpose=Purpose.CONFIRMATION, ordinal=again[task] + n),),
        )
        for place, (task, n) in enumerate(wanted[:count])
    )


def baseline(ordinal: int) -> Sample:
    """A rollout of the live text, against which candidates are compared."""
    return Sample(purpose=Purpose.BASELINE, ordinal=ordinal)


def minibatch(tasks: Sequence[TaskId], size: int, seed: str) -> tuple[TaskId, ...]:
    """`size` tasks in an order fixed by `seed`."""
    return tuple(sorted(tasks, key=lambda t: hashlib.sha256(f"{seed}:{t}".encode()).digest())[:size])


def by_hash(tasks: Sequence[TaskId], seed: str, number: int) -> TaskId:
    """One task, uniformly, by hash of a seed and a number."""
    point = int.from_bytes(hashlib.sha256(f"{seed}:{number}".encode()).digest()[:8], "big")
    return tasks[point % len(tasks)]


def _of(candidate: Candidate, turn: int) -> Sample:
    """Under the candidate's index: a text under a new index is measured afresh."""
    return Sample(purpose=Purpose.CANDIDATE, series=candidate.index, ordinal=turn)
