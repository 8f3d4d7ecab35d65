"""Whose session a Claude Code transcript is: a person's, a script's or a sub-agent's."""

from __future__ import annotations

from harvesters.claude_memory import Memory
from harvesters.claude_records import Record, origin_kind
from harvesters.records import SessionKind


class Sides:
    """Tells the lines of a session from those of its sub-agents."""

    def __init__(self, stem: str, memory: Memory, *, has_inline_agents: bool) -> None:
        self.has_inline_agents = has_inline_agents
        """True for a main file in which lines of sub-agents stand too, as clients up to 1.x wrote them."""
        self.entrypoint: str | None = None
        self._stem = stem
        self._memory = memory

    @property
    def is_agent(self) -> bool:
        """The file is a sub-agent's."""
        return self._memory.kind == SessionKind.SUBAGENT

    @property
    def bare_stem(self) -> str:
        """The file's name without what marks it as a sub-agent's."""
        return self._stem.removeprefix("agent-")

    def decide(self, record: Record, *, said_before: bool) -> None:
        """The first thing said tells whether the file is a sub-agent's."""
        memory = self._memory
        if self.is_agent:
            if not record.is_sidechain and not self._stem.startswith("agent-"):
                self.has_inline_agents = True
        elif memory.parent is None and not said_before:
            if record.is_sidechain and not self.has_inline_agents:
                memory.agent = record.agent_id or self.bare_stem
                memory.parent = record.session_id
                memory.kind = SessionKind.SUBAGENT
            elif record.session_id != self._stem and _is_uuid(record.session_id) and _is_uuid(self._stem):
                memory.parent = record.session_id

    def is_side(self, record: Record) -> bool:
        """Up to 1.x the sub-agents wrote into the main file: their lines are no part of its conversation."""
        return bool(record.is_sidechain) and not self.is_agent

    def kind(self) -> SessionKind:
        """Who drove the session."""
        if self._memory.kind is not None:
            return SessionKind(self._memory.kind)
        return SessionKind.HEADLESS if (self.entrypoint or "").startswith("sdk-") else SessionKind.INTERACTIVE


def driver(record: Record) -> str:
    """Who wrote a session's first prompt. An editor drives the SDK too, but says that a person typed."""
    typed = origin_kind(record.origin) == "human" or record.prompt_source == "typed"
    if typed or (record.uuid or "").startswith("request_"):
        return SessionKind.INTERACTIVE
    scripted = record.prompt_source == "sdk" or (record.entrypoint or "").startswith("sdk-")
    return SessionKind.HEADLESS if scripted else SessionKind.INTERACTIVE


def _is_uuid(value: str | None) -> bool:
    return value is not None and len(value) == 36 and value.count("-") == 4
