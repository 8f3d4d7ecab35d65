"""The shapes of Claude Code's transcript lines, decoded fast and, where a field has another type than usual, patiently.

Bodies stay undecoded (`msgspec.Raw`) until somebody asks for them: most bytes of a transcript are tool results and
request dumps that nobody needs whole.
"""

from __future__ import annotations

import functools
import typing
from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from harvesters.decode import FAST_FAILURES, loads
from harvesters.values import text

S = TypeVar("S", bound=msgspec.Struct)
Raw = msgspec.Raw
ABSENT = Raw()
"""Stands for a field that a line does not have."""


_WIRE_NAMES = {
    "parent_uuid": "parentUuid",
    "logical_parent_uuid": "logicalParentUuid",
    "session_id": "sessionId",
    "agent_id": "agentId",
    "git_branch": "gitBranch",
    "is_sidechain": "isSidechain",
    "is_meta": "isMeta",
    "is_compact_summary": "isCompactSummary",
    "is_visible_in_transcript_only": "isVisibleInTranscriptOnly",
    "prompt_source": "promptSource",
    "request_id": "requestId",
    "request_session_id": "requestSessionId",
    "tool_denial_kind": "toolDenialKind",
    "source_tool_use_id": "sourceToolUseID",
    "attribution_skill": "attributionSkill",
    "tool_use_result": "toolUseResult",
    "leaf_uuid": "leafUuid",
    "ai_title": "aiTitle",
    "custom_title": "customTitle",
    "plan_content": "planContent",
    "permission_mode": "permissionMode",
    "compact_metadata": "compactMetadata",
    "duration_ms": "durationMs",
    "hook_infos": "hookInfos",
    "hook_errors": "hookErrors",
    "prevented_continuation": "preventedContinuation",
    "stop_reason": "stopReason",
    "is_api_error_message": "isApiErrorMessage",
    "api_error_status": "apiErrorStatus",
    "pr_number": "prNumber",
    "pr_url": "prUrl",
    "parent_tool_use_id": "parentToolUseID",
}


class Record(msgspec.Struct, rename=_WIRE_NAMES, gc=False):
    """One line. Unknown fields and unknown line types are ignored."""

    type: str | None = None
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    timestamp: str | float | None = None
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    prompt_source: str | None = None
    origin: Raw = ABSENT
    request_id: str | None = None
    request_session_id: str | None = None
    """The session in which a copied response was made."""
    tool_denial_kind: str | None = None
    source_tool_use_id: str | None = None
    attribution_skill: str | None = None
    message: Raw = ABSENT
    tool_use_result: Raw = ABSENT
    attachment: Raw = ABSENT
    content: Raw = ABSENT
    """Of `system` lines, and of messages that enter the queue."""
    operation: str | None = None
    """Of `queue-operation` lines."""
    plan_content: Raw = ABSENT
    permission_mode: str | None = None
    compact_metadata: Raw = ABSENT
    duration_ms: float | None = None
    hook_infos: Raw = ABSENT
    hook_errors: Raw = ABSENT
    prevented_continuation: bool | None = None
    stop_reason: str | None = None
    error: Raw = ABSENT
    is_api_error_message: bool | None = None
    api_error_status: int | None = None
    pr_number: int | None = None
    pr_url: str | None = None
    parent_tool_use_id: str | None = None
    data: Raw = ABSENT
    """Of `progress` lines."""
    leaf_uuid: str | None = None
    summary: str | None = None
    ai_title: str | None = None
    custom_title: str | None = None


class Block(msgspec.Struct, gc=False):
    """One part of a message's content."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = ABSENT
    tool_use_id: str | None = None
    content: Raw = ABSENT
    is_error: bool | None = None


class Usage(msgspec.Struct, gc=False):
    """Token counts of one response."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class Message(msgspec.Struct):
    """The `message` of a user or assistant line."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: str | list[Block] | None = None
    usage: Usage | None = None

    def blocks(self) -> list[Block]:
        """The content as blocks; a plain string is one text block."""
        if isinstance(self.content, str):
            return [Block(type="text", text=self.content)]
        return self.content or []


class Attachment(msgspec.Struct, rename={"command_mode": "commandMode", "is_meta": "isMeta"}):
    """The fields of an `attachment` line that can hold a person's words."""

    type: str | None = None
    prompt: Raw = ABSENT
    command_mode: str | None = None
    source_uuid: str | None = None
    is_meta: bool | None = None
    origin: Raw = ABSENT


class _Origin(msgspec.Struct):
    kind: str | None = None


_MESSAGE = msgspec.json.Decoder(Message)
_ATTACHMENT = msgspec.json.Decoder(Attachment)
_BLOCKS = msgspec.json.Decoder(list[Block])
_TEXT = msgspec.json.Decoder(str)
decode_record = msgspec.json.Decoder(Record).decode
"""The fast way from a line to a `Record`; raises what `harvesters.decode.FAST_FAILURES` lists."""


def record_of(obj: dict[str, Any]) -> Record:
    """A `Record` of whatever fields of the object have the expected type."""
    return lenient(Record, obj)


def message_of(record: Record) -> Message | None:
    """The record's message; None when it has none, or one without role and content (a real client wrote such)."""
    if record.message is ABSENT:
        return None
    try:
        message = _MESSAGE.decode(record.message)
    except FAST_FAILURES:
        value = loads(bytes(record.message))
        message = _patient_message(value if isinstance(value, dict) else {})
    return message if message.role is not None or message.content is not None else None


def attachment_of(record: Record) -> Attachment | None:
    """The record's attachment, or None."""
    if record.attachment is ABSENT:
        return None
    try:
        return _ATTACHMENT.decode(record.attachment)
    except FAST_FAILURES:
        value = loads(bytes(record.attachment))
    return lenient(Attachment, value) if isinstance(value, dict) else None


def origin_kind(raw: Raw) -> str | None:
    """The `kind` of an `origin` object, or None."""
    return None if raw is ABSENT else text(loads(bytes(raw)), "kind")


def blocks_of(raw: Raw) -> list[Block]:
    """A content field as blocks: a plain string becomes one text block, anything unreadable none."""
    if raw is ABSENT:
        return []
    if starts_with(raw, b'"'):
        return [Block(type="text", text=string_of(raw))]
    try:
        return _BLOCKS.decode(raw)
    except FAST_FAILURES:
        return _patient_blocks(loads(bytes(raw)))


def string_of(raw: Raw) -> str:
    """A JSON string's text; empty when it is no string."""
    try:
        return _TEXT.decode(raw)
    except FAST_FAILURES:
        value = loads(bytes(raw))
    return value if isinstance(value, str) else ""


def text_of(raw: Raw, limit: int) -> str:
    """The readable text of a content field, at most `limit` characters; an image shows as `[image]`."""
    if starts_with(raw, b'"'):
        return string_of(raw)[:limit]
    parts: list[str] = []
    for block in blocks_of(raw):
        if block.type == "text" and block.text:
            parts.append(block.text)
        elif block.type == "image":
            parts.append("[image]")
    return "\n".join(parts)[:limit]


def compact_json(raw: Raw, limit: int) -> str:
    """A raw value as JSON without insignificant blanks, at most `limit` characters."""
    if raw is ABSENT:
        return "{}"
    try:
        data = msgspec.json.format(raw, indent=-1)
    except FAST_FAILURES:
        data = bytes(raw)
    return data[: limit * 4].decode("utf-8", "replace")[:limit]


def starts_with(raw: Raw, prefix: bytes) -> bool:
    """True when the raw JSON begins with `prefix`."""
    return memoryview(raw)[: len(prefix)] == prefix


def _patient_message(value: dict[str, Any]) -> Message:
    message = lenient(Message, {name: value[name] for name in ("id", "role", "model") if name in value})
    content = value.get("content")
    message.content = content if isinstance(content, str) else _patient_blocks(content) or None
    usage = value.get("usage")
    message.usage = lenient(Usage, usage) if isinstance(usage, dict) else None
    return message


def _patient_blocks(value: Any) -> list[Block]:
    items = value if isinstance(value, list) else [value]
    return [
        Block(type="text", text=item) if isinstance(item, str) else lenient(Block, item)
        for item in items
        if isinstance(item, str | dict)
    ]


def lenient(kind: type[S], obj: Mapping[str, Any]) -> S:
    """The struct of those fields that have the right type; the others keep their defaults."""
    values: dict[str, Any] = {}
    for name, (wire_name, wanted) in _fields(kind).items():
        if wire_name not in obj:
            continue
        value = obj[wire_name]
        try:
            values[name] = Raw(msgspec.json.encode(value)) if wanted is Raw else msgspec.convert(value, wanted)
        except (*FAST_FAILURES, ValueError, TypeError, OverflowError):
            continue
    return kind(**values)


@functools.cache
def _fields(kind: type[Any]) -> dict[str, tuple[str, Any]]:
    """Field name -> name in the file and type."""
    hints = typing.get_type_hints(kind)
    return {field.name: (field.encode_name, hints[field.name]) for field in msgspec.structs.fields(kind)}
