"""Turns and tool calls while a log is being read: mutable until the reading is done.

A call and its result may lie in different readings of a growing log, and several records may tell how a call went.
`Calls` keeps both apart from the agents' formats.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import msgspec

from harvesters.records import (
    Answered,
    EventKind,
    FileChange,
    Origin,
    Role,
    SessionEvent,
    Tokens,
    ToolCall,
    ToolStatus,
    Turn,
)
from harvesters.values import clip as clipped

MAX_REMEMBERED_CALLS = 128
"""How many of the latest calls a cursor remembers: a result that comes later than that is taken for a new call."""
_LAST_CALLS = 8
NO_EVIDENCE = 9
"""The rank of a call of which nothing but its beginning is known; a lower rank is stronger evidence."""


@dataclass(slots=True)
class CallDraft:
    """One tool call and the strongest evidence so far of how it went."""

    id: str
    name: str = ""
    input: str = ""
    output: str | None = None
    status: ToolStatus = ToolStatus.UNANSWERED
    exit_code: int | None = None
    feedback: str | None = None
    answers: tuple[Answered, ...] = ()
    changes: tuple[FileChange, ...] = ()
    duration_ms: int | None = None
    subagent: str | None = None
    subagent_tokens: int | None = None
    rank: int = NO_EVIDENCE
    answered: bool = False
    """The agent's own record of the output was seen; what other records repeat of it is not needed."""
    returned: tuple[bool, bool] = (False, False)
    """Whether an earlier reading gave an output and a feedback."""

    def weigh(self, rank: int, status: ToolStatus, exit_code: int | None = None) -> None:
        """Take in one piece of evidence. A lower rank overrules, an equal one brings up to date."""
        if rank <= self.rank:
            self.rank, self.status = rank, status
            self.exit_code = exit_code if exit_code is not None else self.exit_code
        elif self.exit_code is None:
            self.exit_code = exit_code

    def answer(self, output: str | None, *, own: bool = True) -> None:
        """Take in an output text; one that is not the agent's `own` record of it only fills a gap."""
        if output is not None and (own or (not self.answered and self.output is None)):
            self.output = output
            self.answered = self.answered or own

    @property
    def erases(self) -> bool:
        """True when this result of an earlier call lacks what was returned with it: results replace each other."""
        output, feedback = self.returned
        return (output and self.output is None) or (feedback and self.feedback is None)

    def frozen(self, limit: int) -> ToolCall:
        return ToolCall(
            id=self.id,
            name=self.name,
            input=clipped(self.input, limit),
            output=None if self.output is None else clipped(self.output, limit),
            status=self.status,
            exit_code=self.exit_code,
            feedback=None if self.feedback is None else clipped(self.feedback, limit),
            answers=self.answers,
            changes=tuple(
                change if change.patch is None else replace(change, patch=clipped(change.patch, limit))
                for change in self.changes
            ),
            duration_ms=self.duration_ms,
            subagent=self.subagent,
            subagent_tokens=self.subagent_tokens,
        )


@dataclass(slots=True)
class TurnDraft:
    """One turn that still grows."""

    id: str
    position: int
    role: Role
    origin: Origin
    text: str = ""
    at: datetime | None = None
    model: str | None = None
    cwd: str | None = None
    branch: str | None = None
    abandoned: bool = False
    queued: bool = False
    source_id: str | None = None
    stream: str = ""
    """Which of several records that tell the same thing this turn was made from."""
    calls: list[CallDraft] = field(default_factory=list)
    tokens: Tokens = field(default_factory=Tokens)
    continues: bool = False
    """An earlier reading returned the turn's beginning."""

    @property
    def worth_telling(self) -> bool:
        """False for a turn that was only held ready for calls that never came."""
        return (
            bool(self.text or self.calls)
            or (self.continues and self.tokens != Tokens())
            or self.origin is Origin.INTERRUPT
        )

    def frozen(self, limit: int) -> Turn:
        return Turn(
            id=self.id,
            position=self.position,
            role=self.role,
            origin=self.origin,
            text=clipped(self.text, limit),
            at=self.at,
            model=self.model,
            cwd=self.cwd,
            branch=self.branch,
            abandoned=self.abandoned,
            tool_calls=tuple(call.frozen(limit) for call in self.calls),
            queued=self.queued,
            source_id=self.source_id,
            tokens=self.tokens,
        )


class Calls:
    """The calls of one reading, and those of earlier readings whose results may still come."""

    def __init__(self, remembered: dict[str, list[Any]] | None = None) -> None:
        self.here: dict[str, CallDraft] = {}
        self.late: dict[str, CallDraft] = {}
        """Calls of earlier readings about which this reading brought something."""
        self._earlier = dict(remembered or {})

    def begin(self, call: CallDraft) -> bool:
        """Take up a new call. False, and nothing done, when its id is known already."""
        if call.id in self.here or call.id in self._earlier:
            return False
        self.here[call.id] = call
        return True

    def find(self, call_id: str | None) -> CallDraft | None:
        """The draft that evidence about `call_id` belongs to; a late one when an earlier reading returned the call."""
        if call_id is None:
            return None
        known = self.here.get(call_id) or self.late.get(call_id)
        if known is None and call_id in self._earlier:
            rank, status, exit_code, answered, gave_output, gave_feedback = self._earlier[call_id]
            known = self.late[call_id] = CallDraft(
                id=call_id,
                rank=rank,
                status=ToolStatus(status),
                exit_code=exit_code,
                answered=answered,
                returned=(bool(gave_output), bool(gave_feedback)),
            )
        return known

    @property
    def waiting(self) -> bool:
        """True while one of the last calls has no result."""
        return any(not call.answered for call in itertools.islice(reversed(self.here.values()), _LAST_CALLS))

    @property
    def incomplete(self) -> bool:
        """True when a late result would erase part of an earlier one: the file then has to be read whole."""
        return any(call.erases for call in self.late.values())

    def remembered(self) -> dict[str, list[Any]]:
        """What the next reading must know of each call, by its id."""
        merged = dict(self._earlier)
        for call in (*self.late.values(), *self.here.values()):
            gave = (call.output is not None, call.feedback is not None)
            merged[call.id] = [call.rank, call.status.value, call.exit_code, call.answered, *gave]
        return dict(list(merged.items())[-MAX_REMEMBERED_CALLS:])


class Happenings:
    """The events of one reading."""

    def __init__(self) -> None:
        self._events: list[SessionEvent] = []

    def add(self, kind: EventKind, position: int, at: datetime | None, **told: Any) -> None:
        """Note one event; `told` are further fields of `SessionEvent`."""
        self._events.append(SessionEvent(kind=kind, position=position, at=at, **told))

    def frozen(self, limit: int) -> tuple[SessionEvent, ...]:
        """The events in order, no text longer than `limit`."""
        return tuple(
            event if event.text is None else replace(event, text=clipped(event.text, limit)) for event in self._events
        )

    def clear(self) -> None:
        self._events.clear()


def freeze_turns(turns: Iterable[TurnDraft], limit: int) -> tuple[Turn, ...]:
    """Finished turns, without those that stayed empty."""
    return tuple(turn.frozen(limit) for turn in turns if turn.worth_telling)


def compact(value: object) -> str:
    """Compact JSON of any decoded JSON value."""
    return msgspec.json.encode(value).decode()
