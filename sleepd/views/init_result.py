"""The result of `sleepd init`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAgent:
    """An agent and how many transcripts of it were found."""

    name: str
    transcripts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundModel:
    """An adapter that could work at once."""

    name: str
    """What `model.name` would be."""
    price: str
    """Who pays for its calls, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InitResult:
    """The state after the first steps."""

    agents: tuple[FoundAgent, ...]
    config_made: bool
    database_made: bool
    chosen: dict[str, object]
    """The values in the settings file, new or there before, `section.key` -> value."""
    model_chosen: bool
    """Whether a model is set: nothing chooses one for the user."""
    models: tuple[FoundModel, ...]
    """What could be chosen without another login or key; empty once a model is set."""
    window_chosen: bool
    """Whether the harvest window and a budget are set."""
