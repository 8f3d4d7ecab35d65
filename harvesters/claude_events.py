"""What happened between the messages of a Claude Code transcript: hooks, errors of the API, compactions, modes."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from harvesters.claude_records import ABSENT, Record
from harvesters.decode import loads
from harvesters.records import EventKind, SessionEvent
from harvesters.values import clip, integer, mapping, sequence, text

_HOOKS = {
    "hook_success": False,
    "hook_non_blocking_error": True,
    "hook_blocking_error": True,
    "hook_cancelled": True,
    "hook_error_during_execution": True,
}
"""Attachments that tell how a hook went -> whether it failed."""
HOOK_ATTACHMENTS = frozenset(_HOOKS)


class EventLog:
    """Gathers the events of one reading."""

    def __init__(self, limit: int, mode: str | None) -> None:
        self.events: list[SessionEvent] = []
        self.mode = mode
        """The permission mode that was told last."""
        self._limit = limit

    def system(self, record: Record, position: int, at: datetime | None) -> None:
        """Take in a `system` line; those that tell no event are passed over."""
        if record.subtype == "compact_boundary":
            told = _object(record.compact_metadata)
            self._add(EventKind.COMPACTION, position, at, name=text(told, "trigger"), tokens=integer(told, "preTokens"))
        elif record.subtype == "turn_duration":
            spent = None if record.duration_ms is None else int(record.duration_ms)
            self._add(EventKind.TURN_ENDED, position, at, duration_ms=spent)
        elif record.subtype in ("api_error", "error", "api_refusal"):
            self.api_error(record, position, at)
        elif record.subtype == "stop_hook_summary":
            commands = _texts(_object(record.hook_infos), "command")
            errors = _texts(_object(record.hook_errors), "message")
            stopped = record.prevented_continuation is True
            said = [*commands, *errors, *([record.stop_reason] if stopped and record.stop_reason else [])]
            self._add(EventKind.HOOK, position, at, name="Stop", text="\n".join(said), failed=bool(errors) or stopped)

    def api_error(self, record: Record, position: int, at: datetime | None, words: str | None = None) -> None:
        """A call of the model failed; `words` is what the client showed."""
        told = loads(bytes(record.error)) if record.error is not ABSENT else None
        status = integer(told, "status") or record.api_error_status
        name = told if isinstance(told, str) else (str(status) if status is not None else record.subtype)
        said = words or text(told, "message") or text(told, "formatted")
        self._add(EventKind.API_ERROR, position, at, name=name, text=said, failed=True)

    def hook(self, attachment: dict[str, Any], position: int, at: datetime | None) -> None:
        """Take in an attachment of one of `HOOK_ATTACHMENTS`."""
        said = (
            text(attachment, "stderr")
            or text(attachment, "stdout")
            or text(mapping(attachment, "blockingError"), "blockingError")
            or text(attachment, "content")
        )
        code = integer(attachment, "exitCode")
        self._add(
            EventKind.HOOK,
            position,
            at,
            name=text(attachment, "hookName") or text(attachment, "hookEvent"),
            text=said,
            failed=_HOOKS[attachment["type"]] or code not in (None, 0),
            exit_code=code,
            duration_ms=integer(attachment, "durationMs"),
        )

    def permission_mode(self, mode: str | None, position: int, at: datetime | None) -> None:
        """Note what the agent may do without asking; only a change is an event."""
        if mode and mode != self.mode:
            self.mode = mode
            self._add(EventKind.PERMISSION_MODE, position, at, name=mode)

    def pull_request(self, record: Record, position: int, at: datetime | None) -> None:
        if record.pr_url:
            name = None if record.pr_number is None else f"#{record.pr_number}"
            self._add(EventKind.PULL_REQUEST, position, at, name=name, text=record.pr_url)

    def _add(self, kind: EventKind, position: int, at: datetime | None, **told: Any) -> None:
        said = told.pop("text", None)
        told["text"] = clip(said, self._limit) if said else None
        self.events.append(SessionEvent(kind=kind, position=position, at=at, **told))


def _object(raw: Any) -> Any:
    return None if raw is ABSENT else loads(bytes(raw))


def _texts(items: object, key: str) -> list[str]:
    """The texts in a list of texts, or of objects that hold one under `key`."""
    found: Iterable[object] = sequence({"items": items}, "items")
    return [said for item in found if (said := item if isinstance(item, str) else text(item, key))]
