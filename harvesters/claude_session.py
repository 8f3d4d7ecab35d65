"""Building a session from the lines of one Claude Code transcript, whole or from where it was left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from harvesters.claude_drafts import (
    CallDraft,
    TurnDraft,
    branch_of,
    call_draft,
    last_segment,
    turn_draft,
)
from harvesters.claude_memory import RECENT, Ledger, Memory
from harvesters.claude_prompts import Words, command_words, queued_words, skill_directory, words_of
from harvesters.claude_records import (
    Block,
    Message,
    Record,
    attachment_of,
    message_of,
    origin_kind,
    string_of,
)
from harvesters.claude_tree import Tree
from harvesters.decode import loads
from harvesters.records import Origin, Role, Session, SessionKind, SkillTrigger, SkillUse, ToolStatus, Turn
from harvesters.values import moment, text

AGENT = "claude-code"
_SYNTHETIC = "<synthetic>"
_TITLE_RANK = {"summary": 1, "ai-title": 2, "custom-title": 3}
_CALLS = ("tool_use", "server_tool_use")


class SessionBuilder:
    """Takes records in file order and gives the session at the end."""

    def __init__(
        self, file_stem: str, limit: int, memory: Memory | None = None, *, has_inline_agents: bool = False
    ) -> None:
        self.has_inline_agents = has_inline_agents
        """True for a main file in which lines of sub-agents stand too, as clients up to 1.x wrote them."""
        self._stem = file_stem
        self._limit = limit
        self._continues = memory is not None
        self._memory = memory if memory is not None else Memory()
        self._tree = Tree(self._memory.places)
        self._known = frozenset(self._memory.places)
        self._ledger = Ledger(self._memory.counted, self._memory.open)
        self._turns: dict[str, TurnDraft] = {}
        self._calls: dict[str, CallDraft] = {}
        self._late: list[CallDraft] = []
        self._skills: list[SkillUse] = []
        self._skill_of_call: dict[str, int] = {}
        self._summaries: list[tuple[str, str]] = []
        self._position = -1
        self._at: datetime | None = None
        self._spoken = False
        self._retitled = False
        self._entrypoint: str | None = None
        self._handlers: dict[str | None, Callable[[Record], None]] = {
            "user": self._user,
            "assistant": self._assistant,
            "system": self._system,
            "attachment": self._attachment,
            "last-prompt": self._last_prompt,
            "summary": self._title,
            "ai-title": self._title,
            "custom-title": self._title,
        }

    def add(self, offset: int, record: Record) -> None:
        """Take in the record of the line at `offset`."""
        self._position = offset if offset > self._position else self._position + 1
        self._at = None
        if record.type in ("user", "assistant"):
            self._decide_side(record)
        side = self._is_side(record)
        if record.uuid is not None and (record.uuid in self._tree or record.uuid in self._known):
            return
        if not side and (record.uuid is not None or record.type in ("user", "assistant")):
            self._envelope(record)
        handler = self._handlers.get(record.type)
        if side:
            self._count_side(record)
        elif handler is not None:
            handler(record)

    def needs_another_look(self) -> bool:
        """True when the file has to be read whole (again).

        The user went back past what an earlier reading gave, or what began like a sub-agent's file is none.
        """
        return (self._continues and self._tree.needs_history()) or (self.has_inline_agents and self._is_agent())

    def session(self) -> Session | None:
        """The session, or None when nobody said anything."""
        self._settle_titles()
        if not (self._spoken or self._turns or (self._continues and (self._retitled or self._late))):
            return None
        memory = self._memory
        identity = (
            f"{memory.parent or 'unknown'}/{memory.agent or self._bare_stem()}" if self._is_agent() else self._stem
        )
        return Session(
            agent=AGENT,
            id=identity,
            kind=self._kind(),
            parent_id=memory.parent,
            cwd=memory.cwd,
            branch=memory.branch,
            title=memory.title,
            version=memory.version,
            started_at=memory.start,
            ended_at=memory.end,
            models=tuple(memory.models),
            skills=self._loaded_skills(),
            tokens=self._ledger.total(),
            turns=self._frozen_turns(),
            late_results=tuple(call.frozen() for call in self._late),
        )

    def state(self) -> dict[str, str]:
        """What the cursor has to carry for the next reading. Call it after `session`."""
        memory = self._memory
        memory.counted, memory.open = self._ledger.split()
        memory.places = list(self._tree.places())
        memory.loading = dict(list(memory.loading.items())[-RECENT:])
        lengths = memory.lengths | {
            turn.id: turn.length for turn in self._turns.values() if turn.role is Role.ASSISTANT
        }
        memory.lengths = dict(list(lengths.items())[-RECENT:])
        return memory.to_state()

    # ---- one line each -------------------------------------------------------------------------------------------

    def _user(self, record: Record) -> None:
        message = message_of(record)
        if message is None:
            return
        self._spoken = True
        blocks = message.blocks()
        results = [block for block in blocks if block.type == "tool_result"]
        if results:
            for block in results:
                self._result(record, block)
            return
        words = words_of(record, blocks)
        if words is None:
            return
        if record.is_meta:
            self._skill_body(record, words.text)
        if record.uuid is not None and record.uuid in self._memory.queued:
            self._tree.own(record.uuid, self._memory.queued[record.uuid])
            return
        self._say(record, words)

    def _assistant(self, record: Record) -> None:
        message = message_of(record)
        if message is None:
            return
        self._spoken = True
        synthetic = message.model == _SYNTHETIC
        self._count(record, message)
        made_in = record.request_session_id
        if self._memory.parent is None and made_in is not None and made_in != self._stem:
            self._memory.parent = made_in
        if message.model and not synthetic and message.model not in self._memory.models:
            self._memory.models.append(message.model)
        turn: TurnDraft | None = None
        for block in message.blocks():
            if (block.type == "text" and block.text) or block.type in _CALLS:
                turn = turn or self._reply(record, message, synthetic=synthetic)
                self._take_block(turn, block)
            elif block.tool_use_id:
                self._result(record, block)
        if record.attribution_skill:
            self._attribute(record.attribution_skill)

    def _system(self, record: Record) -> None:
        if record.subtype == "local_command":
            words = command_words(string_of(record.content))
            if words is not None:
                self._say(record, words)

    def _attachment(self, record: Record) -> None:
        attachment = attachment_of(record)
        words = queued_words(attachment) if attachment is not None else None
        if attachment is None or words is None:
            return
        if attachment.source_uuid in self._turns:
            return
        self._spoken = True
        turn = self._say(record, words, queued=True)
        if attachment.source_uuid is not None:
            self._memory.queued = dict([*self._memory.queued.items(), (attachment.source_uuid, turn.id)][-RECENT:])

    def _last_prompt(self, record: Record) -> None:
        if record.leaf_uuid:
            self._tree.name_leaf(record.leaf_uuid)

    def _title(self, record: Record) -> None:
        if record.type == "summary":
            if record.summary and record.leaf_uuid:
                self._summaries.append((record.leaf_uuid, record.summary))
        else:
            self._set_title(
                record.type or "", record.custom_title if record.type == "custom-title" else record.ai_title
            )

    # ---- parts of a line -----------------------------------------------------------------------------------------

    def _envelope(self, record: Record) -> None:
        memory = self._memory
        at = self._at = moment(record.timestamp)
        if at is not None:
            if memory.start is None or at < memory.start:
                memory.start = at
            if memory.end is None or at > memory.end:
                memory.end = at
        memory.cwd = memory.cwd or record.cwd or None
        memory.branch = memory.branch or branch_of(record)
        memory.version = record.version or memory.version
        self._entrypoint = self._entrypoint or record.entrypoint
        if record.uuid is not None:
            parent = record.parent_uuid or record.logical_parent_uuid
            self._tree.add(record.uuid, parent, talk=record.type in ("user", "assistant"))

    def _say(self, record: Record, words: Words, *, queued: bool = False) -> TurnDraft:
        turn = turn_draft(record, self._position, self._at, role=Role.USER, origin=words.origin)
        turn.limit = self._limit
        turn.id = turn.id or self._made_id()
        turn.say(words.text)
        self._turns[turn.id] = turn
        if record.uuid is not None:
            self._tree.own(record.uuid, turn.id, prompt=words.origin is Origin.PROMPT and not queued)
        if words.origin is Origin.PROMPT and self._memory.kind is None:
            self._memory.kind = _driver(record)
        return turn

    def _reply(self, record: Record, message: Message, *, synthetic: bool) -> TurnDraft:
        identity = message.id or record.uuid or self._made_id()
        turn = self._turns.get(identity)
        if turn is None or turn.role is not Role.ASSISTANT:
            origin = Origin.INJECTED if synthetic else Origin.REPLY
            turn = turn_draft(record, self._position, self._at, role=Role.ASSISTANT, origin=origin)
            turn.limit = self._limit
            turn.id = identity
            turn.model = None if synthetic else message.model
            turn.length = self._memory.lengths.get(identity, 0)
            self._turns[identity] = turn
        if record.attribution_skill:
            turn.skill = last_segment(record.attribution_skill)
        if record.uuid is not None:
            self._tree.own(record.uuid, identity)
        return turn

    def _take_block(self, turn: TurnDraft, block: Block) -> None:
        if block.type == "text":
            turn.say(block.text or "")
            return
        call = call_draft(block, f"{turn.id}:{self._position}", self._limit)
        if call.id in self._calls:
            return
        self._calls[call.id] = call
        turn.calls.append(call)
        if call.name == "Skill":
            arguments = loads(bytes(block.input))
            name = text(arguments, "skill") or text(arguments, "command")
            if name:
                self._memory.loading[call.id] = (last_segment(name.split()[0]), self._position)

    def _result(self, record: Record, block: Block) -> None:
        identity = block.tool_use_id or ""
        call = self._calls.get(identity)
        if call is None:
            call = CallDraft(id=identity, name="", input="")
            if self._continues and identity:
                self._late.append(call)
                self._calls[identity] = call
        call.answer(record, block, self._limit)
        loading = self._memory.loading.pop(identity, None)
        if loading is not None and call.status is ToolStatus.OK:
            self._skill_of_call[identity] = len(self._skills)
            self._use_skill(SkillUse(name=loading[0], trigger=SkillTrigger.AGENT, position=loading[1]))

    def _skill_body(self, record: Record, body: str) -> None:
        directory = skill_directory(body)
        if directory is None:
            return
        if record.source_tool_use_id is None:
            name = last_segment(directory)
            self._use_skill(SkillUse(name=name, path=directory, trigger=SkillTrigger.USER, position=self._position))
            return
        index = self._skill_of_call.get(record.source_tool_use_id)
        if index is not None:
            self._skills[index] = replace(self._skills[index], path=directory)

    def _attribute(self, qualified: str) -> None:
        name = last_segment(qualified)
        if name not in self._memory.skills:
            self._use_skill(SkillUse(name=name, trigger=SkillTrigger.CONTEXT, position=self._position))

    def _use_skill(self, use: SkillUse) -> None:
        self._skills.append(use)
        if use.name not in self._memory.skills:
            self._memory.skills = [*self._memory.skills, use.name][-RECENT:]

    def _count(self, record: Record, message: Message) -> None:
        if message.model == _SYNTHETIC:
            return
        if message.usage is not None:
            key = f"{message.id or record.uuid or self._position} {record.request_id or ''}"
            self._ledger.count(key, message.usage)

    # ---- sides and kinds -----------------------------------------------------------------------------------------

    def _decide_side(self, record: Record) -> None:
        """The first thing said tells whether the file is a sub-agent's."""
        memory = self._memory
        if self._is_agent():
            if not record.is_sidechain and not self._stem.startswith("agent-"):
                self.has_inline_agents = True
        elif memory.parent is None and not self._spoken and not self._continues:
            if record.is_sidechain and not self.has_inline_agents:
                memory.agent = record.agent_id or self._bare_stem()
                memory.parent = record.session_id
                memory.kind = SessionKind.SUBAGENT
            elif record.session_id != self._stem and _is_uuid(record.session_id) and _is_uuid(self._stem):
                memory.parent = record.session_id

    def _is_agent(self) -> bool:
        return self._memory.kind == SessionKind.SUBAGENT

    def _is_side(self, record: Record) -> bool:
        """Up to 1.x the sub-agents wrote into the main file: their lines are no part of its conversation."""
        return bool(record.is_sidechain) and not self._is_agent()

    def _count_side(self, record: Record) -> None:
        message = message_of(record) if record.type == "assistant" else None
        if message is not None:
            self._count(record, message)

    def _kind(self) -> SessionKind:
        if self._memory.kind is not None:
            return SessionKind(self._memory.kind)
        return SessionKind.HEADLESS if (self._entrypoint or "").startswith("sdk-") else SessionKind.INTERACTIVE

    def _bare_stem(self) -> str:
        return self._stem.removeprefix("agent-")

    # ---- the end -------------------------------------------------------------------------------------------------

    def _frozen_turns(self) -> tuple[Turn, ...]:
        abandoned = self._tree.abandoned()
        return tuple(turn.frozen(abandoned=turn.id in abandoned) for turn in self._turns.values())

    def _loaded_skills(self) -> tuple[SkillUse, ...]:
        return tuple(sorted(self._skills, key=lambda use: use.position))

    def _settle_titles(self) -> None:
        for leaf, summary in self._summaries:
            if leaf in self._tree or leaf in self._known:
                self._set_title("summary", summary)

    def _set_title(self, kind: str, title: str | None) -> None:
        rank = _TITLE_RANK.get(kind, 0)
        if title and rank >= self._memory.title_rank:
            self._memory.title = title[: self._limit]
            self._memory.title_rank = rank
            self._retitled = True

    def _made_id(self) -> str:
        return f"{self._stem}:{self._position}"


def _driver(record: Record) -> str:
    """Who wrote a session's first prompt. An editor drives the SDK too, but says that a person typed."""
    typed = origin_kind(record.origin) == "human" or record.prompt_source == "typed"
    if typed or (record.uuid or "").startswith("request_"):
        return SessionKind.INTERACTIVE
    scripted = record.prompt_source == "sdk" or (record.entrypoint or "").startswith("sdk-")
    return SessionKind.HEADLESS if scripted else SessionKind.INTERACTIVE


def _is_uuid(value: str | None) -> bool:
    return value is not None and len(value) == 36 and value.count("-") == 4
