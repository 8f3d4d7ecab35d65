"""Putting a session together from GitHub Copilot's events, one after the other.

The command line tool writes them, and the VS Code extension writes a subset for its hooks. A run in prompt mode
(`-p`) says so in the agent's system prompt (measured with version 1.0.102). A script that drives the SDK is known by
two signs together: its system prompt offers no way to ask the user, and its session ended as complete. Runs of older
versions that show neither look like sessions that a person drove, and are returned as such.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any

from harvesters.codex_text import last_segment
from harvesters.copilot_known import unknown_event
from harvesters.copilot_memory import METRICS, Memory
from harvesters.copilot_tools import CopilotToolCalls
from harvesters.decode import loads
from harvesters.drafts import CallDraft, Happenings, TurnDraft, compact, freeze_turns
from harvesters.drift import RecordTally
from harvesters.jsonl import digest
from harvesters.records import EventKind, Origin, Role, Session, SessionKind, SkillTrigger, SkillUse, Tokens
from harvesters.values import flag, integer, mapping, moment, sequence, text

Data = dict[str, Any]
MAX_SEEN = 256
"""A copy of an event (writers glue one after a resume) is known again within this many events."""
MAX_BRIEFS = 32
_COMMAND = re.compile(r"/([A-Za-z][\w:.-]*)(?:\s+(.*))?", re.DOTALL)
_TRIGGERS = {"user-invoked": SkillTrigger.USER, "context-load": SkillTrigger.CONTEXT}
_ASKING = "ask_user"
_PROMPT_MODE = "running in non-interactive mode"
_OF_ALL_AGENTS = ("assistant.message", "session.usage_record", "session.shutdown")
"""Events that count for the session also when a sub-agent caused them."""


class Events:
    """Gathers the turns of one session; made anew for each reading."""

    def __init__(self, agent: str, name: str, memory: Memory | None = None) -> None:
        self.agent = agent
        self.name = name
        """The session's id where no event says it."""
        self.memory = memory or Memory()
        self.continues = memory is not None
        self._turns: dict[str, TurnDraft] = {}
        self._tools = CopilotToolCalls(self.memory.calls, self.memory.requests, self._attach)
        self._skills: list[SkillUse] = []
        self._happened = Happenings()
        self.tally = RecordTally()
        """What the file's events were, known and unknown."""
        self._seen = dict.fromkeys(self.memory.seen)
        self._changed_sides = False
        """A later line told that a script drove the session, which an earlier reading took for a person's."""
        self._offset = 0
        self._last_position = -1
        self._at: datetime | None = None
        self._ended: datetime | None = None
        self._events: dict[str, Callable[[Data, Data], None]] = {
            "session.start": self._started,
            "session.resume": self._started,
            "session.context_changed": lambda _, data: self._context(data),
            "session.model_change": lambda _, data: self._use_model(text(data, "newModel")),
            "session.auto_mode_resolved": lambda _, data: self._use_model(text(data, "chosenModel")),
            "session.shutdown": lambda _, data: self._shutdown(data),
            "user.message": self._user_message,
            "assistant.message": self._assistant_message,
            "skill.invoked": lambda _, data: self._skill(data),
            "abort": self._abort,
            "system.message": lambda _, data: self._system_message(data),
            "session.usage_record": lambda _, data: self._add_usage(self.memory.recorded, mapping(data, "usage")),
            "tool.user_requested": self._user_tool,
            "session.compaction_complete": lambda _, data: self._happen(
                EventKind.COMPACTION,
                tokens=integer(data, "preCompactionTokens"),
                text=text(data, "summaryContent"),
                failed=flag(data, "success") is False,
            ),
            "session.error": lambda _, data: self._happen(
                EventKind.API_ERROR,
                name=text(data, "errorType"),
                text=text(data, "message"),
                failed=True,
            ),
            "session.mode_changed": lambda _, data: self._permit(text(data, "newMode") or text(data, "mode")),
            "hook.start": lambda _, data: self._hook_started(data),
            "hook.end": lambda _, data: self._hook_ended(data),
            "subagent.completed": lambda _, data: self._tools.subagent(data),
            "subagent.failed": lambda _, data: self._tools.subagent(data),
        }

    @property
    def needs_whole(self) -> bool:
        """True when this reading changes what an earlier one returned: read the file from its beginning instead."""
        return self._tools.calls.incomplete or self._changed_sides

    def at_rest(self) -> bool:
        """Each of the last calls has its result."""
        return not self._tools.calls.waiting

    def take(self, offset: int, event: Data) -> None:
        """Take in one event that stands at `offset`; a copy of an earlier one is passed over."""
        kind, data = text(event, "type"), event.get("data")
        self.tally.note(self.memory.version, unknown_event(kind, data))
        if kind is None or not isinstance(data, dict) or self._is_copy(text(event, "id")):
            return
        self._offset, self._at = offset, moment(event.get("timestamp"))
        if self._at is not None:
            self._ended = self._at if self._ended is None else max(self._ended, self._at)
            self.memory.started = self.memory.started or text(event, "timestamp")
        if _of_subagent(event, data) and kind not in _OF_ALL_AGENTS:
            return
        if kind in self._events:
            self._events[kind](event, data)
        else:
            self._tools.take(kind, data)

    def session(self, limit: int) -> Session | None:
        """What this reading gave; None when nothing was said or loaded yet."""
        memory = self.memory
        memory.calls = self._tools.calls.remembered()
        memory.seen = list(self._seen)
        turns = freeze_turns(self._turns.values(), limit)
        late = tuple(call.frozen(limit) for call in self._tools.calls.late.values())
        memory.begun = memory.begun or bool(turns or self._skills)
        if not memory.begun:
            return None
        started = moment(memory.started)
        return Session(
            agent=self.agent,
            id=memory.id or self.name,
            kind=SessionKind.SUBAGENT if memory.parent else SessionKind(memory.kind or SessionKind.INTERACTIVE),
            parent_id=memory.parent,
            cwd=memory.cwd,
            branch=memory.branch,
            commit=memory.commit,
            events=self._happened.frozen(limit),
            version=memory.version,
            started_at=started,
            ended_at=self._ended or started,
            models=tuple(memory.models),
            skills=tuple(self._skills),
            tokens=memory.tokens(),
            turns=turns,
            late_results=late,
        )

    # -- the frame ---------------------------------------------------------------------------------------------------

    def _is_copy(self, identifier: str | None) -> bool:
        if identifier is None:
            return False
        mark = digest(identifier.encode())[:12]
        if mark in self._seen:
            return True
        self._seen[mark] = None
        if len(self._seen) > MAX_SEEN:
            del self._seen[next(iter(self._seen))]
        return False

    def _started(self, event: Data, data: Data) -> None:
        memory = self.memory
        memory.id = memory.id or text(data, "sessionId")
        memory.parent = memory.parent or text(data, "detachedFromSpawningParentSessionId")
        memory.version = text(data, "copilotVersion") or memory.version
        if text(event, "type") == "session.start" and not self._turns and not self.continues:
            memory.started = text(data, "startTime") or memory.started
        self._context(mapping(data, "context"))
        selected = text(data, "selectedModel")
        if selected and selected != "auto":
            memory.model = selected

    def _context(self, context: Data) -> None:
        told = mapping(context, "context") or context
        self.memory.cwd = text(told, "cwd") or self.memory.cwd
        self.memory.branch = text(told, "branch") or self.memory.branch
        self.memory.commit = self.memory.commit or text(told, "headCommit")

    def _use_model(self, model: str | None) -> None:
        if model and model != "auto":
            self.memory.model = model

    def _note_model(self, model: str | None) -> None:
        if model and model not in self.memory.models:
            self.memory.models.append(model)

    def _shutdown(self, data: Data) -> None:
        """Each run states its use when it ends; a version that keeps accounts states that of all runs so far."""
        if "accountingSnapshot" in data:
            self.memory.ended = {}
        for model, metrics in mapping(data, "modelMetrics").items():
            self._note_model(model)
            self._add_usage(self.memory.ended, mapping(metrics, "usage"))

    def _add_usage(self, sums: dict[str, int], usage: Data) -> None:
        """Add what was used; input includes what was read from and written to the cache."""
        if usage:
            sums.update({name: sums.get(name, 0) + (integer(usage, name) or 0) for name in METRICS})

    def _happen(self, kind: EventKind, **told: Any) -> None:
        self._happened.add(kind, self._offset, self._at, **told)

    def _permit(self, mode: str | None) -> None:
        if mode and mode != self.memory.mode:
            self.memory.mode = mode
            self._happen(EventKind.PERMISSION_MODE, name=mode)

    def _hook_started(self, data: Data) -> None:
        """A session that ends as complete, and whose agent could ask nobody, was a script's."""
        ended = text(data, "hookType") == "sessionEnd" and text(mapping(data, "input"), "reason") == "complete"
        if ended and self.memory.kind == SessionKind.INTERACTIVE and not self.memory.asks:
            self._changed_sides = self.continues
            self.memory.kind = SessionKind.HEADLESS.value

    def _hook_ended(self, data: Data) -> None:
        output = data.get("output")
        said = output if isinstance(output, str) else compact(output) if output else text(data, "error")
        self._happen(EventKind.HOOK, name=text(data, "hookType"), text=said, failed=flag(data, "success") is False)

    def _system_message(self, data: Data) -> None:
        """The first system prompt says whether a person is there to be asked."""
        self.memory.asks = self.memory.asks or _ASKING in (text(data, "content") or "")
        if self.memory.kind is None:
            unattended = _PROMPT_MODE in (text(data, "content") or "")
            self.memory.kind = (SessionKind.HEADLESS if unattended else SessionKind.INTERACTIVE).value

    def _user_tool(self, event: Data, data: Data) -> None:
        """A shell line that the user ran (`!cmd`)."""
        command = text(mapping(data, "arguments"), "command")
        if command:
            self._add(text(event, "id"), Role.USER, Origin.SHELL, command)

    def _skill(self, data: Data) -> None:
        name = text(data, "name")
        if name:
            trigger = _TRIGGERS.get(text(data, "trigger") or "", SkillTrigger.AGENT)
            use = SkillUse(name=last_segment(name), path=text(data, "path"), trigger=trigger, position=self._offset)
            self._skills.append(use)

    def _abort(self, event: Data, data: Data) -> None:
        reason = text(data, "reason") or ""
        if not reason.startswith("autopilot"):
            self._add(text(event, "id"), Role.USER, Origin.INTERRUPT, reason)

    # -- words -------------------------------------------------------------------------------------------------------

    def _user_message(self, event: Data, data: Data) -> None:
        content = (text(data, "content") or "").strip()
        if not content:
            return
        origin, words = self._classified(content, data)
        turn = self._add(text(event, "id"), Role.USER, origin, words)
        turn.queued = text(data, "delivery") in ("steering", "queued")
        turn.source_id = text(event, "id")
        mode = text(data, "agentMode")
        self._permit(None if mode == "shell" else mode)
        if origin in (Origin.PROMPT, Origin.COMMAND):
            self.memory.reply = None

    def _classified(self, content: str, data: Data) -> tuple[Origin, str]:
        source = text(data, "source") or ""
        added = source.startswith(("skill-", "agent-")) or content.startswith("<skill-context")
        if added or flag(data, "isAutopilotContinuation") is True or _mark(content) in self.memory.briefs:
            return Origin.INJECTED, content
        if text(data, "agentMode") == "shell":
            return Origin.SHELL, content.removeprefix("!").strip()
        command = _COMMAND.fullmatch(content)
        if command is None:
            return Origin.PROMPT, content
        return (Origin.PROMPT if command.group(2) else Origin.COMMAND), content

    def _assistant_message(self, event: Data, data: Data) -> None:
        memory = self.memory
        memory.said += integer(data, "outputTokens") or 0
        model = text(data, "model")
        if _of_subagent(event, data):
            self._note_model(model)
            return
        self._use_model(model)
        self._note_model(memory.model)
        turn = self._message_turn(event, data)
        turn.text += text(data, "content") or ""
        turn.tokens += Tokens(output=integer(data, "outputTokens"))
        for request in sequence(data, "toolRequests"):
            if text(request, "name") == "task":
                # What the agent tells a sub-agent comes back as a user message in older versions.
                arguments = request.get("arguments")
                given = loads(arguments.encode()) if isinstance(arguments, str) else arguments
                prompt = text(given, "prompt")
                if prompt is not None:
                    memory.briefs = [*memory.briefs, _mark(prompt)][-MAX_BRIEFS:]
            self._tools.requested(request)

    def _message_turn(self, event: Data, data: Data) -> TurnDraft:
        """The turn a message belongs to: chunks of one answer make one turn."""
        chunk = text(data, "apiCallId") if (integer(data, "chunkCount") or 0) > 1 else None
        identifier = chunk or text(data, "messageId") or text(event, "id")
        if chunk is not None and self.memory.reply is not None and self.memory.reply[0] == chunk:
            return self._current_reply()
        turn = self._add(identifier, Role.ASSISTANT, Origin.REPLY, "")
        turn.source_id = text(event, "id")
        self.memory.reply = [turn.id, turn.position]
        return turn

    def _attach(self, call: CallDraft) -> None:
        self._current_reply().calls.append(call)

    def _current_reply(self) -> TurnDraft:
        if self.memory.reply is None:
            turn = self._add(None, Role.ASSISTANT, Origin.REPLY, "")
            self.memory.reply = [turn.id, turn.position]
            return turn
        identifier, position = self.memory.reply
        if identifier not in self._turns:
            self._turns[identifier] = TurnDraft(
                id=identifier, position=position, role=Role.ASSISTANT, origin=Origin.REPLY
            )
        return self._turns[identifier]

    def _add(self, identifier: str | None, role: Role, origin: Origin, words: str) -> TurnDraft:
        memory = self.memory
        self._last_position = max(self._offset, self._last_position + 1)
        memory.count += 1
        if identifier is None or identifier in self._turns:
            identifier = f"{memory.id or self.name}:{memory.count}"
        turn = TurnDraft(
            id=identifier,
            position=self._last_position,
            role=role,
            origin=origin,
            text=words,
            at=self._at,
            model=memory.model if role is Role.ASSISTANT else None,
            cwd=memory.cwd,
            branch=memory.branch,
        )
        self._turns[identifier] = turn
        return turn


def _of_subagent(event: Data, data: Data) -> bool:
    return text(event, "agentId") is not None or text(data, "parentToolCallId") is not None


def _mark(words: str) -> str:
    return digest(words.strip().encode())
