"""Codex: rollouts below `$CODEX_HOME/sessions` and `archived_sessions`.

Command line, editor extension, desktop app and `codex exec` write there. A rollout is read on from where it was left;
it is read whole again when it was replaced (migration, compression), when a rollback reaches behind what is new, or
when the kind of record that its prompts are taken from changes (at most once for a file).
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from harvesters.codex_memory import remembered
from harvesters.codex_records import RolloutReader
from harvesters.decode import Reason, loads
from harvesters.jsonl import Change, Log, open_log, split_lines
from harvesters.records import Cursor, Defect, Reading, SessionKind
from harvesters.values import text

DEFAULT_CLIP = 16_512
ZSTD_NOT_INSTALLED = "zstd-not-installed"
MAX_UNPACKED_BYTES = 1 << 30
_FOLDERS = ("sessions", "archived_sessions")
_ENDINGS = (".jsonl", ".json", ".jsonl.zst")
_STEM_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


class Codex:
    """Reads Codex rollouts of all generations, plain or compressed with zstd (which needs the package `zstandard`)."""

    agent = "codex"

    def find(self, env: Mapping[str, str], home: Path) -> Iterable[Path]:
        """Rollouts below `$CODEX_HOME` (else `~/.codex`), each session once: plain before compressed, live before
        archived. Folder dates are those of a session's first day and say nothing about its last, so none is skipped."""
        base = Path(env["CODEX_HOME"]) if env.get("CODEX_HOME") else home / ".codex"
        chosen: dict[str, Path] = {}
        for ending in _ENDINGS:
            for folder in _FOLDERS:
                for path in sorted((base / folder).rglob(f"rollout-*{ending}")):
                    chosen.setdefault(path.name.removesuffix(ending), path)
        return sorted(chosen.values())

    def read(self, path: Path, cursor: Cursor | None = None, *, clip: int = DEFAULT_CLIP) -> Reading:
        """Read one rollout; see `records.Harvester.read`."""
        return self._read(path, cursor, clip, may_pause=True)

    def _read(self, path: Path, cursor: Cursor | None, clip: int, *, may_pause: bool) -> Reading:
        if path.name.endswith(".zst"):
            return _read_compressed(path, cursor, clip)
        memory = remembered(cursor.state) if cursor is not None else None
        with open_log(path, cursor) as log:
            if log.change in (Change.UNCHANGED, Change.UNREADABLE):
                return log.nothing()
            if memory is None or path.suffix == ".json":
                _from_the_beginning(log)
            rollout = RolloutReader(_thread_of(path), memory if log.change is Change.GROWN else None)
            if path.suffix == ".json":
                document = log.document()
                if isinstance(document, dict):
                    rollout.take_document(document)
                elif document is not None:
                    log.decoder.report(0, Reason.NOT_AN_OBJECT)
            else:
                for offset, record in log.objects():
                    rollout.take(offset, record)
                    if may_pause and log.pause(rollout.at_rest):
                        break
            reading = _reading(log, rollout, clip)
        return self._read(path, None, clip, may_pause=False) if rollout.needs_whole else reading


def _from_the_beginning(log: Log) -> None:
    """Take a grown file for a new one."""
    log.change, log.start = Change.WHOLE, 0


def _reading(log: Log, rollout: RolloutReader, limit: int, *, offset: int | None = None) -> Reading:
    path, memory = Path(log.path), rollout.memory
    base = next((folder.parent for folder in path.parents if folder.name in _FOLDERS), None)
    if memory.bare and base is not None and rollout.thread in _typed_by_a_person(*_version_of(base / "history.jsonl")):
        memory.kind = SessionKind.INTERACTIVE.value
    elif memory.bare:
        memory.kind = SessionKind.HEADLESS.value
    if base is not None:
        names = _names(*_version_of(base / "session_index.jsonl"))
        memory.title = names.get(rollout.thread, memory.title)
    session = rollout.session(limit)
    return Reading(
        session=session,
        defects=tuple(log.defects),
        cursor=log.cursor(memory.state(), offset=offset),
        whole=log.whole,
        bytes_read=log.bytes_read,
        records=rollout.tally.counts(),
        more=log.paused,
    )


def _read_compressed(path: Path, cursor: Cursor | None, limit: int) -> Reading:
    """A compressed rollout does not grow: it is read whole, or not at all when it is unchanged."""
    with open_log(path, cursor, binary=True) as log:
        if log.change in (Change.UNCHANGED, Change.UNREADABLE):
            return log.nothing()
        _from_the_beginning(log)
        packed = log.everything()
        rollout = RolloutReader(_thread_of(path))
        try:
            import zstandard
        except ImportError:
            defect = Defect(path=log.path, offset=0, reason=ZSTD_NOT_INSTALLED)
            return Reading(session=None, defects=(defect,), bytes_read=log.bytes_read)
        reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed), read_across_frames=True)
        unpacked = bytearray()
        # Up to where the frames are damaged: a cut-off text ends in half a line, which the line decoder reports.
        with suppress(zstandard.ZstdError):
            while len(unpacked) < MAX_UNPACKED_BYTES and (data := reader.read(1 << 20)):
                unpacked += data
        for offset, record in log.decoder.objects(split_lines(io.BytesIO(unpacked))):
            rollout.take(offset, record)
        if packed and not unpacked:
            log.decoder.report(0, Reason.TRUNCATED)
        return _reading(log, rollout, limit, offset=len(packed))


def _thread_of(path: Path) -> str:
    """The id in a rollout's name, or the name."""
    stem = path.name.split(".", 1)[0]
    found = _STEM_ID.search(stem)
    return found.group(0) if found else stem


def _version_of(path: Path) -> tuple[Path, int, int]:
    """A file with its size and mtime: what was read from it holds as long as these do."""
    try:
        status = path.stat()
    except OSError:
        return path, -1, -1
    return path, status.st_size, status.st_mtime_ns


@lru_cache(maxsize=4)
def _typed_by_a_person(path: Path, size: int, _mtime_ns: int) -> frozenset[str]:
    """Ids of sessions whose prompts stand in the history of typed prompts."""
    return frozenset(name for row in _rows(path, size) if (name := text(row, "session_id")) is not None)


@lru_cache(maxsize=4)
def _names(path: Path, size: int, _mtime_ns: int) -> dict[str, str]:
    """The name of each thread, by its id; the last one given counts."""
    rows = [(text(row, "id"), text(row, "thread_name")) for row in _rows(path, size)]
    return {thread: name for thread, name in rows if thread is not None and name is not None}


def _rows(path: Path, size: int) -> Iterator[object]:
    if size <= 0:
        return
    try:
        with path.open("rb") as stream:
            for line in stream:
                yield loads(line)
    except OSError:
        return  # it vanished since it was looked at: the session then has no name, and no person to vouch for it
