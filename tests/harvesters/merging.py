"""Puts readings of one file together as a store has to, by the rules that `harvesters.records` states."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from harvesters.records import Reading, ToolCall, Turn

_REPLACED = ("output", "status", "exit_code", "feedback")
_ADDED = ("answers", "changes", "duration_ms", "subagent", "subagent_tokens", "result_id")


def merged_turns(readings: Iterable[Reading]) -> tuple[Turn, ...]:
    """The turns of a file after all its readings, by position."""
    turns: dict[str, Turn] = {}
    for reading in readings:
        if reading.whole:
            turns = {}
        if reading.session is None:
            continue
        for turn in reading.session.turns:
            turns[turn.id] = _joined(turns[turn.id], turn) if turn.id in turns else turn
        late = {call.id: call for call in reading.session.late_results}
        if late:
            turns = {identity: _answered(turn, late) for identity, turn in turns.items()}
    return tuple(sorted(turns.values(), key=lambda turn: turn.position))


def _joined(turn: Turn, more: Turn) -> Turn:
    return replace(
        turn,
        text=turn.text + more.text,
        tool_calls=turn.tool_calls + more.tool_calls,
        skill=more.skill or turn.skill,
        abandoned=more.abandoned,
    )


def _answered(turn: Turn, late: dict[str, ToolCall]) -> Turn:
    calls = tuple(_completed(call, late[call.id]) if call.id in late else call for call in turn.tool_calls)
    return replace(turn, tool_calls=calls)


def _completed(call: ToolCall, late: ToolCall) -> ToolCall:
    told = {name: value for name in _ADDED if (value := getattr(late, name)) not in (None, ())}
    return replace(call, **{name: getattr(late, name) for name in _REPLACED}, **told)
