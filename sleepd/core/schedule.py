"""Which rollouts a candidate's pairs are made of, fixed before the first of them (gate, promise 9).

Also what the numbers of samples mean: a sample's number tells what the rollout was made for.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sleepd.core.gate import Rule
from sleepd.core.model import CONFIRMING_DRAW, Candidate, Pair, TaskId

# The samples of a task under a text begin at these numbers. Each purpose has its own, so that what reflections saw is
# never evidence, and a number that was given once keeps its meaning in every database.
BASELINE_SAMPLES = range(1_000_000)
"""The live text's, against which candidates are compared; every candidate of this text uses the same ones."""
CONFIRMING_SAMPLE = 500_000
"""The second half of these is the confirmation round's."""
SAMPLES_PER_CANDIDATE = len(BASELINE_SAMPLES)
"""Those of the candidate with index t begin at t times this, see `first_sample`: a text under a new index is measured
afresh."""
TRAINING_SAMPLE = 900_000_000
"""Plus the step, plus `TRAINING_SAMPLES_APART` for each further rollout of the same task; on train tasks only."""
TRAINING_SAMPLES_APART = 1_000_000
COMPARING_SAMPLE = 930_000_000
"""Plus the epoch; train tasks under the first and the last text of an epoch."""
EVALUATION_SAMPLE = 940_000_000
"""Plus the number of the rollout; a text by itself, to say how good it is. Decides nothing."""
SEALED_SAMPLE = 950_000_000
"""Plus the candidate's index; on sealed tasks only."""
PROOF_SAMPLE = 960_000_000
"""The proof-run's own; on sealed tasks only."""
ATTRIBUTION_SAMPLE = 970_000_000
"""Plus the turn of the task; bundles and bundles without an edit, on validation tasks."""
CALIBRATION_SAMPLE = 980_000_000
"""Plus the turn of the task; the live text against itself, on validation tasks."""
DRIFT_SAMPLE = 2_000_000_000
"""Plus the number of the drift pair (`core.drift`); on validation tasks."""
LATER_CANDIDATES = 10_000_000_000
"""Those of candidates whose own numbers would run into the ranges above begin so much later."""


class Stage(StrEnum):
    """What a rollout was made for, as its number tells."""

    LIVE_TEXT = "live text"
    CANDIDATES = "candidates"
    LEARNING = "learning"
    """Train tasks, for reflections to read."""
    COMPARISON = "epochs compared"
    EVALUATION = "evaluation"
    SEALED = "sealed tasks"
    PROOF = "proof-run"
    ATTRIBUTION = "attribution"
    CALIBRATION = "calibration"
    DRIFT = "drift"


_STAGES = (
    (0, Stage.LIVE_TEXT),
    (SAMPLES_PER_CANDIDATE, Stage.CANDIDATES),
    (TRAINING_SAMPLE, Stage.LEARNING),
    (COMPARING_SAMPLE, Stage.COMPARISON),
    (EVALUATION_SAMPLE, Stage.EVALUATION),
    (SEALED_SAMPLE, Stage.SEALED),
    (PROOF_SAMPLE, Stage.PROOF),
    (ATTRIBUTION_SAMPLE, Stage.ATTRIBUTION),
    (CALIBRATION_SAMPLE, Stage.CALIBRATION),
    (DRIFT_SAMPLE, Stage.DRIFT),
    (LATER_CANDIDATES, Stage.CANDIDATES),
)


def first_sample(index: int) -> int:
    """Where the samples of the candidate with this index (from 1) begin."""
    first = index * SAMPLES_PER_CANDIDATE
    return first if first < TRAINING_SAMPLE else LATER_CANDIDATES + first


def stage(sample: int) -> Stage:
    """What a rollout with this number was made for."""
    return next(stage for first, stage in reversed(_STAGES) if sample >= first)


def of_candidate(sample: int) -> bool:
    """Whether a rollout with this number was made for a candidate's pair: its outcome stands, whatever it is."""
    return stage(sample) is Stage.CANDIDATES


def of_live_text(sample: int) -> bool:
    """Whether a rollout with this number was made under the live text alone."""
    return sample in BASELINE_SAMPLES or TRAINING_SAMPLE <= sample < SEALED_SAMPLE or stage(sample) is Stage.DRIFT


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """One pair to be measured."""

    number: int
    """From 0."""
    task_id: TaskId
    candidate_sample: int
    baseline_samples: tuple[int, ...]
    """Fresh to this candidate; another candidate of the same base may use the same ones."""


def draws(candidate: Candidate, count: int, baseline_samples: int, rule: Rule) -> tuple[Draw, ...]:
    """The candidate's first `count` draws; asking for more later gives the same ones first.

    Tasks are drawn uniformly by hash, with replacement. Under the paper's rules every task comes once, in order, with
    one baseline rollout, and `count` is cut to that.
    """
    if rule is not Rule.EVIDENCE:
        return _one_pass(candidate)
    seen: Counter[TaskId] = Counter()
    out = []
    for number in range(count):
        task = _task(candidate, number)
        turn = seen[task]
        seen[task] += 1
        first = turn * baseline_samples
        out.append(
            Draw(
                number=number,
                task_id=task,
                candidate_sample=first_sample(candidate.index) + turn,
                baseline_samples=tuple(range(first, first + baseline_samples)),
            )
        )
    return tuple(out)


def confirming(
    candidate: Candidate, drawn: Sequence[Pair], wanting: Mapping[TaskId, int], count: int
) -> tuple[Draw, ...]:
    """The next draws of the confirmation round, at most `count`: what each task wants, in the order of the tasks.

    `drawn` are the pairs that the round rests on so far. One baseline rollout a pair: a task's own drop is asked about,
    and the live text's answers serve every candidate.
    """
    turns = Counter(p.task_id for p in drawn)
    again = Counter(p.task_id for p in drawn if p.confirms)
    number = CONFIRMING_DRAW + again.total()
    wanted = [(task, n) for task in dict.fromkeys(candidate.tasks) for n in range(wanting.get(task, 0))]
    return tuple(
        Draw(
            number=number + place,
            task_id=task,
            candidate_sample=first_sample(candidate.index) + turns[task] + n,
            baseline_samples=(CONFIRMING_SAMPLE + again[task] + n,),
        )
        for place, (task, n) in enumerate(wanted[:count])
    )


def minibatch(tasks: Sequence[TaskId], size: int, seed: str) -> tuple[TaskId, ...]:
    """`size` tasks in an order fixed by `seed`."""
    return tuple(sorted(tasks, key=lambda t: hashlib.sha256(f"{seed}:{t}".encode()).digest())[:size])


def _task(candidate: Candidate, number: int) -> TaskId:
    point = int.from_bytes(hashlib.sha256(f"{candidate.id}:{number}".encode()).digest()[:8], "big")
    return candidate.tasks[point % len(candidate.tasks)]


def _one_pass(candidate: Candidate) -> tuple[Draw, ...]:
    sample = first_sample(candidate.index)
    return tuple(
        Draw(number=n, task_id=task, candidate_sample=sample, baseline_samples=(candidate.index,))
        for n, task in enumerate(candidate.tasks)
    )
