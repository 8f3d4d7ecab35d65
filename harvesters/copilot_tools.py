"""The tool calls in GitHub Copilot's events: requested, permitted or refused, started, completed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from harvesters.decode import loads
from harvesters.drafts import CallDraft, Calls, compact
from harvesters.patches import change_of_diff
from harvesters.records import ToolStatus
from harvesters.values import flag, integer, mapping, sequence, text

Data = dict[str, Any]
REFUSAL, COMPLETION = 1, 2
"""Ranks of evidence: a refusal stands, whatever is said about the call's end."""
MAX_REQUESTS = 64
_EXIT = re.compile(r"<(?:shellId: [^<>]{0,40} completed|exited) with exit code (-?\d{1,10})>\s*$")


class CopilotToolCalls:
    """Takes in the events about calls. `attach` gives a new call its place in a turn; `requests` is kept up to date."""

    def __init__(
        self, remembered: dict[str, list[Any]], requests: dict[str, str], attach: Callable[[CallDraft], None]
    ) -> None:
        self.calls = Calls(remembered)
        self._requests = requests
        self._attach = attach

    def take(self, kind: str, data: Data) -> None:
        """Take in an event; those that are not about calls are ignored."""
        if kind == "tool.execution_start":
            self._begin(text(data, "toolCallId"), text(data, "toolName"), data.get("arguments"))
        elif kind == "tool.execution_complete" and flag(data, "isUserRequested") is not True:
            self._complete(data)
        elif kind == "permission.requested":
            self._permission_requested(data)
        elif kind == "permission.completed":
            self._permission_completed(data)

    def subagent(self, data: Data) -> None:
        """A sub-agent ended: what it used belongs to the call that started it."""
        call = self.calls.find(text(data, "toolCallId"))
        if call is not None:
            call.subagent_tokens = integer(data, "totalTokens")
            call.duration_ms = integer(data, "durationMs")

    def requested(self, request: object) -> None:
        """Take in one of a message's tool requests."""
        if isinstance(request, dict):
            self._begin(text(request, "toolCallId"), text(request, "name"), request.get("arguments"))

    def _begin(self, identifier: str | None, name: str | None, arguments: object) -> CallDraft | None:
        if identifier is None:
            return None
        words = arguments if isinstance(arguments, str) else ""
        given = loads(words.encode()) if words else arguments
        words = compact(given) if isinstance(given, dict | list) else words
        call = CallDraft(id=identifier, name=name or "tool", input=words)
        if not self.calls.begin(call):
            return None
        self._attach(call)
        return call

    def _complete(self, data: Data) -> None:
        identifier = text(data, "toolCallId")
        call = self.calls.find(identifier) or self._begin(identifier, text(data, "toolName"), None)
        if call is None:
            return
        result = data.get("result")
        if isinstance(result, str):
            output: str | None = result
        else:
            found = text(result, "content") or text(result, "output") or text(result, "detailedContent")
            blocks = [text(block, "text") or "" for block in sequence(result, "contents")]
            output = found or "\n".join(filter(None, blocks)) or text(mapping(data, "error"), "message")
        code = integer(data.get("shellExecution"), "exitCode")
        code = integer(result, "exitCode") if code is None else code
        if code is None and output is not None:
            stated = _EXIT.search(output[-200:])
            code = int(stated.group(1)) if stated else None
        call.answer(output)
        change = change_of_diff(text(result, "detailedContent") or "")
        if change is not None:
            call.changes = (change,)
        spent = integer(mapping(mapping(data, "toolTelemetry"), "metrics"), "durationMs")
        call.duration_ms = call.duration_ms if spent is None else spent
        # The call failed when the client says so, or when the process it ran ended with another code than 0.
        success = flag(data, "success")
        success = not data.get("error") if success is None else success
        if text(mapping(data, "error"), "code") == "denied":
            call.weigh(REFUSAL, ToolStatus.DENIED, code)
        else:
            call.weigh(COMPLETION, ToolStatus.OK if success and code in (None, 0) else ToolStatus.ERROR, code)

    def _permission_requested(self, data: Data) -> None:
        call = text(mapping(data, "permissionRequest"), "toolCallId")
        request = text(data, "requestId")
        if call is not None and request is not None:
            self._requests[request] = call
            while len(self._requests) > MAX_REQUESTS:
                del self._requests[next(iter(self._requests))]

    def _permission_completed(self, data: Data) -> None:
        result = mapping(data, "result")
        if not (text(result, "kind") or "").startswith("denied"):
            return
        asked = text(data, "toolCallId") or self._requests.get(text(data, "requestId") or "")
        call = self.calls.find(asked)
        if call is not None:
            call.weigh(REFUSAL, ToolStatus.DENIED)
            call.feedback = text(result, "feedback") or call.feedback
