"""One reading on its way into the database: read, and rid of its secrets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from harvesters.records import (
    Answered,
    Cursor,
    FileChange,
    Harvester,
    Origin,
    Session,
    SessionEvent,
    SessionKind,
    ToolCall,
    Turn,
)
from sleepd.core.mark import OWN_MARK
from sleepd.core.redact import OVERLAP, redact
from sleepd.store.stored_file import StoredFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Characters kept of one text."""

    text: int
    tool_text: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One file to be read from where it was left, or one piece of a long file."""

    harvester: Harvester
    path: Path
    cursor: Cursor | None


def read_clean(job: Job, lengths: Lengths) -> StoredFile | None:
    """What the file gave, without secrets; None when there was nothing new."""
    reading = job.harvester.read(job.path, job.cursor, clip=lengths.text + OVERLAP)
    if reading.session is None and not reading.defects and reading.cursor == job.cursor:
        return None
    cleaner = _Cleaner(lengths)
    session = reading.session
    kind = "" if session is None else _kind(session)
    if session is not None:
        reading = replace(reading, session=cleaner.session(session))
    return StoredFile(path=str(job.path), agent=job.harvester.agent, reading=reading, kind=kind, redacted=cleaner.found)


def _kind(session: Session) -> str:
    prompts = (t for t in session.turns if t.origin is Origin.PROMPT)
    first = next(prompts, None)
    own = first is not None and first.text.lstrip().startswith(OWN_MARK)
    return "own" if own and session.kind is not SessionKind.SUBAGENT else session.kind.value


class _Cleaner:
    """Takes secrets out of a session's texts and counts them."""

    def __init__(self, lengths: Lengths) -> None:
        self._lengths = lengths
        self.found = 0

    def session(self, session: Session) -> Session:
        return replace(
            session,
            title=self._text(session.title, self._lengths.text),
            turns=tuple(self._turn(t) for t in session.turns),
            events=tuple(self._event(e) for e in session.events),
            late_results=tuple(self._call(c) for c in session.late_results),
        )

    def _turn(self, turn: Turn) -> Turn:
        text = self._text(turn.text, self._lengths.text) or ""
        if not turn.tool_calls and text == turn.text:
            return turn  # most turns are clean, and making a new one costs as much as looking through a short text
        return replace(turn, text=text, tool_calls=tuple(self._call(c) for c in turn.tool_calls))

    def _call(self, call: ToolCall) -> ToolCall:
        limit = self._lengths.tool_text
        return replace(
            call,
            input=self._text(call.input, limit) or "",
            output=self._text(call.output, limit),
            feedback=self._text(call.feedback, limit),
            answers=tuple(self._answered(a) for a in call.answers),
            changes=tuple(self._change(c) for c in call.changes),
        )

    def _answered(self, answered: Answered) -> Answered:
        limit = self._lengths.tool_text
        question, answer = self._text(answered.question, limit), self._text(answered.answer, limit)
        return Answered(question=question or "", answer=answer or "")

    def _change(self, change: FileChange) -> FileChange:
        limit = self._lengths.tool_text
        return replace(change, path=self._text(change.path, limit) or "", patch=self._text(change.patch, limit))

    def _event(self, event: SessionEvent) -> SessionEvent:
        limit = self._lengths.tool_text
        return replace(event, name=self._text(event.name, limit), text=self._text(event.text, limit))

    def _text(self, text: str | None, limit: int) -> str | None:
        if not text:
            return text
        clean = redact(text[: limit + OVERLAP], limit)
        self.found += len(clean.found)
        return clean.text
