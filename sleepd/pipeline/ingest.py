"""Transcripts to rows: read what grew, take the secrets out, store."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path

from harvesters.records import (
    Answered,
    Cursor,
    FileChange,
    Harvester,
    Origin,
    Reading,
    Session,
    SessionEvent,
    SessionKind,
    ToolCall,
    Turn,
)
from sleepd.core.redact import OVERLAP, redact
from sleepd.replayers.prompt import OWN_MARK
from sleepd.settings.sections import HarvestConfig
from sleepd.store import sessions
from sleepd.store.database import Database

_FILES_AT_ONCE = 64
_BYTES_AT_ONCE = 32_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where transcripts are looked for."""

    harvesters: Sequence[Harvester]
    env: Mapping[str, str]
    """The agents' own overrides."""
    home: Path
    since: datetime | None = None
    """Files last written before this are left alone until they grow; None: all."""
    only: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    """Agent -> files, when the user named some: then nothing else is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What one harvest did."""

    files: int
    """Transcript files found."""
    read: int
    """Files that were new or had grown."""
    bytes_read: int
    sessions: int
    """Sessions stored or added to."""
    turns: int
    defects: int
    redacted: int
    by_agent: Mapping[str, int]
    """Agent -> files found."""


def ingest(
    database: Database, sources: Sources, config: HarvestConfig, progress: Callable[[int, int], None] | None = None
) -> IngestReport:
    """Read every transcript that is new or grew, and store it without its secrets.

    Transactions hold readings with their cursors, so that a killed run goes on where it stopped, in a long file after
    the last piece. `progress` is told (files done, files in all).
    """
    found = [(h, path) for h in sources.harvesters for path in _paths(h, sources)]
    totals: Counter[str] = Counter()
    batch: list[sessions.StoredFile] = []
    done = 0
    for file in _changed(database, found, config, sources.since):
        if file is not None:
            batch.append(file)
            _count(totals, file.reading)
            totals["redacted"] += file.redacted
        done += file is None or not file.reading.more
        if len(batch) >= _FILES_AT_ONCE or sum(f.reading.bytes_read for f in batch) >= _BYTES_AT_ONCE:
            _store(database, batch)
        if progress is not None:
            progress(done, len(found))
    _store(database, batch)
    return IngestReport(
        files=len(found),
        read=totals["read"],
        bytes_read=totals["bytes"],
        sessions=totals["sessions"],
        turns=totals["turns"],
        defects=totals["defects"],
        redacted=totals["redacted"],
        by_agent=Counter(h.agent for h, _ in found),
    )


def _paths(harvester: Harvester, sources: Sources) -> Iterable[Path]:
    if sources.only:
        return sources.only.get(harvester.agent, ())
    return harvester.find(sources.env, sources.home)


def _changed(
    database: Database, found: Sequence[tuple[Harvester, Path]], config: HarvestConfig, since: datetime | None
) -> Iterator[sessions.StoredFile | None]:
    """What each file gave, a long file in pieces; None for a file with nothing new."""
    with database.reading() as connection:
        known = {agent: sessions.cursors(connection, agent) for agent in {h.agent for h, _ in found}}
    for harvester, path in found:
        cursor = known[harvester.agent].get(str(path))
        if cursor is None and since is not None and _older(path, since):
            yield None
            continue
        reading = harvester.read(path, cursor, clip=config.max_text + OVERLAP)
        yield _redacted(harvester.agent, path, reading, config) if _has_news(reading, cursor) else None
        while reading.more:
            reading = harvester.read(path, reading.cursor, clip=config.max_text + OVERLAP)
            yield _redacted(harvester.agent, path, reading, config)


def _older(path: Path, since: datetime) -> bool:
    try:
        return path.stat().st_mtime < since.timestamp()
    except OSError:
        # It vanished or cannot be looked at: reading it says so as a defect.
        return False


def _has_news(reading: Reading, cursor: Cursor | None) -> bool:
    return reading.session is not None or bool(reading.defects) or reading.cursor != cursor


def _store(database: Database, batch: list[sessions.StoredFile]) -> None:
    with database.writing() as connection:
        for file in batch:
            sessions.save(connection, file)
    batch.clear()


def _count(totals: Counter[str], reading: Reading) -> None:
    totals["read"] += reading.bytes_read > 0 and not reading.more
    totals["bytes"] += reading.bytes_read
    totals["defects"] += len(reading.defects)
    if reading.session is not None:
        totals["sessions"] += not reading.more
        totals["turns"] += len(reading.session.turns)


def _redacted(agent: str, path: Path, reading: Reading, config: HarvestConfig) -> sessions.StoredFile:
    cleaner = _Cleaner(config)
    kind = "" if reading.session is None else _kind(reading.session)
    return sessions.StoredFile(
        path=str(path),
        agent=agent,
        reading=cleaner.reading(reading),
        kind=kind,
        redacted=cleaner.found,
    )


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

    def __init__(self, config: HarvestConfig) -> None:
        self._config = config
        self._names: dict[str, str] = {}
        self.found = 0

    def reading(self, reading: Reading) -> Reading:
        session, cursor = reading.session, reading.cursor
        return replace(
            reading,
            session=None if session is None else self._session(session),
            cursor=None if cursor is None else replace(cursor, state=self._state(cursor.state)),
            records=tuple(
                replace(r, version=self._name(r.version), unknown=self._name(r.unknown)) for r in reading.records
            ),
        )

    def _state(self, state: Mapping[str, str]) -> dict[str, str]:
        return {key: self._name(value) or "" for key, value in state.items()}

    def _session(self, session: Session) -> Session:
        return replace(
            session,
            id=self._id(session.id) or "",
            parent_id=self._id(session.parent_id),
            cwd=self._name(session.cwd),
            branch=self._name(session.branch),
            commit=self._name(session.commit),
            title=self._text(session.title, self._config.max_text),
            version=self._name(session.version),
            models=tuple(self._name(m) or "" for m in session.models),
            skills=tuple(replace(s, name=self._name(s.name) or "", path=self._name(s.path)) for s in session.skills),
            votes={self._id(turn) or "": vote for turn, vote in session.votes.items()},
            turns=tuple(self._turn(t) for t in session.turns),
            events=tuple(self._event(e) for e in session.events),
            late_results=tuple(self._call(c) for c in session.late_results),
        )

    def _turn(self, turn: Turn) -> Turn:
        return replace(
            turn,
            id=self._id(turn.id) or "",
            text=self._text(turn.text, self._config.max_text) or "",
            model=self._name(turn.model),
            skill=self._name(turn.skill),
            cwd=self._name(turn.cwd),
            branch=self._name(turn.branch),
            source_id=self._id(turn.source_id),
            tool_calls=tuple(self._call(c) for c in turn.tool_calls) if turn.tool_calls else (),
        )

    def _call(self, call: ToolCall) -> ToolCall:
        limit = self._config.max_tool_text
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
        limit = self._config.max_tool_text
        question, answer = self._text(answered.question, limit), self._text(answered.answer, limit)
        return Answered(question=question or "", answer=answer or "")

    def _change(self, change: FileChange) -> FileChange:
        limit = self._config.max_tool_text
        return replace(change, path=self._name(change.path) or "", patch=self._text(change.patch, limit))

    def _event(self, event: SessionEvent) -> SessionEvent:
        limit = self._config.max_tool_text
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
