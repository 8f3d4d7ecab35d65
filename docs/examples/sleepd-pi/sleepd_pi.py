"""The sessions of the coding agent Pi: one JSONL file each, below `~/.pi/agent/sessions`.

The first line is a header with id and folder; each following one is an entry of the conversation's tree. An example of
a harvester in a package of its own: it reads every file whole when it changed, which the port allows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from harvesters.drafts import CallDraft, TurnDraft, compact, freeze_turns
from harvesters.drift import RecordTally
from harvesters.jsonl import Change, open_log
from harvesters.records import (
    Cursor,
    Origin,
    Reading,
    Role,
    Session,
    SessionKind,
    SkillPlaces,
    Tokens,
    ToolStatus,
)
from harvesters.values import flag, integer, mapping, moment, sequence, text

KNOWN = frozenset(
    {
        *("session", "message", "model_change", "thinking_level_change", "compaction", "branch_summary"),
        *("custom", "custom_message", "label", "session_info"),
    }
)


class Pi:
    """Reads what Pi writes."""

    agent = "pi"
    places = SkillPlaces(home_variable="PI_CODING_AGENT_DIR", home_folder=".pi/agent", project_skills=".pi/skills")

    def find(self, env: Mapping[str, str], home: Path) -> Iterable[Path]:  # noqa: ARG002 - the port's signature
        """The sessions of all folders, in the order of their names."""
        return sorted((home / ".pi" / "agent" / "sessions").glob("*/*.jsonl"))

    def recognises(self, path: Path) -> bool:
        """Whether a file that a person named is one of Pi's."""
        with open_log(path) as log:
            first = next((record for _, record in log.objects()), {})
        return first.get("type") == "session" and "cwd" in first and "id" in first

    def read(self, path: Path, cursor: Cursor | None = None, *, clip: int = 16_512) -> Reading:
        """Read one session whole, unless it is unchanged."""
        with open_log(path, cursor) as log:
            if log.change in (Change.UNCHANGED, Change.UNREADABLE):
                return log.nothing()
            log.change, log.start = Change.WHOLE, 0
            found = Conversation(path.stem)
            for offset, record in log.objects():
                found.take(offset, record)
            return Reading(
                session=found.session(clip),
                defects=tuple(log.defects),
                cursor=log.cursor(),
                bytes_read=log.bytes_read,
                records=found.tally.counts(),
            )


class Conversation:
    """Gathers the turns of one session."""

    def __init__(self, name: str) -> None:
        self.head: dict[str, Any] = {}
        self.tally = RecordTally()
        self._name = name
        self._turns: list[TurnDraft] = []
        self._calls: dict[str, CallDraft] = {}
        self._models: dict[str, None] = {}
        self._tokens = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite"), 0)

    def take(self, offset: int, record: dict[str, Any]) -> None:
        """Take in the line at `offset`."""
        kind = text(record, "type")
        self.tally.note(None, None if kind in KNOWN else kind or "no type")
        if kind == "session" and not self.head:
            self.head = record
        elif kind == "message":
            self._message(offset, record, mapping(record, "message"))

    def session(self, limit: int) -> Session | None:
        """The session; None when nothing was said."""
        turns = freeze_turns(self._turns, limit)
        if not turns:
            return None
        times = [turn.at for turn in turns if turn.at is not None]
        return Session(
            agent=Pi.agent,
            id=text(self.head, "id") or self._name,
            kind=SessionKind.INTERACTIVE,
            cwd=text(self.head, "cwd"),
            started_at=moment(self.head.get("timestamp")) or min(times, default=None),
            ended_at=max(times, default=None),
            models=tuple(self._models),
            tokens=Tokens(
                input=self._tokens["input"],
                output=self._tokens["output"],
                cache_read=self._tokens["cacheRead"],
                cache_write=self._tokens["cacheWrite"],
            ),
            turns=turns,
        )

    def _message(self, offset: int, record: dict[str, Any], message: dict[str, Any]) -> None:
        role = text(message, "role")
        if role == "user":
            self._add(offset, record, Role.USER, Origin.PROMPT, _words(message))
        elif role == "bashExecution":
            self._add(offset, record, Role.USER, Origin.SHELL, text(message, "command") or "")
        elif role == "assistant":
            self._reply(offset, record, message)
        elif role == "toolResult":
            call = self._calls.get(text(message, "toolCallId") or "")
            if call is not None:
                call.answer(_words(message))
                call.status = ToolStatus.ERROR if flag(message, "isError") else ToolStatus.OK

    def _reply(self, offset: int, record: dict[str, Any], message: dict[str, Any]) -> None:
        turn = self._add(offset, record, Role.ASSISTANT, Origin.REPLY, _words(message))
        turn.model = text(message, "model")
        if turn.model:
            self._models[turn.model] = None
        for name in self._tokens:
            self._tokens[name] += integer(mapping(message, "usage"), name) or 0
        for block in sequence(message, "content"):
            identifier = text(block, "id")
            if text(block, "type") == "toolCall" and identifier and identifier not in self._calls:
                call = CallDraft(
                    id=identifier, name=text(block, "name") or "tool", input=compact(mapping(block, "arguments"))
                )
                self._calls[identifier] = call
                turn.calls.append(call)

    def _add(self, offset: int, record: dict[str, Any], role: Role, origin: Origin, words: str) -> TurnDraft:
        position = max(offset, self._turns[-1].position + 1 if self._turns else 0)
        identifier = text(record, "id")
        if identifier is None or any(turn.id == identifier for turn in self._turns):
            identifier = f"{self._name}:{position}"
        turn = TurnDraft(
            id=identifier,
            position=position,
            role=role,
            origin=origin,
            text=words,
            at=moment(record.get("timestamp")),
            cwd=text(self.head, "cwd"),
            source_id=text(record, "id"),
        )
        self._turns.append(turn)
        return turn


def _words(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    return "\n".join(found for block in sequence(message, "content") if (found := text(block, "text")))
