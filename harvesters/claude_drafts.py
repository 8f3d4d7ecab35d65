"""Turns and tool calls of a Claude Code transcript while their lines are still coming in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime

from harvesters.claude_records import Block, Record, compact_json, text_of
from harvesters.claude_results import answers_of, own_words, result_of
from harvesters.records import Answered, FileChange, Origin, Role, Tokens, ToolCall, ToolStatus, Turn
from harvesters.values import clip, moment

USER_MODIFIED = "user-modified"
_EXIT_CODE = re.compile(r"(?:<tool_use_error>)?(?:Error: )?Exit code (\d{1,9})\b")
_DENIALS = ("The user doesn't want to proceed with this tool use", "The user doesn't want to take this action")
_SAID = "the user said:\n"
_NOTE_AFTER_SAID = "\n\nNote: The user's next message"


@dataclass(slots=True, kw_only=True)
class ClaudeCallDraft:
    """A tool call and, once it is on disk, its result."""

    id: str
    name: str
    input: str
    output: str | None = None
    status: ToolStatus = ToolStatus.UNANSWERED
    exit_code: int | None = None
    feedback: str | None = None
    answers: tuple[Answered, ...] = ()
    changes: tuple[FileChange, ...] = ()
    duration_ms: int | None = None
    subagent: str | None = None
    subagent_tokens: int | None = None
    result_id: str | None = None
    asked_at: datetime | None = None
    """When the agent made the call."""

    def answer(self, record: Record, block: Block, limit: int) -> None:
        """Take in the result that stands in `block` of `record`; a second result changes nothing."""
        if self.output is not None:
            return
        self.output = text_of(block.content, limit)
        if record.tool_denial_kind == "user-rejected" or self.output.startswith(_DENIALS):
            self.status = ToolStatus.DENIED
        else:
            self.status = ToolStatus.ERROR if block.is_error else ToolStatus.OK
        self.result_id = record.uuid
        if self.status is ToolStatus.ERROR:
            match = _EXIT_CODE.match(self.output)
            self.exit_code = int(match[1]) if match else None
        told = result_of(record.tool_use_result)
        said = None  # the words beside a denial, the client's own included
        if self.status is ToolStatus.DENIED and _SAID in self.output:
            said = self.output.split(_SAID, 1)[1].split(_NOTE_AFTER_SAID, 1)[0].strip()
        self.answers = answers_of(told, said, limit)
        if said is not None:
            self.feedback = own_words(said)
        else:
            self.feedback = USER_MODIFIED if told.user_modified or told.plan_was_edited else None
        self.changes = told.changes(limit)
        self.subagent, self.subagent_tokens = told.agent_id, told.total_tokens
        self.duration_ms = told.duration()
        answered_at = moment(record.timestamp) if self.duration_ms is None else None
        if answered_at is not None and self.asked_at is not None and self.asked_at <= answered_at:
            self.duration_ms = int((answered_at - self.asked_at).total_seconds() * 1000)

    def frozen(self) -> ToolCall:
        return ToolCall(
            id=self.id,
            name=self.name,
            input=self.input,
            output=self.output,
            status=self.status,
            exit_code=self.exit_code,
            feedback=self.feedback,
            answers=self.answers,
            changes=self.changes,
            duration_ms=self.duration_ms,
            subagent=self.subagent,
            subagent_tokens=self.subagent_tokens,
            result_id=self.result_id,
        )


@dataclass(slots=True, kw_only=True)
class ClaudeTurnDraft:
    """One message."""

    id: str
    position: int
    role: Role
    origin: Origin
    at: datetime | None = None
    model: str | None = None
    skill: str | None = None
    cwd: str | None = None
    branch: str | None = None
    queued: bool = False
    source_id: str | None = None
    limit: int = 0
    length: int = 0
    """Characters of text so far, those that an earlier reading returned included."""
    parts: list[str] = field(default_factory=list)
    calls: list[ClaudeCallDraft] = field(default_factory=list)
    tokens: Tokens = field(default_factory=Tokens)

    def say(self, text: str) -> None:
        """Append a block of text on a line of its own, up to the turn's limit."""
        added = clip(f"\n{text}" if self.length else text, self.limit - self.length)
        if added:
            self.parts.append(added)
            self.length += len(added)

    def frozen(self, *, abandoned: bool) -> Turn:
        return Turn(
            id=self.id,
            position=self.position,
            role=self.role,
            origin=self.origin,
            text="".join(self.parts),
            at=self.at,
            model=self.model,
            skill=self.skill,
            cwd=self.cwd,
            branch=self.branch,
            abandoned=abandoned,
            tool_calls=tuple(call.frozen() for call in self.calls),
            queued=self.queued,
            source_id=self.source_id,
            tokens=self.tokens,
        )


def call_draft(block: Block, fallback_id: str, limit: int) -> ClaudeCallDraft:
    """The call that a `tool_use` block makes."""
    return ClaudeCallDraft(id=block.id or fallback_id, name=block.name or "", input=compact_json(block.input, limit))


def turn_draft(record: Record, position: int, at: datetime | None, *, role: Role, origin: Origin) -> ClaudeTurnDraft:
    """An empty turn of one line; its id is the line's uuid."""
    return ClaudeTurnDraft(
        id=record.uuid or "",
        source_id=record.uuid,
        position=position,
        role=role,
        origin=origin,
        at=at,
        cwd=record.cwd or None,
        branch=branch_of(record),
    )


def branch_of(record: Record) -> str | None:
    """The git branch of a line; a detached head is none."""
    return record.git_branch if record.git_branch not in (None, "", "HEAD") else None


def last_segment(name: str) -> str:
    """`plugin:skill`, `a/b/skill` and `C:\\skills\\skill` all give `skill`."""
    return re.split(r"[:/\\]", name.strip().rstrip("/\\"))[-1]
