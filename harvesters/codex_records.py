"""Putting a Codex session together from the records of a rollout, one after the other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from harvesters import codex_text as words
from harvesters.codex_known import unknown_record
from harvesters.codex_memory import MAX_REMEMBERED, Memory, is_older
from harvesters.codex_tools import CALL_TYPES, OUTPUT_TYPES, CodexToolCalls
from harvesters.drafts import CallDraft, Calls, Happenings, TurnDraft, freeze_turns
from harvesters.drift import RecordTally
from harvesters.records import EventKind, Origin, Role, Session, SessionKind, SkillTrigger, SkillUse, Tokens
from harvesters.values import counts_of, integer, mapping, moment, sequence, text, tokens_of

Payload = dict[str, Any]
STREAMS = ("event", "item", "response")
"""Records that tell a prompt; a file that has the first is read by the first alone, and so on."""
_NOT_BY_THE_USER = ("budget_limited", "review_ended")
_COPY_SECONDS = 1.0


class RolloutReader:
    """Gathers the turns of one rollout; made anew for each reading."""

    def __init__(self, name: str, memory: Memory | None = None) -> None:
        self.name = name
        """The thread's id where no record says it."""
        self.memory = memory or Memory()
        self.continues = memory is not None
        self.needs_whole = False
        """True when this reading changes what an earlier one returned: read the file from its beginning instead."""
        self._turns: list[TurnDraft] = []
        self._reply: TurnDraft | None = None
        self._last_position = -1
        self._tools = CodexToolCalls(Calls(self.memory.calls), self._attach, self._made_up_id)
        self._skills: list[SkillUse] = []
        self._happened = Happenings()
        self.tally = RecordTally()
        """What the file's records were, known and unknown."""
        self._rolled_back: list[tuple[int, int]] = []
        self._at: datetime | None = None
        self._ended: datetime | None = None
        self._offset = 0
        self._lines: dict[str, Callable[[Payload], None]] = {
            "session_meta": self._session_meta,
            "turn_context": self._turn_context,
            "response_item": self._response_item,
            "event_msg": self._event,
            "token_usage_record": lambda record: self._spend(self.memory.record_usage(record)),
            "compacted": lambda _: self._happen(EventKind.COMPACTION),
        }
        self._events: dict[str, Callable[[Payload], None]] = {
            "task_started": self._task_started,
            "turn_started": self._task_started,
            "task_complete": self._task_complete,
            "turn_complete": self._task_complete,
            "turn_aborted": self._turn_aborted,
            "thread_rolled_back": self._thread_rolled_back,
            "user_message": self._user_event,
            "agent_message": lambda event: self._say(text(event, "message"), "event"),
            "item_completed": self._item_completed,
            "thread_name_updated": self._renamed,
            "error": self._failed,
            "stream_error": self._failed,
        }

    # -- records -----------------------------------------------------------------------------------------------------

    def take(self, offset: int, record: Payload) -> None:
        """Take in one record that stands at `offset`."""
        self._offset = offset
        kind = text(record, "type")
        self._at = moment(record.get("timestamp"))
        if self._at is not None:
            self._ended = self._at if self._ended is None else max(self._ended, self._at)
            if self.memory.first is None:
                self.memory.first = self._at.timestamp()
        self.tally.note(self.memory.version, unknown_record(record, bare=self.memory.bare))
        if kind in self._lines and isinstance(record.get("payload"), dict):
            memory = self.memory
            if memory.copying and not memory.saw_task and self._at is not None and not self._in_first_second():
                # Forks made before turns had ids hold no `task_started`: their own part begins after the first second.
                memory.copying = False
            self._lines[kind](record["payload"])
        elif kind is None and self.memory.thread is None and text(record, "id"):
            self.memory.introduce(record)
            self.memory.bare = True
        elif self.memory.bare:
            self._at = moment(self.memory.started)
            self._response_item(record)

    def take_document(self, document: Payload) -> None:
        """Take in the oldest form: one JSON object with the session's head and its items."""
        self.memory.introduce(mapping(document, "session"))
        self.memory.bare = True
        for position, item in enumerate(sequence(document, "items")):
            if isinstance(item, dict):
                self.take(position, item)

    def at_rest(self) -> bool:
        """Every call of this reading has its output, and no copied beginning is being passed over."""
        return not self.memory.copying and not self._tools.calls.waiting

    @property
    def thread(self) -> str:
        """The vendor's id of this thread."""
        return self.memory.thread or self.name

    @property
    def session_id(self) -> str:
        """The session's id: the thread's, and below its parent's for a sub-agent."""
        memory = self.memory
        spawned = memory.kind == SessionKind.SUBAGENT.value and memory.parent
        return f"{memory.parent}/{self.thread}" if spawned else self.thread

    def session(self, limit: int) -> Session | None:
        """What this reading gave; None when the file has no turn yet."""
        turns = self._finish()
        memory = self.memory
        memory.calls = self._tools.calls.remembered()
        late = tuple(call.frozen(limit) for call in self._tools.calls.late.values())
        frozen = freeze_turns(turns, limit)
        memory.begun = memory.begun or bool(frozen)
        if not memory.begun:
            return None
        return Session(
            agent="codex",
            id=self.session_id,
            kind=SessionKind(memory.kind),
            parent_id=memory.parent,
            cwd=memory.cwd,
            branch=memory.branch,
            commit=memory.commit,
            events=self._happened.frozen(limit),
            title=memory.title,
            version=memory.version,
            started_at=moment(memory.started),
            ended_at=self._ended or moment(memory.started),
            models=tuple(memory.models),
            skills=tuple(self._skills),
            tokens=memory.tokens(),
            turns=frozen,
            late_results=late,
        )

    # -- the frame ---------------------------------------------------------------------------------------------------

    def _session_meta(self, meta: Payload) -> None:
        memory = self.memory
        if memory.thread is None:
            memory.introduce(meta)
            return
        other = text(meta, "id")
        if other and other != memory.thread and not self._turns and memory.turn is None:
            memory.copied_from, memory.copying = other, True

    def _turn_context(self, context: Payload) -> None:
        memory = self.memory
        if memory.copying:
            return
        model = text(context, "model")
        if model:
            memory.model = model
            if model not in memory.models:
                memory.models.append(model)
        memory.cwd = text(context, "cwd") or memory.cwd
        # What the agent may do without asking: when to ask, and what the sandbox allows.
        sandbox = text(mapping(context, "sandbox_policy"), "type") or text(context, "sandbox_policy")
        mode = ", ".join(filter(None, (text(context, "approval_policy"), sandbox)))
        if mode and mode != memory.mode:
            memory.mode = mode
            self._happen(EventKind.PERMISSION_MODE, name=mode)
        self._enter(text(context, "turn_id"))

    def _task_started(self, event: Payload) -> None:
        turn = text(event, "turn_id")
        if self.memory.copied_from is not None:
            # A turn older than this thread is the parent's; without such ids, one begun in the file's first second.
            older = is_older(turn, self.memory.thread)
            self.memory.copying = older is True
            if older is None and self._in_first_second():
                self.needs_whole = self.needs_whole or self.continues
                self.memory.forget_copy()
                self._turns, self._skills, self._rolled_back, self._reply = [], [], [], None
                self._happened.clear()
                self._tools = CodexToolCalls(Calls(), self._attach, self._made_up_id)
        self.memory.saw_task = True
        if not self.memory.copying:
            self._enter(turn)

    def _enter(self, turn: str | None) -> None:
        if turn is not None and turn != self.memory.turn:
            self.memory.turn, self.memory.count, self.memory.spoken = turn, 0, False

    def _in_first_second(self) -> bool:
        first = self.memory.first
        return first is not None and self._at is not None and self._at.timestamp() - first <= _COPY_SECONDS

    def _turn_aborted(self, event: Payload) -> None:
        self._end_turn(event)
        reason = text(event, "reason") or ""
        if reason not in _NOT_BY_THE_USER:
            self._add(Role.USER, Origin.INTERRUPT, reason)

    def _thread_rolled_back(self, event: Payload) -> None:
        if not self.memory.copying:
            self._rolled_back.append((len(self._turns), integer(event, "num_turns") or 1))
            self._reply, self.memory.reply = None, None

    def _task_complete(self, event: Payload) -> None:
        self._end_turn(event)
        if not self.memory.spoken:
            self._say(text(event, "last_agent_message"), "task")

    def _end_turn(self, event: Payload) -> None:
        spent = integer(event, "duration_ms")
        if spent is not None:
            self._happen(EventKind.TURN_ENDED, duration_ms=spent)

    def _failed(self, event: Payload) -> None:
        name = text(event, "codex_error_info") or next(iter(mapping(event, "codex_error_info")), None)
        self._happen(EventKind.API_ERROR, name=name, text=text(event, "message"), failed=True)

    def _happen(self, kind: EventKind, **told: Any) -> None:
        if not self.memory.copying:
            self._happened.add(kind, self._offset, self._at, **told)

    def _renamed(self, event: Payload) -> None:
        self.memory.title = text(event, "thread_name") or self.memory.title

    # -- words -------------------------------------------------------------------------------------------------------

    def _event(self, event: Payload) -> None:
        kind = text(event, "type")
        if kind == "token_count":
            self._spend(self.memory.count_tokens(mapping(event, "info")))
        elif self.memory.copying and kind not in ("task_started", "turn_started"):
            return
        elif kind in self._events:
            self._events[kind](event)
        else:
            self._tools.ended(event)

    def _response_item(self, item: Payload) -> None:
        kind = text(item, "type")
        if self.memory.copying or kind is None:
            return
        if kind == "message":
            self._message(item)
        elif kind in OUTPUT_TYPES:
            self._tools.output(item)
        elif kind in CALL_TYPES:
            for skill in words.skills_read(self._tools.begun(kind, item)):
                self._use_skill(skill, SkillTrigger.AGENT)

    def _message(self, item: Payload) -> None:
        parts = words.texts_of(item.get("content"))
        if item.get("role") == "assistant":
            self._say("".join(parts), "response")
        elif item.get("role") == "user":
            for part in parts:
                if words.is_injected(part):
                    skill, line = words.skill_of(part), words.shell_line(part)
                    if skill is not None:
                        self._use_skill(skill, SkillTrigger.USER)
                    hook = part.lstrip().startswith("<hook_prompt")
                    origin = Origin.SHELL if line is not None else Origin.HOOK if hook else Origin.INJECTED
                    self._add(Role.USER, origin, part if line is None else line)
            self._ask("\n".join(part for part in parts if not words.is_injected(part)), "response")

    def _user_event(self, event: Payload) -> None:
        message = text(event, "message") or ""
        if words.is_injected(message) or text(event, "kind") in ("user_instructions", "environment_context"):
            return  # the same text stands in a response item, where it is taken from
        self._ask(message, "event")

    def _ask(self, message: str, stream: str) -> None:
        request = words.request_of(message)
        if request:
            self._add(Role.USER, Origin.PROMPT, request).stream = stream
            self._reply, self.memory.reply, self.memory.spoken = None, None, False
            self.memory.unplaced = []

    def _say(self, message: str | None, record: str) -> None:
        if not message or not message.strip():
            return
        self.memory.spoken = True
        if not self.memory.heard(words.same_words(message), record):
            self._begin_reply(message)

    def _begin_reply(self, message: str) -> TurnDraft:
        self._reply = self._add(Role.ASSISTANT, Origin.REPLY, message)
        self.memory.reply = [self._reply.id, self._reply.position]
        self._reply.tokens, self.memory.unplaced = tokens_of(self.memory.unplaced), []
        return self._reply

    def _spend(self, spent: Tokens) -> None:
        """Put tokens to the last reply: a response is counted when its words and calls stand in the file."""
        if spent == Tokens():
            return
        reply = self._running_reply()
        if reply is not None:
            reply.tokens += spent
        else:
            self.memory.unplaced = counts_of(tokens_of(self.memory.unplaced) + spent)

    def _running_reply(self) -> TurnDraft | None:
        """The reply that calls and tokens belong to; one of an earlier reading is continued."""
        if self._reply is None and self.memory.reply is not None:
            identifier, position = self.memory.reply
            self._reply = TurnDraft(
                id=identifier, position=position, role=Role.ASSISTANT, origin=Origin.REPLY, continues=True
            )
            self._turns.append(self._reply)
        return self._reply

    def _id_root(self) -> str:
        return self.memory.turn or self.thread

    def _item_completed(self, event: Payload) -> None:
        item = mapping(event, "item")
        kind = text(item, "type")
        if kind == "UserMessage":
            self._ask("\n".join(words.texts_of(item.get("content"))), "item")
        elif kind == "AgentMessage":
            self._say("".join(words.texts_of(item.get("content"))), "item")
        elif "user" not in (text(item, "source") or "").lower():
            self._tools.item(kind, item)

    def _add(self, role: Role, origin: Origin, message: str) -> TurnDraft:
        memory = self.memory
        self._last_position = max(self._offset, self._last_position + 1)
        turn = TurnDraft(
            id=f"{self._id_root()}:{memory.count}",
            position=self._last_position,
            role=role,
            origin=origin,
            text=message,
            at=self._at,
            model=memory.model if role is Role.ASSISTANT else None,
            cwd=memory.cwd,
            branch=memory.branch,
        )
        memory.count += 1
        self._turns.append(turn)
        return turn

    # -- tools -------------------------------------------------------------------------------------------------------

    def _attach(self, call: CallDraft) -> None:
        (self._running_reply() or self._begin_reply("")).calls.append(call)

    def _made_up_id(self) -> str:
        self.memory.count += 1
        return f"{self._id_root()}:call:{self.memory.count - 1}"

    def _use_skill(self, skill: words.NamedSkill, trigger: SkillTrigger) -> None:
        """A skill that is read in several pieces is used once."""
        if skill.name not in self.memory.skills:
            self.memory.skills = [*self.memory.skills, skill.name][-MAX_REMEMBERED:]
            self._skills.append(SkillUse(name=skill.name, path=skill.path, trigger=trigger, position=self._offset))

    # -- the end -----------------------------------------------------------------------------------------------------

    def _finish(self) -> list[TurnDraft]:
        """The turns of the one stream of prompts that this file is read by, rolled-back ones marked."""
        present = {turn.stream for turn in self._turns}
        stream = next((name for name in STREAMS if name in present or name == self.memory.stream), "")
        if self.memory.stream and stream != self.memory.stream:
            self.needs_whole = True
        self.memory.stream = stream
        self.needs_whole = self.needs_whole or self._tools.calls.incomplete
        for end, number in self._rolled_back:
            left = number
            for turn in reversed(self._turns[:end]):
                if left == 0:
                    break
                left -= turn.origin is Origin.PROMPT and turn.stream == stream and not turn.abandoned
                turn.abandoned = True
            self.needs_whole = self.needs_whole or (left > 0 and self.continues)
        return [turn for turn in self._turns if turn.stream in ("", stream)]
