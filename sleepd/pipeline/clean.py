"""One reading on its way into the database: read, and rid of its secrets."""

from __future__ import annotations

import re
from dataclasses import replace
from hashlib import sha256

from harvesters.records import (
    Answered,
    FileChange,
    Origin,
    Reading,
    Session,
    SessionEvent,
    SessionKind,
    ToolCall,
)
from sleepd.core.mark import OWN_MARK
from sleepd.core.redact import OVERLAP, redact
from sleepd.pipeline.jobs import Job, Lengths
from sleepd.store.stored_file import StoredFile


def read_clean(job: Job, lengths: Lengths) -> StoredFile | None:
    """What the file gave, without secrets; None when there was nothing new."""
    reading = job.harvester.read(job.path, job.cursor, clip=lengths.text + OVERLAP)
    if reading.session is None and not reading.defects and reading.cursor == job.cursor:
        return None
    cleaner = _Cleaner(lengths)
    kind = "" if reading.session is None else _kind(reading.session)
    clean = cleaner.reading(reading)
    return StoredFile(path=str(job.path), agent=job.harvester.agent, reading=clean, kind=kind, redacted=cleaner.found)


def _kind(session: Session) -> str:
    prompts = (t for t in session.turns if t.origin is Origin.PROMPT)
    first = next(prompts, None)
    own = first is not None and first.text.lstrip().startswith(OWN_MARK)
    return "own" if own and session.kind is not SessionKind.SUBAGENT else session.kind.value


_PLAIN_ID = re.compile(
    r"[\w.-]{0,19}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:toolu|tooluse|(?:agent_)?msg|req|call|fc|rs|item)_[A-Za-z0-9]{1,40}"
)
"""An id without room for a secret: nearly all of them."""


class _Cleaner:
    """Takes secrets out of everything that a reading holds, names and ids too, and counts them."""

    def __init__(self, lengths: Lengths) -> None:
        self._lengths = lengths
        self._names: dict[str, str] = {}
        self.found = 0

    def reading(self, reading: Reading) -> Reading:
        session, cursor = reading.session, reading.cursor
        return replace(
            reading,
            session=None if session is None else self._session(session),
            cursor=None
            if cursor is None
            else replace(cursor, state={key: self._name(value) or "" for key, value in cursor.state.items()}),
            records=tuple(
                replace(r, version=self._name(r.version), unknown=self._name(r.unknown)) for r in reading.records
            ),
        )

    def _session(self, session: Session) -> Session:
        return replace(
            session,
            id=self._id(session.id) or "",
            parent_id=self._id(session.parent_id),
            cwd=self._name(session.cwd),
            branch=self._name(session.branch),
            commit=self._name(session.commit),
            title=self._text(session.title, self._lengths.text),
            version=self._name(session.version),
            models=tuple(self._name(m) or "" for m in session.models),
            skills=tuple(replace(s, name=self._name(s.name) or "", path=self._name(s.path)) for s in session.skills),
            votes={self._id(turn) or "": vote for turn, vote in session.votes.items()},
            turns=tuple(
                replace(
                    t,
                    id=self._id(t.id) or "",
                    text=self._text(t.text, self._lengths.text) or "",
                    model=self._name(t.model),
                    skill=self._name(t.skill),
                    cwd=self._name(t.cwd),
                    branch=self._name(t.branch),
                    source_id=self._id(t.source_id),
                    tool_calls=tuple(self._call(c) for c in t.tool_calls) if t.tool_calls else (),
                )
                for t in session.turns
            ),
            events=tuple(self._event(e) for e in session.events),
            late_results=tuple(self._call(c) for c in session.late_results),
        )

    def _call(self, call: ToolCall) -> ToolCall:
        limit = self._lengths.tool_text
        return replace(
            call,
            id=self._id(call.id) or "",
            name=self._name(call.name) or "",
            input=self._text(call.input, limit) or "",
            output=self._text(call.output, limit),
            feedback=self._text(call.feedback, limit),
            answers=tuple(self._answered(a) for a in call.answers),
            changes=tuple(self._change(c) for c in call.changes),
            subagent=self._id(call.subagent),
            result_id=self._id(call.result_id),
        )

    def _answered(self, answered: Answered) -> Answered:
        limit = self._lengths.tool_text
        question, answer = self._text(answered.question, limit), self._text(answered.answer, limit)
        return Answered(question=question or "", answer=answer or "")

    def _change(self, change: FileChange) -> FileChange:
        limit = self._lengths.tool_text
        return replace(change, path=self._name(change.path) or "", patch=self._text(change.patch, limit))

    def _event(self, event: SessionEvent) -> SessionEvent:
        limit = self._lengths.tool_text
        return replace(event, name=self._text(event.name, limit), text=self._text(event.text, limit))

    def _text(self, text: str | None, limit: int) -> str | None:
        if not text:
            return text
        clean = redact(text[: limit + OVERLAP], limit)
        self.found += len(clean.found)
        return clean.text

    def _name(self, name: str | None) -> str | None:
        """A name that comes again and again: a branch, a folder, a tool, a model."""
        if not name:
            return name
        if name not in self._names:
            self._names[name] = self._text(name, len(name) + OVERLAP) or ""
        return self._names[name]

    def _id(self, name: str | None) -> str | None:
        """An id; one that held a secret ends with its digest, so that two of them stay two."""
        if not name or _PLAIN_ID.fullmatch(name):
            return name
        clean = self._text(name, len(name) + OVERLAP)
        return name if clean == name else f"{clean}-{sha256(name.encode()).hexdigest()[:12]}"
