"""Building a session from the lines of one Claude Code transcript, whole or from where it was left."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import ClassVar

from harvesters.claude_drafts import (
    ClaudeCallDraft,
    ClaudeTurnDraft,
    branch_of,
    call_draft,
    last_segment,
    turn_draft,
)
from harvesters.claude_events import HOOK_ATTACHMENTS, EventLog
from harvesters.claude_known import unknown_attachment, unknown_line, unknown_message
from harvesters.claude_memory import RECENT, Memory, TokenTally
from harvesters.claude_prompts import Words, command_words, queued_words, typed_words, words_of
from harvesters.claude_queue import Queue, Queued
from harvesters.claude_records import (
    Block,
    Message,
    Record,
    attachment_of,
    blocks_of,
    message_of,
    string_of,
)
from harvesters.claude_sides import Sides, driver
from harvesters.claude_skills import Skills, Title
from harvesters.claude_tree import Tree
from harvesters.decode import loads
from harvesters.drift import RecordTally
from harvesters.records import Origin, Role, Session, Tokens, ToolStatus
from harvesters.values import counts_of, moment, text, tokens_of

AGENT = "claude-code"
_SYNTHETIC = "<synthetic>"
_CALLS = ("tool_use", "server_tool_use")
_STARTS_AGENTS = ("Task", "Agent")
_SAID_BY_A_PERSON = (Origin.PROMPT, Origin.COMMAND)


class SessionBuilder:
    """Takes records in file order and gives the session at the end."""

    def __init__(
        self, file_stem: str, limit: int, memory: Memory | None = None, *, has_inline_agents: bool = False
    ) -> None:
        self._stem = file_stem
        self._limit = limit
        self._continues = memory is not None
        self._memory = memory if memory is not None else Memory()
        self._sides = Sides(file_stem, self._memory, has_inline_agents=has_inline_agents)
        self._tree = Tree(self._memory.places)
        self._known = frozenset(self._memory.places)
        self._ledger = TokenTally(self._memory.counted, self._memory.open)
        self._turns: dict[str, ClaudeTurnDraft] = {}
        self._calls: dict[str, ClaudeCallDraft] = {}
        self._late: list[ClaudeCallDraft] = []
        self._queue = Queue()
        self._events = EventLog(limit, self._memory.mode)
        self.tally = RecordTally()
        """What the file's lines were, known and unknown."""
        self._skills = Skills(self._memory)
        self._title = Title(self._memory, limit)
        self._position = -1
        self._at: datetime | None = None
        self._spoken = False

    def add(self, offset: int, record: Record) -> None:
        """Take in the record of the line at `offset`."""
        self._position = offset if offset > self._position else self._position + 1
        self._at = None
        talk = record.type in ("user", "assistant")
        if talk:
            self._sides.decide(record, said_before=self._spoken or self._continues)
        side = self._sides.is_side(record)
        if record.uuid is not None and (record.uuid in self._tree or record.uuid in self._known):
            return
        if not side and (record.uuid is not None or talk):
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
            self._sides.entrypoint = self._sides.entrypoint or record.entrypoint
            if record.uuid is not None:
                parent = record.parent_uuid or record.logical_parent_uuid
                self._tree.add(record.uuid, parent, talk=talk)
        unknown = unknown_line(record)
        self.tally.note(record.version or self._memory.version, unknown)
        handler = self._HANDLERS.get(record.type)
        if side:
            message = message_of(record) if record.type == "assistant" else None
            if message is not None:
                self._count(record, message)
        elif handler is not None:
            handler(self, record)

    @property
    def has_inline_agents(self) -> bool:
        """True for a main file in which lines of sub-agents stand too, as clients up to 1.x wrote them."""
        return self._sides.has_inline_agents

    def at_rest(self) -> bool:
        """No call waits for its result, and no queued message for its place."""
        return not (self._memory.asked or self._queue.unsettled)

    def needs_another_look(self) -> bool:
        """True when the file has to be read whole (again).

        The user went back past what an earlier reading gave, or what began like a sub-agent's file is none.
        """
        return (self._continues and self._tree.needs_history()) or (self.has_inline_agents and self._sides.is_agent)

    def session(self) -> Session | None:
        """The session, or None when nobody said anything."""
        self._title.settle(self._tree, self._known)
        self._memory.unsettled = self._queue.unsettled
        self._tell(self._queue.after_prompt())
        if not (self._spoken or self._turns or (self._continues and (self._title.changed or self._late))):
            return None
        memory = self._memory
        abandoned = self._tree.abandoned()
        ordered = sorted(self._turns.values(), key=lambda turn: turn.position)
        identity = (
            f"{memory.parent or 'unknown'}/{memory.agent or self._sides.bare_stem}"
            if self._sides.is_agent
            else self._stem
        )
        return Session(
            agent=AGENT,
            id=identity,
            kind=self._sides.kind(),
            parent_id=memory.parent,
            cwd=memory.cwd,
            branch=memory.branch,
            title=memory.title,
            version=memory.version,
            started_at=memory.start,
            ended_at=memory.end,
            models=tuple(memory.models),
            skills=self._skills.uses(),
            events=tuple(self._events.events),
            tokens=self._ledger.total(),
            turns=tuple(turn.frozen(abandoned=turn.id in abandoned) for turn in ordered),
            late_results=tuple(call.frozen() for call in self._late),
        )

    def state(self) -> dict[str, str]:
        """What the cursor has to carry for the next reading. Call it after `session`."""
        memory = self._memory
        memory.counted, memory.open = self._ledger.split()
        memory.mode = self._events.mode
        memory.asked = dict(list(memory.asked.items())[-RECENT:])
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
        self._note_shape(record, unknown_message("user", message))
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
            self._skills.body(record, words.text, self._position)
        if record.uuid is not None and record.uuid in self._memory.queued:
            self._tree.own(record.uuid, self._memory.queued[record.uuid])
            return
        if words.origin in _SAID_BY_A_PERSON:
            self._events.permission_mode(record.permission_mode, self._position, self._at)
        self._say(record, words, waited=self._settle(words))

    def _assistant(self, record: Record) -> None:
        message = message_of(record)
        self._note_shape(record, unknown_message("assistant", message))
        if message is None:
            return
        self._spoken = True
        self._tell(self._queue.after_reply())
        synthetic = message.model == _SYNTHETIC
        spent = self._count(record, message)
        made_in = record.request_session_id
        if self._memory.parent is None and made_in is not None and made_in != self._stem:
            self._memory.parent = made_in
        if message.model and not synthetic and message.model not in self._memory.models:
            self._memory.models.append(message.model)
        turn: ClaudeTurnDraft | None = None
        for block in message.blocks():
            if (block.type == "text" and block.text) or block.type in _CALLS:
                turn = turn or self._reply(record, message, synthetic=synthetic)
                self._take_block(turn, block)
            elif block.tool_use_id:
                self._result(record, block)
        if spent != Tokens():
            self._book(record, message, turn, spent)
        if record.attribution_skill:
            self._skills.attribute(record.attribution_skill, self._position)
        if record.is_api_error_message:
            said = "\n".join(block.text or "" for block in message.blocks())
            self._events.api_error(record, self._position, self._at, said)

    def _system(self, record: Record) -> None:
        self._events.system(record, self._position, self._at)
        if record.subtype == "local_command":
            words = command_words(string_of(record.content))
            if words is not None:
                self._say(record, words, waited=self._settle(words))

    def _attachment(self, record: Record) -> None:
        attachment = attachment_of(record)
        if attachment is None:
            return
        self._note_shape(record, unknown_attachment(attachment.type))
        if attachment.type in HOOK_ATTACHMENTS:
            self._events.hook(loads(bytes(record.attachment)), self._position, self._at)
            return
        words = queued_words(attachment)
        if words is None or attachment.source_uuid in self._turns or self._queue.told_before(words.text):
            return
        self._spoken = True
        self._queue.said(words.text)
        turn = self._say(record, words, waited=True, hangs=False)
        if attachment.source_uuid is not None:
            self._memory.queued = dict([*self._memory.queued.items(), (attachment.source_uuid, turn.id)][-RECENT:])

    def _queue_operation(self, record: Record) -> None:
        at = moment(record.timestamp)
        text_ = "\n".join(block.text or "" for block in blocks_of(record.content)).strip()
        message = Queued(text=text_, at=at, position=self._position) if typed_words(text_) else None
        self._queue.operate(record.operation or "", message, self._position)

    def _progress(self, record: Record) -> None:
        """What a sub-agent does is told while it works: the link to it stands before the call has its result."""
        call = self._calls.get(record.parent_tool_use_id or "")
        if call is not None and call.subagent is None and call.name in _STARTS_AGENTS:
            call.subagent = text(loads(bytes(record.data)), "agentId")

    def _last_prompt(self, record: Record) -> None:
        if record.leaf_uuid:
            self._tree.name_leaf(record.leaf_uuid)

    def _name(self, record: Record) -> None:
        self._title.take(record)

    def _permission_mode(self, record: Record) -> None:
        self._events.permission_mode(record.permission_mode, self._position, self._at)

    def _pull_request(self, record: Record) -> None:
        self._events.pull_request(record, self._position, moment(record.timestamp))

    # ---- parts of a line -----------------------------------------------------------------------------------------

    def _settle(self, words: Words) -> bool:
        """What a prompt tells about the messages in the queue; True when the prompt is one of them."""
        if words.origin not in _SAID_BY_A_PERSON:
            return False
        waited = self._queue.said(words.text)
        if not waited:
            self._tell(self._queue.after_prompt())
        return waited

    def _tell(self, messages: list[Queued]) -> None:
        """Make turns of messages that stand in the queue's lines only."""
        for message in messages:
            words = typed_words(message.text)
            if words is not None:
                turn = turn_draft(Record(), message.position, message.at, role=Role.USER, origin=words.origin)
                turn.id, turn.limit, turn.queued = f"{self._stem}:{message.position}", self._limit, True
                turn.cwd, turn.branch = self._memory.cwd, self._memory.branch
                turn.say(words.text)
                self._turns[turn.id] = turn

    def _say(self, record: Record, words: Words, *, waited: bool = False, hangs: bool = True) -> ClaudeTurnDraft:
        """A turn of the user's. It `waited` in the queue; it `hangs` on the line before as a prompt does."""
        turn = turn_draft(record, self._position, self._at, role=Role.USER, origin=words.origin)
        turn.limit = self._limit
        turn.id = turn.id or self._made_id()
        turn.queued = waited
        turn.say(words.text)
        self._turns[turn.id] = turn
        begins = words.origin in (Origin.PROMPT, Origin.PLAN)
        if record.uuid is not None:
            self._tree.own(record.uuid, turn.id, prompt=begins and hangs)
        if begins and self._memory.kind is None:
            self._memory.kind = driver(record)
        return turn

    def _reply(self, record: Record, message: Message, *, synthetic: bool) -> ClaudeTurnDraft:
        identity = message.id or record.uuid or self._made_id()
        turn = self._turns.get(identity)
        if turn is None or turn.role is not Role.ASSISTANT:
            turn = self._reply_draft(identity, record, message, synthetic=synthetic)
        if record.attribution_skill:
            turn.skill = last_segment(record.attribution_skill)
        if record.uuid is not None:
            self._tree.own(record.uuid, identity)
        return turn

    def _reply_draft(self, identity: str, record: Record, message: Message, *, synthetic: bool) -> ClaudeTurnDraft:
        origin = Origin.INJECTED if synthetic else Origin.REPLY
        turn = turn_draft(record, self._position, self._at, role=Role.ASSISTANT, origin=origin)
        turn.limit = self._limit
        turn.id = identity
        turn.model = None if synthetic else message.model
        turn.length = self._memory.lengths.get(identity, 0)
        turn.tokens = tokens_of(self._memory.unplaced.pop(identity, []))
        self._turns[identity] = turn
        return turn

    def _take_block(self, turn: ClaudeTurnDraft, block: Block) -> None:
        if block.type == "text":
            turn.say(block.text or "")
            return
        call = call_draft(block, f"{turn.id}:{self._position}", self._limit)
        if call.id in self._calls:
            return
        call.asked_at = self._at
        if self._at is not None:
            self._memory.asked[call.id] = self._at
        self._calls[call.id] = call
        turn.calls.append(call)
        if call.name == "Skill":
            self._skills.asked(call.id, block, self._position)

    def _result(self, record: Record, block: Block) -> None:
        identity = block.tool_use_id or ""
        call = self._calls.get(identity)
        asked_at = self._memory.asked.pop(identity, None)
        if call is None:
            call = ClaudeCallDraft(id=identity, name="", input="", asked_at=asked_at)
            if self._known and identity:
                self._late.append(call)
                self._calls[identity] = call
        call.answer(record, block, self._limit)
        if identity and identity not in self._calls and call.status is ToolStatus.DENIED:
            # The call stands in the file before a cleared context: the person's refusal is kept with its id.
            turn = turn_draft(record, self._position, self._at, role=Role.ASSISTANT, origin=Origin.REPLY)
            turn.id = turn.id or self._made_id()
            turn.calls.append(call)
            self._turns[turn.id] = turn
            self._calls[identity] = call
            if record.uuid is not None:
                self._tree.own(record.uuid, turn.id)
        self._skills.answered(identity, loaded=call.status is ToolStatus.OK)

    def _count(self, record: Record, message: Message) -> Tokens:
        """Add a line's usage to the session's; gives what is new of it."""
        if message.model == _SYNTHETIC or message.usage is None:
            return Tokens()
        key = f"{message.id or record.uuid or self._position} {record.request_id or ''}"
        return self._ledger.count(key, message.usage)

    def _book(self, record: Record, message: Message, turn: ClaudeTurnDraft | None, spent: Tokens) -> None:
        """Put tokens to the reply they were used for. A line of mere thoughts may come before the reply has a turn."""
        identity = message.id or record.uuid or ""
        turn = turn or self._turns.get(identity)
        if turn is None and identity in self._memory.lengths:
            turn = self._reply_draft(
                identity, record, message, synthetic=False
            )  # it was returned by an earlier reading
        if turn is not None:
            turn.tokens += spent
        elif identity:
            waiting = self._memory.unplaced
            before = waiting.pop(identity, [])
            waiting[identity] = counts_of(tokens_of(before) + spent)
            self._memory.unplaced = dict(list(waiting.items())[-RECENT:])

    # ---- the end -------------------------------------------------------------------------------------------------

    def _note_shape(self, record: Record, unknown: str | None) -> None:
        """A line of a known type was counted as known; its shape may be new."""
        if unknown is not None:
            self.tally.note(record.version or self._memory.version, unknown)

    def _made_id(self) -> str:
        return f"{self._stem}:{self._position}"

    # ---- which line is taken in by which method; of the class, so that no builder holds itself ---------------------

    _HANDLERS: ClassVar[dict[str | None, Callable[[SessionBuilder, Record], None]]] = {
        "user": _user,
        "assistant": _assistant,
        "system": _system,
        "attachment": _attachment,
        "last-prompt": _last_prompt,
        "summary": _name,
        "ai-title": _name,
        "custom-title": _name,
        "queue-operation": _queue_operation,
        "progress": _progress,
        "permission-mode": _permission_mode,
        "pr-link": _pull_request,
    }
