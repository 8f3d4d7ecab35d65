"""The three formats the real clients speak. Each wire reads a request, and writes one reply as JSON or as events."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, Protocol

from tests.stub.script import Call, Fail, Request, Say

Event = tuple[str | None, dict[str, Any] | str]
"""The `event:` line, or None where the format has none, and the data."""

_CREATED = 1_755_000_000


class Wire(Protocol):
    def request(self, body: dict[str, Any]) -> Request: ...

    def reply(self, body: dict[str, Any], step: Say | Call) -> dict[str, Any]: ...

    def events(self, body: dict[str, Any], step: Say | Call) -> Iterator[Event]: ...

    def error(self, fail: Fail) -> dict[str, Any]: ...


class Messages:
    """Anthropic's `/v1/messages`."""

    def request(self, body: dict[str, Any]) -> Request:
        turns = [_anthropic_turn(m) for m in body.get("messages", [])]
        tools = tuple(t.get("name", "") for t in body.get("tools") or [])
        return Request(text_of(body.get("system")), turns, tools, bool(body.get("stream")), body.get("model", "stub"))

    def reply(self, body: dict[str, Any], step: Say | Call) -> dict[str, Any]:
        return _message(body, step, _anthropic_blocks(body, step), _anthropic_stop(step))

    def events(self, body: dict[str, Any], step: Say | Call) -> Iterator[Event]:
        start = _message(body, step, [], None)
        yield "message_start", {"type": "message_start", "message": start}
        yield "ping", {"type": "ping"}
        for index, block in enumerate(_anthropic_blocks(body, step)):
            yield from _block_events(index, block)
        delta = {"stop_reason": _anthropic_stop(step), "stop_sequence": None}
        usage = {"output_tokens": _tokens(step)}
        yield "message_delta", {"type": "message_delta", "delta": delta, "usage": usage}
        yield "message_stop", {"type": "message_stop"}

    def error(self, fail: Fail) -> dict[str, Any]:
        return {"type": "error", "error": {"type": fail.kind, "message": fail.message}, "request_id": "req_stub"}


class Chat:
    """OpenAI's `/v1/chat/completions`."""

    def request(self, body: dict[str, Any]) -> Request:
        messages = body.get("messages", [])
        system = "\n".join(text_of(m.get("content")) for m in messages if m.get("role") in {"system", "developer"})
        spoken = [m for m in messages if m.get("role") in {"user", "assistant", "tool", "function"}]
        turns = [(_chat_role(m["role"]), text_of(m.get("content"))) for m in spoken]
        tools = tuple(t.get("function", t).get("name", "") for t in body.get("tools") or [])
        return Request(system, turns, tools, bool(body.get("stream")), body.get("model", "stub"))

    def reply(self, body: dict[str, Any], step: Say | Call) -> dict[str, Any]:
        choice = {"index": 0, "message": _chat_message(body, step), "logprobs": None, "finish_reason": _chat_stop(step)}
        return _chat_envelope(body, "chat.completion") | {"choices": [choice], "usage": _chat_usage(body, step)}

    def events(self, body: dict[str, Any], step: Say | Call) -> Iterator[Event]:
        envelope = _chat_envelope(body, "chat.completion.chunk")
        for delta in _chat_deltas(body, step):
            yield None, envelope | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        yield None, envelope | {"choices": [{"index": 0, "delta": {}, "finish_reason": _chat_stop(step)}]}
        if (body.get("stream_options") or {}).get("include_usage"):
            yield None, envelope | {"choices": [], "usage": _chat_usage(body, step)}
        yield None, "[DONE]"

    def error(self, fail: Fail) -> dict[str, Any]:
        return {"error": {"message": fail.message, "type": fail.kind, "param": None, "code": fail.code}}


def text_of(content: Any) -> str:
    """The text of a string or of a list of text blocks; tool results and images have none."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return "\n".join(b["text"] for b in blocks if isinstance(b, dict) and isinstance(b.get("text"), str))


def ident(prefix: str, body: dict[str, Any], index: int = 0) -> str:
    """An id that depends on the request alone."""
    digest = hashlib.sha256(json.dumps([body, index], sort_keys=True).encode()).hexdigest()
    return f"{prefix}{digest[:24]}"


def usage_in(body: dict[str, Any]) -> int:
    """About a token for four characters."""
    return max(1, len(json.dumps(body)) // 4)


def _tokens(step: Say | Call) -> int:
    written = step.text if isinstance(step, Say) else step.text + json.dumps(_arguments(step))
    return max(1, len(written) // 4)


def _arguments(step: Call) -> Any:
    return step.arguments if isinstance(step.arguments, str) else dict(step.arguments)


def _anthropic_turn(message: dict[str, Any]) -> tuple[str, str]:
    content, role = message.get("content"), message.get("role", "user")
    results = isinstance(content, list) and any(isinstance(b, dict) and b.get("type") == "tool_result" for b in content)
    text = text_of(content)
    return ("tool" if role == "user" and results and "stub:" not in text else role), text


def _anthropic_blocks(body: dict[str, Any], step: Say | Call) -> list[dict[str, Any]]:
    texts = [{"type": "text", "text": step.text}] if step.text else []
    if isinstance(step, Say):
        return texts
    call = {"type": "tool_use", "id": ident("toolu_", body), "name": step.name, "input": _arguments(step)}
    return [*texts, call]


def _anthropic_stop(step: Say | Call) -> str:
    if isinstance(step, Call):
        return "tool_use"
    return {"end": "end_turn", "max-tokens": "max_tokens", "refusal": "refusal"}[step.stop]


def _message(body: dict[str, Any], step: Say | Call, content: list[Any], stop: str | None) -> dict[str, Any]:
    usage = {
        "input_tokens": usage_in(body),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": _tokens(step) if stop else 1,
        "service_tier": "standard",
    }
    head = {"id": ident("msg_", body), "type": "message", "role": "assistant", "model": body.get("model", "stub")}
    return head | {"content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage}


def _block_events(index: int, block: dict[str, Any]) -> Iterator[Event]:
    if block["type"] == "text":
        empty: dict[str, Any] = {"type": "text", "text": ""}
        deltas = [{"type": "text_delta", "text": part} for part in halves(block["text"])]
    else:
        empty = block | {"input": {}}
        deltas = [{"type": "input_json_delta", "partial_json": part} for part in halves(json.dumps(block["input"]))]
    yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": empty}
    for delta in deltas:
        yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
    yield "content_block_stop", {"type": "content_block_stop", "index": index}


def halves(text: str) -> list[str]:
    """A text in two pieces, so that clients have something to join."""
    middle = len(text) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def _chat_role(role: str) -> str:
    return "tool" if role == "function" else role


def _chat_envelope(body: dict[str, Any], kind: str) -> dict[str, Any]:
    return {
        "id": ident("chatcmpl-", body),
        "object": kind,
        "created": _CREATED,
        "model": body.get("model", "stub"),
        "system_fingerprint": "fp_stub",
    }


def _chat_message(body: dict[str, Any], step: Say | Call) -> dict[str, Any]:
    if isinstance(step, Say):
        refuses = step.stop == "refusal"
        return {
            "role": "assistant",
            "content": None if refuses else step.text,
            "refusal": step.text if refuses else None,
        }
    return {"role": "assistant", "content": step.text or None, "refusal": None, "tool_calls": [_chat_call(body, step)]}


def _chat_call(body: dict[str, Any], step: Call) -> dict[str, Any]:
    arguments = step.arguments if isinstance(step.arguments, str) else json.dumps(_arguments(step))
    return {"id": ident("call_", body), "type": "function", "function": {"name": step.name, "arguments": arguments}}


def _chat_deltas(body: dict[str, Any], step: Say | Call) -> Iterator[dict[str, Any]]:
    field = "refusal" if isinstance(step, Say) and step.stop == "refusal" else "content"
    yield {"role": "assistant", field: ""}
    for piece in halves(step.text):
        yield {field: piece}
    if isinstance(step, Call):
        call = _chat_call(body, step)
        arguments = call["function"]["arguments"]
        yield {"tool_calls": [call | {"index": 0, "function": {"name": step.name, "arguments": ""}}]}
        for piece in halves(arguments):
            yield {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}


def _chat_stop(step: Say | Call) -> str:
    if isinstance(step, Call):
        return "tool_calls"
    return "length" if step.stop == "max-tokens" else "stop"


def _chat_usage(body: dict[str, Any], step: Say | Call) -> dict[str, int]:
    used, made = usage_in(body), _tokens(step)
    return {"prompt_tokens": used, "completion_tokens": made, "total_tokens": used + made}
