"""Signals: single observed facts of an episode that may teach something. Lessons are made of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sleepd.core.model import SessionId


class SignalKind(StrEnum):
    """What was observed."""

    CORRECTION = "correction"
    """The person said that something was wrong."""
    REFINEMENT = "refinement"
    """The person asked for the same work in another way."""
    DENIAL = "denial"
    """The person refused a call without words; with words it is a correction."""
    FOLLOW_UP = "follow-up"
    """After finished work the person asked for a further step."""
    FAILURE = "failure"
    """A call failed, with an error that has a name."""
    REPAIR = "repair"
    """A call failed, was made again in another way, and worked."""
    EVIDENCE = "evidence"
    """The person pasted a fault that was found outside: a review comment, a log of CI."""
    UNDONE = "undone"
    """A later exchange took out lines that this one had written, after the person spoke."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One observed fact with its place in the transcript."""

    kind: SignalKind
    session: SessionId
    turn: str
    """The transcript's own id of the line the fact is about: the person's turn, or the reply that made the call."""
    episode: int
    """The number of the episode within its session."""
    at: datetime | None
    key: str
    """Signals of one kind with the same key are the same observation made again, e.g. the failing and the working call.
    Empty for words, which are grouped by nearness."""
    text: str
    """The person's own words, or the failed call with its error: what can be quoted."""
    remedy: str = ""
    """Of a repair: the call that worked. Of a follow-up: what the agent ran then. Empty when unknown."""
    probability: float = 1.0
    """That the fact is what its kind says; below 1 for signals read from words."""
    calls: int = 0
    """Calls that the fact cost."""
    minutes: float = 0.0
    turns: int = 0
    """Turns of the person that the fact cost."""
    tokens: int | None = None
    """Fresh tokens that the fact cost (`Tokens.fresh`); None when unknown."""


def known_sum(counts: Iterable[int | None]) -> int | None:
    """The sum of those that are known; None where none is."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None
