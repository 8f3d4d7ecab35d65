"""The tool calls of a Codex rollout: their beginnings, their outputs, and who says how they went."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from harvesters import codex_text as words
from harvesters.decode import loads
from harvesters.drafts import CallDraft, Calls, compact
from harvesters.patches import changes_of_map, changes_of_patch
from harvesters.records import Answered, ToolStatus
from harvesters.values import flag, integer, mapping, sequence, text

Payload = dict[str, Any]
ITEM, EVENT, OUTPUT = 1, 2, 3
_PATCH = re.compile(r"\*\*\* Begin Patch")
"""Ranks of evidence for how a call went: finished items, end events, the text of the output."""
_HOSTED = {
    "web_search_call": "web_search",
    "image_generation_call": "image_generation",
    "tool_search_call": "tool_search",
}
CALL_TYPES = frozenset({"function_call", "custom_tool_call", "local_shell_call", *_HOSTED})
OUTPUT_TYPES = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})
_STATUS = {
    "completed": ToolStatus.OK,
    "failed": ToolStatus.ERROR,
    "declined": ToolStatus.DENIED,
    "rejected": ToolStatus.DENIED,
}

_ENDS = frozenset(
    {
        "exec_command_end",
        "patch_apply_end",
        "mcp_tool_call_end",
        "dynamic_tool_call_response",
        "collab_agent_spawn_end",
    }
)
"""Events that tell how a call ended."""


class CodexToolCalls:
    """Takes in the records about calls. `attach` gives a new call its place in a turn, `made_up_id` names one that
    has no id of its own."""

    def __init__(self, calls: Calls, attach: Callable[[CallDraft], None], made_up_id: Callable[[], str]) -> None:
        self.calls = calls
        self._attach = attach
        self._made_up_id = made_up_id

    def begun(self, kind: str, item: Payload) -> str:
        """Take in a call of one of `CALL_TYPES`; returns its command line, or its arguments where it has none."""
        given = item.get("action") if kind in ("local_shell_call", "web_search_call") else item.get("arguments")
        arguments, command = words.arguments_of(item.get("input") if given is None else given)
        name = text(item, "name") or _HOSTED.get(kind) or "local_shell"
        space = text(item, "namespace")
        call = self._begin(item, f"{space}.{name}" if space else name, arguments)
        patch = _PATCH.search(arguments if call is not None else "")
        if call is not None and patch is not None:
            given_text = item.get("input")
            call.changes = changes_of_patch(given_text if isinstance(given_text, str) else command)
        if kind in _HOSTED and call is not None and text(item, "status") in _STATUS:
            call.weigh(OUTPUT, _STATUS[item["status"]])
        return command

    def output(self, item: Payload) -> None:
        """Take in a record of one of `OUTPUT_TYPES`."""
        call = self.calls.find(text(item, "call_id"))
        if call is not None:
            output, ending = words.output_of(item.get("output"))
            call.answer(output)
            if call.duration_ms is None:
                call.duration_ms = words.wall_time_ms(output or "")
            if call.name in ("request_user_input", ""):
                call.answers = _answers(call.input, output or "")
            call.weigh(OUTPUT, ending.status, ending.exit_code)

    def item(self, kind: str | None, item: Payload) -> None:
        """Take in a finished item. It tells best how a call went, and alone tells of calls made within a call."""
        call = self.calls.find(text(item, "id"))
        if call is None and kind == "CommandExecution":
            call = self._begin(item, "exec_command", compact({"command": item.get("command")}))
        elif call is None and kind == "FileChange":
            call = self._begin(item, "apply_patch", compact({"changes": item.get("changes")}))
        elif call is None and kind == "McpToolCall":
            name = f"{text(item, 'server') or 'mcp'}.{text(item, 'tool') or ''}"
            call = self._begin(item, name, words.arguments_of(item.get("arguments"))[0])
        if call is not None:
            printed = text(item, "aggregated_output") or (text(item, "stdout") or "") + (text(item, "stderr") or "")
            call.answer(printed or None, own=False)
            call.changes = changes_of_map(item.get("changes")) or call.changes
            receivers = sequence(item, "receiver_thread_ids")
            if receivers and isinstance(receivers[0], str):
                call.subagent = receivers[0]
            status = _STATUS.get(text(item, "status") or "")
            if status is not None:
                call.weigh(ITEM, status, integer(item, "exit_code"))

    def ended(self, event: Payload) -> None:
        """Take in an event; those that tell no call's end are ignored."""
        kind = text(event, "type")
        call = self.calls.find(text(event, "call_id")) if kind in _ENDS else None
        if call is None:
            return
        if kind in ("exec_command_end", "mcp_tool_call_end"):
            spent = mapping(event, "duration")
            if "secs" in spent:
                call.duration_ms = (integer(spent, "secs") or 0) * 1000 + (integer(spent, "nanos") or 0) // 1_000_000
        match kind:
            case "exec_command_end":
                code = integer(event, "exit_code")
                if text(event, "status") == "declined":
                    call.weigh(EVENT, ToolStatus.DENIED)
                elif code is not None:
                    call.weigh(EVENT, *words.by_exit_code(code))
            case "patch_apply_end":
                call.changes = changes_of_map(event.get("changes")) or call.changes
                _end(call, flag(event, "success"), _STATUS.get(text(event, "status") or ""))
            case "mcp_tool_call_end":
                result = mapping(event, "result")
                if result:
                    _end(call, "Err" not in result and flag(mapping(result, "Ok"), "isError") is not True)
            case "dynamic_tool_call_response":
                _end(call, flag(event, "success"))
            case "collab_agent_spawn_end":
                call.subagent = text(event, "new_thread_id") or call.subagent

    def _begin(self, item: Payload, name: str, arguments: str) -> CallDraft | None:
        call = CallDraft(id=text(item, "call_id") or text(item, "id") or self._made_up_id(), name=name, input=arguments)
        if not self.calls.begin(call):
            return None
        self._attach(call)
        return call


def _end(call: CallDraft, success: bool | None, status: ToolStatus | None = None) -> None:
    if success is not None:
        fallback = ToolStatus.OK if success else ToolStatus.ERROR
        call.weigh(EVENT, status if status is ToolStatus.DENIED else fallback)


def _answers(arguments: str, output: str) -> tuple[Answered, ...]:
    """What the person answered to the agent's questions; a question whose text is not at hand goes by its id."""
    asked = {text(one, "id"): text(one, "question") for one in sequence(loads(arguments.encode()), "questions")}
    given = mapping(loads(output.encode()), "answers") if output.startswith("{") else {}
    found = []
    for key, value in given.items():
        chosen = [one for one in sequence(value, "answers") if isinstance(one, str)]
        if chosen:
            found.append(Answered(question=asked.get(key) or key, answer=", ".join(chosen)))
    return tuple(found)
