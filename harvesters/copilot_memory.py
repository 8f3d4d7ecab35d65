"""What reading GitHub Copilot's events must keep in mind from one reading to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from harvesters.decode import loads
from harvesters.drafts import compact
from harvesters.records import Tokens

_FORMAT = 1
METRICS = ("inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens")


@dataclass(slots=True)
class Memory:
    """Everything a continuing reading has to know of the earlier ones."""

    format: int = _FORMAT
    id: str | None = None
    parent: str | None = None
    cwd: str | None = None
    branch: str | None = None
    commit: str | None = None
    mode: str | None = None
    """What the agent may do without asking."""
    asks: bool = False
    """The system prompt tells the agent how to ask the user."""
    version: str | None = None
    started: str | None = None
    model: str | None = None
    models: list[str] = field(default_factory=list)
    count: int = 0
    """Turns made so far, for those without an id."""
    reply: list[Any] | None = None
    """Id and position of the reply that calls belong to."""
    seen: list[str] = field(default_factory=list)
    briefs: list[str] = field(default_factory=list)
    """Digests of the prompts that the agent gave to sub-agents."""
    requests: dict[str, str] = field(default_factory=dict)
    """The call that a permission was asked for, by the request's id."""
    said: int = 0
    """Output tokens of all messages."""
    ended: dict[str, int] = field(default_factory=dict)
    """What the runs stated when they ended."""
    recorded: dict[str, int] = field(default_factory=dict)
    """Sums over the records of single model calls, which newer versions write."""
    kind: str | None = None
    calls: dict[str, list[Any]] = field(default_factory=dict)
    begun: bool = False
    """True once a turn was returned: what follows adds to a session."""

    def state(self) -> dict[str, str]:
        return {"memory": compact(asdict(self))}

    def tokens(self) -> Tokens:
        """Spent so far: by the records of single calls or by what the runs stated, whichever tells of more (a session
        may be older than the records, and a live one was not ended); else the messages' output alone.

        The tool's own database holds figures for each call too; harvesters open no databases, so it is not asked.
        """
        told = max(self.recorded, self.ended, key=lambda sums: sum(sums.values()))
        if not (self.recorded or self.ended):
            return Tokens(output=self.said or None)
        read, written = told.get("cacheReadTokens", 0), told.get("cacheWriteTokens", 0)
        return Tokens(
            input=max(0, told.get("inputTokens", 0) - read - written),
            output=max(told.get("outputTokens", 0), self.said),
            cache_read=read,
            cache_write=written,
        )


def remembered(state: Mapping[str, str]) -> Memory | None:
    """The memory in a cursor's state; None when it is not one that this version wrote."""
    value = loads(state.get("memory", "").encode())
    if not isinstance(value, dict) or value.get("format") != _FORMAT:
        return None
    return Memory(**value) if {item.name for item in fields(Memory)} == set(value) else None
