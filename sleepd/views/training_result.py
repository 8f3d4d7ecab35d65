"""The result of a training run, and of scoring one text on a task set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sleepd.core.model import Split
from sleepd.models.metered import Spending
from sleepd.pipeline.evaluate import Evaluated
from sleepd.pipeline.trained import Trained
from sleepd.store.tasks import StoredTask


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingResult:
    """A finished run."""

    out: Path
    trained: Trained
    spending: Spending
    notes: tuple[str, ...]
    """Notes for the user about the task set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationResult:
    """A text on one side of a task set."""

    split: Split
    tasks: tuple[StoredTask, ...]
    found: Evaluated
    spending: Spending
