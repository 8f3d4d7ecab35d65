"""One reading on its way into the database: read, and rid of its secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from typing import TypeVar

from harvesters.records import (
    Answered,
    Origin,
    Reading,
    Session,
    SessionEvent,
    SessionKind,
    ToolCall,
    Turn,
)
from sleepd.core.mark import OWN_MARK
from sleepd.core.redact import OVERLAP, Clipped, Redacted, redact, redact_all
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


def _texts(reading: Reading, lengths: Lengths) -> Iterator[Clipped]:
    """Nearly all texts of a reading, to be searched together: to begin a search costs more than a short text."""
    session = reading.session
    turns, late, events = (session.turns, session.late_results, session.events) if session is not None else ((), (), ())
    names: set[str | None] = set() if session is None else {session.cwd, session.branch, session.version}
    for turn in turns:
        yield Clipped(turn.text, lengths.text)
        names |= {turn.model, turn.cwd, turn.branch, turn.skill}
    for call in (*(call for turn in turns for call in turn.tool_calls), *late):
        names.add(call.name)
        said = [call.input, call.output, call.feedback]
        for change in call.changes:
            names.add(change.path)
            said.append(change.patch)
        for answered in call.answers:
            said += (answered.question, answered.answer)
        yield from (Clipped(text, lengths.tool_text) for text in said if text)
    for event in events:
        yield from (Clipped(text, lengths.tool_text) for text in (event.name, event.text) if text)
    names |= {record.version for record in reading.records}
    if reading.cursor is not None:
        names |= set(reading.cursor.state.values())
    yield from (Clipped(name, len(name) + OVERLAP) for name in names if name)


_PLAIN_ID = re.compile(
    r"[\w.-]{0,19}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:toolu|tooluse|(?:agent_)?msg|req|call|fc|rs|item)_[A-Za-z0-9]{1,40}"
)
"""An id without room for a secret: nearly all of them."""


R = TypeVar("R", Turn, ToolCall)


class _Cleaner:
    """Takes secrets out of everything that a reading holds, names and ids too, and counts them."""

    def __init__(self, lengths: Lengths) -> None:
        self._lengths = lengths
        self._names: dict[str, str] = {}
        self._redacted: dict[Clipped, Redacted] = {}
        self.found = 0

    def reading(self, reading: Reading) -> Reading:
        session, cursor = reading.session, reading.cursor
        texts = list(dict.fromkeys(_texts(reading, self._lengths)))
        self._redacted = dict(zip(texts, redact_all(texts), strict=True))
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
            turns=tuple(self._turn(t) for t in session.turns),
            events=tuple(self._event(e) for e in session.events),
            late_results=tuple(self._call(c) for c in session.late_results),
        )

    def _turn(self, turn: Turn) -> Turn:
        calls = tuple(self._call(c) for c in turn.tool_calls) if turn.tool_calls else ()
        return _with(
            turn,
            id=self._id(turn.id) or "",
            text=self._text(turn.text, self._lengths.text) or "",
            model=self._name(turn.model),
            skill=self._name(turn.skill),
            cwd=self._name(turn.cwd),
            branch=self._name(turn.branch),
            source_id=self._id(turn.source_id),
            tool_calls=calls,
        )

    def _call(self, call: ToolCall) -> ToolCall:
        limit = self._lengths.tool_text
        return _with(
            call,
            id=self._id(call.id) or "",
            name=self._name(call.name) or "",
            input=self._text(call.input, limit) or "",
            output=self._text(call.output, limit),
            feedback=self._text(call.feedback, limit),
            answers=tuple(
                Answered(question=self._text(a.question, limit) or "", answer=self._text(a.answer, limit) or "")
                for a in call.answers
            ),
            changes=tuple(
                replace(c, path=self._name(c.path) or "", patch=self._text(c.patch, limit)) for c in call.changes
            ),
            subagent=self._id(call.subagent),
            result_id=self._id(call.result_id),
        )

    def _event(self, event: SessionEvent) -> SessionEvent:
        limit = self._lengths.tool_text
        return replace(event, name=self._text(event.name, limit), text=self._text(event.text, limit))

    def _text(self, text: str | None, limit: int) -> str | None:
        if not text:
            return text
        clean = self._redacted.get(Clipped(text, limit)) or redact(text[: limit + OVERLAP], limit)
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


def _with(record: R, **clean: object) -> R:
    """The record with these values: itself where it has them already, as nearly every record without a secret does."""
    changed = {name: value for name, value in clean.items() if getattr(record, name) != value}
    return replace(record, **changed) if changed else record  # type: ignore[arg-type]  # its own fields
