"""Three people with house rules that their agents do not know.

A persona has families of recurring work. Each family has rules: what an answer looks like when the rule is kept and
when it is broken, how the person words it, how often an agent keeps it unasked (the base rate), and the word stems by
which an agent recognises it in a skill text. Only the simulated model and the proof-run import this module.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType


class Slot(StrEnum):
    """Where in an answer a rule shows."""

    HEAD = "head"
    BODY = "body"
    LINE = "line"
    TAIL = "tail"


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseRule:
    """A house rule of one family."""

    key: str
    slot: Slot
    kept: str
    """What the answer says when the rule is kept; `{field}` is filled in."""
    broken: str
    """What it says instead; "" for nothing."""
    stems: frozenset[str]
    """A sentence that holds all of these word stems is about this rule."""
    wordings: tuple[str, ...]
    base: float
    """Probability that an agent keeps the rule without being told."""
    forbids: bool = False
    """The rule is worded as a ban: a sentence about it counts for it when it negates."""
    unworded: bool = False
    """When it is broken the person only says that something is missing; the wording stands in other sessions."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Family:
    """One kind of recurring work."""

    key: str
    requests: tuple[str, ...]
    """`{details}` stands for what differs from time to time."""
    marker: str
    """A pattern that tells a request of this family."""
    details: str
    """How the fields are written in a request."""
    pattern: str
    """Finds the fields in a request, as named groups."""
    fields: dict[str, tuple[str, ...]]
    title: str
    body: tuple[str, ...]
    rules: tuple[HouseRule, ...]
    checker: str
    """The command that some sessions run on the answer."""
    share: float
    """Share of the person's sessions."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Persona:
    """A person, the agents used, and what else lies in the project."""

    name: str
    project: str
    agents: dict[str, int]
    """Agent -> weight."""
    families: tuple[Family, ...]
    chatter: tuple[str, ...]
    """Work that does not recur."""
    skill: str | None = None
    """Name of a skill of the project that is active in the work; None: there is none yet."""
    skill_text: str = ""
    poisons: tuple[str, str] = field(default=("", ""))
    """A sentence planted in a tool result, and one in a user's turn; each also holds a real rule."""


@lru_cache(maxsize=8_192)
def family_of(who: Persona, request: str) -> Family | None:
    """The family a request belongs to; None for work that does not recur."""
    return next((f for f in who.families if re.search(f.marker, request, re.IGNORECASE)), None)


@lru_cache(maxsize=8_192)
def fields_of(family: Family, request: str) -> Mapping[str, str] | None:
    """What differs from time to time, read out of a request; None when it cannot be found."""
    found = re.search(family.pattern, request)
    return MappingProxyType(found.groupdict()) if found else None
