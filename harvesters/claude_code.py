"""Claude Code's transcripts: main sessions and sub-agents, old and new generations of the format."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from harvesters.claude_memory import memory_of
from harvesters.claude_records import decode_record, record_of
from harvesters.claude_session import AGENT, SessionBuilder
from harvesters.jsonl import Change, Log, open_log
from harvesters.records import Cursor, Reading

_COPIES = ("agent-acompact-", "agent-aside_question-")
"""Files that copy a whole conversation in order to ask one question about it."""
_NOT_SESSIONS = ("journal.jsonl",)


class ClaudeCode:
    """Reads what Claude Code writes below `projects/` of its folder."""

    agent = AGENT

    def find(self, env: Mapping[str, str], home: Path) -> Iterable[Path]:
        """All transcripts, sorted by path, each file once.

        The folders are those of `CLAUDE_CONFIG_DIR` (several may stand there, with commas between), which takes the
        place of `~/.claude` and `~/.config/claude`.
        """
        seen: set[tuple[int, int]] = set()
        for root in _roots(env, home):
            yield from _transcripts(root / "projects", seen)

    def read(self, path: Path, cursor: Cursor | None = None, *, clip: int = 16_512) -> Reading:
        """Read one transcript; see `harvesters.records.Harvester.read`.

        A file in which the user went back since `cursor` is read whole, because turns read earlier are now abandoned.
        """
        memory = memory_of(cursor.state) if cursor is not None else None
        with open_log(path, cursor) as log:
            if log.change in (Change.UNCHANGED, Change.UNREADABLE):
                return log.nothing()
            if path.name.startswith(_COPIES):
                return Reading(session=None, cursor=log.cursor(offset=log.size), bytes_read=log.bytes_read)
            builder = SessionBuilder(path.stem, clip, memory if log.change is Change.GROWN else None)
            if log.whole or (memory is not None and not memory.unsettled):
                _fill(builder, log, may_pause=True)
                if not builder.needs_another_look():
                    return _reading(builder, log)
            spent = log.bytes_read
        whole = _read_whole(path, clip, has_inline_agents=builder.has_inline_agents)
        return replace(whole, bytes_read=whole.bytes_read + spent)


def _read_whole(path: Path, clip: int, *, has_inline_agents: bool) -> Reading:
    with open_log(path) as log:
        if log.change is Change.UNREADABLE:
            return log.nothing()
        builder = SessionBuilder(path.stem, clip, has_inline_agents=has_inline_agents)
        _fill(builder, log)
        if has_inline_agents or not builder.needs_another_look():
            return _reading(builder, log)
    return _read_whole(path, clip, has_inline_agents=True)


def _fill(builder: SessionBuilder, log: Log, *, may_pause: bool = False) -> None:
    for offset, record in log.records(decode_record, record_of):
        builder.add(offset, record)
        if may_pause and log.pause(builder.at_rest):
            return


def _reading(builder: SessionBuilder, log: Log) -> Reading:
    session = builder.session()
    cursor = log.cursor(builder.state())
    defects = tuple(log.defects)
    return Reading(
        session=session,
        defects=defects,
        cursor=cursor,
        whole=log.whole,
        bytes_read=log.bytes_read,
        records=builder.tally.counts(),
        more=log.paused,
    )


def _roots(env: Mapping[str, str], home: Path) -> list[Path]:
    named = [part.strip() for part in env.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]
    if not named:
        return [home / ".claude", home / ".config" / "claude"]
    return [home / part[2:] if part.startswith("~/") else Path(part) for part in named]


def _transcripts(folder: Path, seen: set[tuple[int, int]]) -> Iterator[Path]:
    """Transcripts below a folder, depth first in the order of names; a folder reached twice is walked once."""
    for current, folders, files in os.walk(folder, followlinks=True):
        if not _is_new(Path(current), seen):
            folders.clear()
            continue
        folders.sort()
        for name in sorted(files):
            path = Path(current, name)
            if name.endswith(".jsonl") and name not in _NOT_SESSIONS and _is_new(path, seen):
                yield path


def _is_new(path: Path, seen: set[tuple[int, int]]) -> bool:
    """True the first time that a file or folder is met, whatever its name; False when it cannot be looked at."""
    try:
        status = path.stat()
    except OSError:
        return False
    key = (status.st_dev, status.st_ino)
    if key in seen:
        return False
    seen.add(key)
    return True
