"""Whose words the stored texts are, counted by where they came from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, Select, case, func, select

from harvesters.records import Origin, Role, SessionKind, ToolStatus
from sleepd.store import schema as t


class Voice(StrEnum):
    """Where a text came from. Up to `ANSWERED` a person said it, or stopped the agent."""

    TYPED = "typed"
    QUEUED = "queued"
    COMMAND = "command"
    SHELL = "shell"
    INTERRUPT = "interrupt"
    DENIAL_WORDS = "denial words"
    DENIAL_WITHOUT_WORDS = "denial without words"
    EDITED = "edited proposal"
    ANSWERED = "answered question"
    PLAN = "plan hand-over"
    HOOK = "hook"
    INJECTED = "injected by the client"
    SCRIPT = "prompt of a script"
    SUBAGENT = "prompt of an agent"
    OWN = "prompt of sleepd"
    REPLY = "reply"


_PERSONS = frozenset(list(Voice)[: list(Voice).index(Voice.ANSWERED) + 1])
_BY_KIND = {
    SessionKind.HEADLESS.value: Voice.SCRIPT,
    SessionKind.SUBAGENT.value: Voice.SUBAGENT,
    "own": Voice.OWN,
}
_BY_ORIGIN = {
    Origin.COMMAND: Voice.COMMAND,
    Origin.SHELL: Voice.SHELL,
    Origin.INTERRUPT: Voice.INTERRUPT,
    Origin.PLAN: Voice.PLAN,
    Origin.HOOK: Voice.HOOK,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceCount:
    """The texts of one agent that came from one source."""

    agent: str
    voice: Voice
    texts: int
    characters: int

    @property
    def by_a_person(self) -> bool:
        return self.voice in _PERSONS


def voices(connection: Connection) -> tuple[VoiceCount, ...]:
    """All stored texts by agent and source, in the order of `Voice`."""
    found = [_count(row, _voice_of_turn(row)) for row in connection.execute(_turns())]
    found += [_count(row, Voice(row.voice)) for row in connection.execute(_said_at_calls())]
    found += [_count(row, Voice.ANSWERED) for row in connection.execute(_answers())]
    sums: dict[tuple[str, Voice], VoiceCount] = {}
    for one in found:
        old = sums.get((one.agent, one.voice))
        sums[one.agent, one.voice] = VoiceCount(
            agent=one.agent,
            voice=one.voice,
            texts=one.texts + (old.texts if old else 0),
            characters=one.characters + (old.characters if old else 0),
        )
    order = list(Voice)
    return tuple(sorted(sums.values(), key=lambda one: (one.agent, order.index(one.voice))))


def _count(row: Row[Any], voice: Voice) -> VoiceCount:
    return VoiceCount(agent=row.agent, voice=voice, texts=int(row.texts), characters=int(row.characters or 0))


def _voice_of_turn(row: Row[Any]) -> Voice:
    origin = Origin(row.origin)
    if row.role == Role.ASSISTANT:
        return Voice.INJECTED if origin is Origin.INJECTED else Voice.REPLY
    if origin is Origin.PROMPT:
        own = Voice.QUEUED if row.queued else Voice.TYPED
        return _BY_KIND.get(row.kind, own)
    return _BY_ORIGIN.get(origin, Voice.INJECTED)


def _turns() -> Select[Any]:
    turn, session = t.turns.c, t.sessions.c
    return (
        select(
            session.agent,
            session.kind,
            turn.role,
            turn.origin,
            turn.queued,
            func.count().label("texts"),
            func.sum(func.length(turn.text)).label("characters"),
        )
        .join(t.sessions, session.id == turn.session_id)
        .group_by(session.agent, session.kind, turn.role, turn.origin, turn.queued)
    )


def _said_at_calls() -> Select[Any]:
    call, session = t.tool_calls.c, t.sessions.c
    denied = call.status == ToolStatus.DENIED
    voice = case(
        (call.feedback == "user-modified", Voice.EDITED.value),
        (call.feedback.is_not(None), Voice.DENIAL_WORDS.value),
        else_=Voice.DENIAL_WITHOUT_WORDS.value,
    ).label("voice")
    return (
        select(
            session.agent,
            voice,
            func.count().label("texts"),
            func.sum(
                case((voice == Voice.DENIAL_WORDS.value, func.length(func.coalesce(call.feedback, ""))), else_=0)
            ).label("characters"),
        )
        .join(t.sessions, session.id == call.session_id)
        .where(session.kind == SessionKind.INTERACTIVE, denied | call.feedback.is_not(None))
        .group_by(session.agent, voice)
    )


def _answers() -> Select[Any]:
    call, session = t.tool_calls.c, t.sessions.c
    return (
        select(
            session.agent,
            func.sum(func.json_array_length(call.answers)).label("texts"),
            func.sum(func.length(call.answers)).label("characters"),
        )
        .join(t.sessions, session.id == call.session_id)
        .where(session.kind == SessionKind.INTERACTIVE, call.answers.is_not(None))
        .group_by(session.agent)
    )
