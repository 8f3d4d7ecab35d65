"""Episodes: each thing the person said, with all that the agent did until the next one. The unit of evidence.

A person speaks in prompts, in messages typed while the agent works, and in the words of a denial. Text that the client
or the agent put into the person's mouth (plans handed over, output of hooks) opens an episode as well, since the agent
acts on it, but it is not the person's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

from harvesters.records import FileChange, Origin, Role, Tokens, ToolCall, ToolStatus, Turn
from sleepd.core.model import SessionId
from sleepd.core.segment import Transcript
from sleepd.core.skill_text import SkillText, loaded_by_client, loaded_by_reading
from sleepd.core.tools import ASKS_THE_PERSON, SHELLS

_LONGEST_WAIT = 10.0
_EDITED_BY_HAND = "user-modified"
_OLD_KEYS = ("old_string", "old_str", "oldString")
_NEW_KEYS = ("new_string", "new_str", "newString", "content", "file_text")
_PATH_KEYS = ("file_path", "path", "filePath", "notebook_path")
_COMMAND_KEYS = ("command", "cmd", "script")


class Source(StrEnum):
    """How the text that opens an episode came into the transcript."""

    PROMPT = "prompt"
    QUEUED = "queued"
    """A prompt that the person typed while the agent was at work."""
    DENIAL = "denial"
    """The person's words when refusing a call."""
    COMMAND = "command"
    """A slash command without words."""
    PLAN = "plan"
    """A plan that the agent wrote and the client handed over."""
    HOOK = "hook"
    """Output of a hook in the person's name."""

    @property
    def own(self) -> bool:
        """Whether the person chose these words."""
        return self in (Source.PROMPT, Source.QUEUED, Source.DENIAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdit:
    """What one call did to one file. Lines are stripped of white space at both ends; blank ones are left out."""

    path: str
    """Relative to the project where it lies below the project's folder."""
    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a tool within an episode."""

    turn: str
    """The transcript's id of the reply that made the call."""
    id: str
    tool: str
    command: str | None
    """The line given to a shell; None for other tools."""
    input: str
    output: str
    status: ToolStatus
    exit_code: int | None
    denial: str | None
    """The person's words at a refusal; None without words."""
    edits: tuple[FileEdit, ...]
    """Empty unless the call succeeded."""
    paths: tuple[str, ...]
    """The files named by the call, relative to the project where they lie below it."""
    duration_ms: int | None
    result_id: str = ""
    """The transcript's id of the line with the result; the call's own id where the result has none."""
    tokens: int | None = None
    """The call's part of the fresh tokens of its reply, whose calls share alike; None when unknown."""

    @property
    def denied(self) -> bool:
        return self.status is ToolStatus.DENIED

    @property
    def failed(self) -> bool:
        """The call ended in an error. A call without a result, or one that was refused, did not fail."""
        return self.status is ToolStatus.ERROR or (self.exit_code is not None and self.exit_code != 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """One thing that was said to the agent, and what the agent did until the next one."""

    session: SessionId
    agent: str
    project: str
    """The folder in which the session began; empty when unknown."""
    number: int
    """From 0, within its session."""
    turn: str
    """The transcript's own id of the line that holds the text."""
    at: datetime | None
    source: Source
    text: str
    denied: Call | None
    """Of a denial: the call that was refused. It belongs to the calls of the episode before."""
    calls: tuple[Call, ...]
    """In order, those that were refused included."""
    opening: str
    """The agent's first words after the text; empty when there are none."""
    answer: str
    """The agent's last words; empty when there are none."""
    interrupted: bool
    """The person stopped the agent."""
    abandoned: bool
    """The person rewound past the text."""
    skill: str | None
    minutes: float | None
    """From the text to the agent's last action, no wait longer than ten minutes; None when there are no times."""
    tokens: Tokens = field(default_factory=Tokens)
    """What the agent's replies used, where the transcript states it; those of sub-agents are not among them."""
    loaded: tuple[SkillText, ...] = ()
    """Skills and commands whose text was put before the agent, in order."""

    @property
    def edits(self) -> tuple[FileEdit, ...]:
        return tuple(edit for call in self.calls for edit in call.edits)


@dataclass(slots=True, kw_only=True)
class _Opened:
    """An episode that is being read."""

    turn: str
    at: datetime | None
    source: Source
    text: str
    denied: Call | None = None
    abandoned: bool
    interrupted: bool = False
    replies: list[Turn] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    loaded: list[SkillText] = field(default_factory=list)


_OPENING = {
    Origin.PROMPT: Source.PROMPT,
    Origin.COMMAND: Source.COMMAND,
    Origin.PLAN: Source.PLAN,
    Origin.HOOK: Source.HOOK,
}


def episodes(transcript: Transcript) -> tuple[Episode, ...]:
    """The session's episodes in order. What the agent did before anything was said to it belongs to none."""
    return tuple(_closed(transcript, number, opened) for number, opened in enumerate(_cut(transcript)))


def _closed(transcript: Transcript, number: int, opened: _Opened) -> Episode:
    said = [turn.text.strip() for turn in opened.replies if turn.text.strip()]
    skills = [turn.skill for turn in opened.replies if turn.skill]
    times = [opened.at, *(turn.at for turn in opened.replies)]
    known = sorted(at for at in times if at is not None)
    gaps = [(later - earlier).total_seconds() / 60 for earlier, later in pairwise(known)]
    # Whoever leaves a question open over night has not cost the agent a night.
    minutes = sum(min(gap, _LONGEST_WAIT) for gap in gaps) if gaps else None
    tokens = Tokens()
    for turn in opened.replies:
        tokens += turn.tokens
    return Episode(
        session=transcript.id,
        agent=transcript.agent,
        project=transcript.project,
        number=number,
        turn=opened.turn,
        at=opened.at,
        source=opened.source,
        text=opened.text,
        denied=opened.denied,
        calls=tuple(opened.calls),
        opening=said[0] if said else "",
        answer=said[-1] if said else "",
        interrupted=opened.interrupted,
        abandoned=opened.abandoned,
        skill=skills[-1] if skills else None,
        minutes=minutes,
        tokens=tokens,
        loaded=tuple(opened.loaded),
    )


def _cut(transcript: Transcript) -> Iterator[_Opened]:
    current: _Opened | None = None
    root = transcript.project.rstrip("/\\")
    before: Turn | None = None
    for turn in transcript.turns:
        last = before
        if turn.origin is not Origin.INJECTED:
            before = turn  # reminders may stand between a command and its text
        if turn.role is Role.USER:
            source = _OPENING.get(turn.origin)
            if source is not None and (turn.text.strip() or source is Source.COMMAND):
                if current is not None:
                    yield current
                if turn.queued and source is Source.PROMPT:
                    source = Source.QUEUED
                current = _Opened(
                    turn=turn.source_id or turn.id, at=turn.at, source=source, text=turn.text, abandoned=turn.abandoned
                )
            elif turn.origin is Origin.INTERRUPT and current is not None:
                current.interrupted = True
            elif current is not None and (skill := loaded_by_client(turn, last)) is not None:
                current.loaded.append(skill)
                before = turn
        elif current is not None:
            current.replies.append(turn)
            current.loaded += loaded_by_reading(turn)
            calls = [_call(raw, turn, root) for raw in turn.tool_calls]
            current.calls += calls
            # The words of a denial answer the whole reply: what else it called was called before they were said.
            for call in calls:
                if call.denied and call.denial:
                    yield current
                    current = _Opened(
                        turn=call.result_id,
                        at=turn.at,
                        source=Source.DENIAL,
                        text=call.denial,
                        denied=call,
                        abandoned=turn.abandoned,
                    )
    if current is not None:
        yield current


def _call(raw: ToolCall, turn: Turn, root: str) -> Call:
    given = _object(raw.input)
    shell = raw.name.casefold() in SHELLS
    edits = tuple(_edits(raw, given, root)) if raw.status is ToolStatus.OK and not shell else ()
    words = raw.feedback if raw.feedback and raw.feedback != _EDITED_BY_HAND else None
    if words is None and raw.status is ToolStatus.DENIED and raw.name.casefold() in ASKS_THE_PERSON and raw.answers:
        words = "\n".join(answer.answer for answer in raw.answers)
    named = [str(given[key]) for key in _PATH_KEYS if isinstance(given.get(key), str)]
    return Call(
        turn=turn.id,
        id=raw.id,
        result_id=raw.result_id or raw.id,
        tool=raw.name,
        command=_command(given, raw.input) if shell else None,
        input=raw.input,
        output=raw.output or "",
        status=raw.status,
        exit_code=raw.exit_code,
        denial=words,
        edits=edits,
        paths=tuple(dict.fromkeys([*(relative(path, root) for path in named), *(edit.path for edit in edits)])),
        duration_ms=raw.duration_ms,
        tokens=round(fresh / len(turn.tool_calls)) if (fresh := turn.tokens.fresh) is not None else None,
    )


def _object(text: str) -> dict[str, object]:
    """The arguments of a call; empty for free text, and for an object that was clipped."""
    if not text.startswith("{"):
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _command(given: dict[str, object], text: str) -> str:
    for key in _COMMAND_KEYS:
        value = given.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            words = [str(word) for word in value]
            # `bash -lc LINE`: the line is what the agent wrote.
            if len(words) == 3 and words[1].startswith("-") and words[1].endswith("c"):
                return words[2]
            return " ".join(words)
    return "" if given else text


def _edits(raw: ToolCall, given: dict[str, object], root: str) -> Iterator[FileEdit]:
    patched = [change for change in raw.changes if change.patch is not None]
    if patched:
        yield from (_of_patch(change, root) for change in patched)
        return
    paths = [given[key] for key in _PATH_KEYS if isinstance(given.get(key), str)]
    pieces = given.get("edits")
    several = [piece for piece in pieces if isinstance(piece, dict)] if isinstance(pieces, list) else [given]
    old = [line for piece in several for key in _OLD_KEYS for line in _lines(piece.get(key))]
    new = [line for piece in several for key in _NEW_KEYS for line in _lines(piece.get(key))]
    if paths and (old or new):
        kept = set(old) & set(new)
        yield FileEdit(
            path=relative(str(paths[0]), root),
            added=tuple(line for line in new if line not in kept),
            removed=tuple(line for line in old if line not in kept),
        )
    else:
        yield from (FileEdit(path=relative(c.path, root), added=(), removed=()) for c in raw.changes)


def _of_patch(change: FileChange, root: str) -> FileEdit:
    lines = (change.patch or "").splitlines()
    added = [line[1:].strip() for line in lines if line.startswith("+")]
    removed = [line[1:].strip() for line in lines if line.startswith("-")]
    return FileEdit(
        path=relative(change.path, root),
        added=tuple(line for line in added if line),
        removed=tuple(line for line in removed if line),
    )


def _lines(text: object) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()] if isinstance(text, str) else []


def relative(path: str, root: str) -> str:
    """A path as a person would write it within the project: without the project's own folder."""
    if root and path.startswith(root) and path[len(root) : len(root) + 1] in ("/", "\\"):
        return path[len(root) + 1 :]
    return path
