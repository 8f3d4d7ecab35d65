"""OpenAI's `/v1/responses`, the format that Codex speaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.stub.script import Call, Fail, Request, Say
from tests.stub.wires import Chat, Event, halves, ident, text_of, usage_in

_MADE_BY_THE_MODEL = {"function_call", "custom_tool_call", "reasoning", "local_shell_call", "web_search_call"}


class Responses:
    """Requests with `input` items, replies with `output` items."""

    def request(self, body: dict[str, Any]) -> Request:
        given = body.get("input")
        items = [{"role": "user", "content": given}] if isinstance(given, str) else (given or [])
        system = "\n".join(
            [body.get("instructions") or "", *(text_of(i.get("content")) for i in items if _is_system(i))]
        )
        turns = [(_role(item), text_of(item.get("content"))) for item in items if not _is_system(item)]
        tools = tuple(t.get("name") or t.get("type", "") for t in body.get("tools") or [])
        return Request(system.strip(), turns, tools, bool(body.get("stream")), body.get("model", "stub"))

    def reply(self, body: dict[str, Any], step: Say | Call) -> dict[str, Any]:
        cut = isinstance(step, Say) and step.stop == "max-tokens"
        made = max(1, sum(len(json.dumps(item)) for item in _items(body, step)) // 4)
        usage = {
            "input_tokens": usage_in(body),
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": made,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage_in(body) + made,
        }
        return _envelope(body, "incomplete" if cut else "completed") | {
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "output": _items(body, step),
            "usage": usage,
        }

    def events(self, body: dict[str, Any], step: Say | Call) -> Iterator[Event]:
        for number, (kind, data) in enumerate(self._events(body, step)):
            yield kind, {"type": kind, "sequence_number": number, **data}

    def error(self, fail: Fail) -> dict[str, Any]:
        return Chat().error(fail)

    def _events(self, body: dict[str, Any], step: Say | Call) -> Iterator[tuple[str, dict[str, Any]]]:
        started = _envelope(body, "in_progress")
        yield "response.created", {"response": started}
        yield "response.in_progress", {"response": started}
        for index, item in enumerate(_items(body, step)):
            yield from _item_events(index, item)
        whole = self.reply(body, step)
        yield f"response.{whole['status']}", {"response": whole}


def _is_system(item: dict[str, Any]) -> bool:
    return item.get("role") in {"system", "developer"}


def _role(item: dict[str, Any]) -> str:
    kind = item.get("type", "message")
    if kind in _MADE_BY_THE_MODEL or item.get("role") == "assistant":
        return "assistant"
    return "user" if kind == "message" else "tool"


def _envelope(body: dict[str, Any], status: str) -> dict[str, Any]:
    return {
        "id": ident("resp_", body),
        "object": "response",
        "created_at": 1_755_000_000,
        "status": status,
        "error": None,
        "incomplete_details": None,
        "instructions": body.get("instructions"),
        "model": body.get("model", "stub"),
        "output": [],
        "parallel_tool_calls": bool(body.get("parallel_tool_calls", True)),
        "tool_choice": body.get("tool_choice", "auto"),
        "tools": body.get("tools") or [],
        "usage": None,
        "metadata": {},
    }


def _items(body: dict[str, Any], step: Say | Call) -> list[dict[str, Any]]:
    said = isinstance(step, Say) or bool(step.text)
    items = [_message(body, step)] if said else []
    return items if isinstance(step, Say) else [*items, _call(body, step)]


def _message(body: dict[str, Any], step: Say | Call) -> dict[str, Any]:
    part: dict[str, Any] = {"type": "output_text", "text": step.text, "annotations": [], "logprobs": []}
    status = "completed"
    if isinstance(step, Say) and step.stop == "refusal":
        part = {"type": "refusal", "refusal": step.text}
    elif isinstance(step, Say) and step.stop == "max-tokens":
        status = "incomplete"
    return {"id": ident("msg_", body), "type": "message", "status": status, "role": "assistant", "content": [part]}


def _call(body: dict[str, Any], step: Call) -> dict[str, Any]:
    call = {"id": ident("fc_", body, 1), "call_id": ident("call_", body, 1), "name": step.name, "status": "completed"}
    if isinstance(step.arguments, str):
        return call | {"type": "custom_tool_call", "input": step.arguments}
    return call | {"type": "function_call", "arguments": json.dumps(dict(step.arguments))}


def _item_events(index: int, item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    where = {"output_index": index}
    empty: dict[str, dict[str, Any]] = {
        "message": {"content": []},
        "function_call": {"arguments": ""},
        "custom_tool_call": {"input": ""},
    }
    started = item | empty[item["type"]] | {"status": "in_progress"}
    yield "response.output_item.added", {**where, "item": started}
    yield from _content_events({**where, "item_id": item["id"]}, item)
    yield "response.output_item.done", {**where, "item": item}


def _content_events(where: dict[str, Any], item: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if item["type"] == "message":
        yield from _part_events({**where, "content_index": 0}, item["content"][0])
        return
    field, name = {
        "function_call": ("arguments", "response.function_call_arguments"),
        "custom_tool_call": ("input", "response.custom_tool_call_input"),
    }[item["type"]]
    for piece in halves(item[field]):
        yield f"{name}.delta", {**where, "delta": piece}
    yield f"{name}.done", {**where, field: item[field], "name": item["name"]}


def _part_events(where: dict[str, Any], part: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    field = "refusal" if part["type"] == "refusal" else "text"
    name = "response.refusal" if field == "refusal" else "response.output_text"
    logprobs: dict[str, Any] = {} if field == "refusal" else {"logprobs": []}
    yield "response.content_part.added", {**where, "part": part | {field: ""}}
    for piece in halves(part[field]):
        yield f"{name}.delta", {**where, "delta": piece, **logprobs}
    yield f"{name}.done", {**where, field: part[field], **logprobs}
    yield "response.content_part.done", {**where, "part": part}
