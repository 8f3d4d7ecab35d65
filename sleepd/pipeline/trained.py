"""What training leaves behind, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sleepd.core.model import CandidateOrigin, Digest, RunId, Unmatched
from sleepd.pipeline.compare import TaskComparison
from sleepd.pipeline.evaluate import Evaluation, MeanScore
from sleepd.store.proposals import Trial


class StepKind(StrEnum):
    """What a step is."""

    STEP = "step"
    SLOW_UPDATE = "slow-update"
    APPENDIX = "appendix"
    COMPACTION = "compaction"
    """A shorter text, where the present one leaves no room for more."""


class StepOutcome(StrEnum):
    """What became of a step."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"
    FORCED = "forced"
    NOTHING = "nothing"
    """There was nothing to try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedText:
    """A text that was the present one."""

    address: Digest
    step: int
    """The step it came with; 0 for the one that training began with."""
    origin: CandidateOrigin | None
    """None for the one that training began with."""
    gated: bool
    """It was accepted on evidence against the present text before it."""
    validation: MeanScore


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step, or the end of an epoch, which is one or two steps of its own."""

    number: int
    """From 1 over the whole run."""
    epoch: int
    kind: StepKind
    edit_budget: int | None
    base: Digest
    text: Digest
    """The present text after it."""
    outcome: StepOutcome
    validation: MeanScore
    """Of `text`."""
    train: MeanScore | None
    """Of `base` over the minibatch."""
    trials: tuple[Trial, ...]
    unmatched: tuple[Unmatched, ...]
    problems: tuple[str, ...]
    run: RunId
    """What its calls and pairs are kept under."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Epoch:
    """An epoch that ended."""

    number: int
    steps: tuple[int, ...]
    first: Digest
    last: Digest
    """The present text after its last step proper, before the slow update."""
    compared: tuple[TaskComparison, ...]
    notes: str
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """What came of a run so far."""

    texts: tuple[TrainedText, ...]
    best: TrainedText
    steps: tuple[Step, ...]
    epochs: tuple[Epoch, ...]
    stopped_early: bool = False
    test: tuple[Evaluation, Evaluation] | None = None
    """The sealed tasks under the first and the best text; None until the end, or without such tasks."""
