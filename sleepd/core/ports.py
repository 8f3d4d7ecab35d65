"""The holes that adapters plug into. A port exists because at least two adapters do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sleepd.core.model import Cause

Vectors = npt.NDArray[np.float32]


class Purpose(StrEnum):
    """What a call is for; budgets and reports are kept by purpose."""

    ROLLOUT = "rollout"
    REFLECT = "reflect"
    TRIGGER = "trigger"
    """Which skills would be loaded for a request."""
    PREFLIGHT = "preflight"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request to a model."""

    purpose: Purpose
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


class Model(Protocol):
    """A language model. `ask` never raises for what a provider does, and may be called from several threads."""

    @property
    def key(self) -> str:
        """Provider, model, version and parameters: equal keys mean exchangeable replies."""
        ...

    def ask(self, ask: Ask) -> Reply | Failure: ...


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
