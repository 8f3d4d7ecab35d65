"""Writes Claude Code transcripts line by line, for tests. Every text in them is made up."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

FIRST = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
SESSION = "0b1f6a52-0000-4000-8000-000000000001"


class Talk:
    """A transcript in the making. Each line hangs on the one before, unless `parent` says otherwise."""

    def __init__(self, *, session: str = SESSION, version: str = "2.1.197", **envelope: Any) -> None:
        self.lines: list[bytes] = []
        self.last: str | None = None
        self._envelope = {
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/shop",
            "sessionId": session,
            "version": version,
            "gitBranch": "main",
            "entrypoint": "cli",
            **envelope,
        }

    def line(self, kind: str, *, parent: str | None = "before", uuid: str | None = None, **fields: Any) -> str:
        """Any line of the conversation; gives its uuid."""
        number = len(self.lines)
        identity = uuid or f"00000000-0000-4000-8000-{number:012d}"
        record = {
            "parentUuid": self.last if parent == "before" else parent,
            **self._envelope,
            "type": kind,
            "uuid": identity,
            "timestamp": (FIRST + timedelta(seconds=number)).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            **fields,
        }
        self.raw(record)
        self.last = identity
        return identity

    def raw(self, record: dict[str, Any] | bytes) -> None:
        """A line without an envelope, or bytes as they are."""
        if isinstance(record, bytes):
            self.lines.append(record)
        else:
            self.lines.append(json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")

    def prompt(self, content: str | list[dict[str, Any]], **fields: Any) -> str:
        return self.line("user", message={"role": "user", "content": content}, **fields)

    def reply(
        self, message: str, *blocks: dict[str, Any] | str, usage: dict[str, int] | None = None, **fields: Any
    ) -> str:
        """One line of the response `message`; a string stands for a text block."""
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        body: dict[str, Any] = {
            "id": message,
            "type": "message",
            "role": "assistant",
            "model": fields.pop("model", "claude-test-1"),
            "content": content,
        }
        if usage is not None:
            body["usage"] = usage
        return self.line("assistant", message=body, **{"requestId": f"req_{message}", **fields})

    def result(self, call: str, content: Any, *, is_error: bool | None = None, **fields: Any) -> str:
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": call, "content": content}
        if is_error is not None:
            block["is_error"] = is_error
        return self.line("user", message={"role": "user", "content": [block]}, **fields)

    def data(self) -> bytes:
        return b"".join(self.lines)

    def write(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(self.data())
        return path


def call(identity: str, name: str, **arguments: Any) -> dict[str, Any]:
    """A tool_use block."""
    return {"type": "tool_use", "id": identity, "name": name, "input": arguments}


def usage(fresh: int, out: int, read: int = 0, written: int = 0) -> dict[str, int]:
    """Token counts as a response states them."""
    return {
        "input_tokens": fresh,
        "output_tokens": out,
        "cache_read_input_tokens": read,
        "cache_creation_input_tokens": written,
    }
