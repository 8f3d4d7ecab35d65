"""Which agent wrote a file, told by what stands in it: for transcripts that lie anywhere, under any name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from harvesters.decode import loads, split_objects
from harvesters.jsonl import Change, open_log
from harvesters.records import Cursor, Defect, Reading

HEAD_BYTES = 65_536
UNKNOWN_FORMAT = "unknown-format"
_ZSTD = b"\x28\xb5\x2f\xfd"

_CODEX_TYPES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted", "state"})
_CODEX_ITEMS = frozenset({"message", "reasoning", "function_call", "function_call_output", "local_shell_call"})
_CLAUDE_TYPES = frozenset(
    {"user", "assistant", "system", "attachment", "summary", "file-history-snapshot", "queue-operation", "progress"}
)
_EVENT_GROUPS = ("session.", "user.", "assistant.", "tool.", "skill.", "subagent.", "hook.", "system.", "permission.")
_CLAUDE_PARTS = frozenset({"uuid", "leafUuid", "message", "messageId", "parentUuid"})
_DOCUMENTS = (
    (re.compile(rb'"requests"\s*:\s*\[\s*[{\]]'), "copilot-vscode"),
    (re.compile(rb'"(?:chatMessages|timeline)"\s*:\s*\['), "copilot-cli"),
    (re.compile(rb'"session"\s*:\s*\{.*?"items"\s*:\s*\[', re.DOTALL), "codex"),
)
"""A document of one object may be longer than its head; then its parts are known by their names."""
_LONG_LINES = (
    (re.compile(rb'\s*\{\s*"kind"\s*:\s*\d'), "copilot-vscode"),
    (re.compile(rb'\s*\{.{0,200}?"type"\s*:\s*"(?:session_meta|response_item|event_msg)"', re.DOTALL), "codex"),
    (re.compile(rb'\s*\{.{0,200}?"type"\s*:\s*"session\.start"', re.DOTALL), "copilot-cli"),
    (re.compile(rb'\s*\{.{0,600}?"(?:sessionId|parentUuid)"\s*:', re.DOTALL), "claude-code"),
)
"""The same for a first line that is longer than the head."""


def agent_of(path: Path) -> str | None:
    """The agent whose harvester reads this file; None when it is no known transcript or cannot be read."""
    if path.exists() and not path.is_file():
        # A pipe would keep a reader waiting for ever.
        return None
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD_BYTES + 1)
    except OSError:
        return None
    if head.startswith(_ZSTD):
        return "codex"
    if path.suffix not in (".jsonl", ".json", ""):
        return None
    found = (_agent_of_record(record, path) for record in _records(head))
    return next((agent for agent in found if agent is not None), None) or _by_names(head, path)


class Unknown:
    """Stands in for a harvester where no agent's format was recognised: each file is one defect."""

    agent = "unknown"

    def find(self, env: Mapping[str, str], home: Path) -> Iterable[Path]:  # noqa: ARG002 - the port's signature
        """Nothing: such files are only ever named by the user."""
        return ()

    def read(self, path: Path, cursor: Cursor | None = None, *, clip: int = 0) -> Reading:  # noqa: ARG002
        """The defect `unknown-format`, or what kept the file from being opened; see `records.Harvester.read`."""
        with open_log(path, cursor, binary=True) as log:
            if log.change in (Change.UNCHANGED, Change.UNREADABLE):
                return log.nothing()
            defect = Defect(path=str(path), offset=0, reason=UNKNOWN_FORMAT)
            seen = min(log.size, HEAD_BYTES)
            return Reading(session=None, defects=(defect,), cursor=log.cursor(offset=log.size), bytes_read=seen)


def _records(head: bytes) -> Iterator[dict[str, Any]]:
    """The objects of the first lines, damaged ones as far as they go; of a document of one object, that object."""
    whole = loads(head) if len(head) <= HEAD_BYTES else None
    if isinstance(whole, dict):
        yield whole
        return
    lines = head.split(b"\n")
    for line in lines[:-1] if len(head) > HEAD_BYTES and len(lines) > 1 else lines:
        value = loads(line)
        pieces = [value] if value is not None else split_objects(line.decode("utf-8", "replace")).objects
        yield from (piece for piece in pieces if isinstance(piece, dict))


def _agent_of_record(record: Mapping[str, Any], path: Path) -> str | None:
    is_change = isinstance(record.get("kind"), int) and ("v" in record or "k" in record)
    if isinstance(record.get("requests"), list) or is_change:
        return "copilot-vscode"
    oldest = record.get("history")  # the oldest form of a session of Copilot's command line tool
    is_history = isinstance(oldest, list) and bool(oldest) and isinstance(oldest[0], dict) and "role" in oldest[0]
    if any(isinstance(record.get(name), list) for name in ("chatMessages", "timeline")) or is_history:
        return "copilot-cli"
    if isinstance(record.get("session"), dict) and isinstance(record.get("items"), list):
        return "codex"
    kind = record.get("type") or record.get("record_type")
    if not isinstance(kind, str):
        return "codex" if "instructions" in record and "id" in record and "timestamp" in record else None
    if kind.startswith(_EVENT_GROUPS):
        events = "copilot-vscode" if path.parent.name == "transcripts" else "copilot-cli"
        return events if isinstance(record.get("data"), dict) else None
    if kind in _CODEX_TYPES and ("payload" in record or "record_type" in record):
        return "codex"
    if kind in _CODEX_ITEMS and "message" not in record and ("role" in record or "call_id" in record):
        return "codex"
    if "sessionId" in record or "session_id" in record or (kind in _CLAUDE_TYPES and _CLAUDE_PARTS & record.keys()):
        return "claude-code"
    return None


def _by_names(head: bytes, path: Path) -> str | None:
    if path.suffix == ".json":
        return next((agent for pattern, agent in _DOCUMENTS if pattern.search(head)), None)
    if b"\n" in head or len(head) <= HEAD_BYTES:
        return None
    found = next((agent for pattern, agent in _LONG_LINES if pattern.match(head)), None)
    return "copilot-vscode" if found == "copilot-cli" and path.parent.name == "transcripts" else found
