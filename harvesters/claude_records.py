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

S = TypeVar("S", bound=msgspec.Struct)
Raw = msgspec.Raw


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
    "tool_denial_kind": "toolDenialKind",
    "source_tool_use_id": "sourceToolUseID",
    "attribution_skill": "attributionSkill",
    "tool_use_result": "toolUseResult",
    "leaf_uuid": "leafUuid",
    "ai_title": "aiTitle",
    "custom_title": "customTitle",
}


class Record(msgspec.Struct, rename=_WIRE_NAMES):
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
    origin: Raw = Raw()
    request_id: str | None = None
    tool_denial_kind: str | None = None
    source_tool_use_id: str | None = None
    attribution_skill: str | None = None
    message: Raw = Raw()
    tool_use_result: Raw = Raw()
    attachment: Raw = Raw()
    content: Raw = Raw()
    """Of `system` lines."""
    leaf_uuid: str | None = None
    summary: str | None = None
    ai_title: str | None = None
    custom_title: str | None = None


class Message(msgspec.Struct):
    """The `message` of a user or assistant line."""

    id: str | None = None
    role: str | None = None
    model: str | None = None
    content: Raw = Raw()
    usage: Raw = Raw()


class Block(msgspec.Struct):
    """One part of a message's content."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = Raw()
    tool_use_id: str | None = None
    content: Raw = Raw()
    is_error: bool | None = None


class Usage(msgspec.Struct):
    """Token counts of one response."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class Attachment(msgspec.Struct, rename={"command_mode": "commandMode", "is_meta": "isMeta"}):
    """The fields of an `attachment` line that can hold a person's words."""

    type: str | None = None
    prompt: Raw = Raw()
    command_mode: str | None = None
    source_uuid: str | None = None
    is_meta: bool | None = None
    origin: Raw = Raw()


class _Origin(msgspec.Struct):
    kind: str | None = None


_DECODERS: dict[type[Any], msgspec.json.Decoder[Any]] = {
    kind: msgspec.json.Decoder(kind) for kind in (Message, Usage, Attachment, _Origin)
}
_BLOCKS = msgspec.json.Decoder(list[Block])
_TEXT = msgspec.json.Decoder(str)
decode_record = msgspec.json.Decoder(Record).decode
"""The fast way from a line to a `Record`; raises what `harvesters.decode.FAST_FAILURES` lists."""


def record_of(obj: dict[str, Any]) -> Record:
    """A `Record` of whatever fields of the object have the expected type."""
    return _lenient(Record, obj)


def message_of(record: Record) -> Message | None:
    """The record's message; None when it has none, or one without role and content (a real client wrote such)."""
    message = _decoded(Message, record.message)
    return message if message is not None and (message.role or is_present(message.content)) else None


def usage_of(message: Message) -> Usage | None:
    """The message's token counts, or None."""
    return _decoded(Usage, message.usage)


def attachment_of(record: Record) -> Attachment | None:
    """The record's attachment, or None."""
    return _decoded(Attachment, record.attachment)


def origin_kind(raw: Raw) -> str | None:
    """The `kind` of an `origin` object, or None."""
    origin = _decoded(_Origin, raw)
    return origin.kind if origin is not None else None


def blocks_of(raw: Raw) -> list[Block]:
    """A content field as blocks: a plain string becomes one text block, anything unreadable none."""
    if not is_present(raw):
        return []
    if starts_with(raw, b'"'):
        return [Block(type="text", text=string_of(raw))]
    try:
        return _BLOCKS.decode(raw)
    except FAST_FAILURES:
        value = loads(bytes(raw))
    items = value if isinstance(value, list) else [value]
    return [_block_of(item) for item in items if isinstance(item, str | dict)]


def string_of(raw: Raw) -> str:
    """A JSON string's text; empty when it is no string."""
    try:
        return _TEXT.decode(raw)
    except FAST_FAILURES:
        value = loads(bytes(raw))
    return value if isinstance(value, str) else ""


def text_of(raw: Raw, limit: int) -> str:
    """The readable text of a content field, at most `limit` characters; an image shows as `[image]`."""
    parts: list[str] = []
    for block in blocks_of(raw):
        if block.type == "text" and block.text:
            parts.append(block.text)
        elif block.type == "image":
            parts.append("[image]")
    return "\n".join(parts)[:limit]


def compact_json(raw: Raw, limit: int) -> str:
    """A raw value as JSON without insignificant blanks, at most `limit` characters."""
    if not is_present(raw):
        return "{}"
    try:
        data = msgspec.json.format(raw, indent=-1)
    except FAST_FAILURES:
        data = bytes(raw)
    return data[: limit * 4].decode("utf-8", "replace")[:limit]


def is_present(raw: Raw) -> bool:
    """True when the field stood in the line and was not null."""
    view = memoryview(raw)
    return len(view) > 0 and bytes(view[:4]) != b"null"


def starts_with(raw: Raw, prefix: bytes) -> bool:
    """True when the raw JSON begins with `prefix`."""
    return memoryview(raw)[: len(prefix)] == prefix


def _block_of(item: str | dict[str, Any]) -> Block:
    return Block(type="text", text=item) if isinstance(item, str) else _lenient(Block, item)


def _decoded(kind: type[S], raw: Raw) -> S | None:
    if not is_present(raw):
        return None
    try:
        decoded: S = _DECODERS[kind].decode(raw)
    except FAST_FAILURES:
        value = loads(bytes(raw))
        return _lenient(kind, value) if isinstance(value, dict) else None
    return decoded


def _lenient(kind: type[S], obj: Mapping[str, Any]) -> S:
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
