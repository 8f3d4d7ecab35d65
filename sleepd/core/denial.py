"""Denials without words: what a person refuses to let the agent do teaches by what it was."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlsplit

from sleepd.core.command import commands
from sleepd.core.episode import Call, Episode
from sleepd.core.fault import line_of
from sleepd.core.signal import Signal, SignalKind

# To leave planning, or a question unanswered, is a choice between ways to work.
_MODES = frozenset(
    {"exitplanmode", "enterplanmode", "askuserquestion", "ask_user", "request_user_input", "exit_plan_mode"}
)


def denials(episodes: Sequence[Episode]) -> tuple[Signal, ...]:
    """The calls that were refused without words, in order.

    The key is runner, program and verb of the command (`mise run test:ci`), or the tool with the file, the kind of
    sub-agent or the host that it named. Of a line of several commands the one counts that is refused alone elsewhere,
    else the last that does something.
    """
    refused = [
        (episode, call)
        for episode in episodes
        for call in episode.calls
        if call.denied and not call.denial and call.tool.casefold() not in _MODES
    ]
    alone = Counter(names[0] for _, call in refused if len(names := _names(call)) == 1)
    found = []
    for episode, call in refused:
        names = _names(call)
        if names:
            found.append(
                Signal(
                    kind=SignalKind.DENIAL,
                    session=episode.session,
                    turn=call.turn,
                    episode=episode.number,
                    at=episode.at,
                    key=max(reversed(names), key=lambda name: alone[name]),
                    text=line_of(call),
                    calls=1,
                    turns=1,
                )
            )
    return tuple(found)


def _names(call: Call) -> list[str]:
    if call.command is not None:
        line = commands(call.command)
        acting = [command.name for command in line if not command.reads] or [command.name for command in line]
        return list(dict.fromkeys(acting))
    if call.paths:
        return [f"{call.tool} {call.paths[0]}"]
    try:
        given = json.loads(call.input)
    except ValueError:
        given = {}
    if isinstance(given, dict):
        for key in ("subagent_type", "skill"):
            if isinstance(given.get(key), str):
                return [f"{call.tool} {given[key]}"]
        if isinstance(given.get("url"), str):
            return [f"{call.tool} {urlsplit(given['url']).hostname or ''}".strip()]
    return [call.tool]
