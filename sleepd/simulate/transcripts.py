"""Write simulated sessions the way the agents themselves do, each in its own folder and format."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from sleepd.simulate.life import SimSession

_NAMESPACE = uuid.UUID("0d3b2f3e-55a5-4c2e-8d0c-7d5c1f6a9e21")
_MODEL = "simulated-agent-1"
_REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file)."
)
_STOP = "STOP what you are doing and wait for the user to tell you how to proceed."
Line = dict[str, object]


def write(session: SimSession, home: Path, project: Path) -> Path:
    """Write one session below `home`, as if it had run in `project`; returns the transcript's path."""
    match session.agent:
        case "claude-code":
            slug = "".join(c if c.isalnum() else "-" for c in str(project))
            path = home / ".claude" / "projects" / slug / f"{session.id}.jsonl"
            lines = _ClaudeLog(session, project).lines()
        case "codex":
            day, second = session.start.strftime("%Y/%m/%d"), session.start.strftime("%Y-%m-%dT%H-%M-%S")
            path = home / ".codex" / "sessions" / day / f"rollout-{second}-{session.id}.jsonl"
            lines = _codex_lines(session, project)
        case "copilot-cli":
            path = home / ".copilot" / "session-state" / session.id / "events.jsonl"
            lines = _copilot_cli_lines(session, project)
        case "copilot-vscode":
            workspaces = home / ".config" / "Code" / "User" / "workspaceStorage"
            folder = workspaces / uuid.uuid5(_NAMESPACE, project.name).hex
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "workspace.json").write_text(json.dumps({"folder": project.as_uri()}), encoding="utf-8")
            path = folder / "chatSessions" / f"{session.id}.jsonl"
            lines = _vscode_lines(session)
        case other:
            raise KeyError(other)
    path.parent.mkdir(parents=True, exist_ok=True)
    body = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_text(body, encoding="utf-8", newline="\n")
    return path


class _Clock:
    """Moments and ids of one session: a step each time, so that equal sessions are equal files."""

    def __init__(self, session: SimSession) -> None:
        self._session = session
        self._now = session.start
        self._count = 0

    def at(self) -> datetime:
        self._now += timedelta(seconds=7)
        return self._now

    def stamp(self) -> str:
        return self.at().isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def millis(self) -> int:
        return int(self.at().timestamp() * 1000)

    def id(self) -> str:
        self._count += 1
        return str(uuid.uuid5(_NAMESPACE, f"{self._session.id}:{self._count}"))


class _ClaudeLog:
    """Claude Code: one line per content block, chained by uuid."""

    def __init__(self, session: SimSession, project: Path) -> None:
        self._session = session
        self._project = project
        self._clock = _Clock(session)
        self._last: str | None = None

    def lines(self) -> Iterator[Line]:
        yield {"type": "mode", "mode": "normal", "sessionId": self._session.id}
        for exchange in self._session.exchanges:
            yield self._line("user", {"role": "user", "content": exchange.prompt}, origin={"kind": "human"})
            if self._session.skill:
                name = self._session.skill
                use_id = f"toolu_{self._clock.id()}"
                use: Line = {"type": "tool_use", "id": use_id, "name": "Skill", "input": {"skill": name}}
                yield self._assistant([use])
                yield self._result(use_id, f"Launching skill: {name}", ok=True)
                body = f"Base directory for this skill: {self._project}/.claude/skills/{name}\n\n# {name}"
                yield self._line("user", {"role": "user", "content": body}, isMeta=True, sourceToolUseID=use_id)
            for said in exchange.replies:
                message = f"msg_{self._clock.id()}"
                if said.text:
                    yield self._assistant([{"type": "text", "text": said.text}], message)
                if said.call is not None:
                    use_id = f"toolu_{self._clock.id()}"
                    argument = said.call.argument
                    match said.call.tool:
                        case "shell":
                            name, given = "Bash", {"command": argument}
                        case "edit":
                            name = "Edit"
                            given = {"file_path": argument, "old_string": said.call.old, "new_string": said.call.new}
                        case _:
                            name, given = "Read", {"file_path": argument}
                    yield self._assistant([{"type": "tool_use", "id": use_id, "name": name, "input": given}], message)
                    if said.call.denied:
                        told = f"To tell you how to proceed, the user said:\n{said.call.words}"
                        output = f"{_REFUSED} {told if said.call.words else _STOP}"
                    else:
                        output = said.call.output if said.call.ok else f"Exit code 1\n{said.call.output}"
                    yield self._result(use_id, output, ok=said.call.ok)
                    if said.call.denied and not said.call.words:
                        stopped = {"type": "text", "text": "[Request interrupted by user for tool use]"}
                        yield self._line("user", {"role": "user", "content": [stopped]})

    def _assistant(self, content: list[dict[str, object]], message: str | None = None) -> Line:
        body = {
            "id": message or f"msg_{self._clock.id()}",
            "type": "message",
            "role": "assistant",
            "model": _MODEL,
            "content": content,
            "usage": {"input_tokens": 900, "output_tokens": 60, "cache_read_input_tokens": 12_000},
        }
        skill = {"attributionSkill": self._session.skill} if self._session.skill else {}
        return self._line("assistant", body, requestId=f"req_{body['id']}", **skill)

    def _result(self, use_id: str, output: str, *, ok: bool) -> Line:
        block: dict[str, object] = {"type": "tool_result", "tool_use_id": use_id, "content": output}
        if not ok:
            block["is_error"] = True
        return self._line("user", {"role": "user", "content": [block]}, toolUseResult={"stdout": output})

    def _line(self, kind: str, message: object, **more: object) -> Line:
        line: Line = {
            "parentUuid": self._last,
            "isSidechain": False,
            "userType": "external",
            "entrypoint": "cli",
            "cwd": str(self._project),
            "sessionId": self._session.id,
            "version": "2.1.328",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": self._clock.id(),
            "timestamp": self._clock.stamp(),
            **more,
        }
        self._last = str(line["uuid"])
        return line


def _codex_lines(session: SimSession, project: Path) -> Iterator[Line]:
    """Codex: wrapped lines, the prompt both as an event and as a response item, outcomes in the output's text."""
    clock = _Clock(session)

    def line(kind: str, payload: Line) -> Line:
        return {"timestamp": clock.stamp(), "type": kind, "payload": payload}

    meta: Line = {
        "id": session.id,
        "timestamp": clock.stamp(),
        "cwd": str(project),
        "originator": "codex_cli_rs",
        "cli_version": "0.120.0",
        "source": "cli",
        "model_provider": "openai",
        "git": {"branch": "main"},
    }
    yield line("session_meta", meta)
    for exchange in session.exchanges:
        turn = clock.id()
        yield line("event_msg", {"type": "task_started", "turn_id": turn})
        yield line("turn_context", {"turn_id": turn, "cwd": str(project), "model": _MODEL})
        yield line("response_item", _codex_message("user", exchange.prompt))
        yield line("event_msg", {"type": "user_message", "message": exchange.prompt, "images": []})
        for said in exchange.replies:
            if said.text:
                yield line("response_item", _codex_message("assistant", said.text))
            if said.call is not None:
                call_id = f"call_{clock.id()}"
                command = said.call.argument if said.call.tool == "shell" else f"cat {said.call.argument}"
                call: Line = {"type": "function_call", "name": "shell_command"}
                yield line("response_item", {**call, "arguments": json.dumps({"command": command}), "call_id": call_id})
                output = f"Exit code: {0 if said.call.ok else 1}\nWall time: 0.1 seconds\nOutput:\n{said.call.output}"
                result: Line = {"type": "function_call_output", "call_id": call_id, "output": output}
                yield line("response_item", result)
        final = exchange.replies[-1].text
        yield line("event_msg", {"type": "task_complete", "turn_id": turn, "last_agent_message": final})


def _codex_message(role: str, text: str) -> Line:
    kind = "input_text" if role == "user" else "output_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def _copilot_cli_lines(session: SimSession, project: Path) -> Iterator[Line]:
    """Copilot CLI: an event log."""
    clock = _Clock(session)

    def event(kind: str, data: Line) -> Line:
        return {"type": kind, "data": data, "id": clock.id(), "timestamp": clock.stamp(), "parentId": None}

    context = {"cwd": str(project), "branch": "main"}
    start = {"sessionId": session.id, "version": 1, "copilotVersion": "1.0.102", "startTime": clock.stamp()}
    yield event("session.start", {**start, "context": context})
    for exchange in session.exchanges:
        yield event("user.message", {"content": exchange.prompt, "attachments": [], "interactionId": clock.id()})
        for said in exchange.replies:
            call_id = f"tooluse_{clock.id()}"
            call = said.call
            requests: list[Line] = []
            if call is not None:
                name, key = ("bash", "command") if call.tool == "shell" else ("view", "path")
                arguments = {key: call.argument}
                requests = [{"toolCallId": call_id, "name": name, "arguments": arguments, "type": "function"}]
            message: Line = {"messageId": clock.id(), "model": _MODEL, "content": said.text, "toolRequests": requests}
            yield event("assistant.message", {**message, "outputTokens": 60})
            if call is not None:
                request: Line = {"toolCallId": call_id, "toolName": name, "arguments": arguments}
                yield event("tool.execution_start", request)
                exited = f"\n<shellId: 0 completed with exit code {0 if call.ok else 1}>"
                result = {"content": call.output + ("" if call.tool == "read" else exited)}
                yield event("tool.execution_complete", {"toolCallId": call_id, "success": call.ok, "result": result})
    yield event("session.shutdown", {"shutdownType": "routine"})


def _vscode_lines(session: SimSession) -> Iterator[Line]:
    """VS Code: a log of changes to one object, a request pushed at a time and its answer afterwards."""
    clock = _Clock(session)
    state = {"version": 3, "sessionId": session.id, "creationDate": clock.millis(), "requests": []}
    yield {"kind": 0, "v": state}
    for number, exchange in enumerate(session.exchanges):
        request = {
            "requestId": f"request_{clock.id()}",
            "timestamp": clock.millis(),
            "message": {"text": exchange.prompt, "parts": []},
            "modelId": f"copilot/{_MODEL}",
            "response": [],
        }
        yield {"kind": 2, "k": ["requests"], "v": [request]}
        parts: list[Line] = []
        for said in exchange.replies:
            if said.text:
                parts.append({"value": said.text})
            if said.call is not None:
                part: Line = {
                    "kind": "toolInvocationSerialized",
                    "toolId": "run_in_terminal" if said.call.tool == "shell" else "copilot_readFile",
                    "toolCallId": f"call-{clock.id()}",
                    "isConfirmed": {"type": 1},
                    "isComplete": True,
                    "toolSpecificData": {"kind": "terminal", "commandLine": {"original": said.call.argument}},
                    "resultDetails": {
                        "input": said.call.argument,
                        "output": [{"type": "embed", "isText": True, "value": said.call.output}],
                        "isError": not said.call.ok,
                    },
                }
                parts.append(part)
        yield {"kind": 2, "k": ["requests", number, "response"], "v": parts}
        yield {"kind": 1, "k": ["requests", number, "modelState"], "v": {"value": 1, "completedAt": clock.millis()}}
