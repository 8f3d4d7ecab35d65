"""Transcripts to rows: read what grew, take the secrets out, store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from harvesters.records import Cursor, Harvester, Origin, Reading, Session, SessionKind, ToolCall, Turn
from sleepd.core.redact import OVERLAP, redact
from sleepd.replayers.prompt import OWN_MARK
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
class Limits:
    """Characters kept of one text."""

    text: int = 16_000
    tool_text: int = 4_000


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
    database: Database, sources: Sources, limits: Limits, progress: Callable[[int, int], None] | None = None
) -> IngestReport:
    """Read every transcript that is new or grew, and store it without its secrets.

    Transactions hold whole files with their cursors, so that a killed run goes on where it stopped. `progress` is told
    (files done, files in all).
    """
    found = [(h, path) for h in sources.harvesters for path in _paths(h, sources)]
    totals: Counter[str] = Counter()
    batch: list[sessions.StoredFile] = []
    for done, file in enumerate(_changed(database, found, limits, sources.since), 1):
        if file is not None:
            batch.append(file)
            _count(totals, file.reading)
            totals["redacted"] += file.redacted
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
    database: Database, found: Sequence[tuple[Harvester, Path]], limits: Limits, since: datetime | None
) -> Iterator[sessions.StoredFile | None]:
    """One item per file: what it gave, or None when there was nothing new."""
    with database.reading() as connection:
        known = {agent: sessions.cursors(connection, agent) for agent in {h.agent for h, _ in found}}
    for harvester, path in found:
        cursor = known[harvester.agent].get(str(path))
        if cursor is None and since is not None and _older(path, since):
            yield None
            continue
        reading = harvester.read(path, cursor, clip=limits.text + OVERLAP)
        yield _redacted(harvester.agent, path, reading, limits) if _has_news(reading, cursor) else None


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
    totals["read"] += reading.bytes_read > 0
    totals["bytes"] += reading.bytes_read
    totals["defects"] += len(reading.defects)
    if reading.session is not None:
        totals["sessions"] += 1
        totals["turns"] += len(reading.session.turns)


def _redacted(agent: str, path: Path, reading: Reading, limits: Limits) -> sessions.StoredFile:
    cleaner = _Cleaner(limits)
    session = reading.session
    kind = "" if session is None else _kind(session)
    if session is not None:
        session = cleaner.session(session)
    return sessions.StoredFile(
        path=str(path),
        agent=agent,
        reading=replace(reading, session=session),
        kind=kind,
        redacted=cleaner.found,
    )


def _kind(session: Session) -> str:
    prompts = (t for t in session.turns if t.origin is Origin.PROMPT)
    first = next(prompts, None)
    own = first is not None and first.text.lstrip().startswith(OWN_MARK)
    return "own" if own and session.kind is not SessionKind.SUBAGENT else session.kind.value


class _Cleaner:
    """Takes secrets out of a session's texts and counts them."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.found = 0

    def session(self, session: Session) -> Session:
        return replace(
            session,
            title=self._text(session.title, self._limits.text),
            turns=tuple(self._turn(t) for t in session.turns),
            late_results=tuple(self._call(c) for c in session.late_results),
        )

    def _turn(self, turn: Turn) -> Turn:
        text = self._text(turn.text, self._limits.text) or ""
        calls = tuple(self._call(c) for c in turn.tool_calls) if turn.tool_calls else ()
        return replace(turn, text=text, tool_calls=calls)

    def _call(self, call: ToolCall) -> ToolCall:
        limit = self._limits.tool_text
        return replace(
            call,
            input=self._text(call.input, limit) or "",
            output=self._text(call.output, limit),
            feedback=self._text(call.feedback, limit),
        )

    def _text(self, text: str | None, limit: int) -> str | None:
        if not text:
            return text
        clean = redact(text[: limit + OVERLAP], limit)
        self.found += len(clean.found)
        return clean.text
