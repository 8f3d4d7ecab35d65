"""What `sleepd init` found and made."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAgent:
    """An agent and how many transcripts of it were found."""

    name: str
    transcripts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class InitResult:
    """What there is now."""

    agents: tuple[FoundAgent, ...]
    config_made: bool
    database_made: bool
    chosen: dict[str, object]
    """What was written into the settings file, new or there before, `section.key` -> value."""
    model_chosen: bool
    """Whether a model is set: nothing chooses one for the user."""
    window_chosen: bool
    """Whether it is settled how far back to read and what to spend."""
