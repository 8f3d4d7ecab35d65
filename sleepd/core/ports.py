"""The holes that adapters plug into. A port exists because at least two adapters do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sleepd.core.model import CallUsage, Cause, Digest, RolloutKey, Score, Task, Unscored

Vectors = npt.NDArray[np.float32]
HalfVectors = npt.NDArray[np.float16]
"""As vectors are stored: a cosine of them errs by less than 0.0005."""


class CallPurpose(StrEnum):
    """What a call is for; budgets and reports are kept by purpose."""

    ROLLOUT = "rollout"
    REFLECT = "reflect"
    TRIGGER = "trigger"
    """Which skills would be loaded for a request."""
    READ = "read"
    """What a person's turns are, and which lessons they hold."""
    PREFLIGHT = "preflight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request to a model."""

    purpose: CallPurpose
    system: str
    prompt: str
    sample: int = 0
    """Tells repeated draws of the same prompt apart; a provider with a seed parameter receives it."""
    max_tokens: int = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The model answered. `text` is never empty."""

    text: str
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    """None when the model has no known price."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The model did not answer. Never raised, never an empty text."""

    cause: Cause
    message: str
    """One line for the user, with the remedy."""
    retry_at: datetime | None = None
    """When a limit resets, as the provider states it."""
    asked: bool = True
    """False: it was clear beforehand that it could not answer, and no request left the machine."""
    waiting: int = 0
    """Of `Cause.WAITING`: how many prompts wait for somebody's answer, this one included."""


class Model(Protocol):
    """A language model. `ask` never raises for what a provider does, and may be called from several threads."""

    @property
    def key(self) -> str:
        """Provider, model, version and parameters: equal keys mean exchangeable replies."""
        ...

    def ask(self, ask: Ask) -> Reply | Failure: ...


class Criteria(Protocol):
    """What an outcome is judged by: a plain value, which can be pickled."""

    @property
    def judge(self) -> str:
        """The name that the judge is registered under, in the entry-point group `sleepd.judges`."""
        ...

    @property
    def identity(self) -> Digest:
        """Equal ones mean exchangeable scores; the judge's version is part of it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutRequest:
    """A rollout that is wanted: a plain value, which can be pickled and sent to another process or machine."""

    key: RolloutKey
    """`key.replay` names the replayer."""
    task: Task
    text: str
    """The text under trial, whole, with the files that it names."""
    criteria: Criteria
    max_tokens: int
    """Of the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallMade:
    """A tool call that a replay came to."""

    name: str
    arguments: str
    """As JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayOutcome:
    """What was done when a piece of work was replayed."""

    answer: str
    """The agent's words; never empty for a text replay."""
    calls: tuple[CallMade, ...] = ()
    diff: str | None = None
    """The change of the worktree; None where there is none."""
    usage: CallUsage = field(default_factory=CallUsage)


class Replayer(Protocol):
    """Does a piece of work again under a text. Registered as `sleepd.replayers`: from the task model to a replayer.

    May be called from several threads; one that can be pickled may be called in other processes.
    """

    def replay(self, request: RolloutRequest) -> ReplayOutcome | Failure:
        """What was done. Never raises for what a model or a sandbox does: that is a `Failure`."""
        ...


class Judge(Protocol):
    """Values what was done. Registered as `sleepd.judges`: from the reflection model to a judge."""

    def judge(self, request: RolloutRequest, outcome: ReplayOutcome) -> Score | Unscored | Failure:
        """The score; `Unscored` for an outcome that cannot be valued, `Failure` when the judge could not be asked."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors of length 1. Equal `key`s mean comparable vectors."""

    @property
    def key(self) -> str: ...

    @property
    def english_only(self) -> bool: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), dimensions), rows of length 1."""
        ...

    def close(self) -> None:
        """Give back the process and its memory; `encode` afterwards starts it anew."""
        ...
