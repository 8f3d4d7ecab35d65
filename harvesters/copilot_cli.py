"""GitHub Copilot CLI: event logs below `$COPILOT_HOME/session-state`.

A log is read on from where it was left. The oldest form (`history-session-state/*.json`) is one JSON object and is
read whole. The folder's `workspace.yaml` says where the session ran when its events do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from harvesters.copilot_events import Events
from harvesters.copilot_memory import remembered
from harvesters.decode import Reason
from harvesters.drafts import TurnDraft, freeze_turns
from harvesters.jsonl import Change, Log, open_log
from harvesters.records import Cursor, Origin, Reading, Role, Session, SessionKind
from harvesters.values import moment, sequence, text

DEFAULT_CLIP = 16_512
EVENTS_FILE = "events.jsonl"
_MAX_YAML_BYTES = 1 << 20
_YAML_PAIR = re.compile(r"([A-Za-z_]+):[ \t]*(.*)")
_PERSON = ("user", "human")
_AGENT = ("assistant", "copilot", "agent")


class CopilotCLI:
    """Reads sessions of Copilot's command line tool (and of the agents elsewhere that run it)."""

    agent = "copilot-cli"

    def find(self, env: Mapping[str, str], home: Path) -> Iterable[Path]:
        """Event logs below `$COPILOT_HOME` (else `~/.copilot`), and where older versions kept them."""
        bases = [Path(env["COPILOT_HOME"]) if env.get("COPILOT_HOME") else home / ".copilot"]
        older = [env[name] for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME") if env.get(name)]
        bases.extend(Path(base) / ".copilot" for base in older)
        chosen: dict[str, Path] = {}
        for base in bases:
            found = (
                *sorted((base / "session-state").glob(f"*/{EVENTS_FILE}")),
                *sorted((base / "session-state").glob("*.jsonl")),
                *sorted((base / "history-session-state").glob("*.json")),
            )
            for path in found:
                name = path.parent.name if path.name == EVENTS_FILE else path.stem
                chosen.setdefault(name, path)
        return sorted(chosen.values())

    def read(self, path: Path, cursor: Cursor | None = None, *, clip: int = DEFAULT_CLIP) -> Reading:
        """Read one session; see `records.Harvester.read`."""
        if path.suffix == ".json":
            # The oldest form: one JSON object that lists messages with a role.
            with open_log(path, cursor) as log:
                if log.change in (Change.UNCHANGED, Change.UNREADABLE):
                    return log.nothing()
                log.change, log.start = Change.WHOLE, 0
                document = log.document()
                if document is not None and not isinstance(document, dict):
                    log.decoder.report(0, Reason.NOT_AN_OBJECT)
                    document = None
                session = None if document is None else _session_of_document(document, path, clip)
                return _reading(log, session, {})
        return read_events(self.agent, path, cursor, clip)


def read_events(agent: str, path: Path, cursor: Cursor | None, limit: int, *, may_pause: bool = True) -> Reading:
    """Read one log of events for `agent`, from `cursor` on where the log only grew."""
    memory = remembered(cursor.state) if cursor is not None else None
    with open_log(path, cursor) as log:
        if log.change in (Change.UNCHANGED, Change.UNREADABLE):
            return log.nothing()
        if memory is None:
            log.change, log.start = Change.WHOLE, 0
        name = path.parent.name if path.name == EVENTS_FILE else path.name.split(".", 1)[0]
        events = Events(agent, name, memory if log.change is Change.GROWN else None)
        for offset, event in log.objects():
            events.take(offset, event)
            if may_pause and log.pause(events.at_rest):
                break
        session = events.session(limit)
        if session is not None and path.name == EVENTS_FILE:
            # The folder's `workspace.yaml` says what the events leave open.
            known = workspace_of(path.with_name("workspace.yaml"))
            session = replace(
                session,
                cwd=session.cwd or known.get("cwd"),
                branch=session.branch or known.get("branch"),
                title=known.get("name") or known.get("summary"),
            )
        reading = replace(_reading(log, session, events.memory.state()), records=events.tally.counts(), more=log.paused)
    return read_events(agent, path, None, limit, may_pause=False) if events.needs_whole else reading


def _reading(log: Log, session: Session | None, state: Mapping[str, str]) -> Reading:
    cursor = log.cursor(state)
    return Reading(
        session=session, defects=tuple(log.defects), cursor=cursor, whole=log.whole, bytes_read=log.bytes_read
    )


def workspace_of(path: Path) -> dict[str, str]:
    """The plain top-level values of a `workspace.yaml`; of a text block its first line. Empty when unreadable."""
    try:
        with path.open("rb") as stream:
            lines = stream.read(_MAX_YAML_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return {}
    found: dict[str, str] = {}
    block: str | None = None
    for line in lines:
        pair = _YAML_PAIR.fullmatch(line.rstrip())
        if pair is not None:
            value = pair.group(2)
            block = pair.group(1) if value[:1] in ("|", ">") and value else None
            if block is None and _scalar(value):
                found[pair.group(1)] = _scalar(value)
        elif block is not None and line.strip():
            found[block], block = line.strip(), None
    return found


def _scalar(value: str) -> str:
    """A one-line value without its quotes; of a quoted text that goes on, its first line."""
    plain = value.strip()
    if plain[:1] in ("'", '"'):
        quote = plain[0]
        plain = plain[1:].removesuffix(quote)
        plain = plain.removesuffix("\\r") if quote == '"' else plain.replace("''", "'")
        plain = plain.replace('\\"', '"').replace("\\\\", "\\") if quote == '"' else plain
    return "" if plain in ("null", "~") else plain


def _session_of_document(document: dict[str, Any], path: Path, limit: int) -> Session | None:
    identifier = text(document, "sessionId") or path.name.split(".", 1)[0]
    messages = sequence(document, "chatMessages") or sequence(document, "history")
    turns = [turn for turn in (_message(identifier, *entry) for entry in enumerate(messages)) if turn is not None]
    if not turns:
        return None
    times = [turn.at for turn in turns if turn.at is not None]
    return Session(
        agent=CopilotCLI.agent,
        id=identifier,
        kind=SessionKind.INTERACTIVE,
        cwd=text(document, "workspacePath") or text(document, "cwd"),
        started_at=min(times, default=moment(document.get("startTime"))),
        ended_at=max(times, default=moment(document.get("startTime"))),
        turns=freeze_turns(turns, limit),
    )


def _message(session: str, position: int, message: object) -> TurnDraft | None:
    role, words = text(message, "role"), text(message, "content") or text(message, "result")
    if words is None:
        words = "\n".join(part for block in sequence(message, "content") if (part := text(block, "text")))
    words = words.strip()
    if not words or role not in (*_PERSON, *_AGENT) or not isinstance(message, dict):
        return None
    by_person = role in _PERSON
    return TurnDraft(
        id=text(message, "id") or f"{session}:{position}",
        position=position,
        role=Role.USER if by_person else Role.ASSISTANT,
        origin=Origin.PROMPT if by_person else Origin.REPLY,
        text=words,
        at=moment(message.get("timestamp")) or moment(message.get("time")),
    )
