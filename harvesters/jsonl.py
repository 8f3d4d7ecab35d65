"""Opening a transcript that may be live, half written, rewritten or no transcript at all.

    with open_log(path, cursor) as log:
        if log.change in (Change.UNCHANGED, Change.UNREADABLE):
            return log.nothing()
        for offset, obj in log.objects():
            ...
        return Reading(session=..., defects=tuple(log.defects), cursor=log.cursor(state), whole=log.whole,
                       bytes_read=log.bytes_read)

`harvesters.decode` decodes damaged lines, `harvesters.values` reads fields with guards.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self, TypeVar

from harvesters.decode import LineDecoder, RawLine, Reason, loads
from harvesters.records import Cursor, Defect, Reading

T = TypeVar("T")

BUFFER_BYTES = 1 << 20
PIECE_BYTES = 16 << 20
"""After so much of a long file a reading may pause: its memory is bounded by this and by the longest line."""
HEAD_BYTES = 4096
TAIL_BYTES = 256
_LEADING = b" \t\r\n\0\xef\xbb\xbf"


class Change(StrEnum):
    """What happened to a file since its cursor was made."""

    UNCHANGED = "unchanged"
    GROWN = "grown"
    """Everything before the cursor's offset is still there: read on from it."""
    WHOLE = "whole"
    """New, or rewritten: read all and replace what was stored."""
    UNREADABLE = "unreadable"
    """Missing, no regular file, forbidden or binary; `Log.defects` says which."""


class Log:
    """One opened transcript. Made by `open_log`, used in a `with` statement, read once."""

    def __init__(self, path: Path, change: Change, raw: io.FileIO | None, status: os.stat_result | None) -> None:
        self.path = str(path)
        self.change = change
        self.start = 0
        """Byte offset at which reading begins."""
        self.bytes_read = 0
        """Bytes taken from the file so far, those for recognising it included."""
        self.previous: Cursor | None = None
        self.paused = False
        """True when the reading stopped before the file's end, for another one to go on."""
        self.head = b""
        """The first (at most) 4 KiB."""
        self._raw = raw
        self._status = status
        self._decoder: LineDecoder | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._raw is not None:
            self._raw.close()

    @property
    def whole(self) -> bool:
        """True when what is read replaces what was stored for the file."""
        return self.change is Change.WHOLE

    @property
    def size(self) -> int:
        """Bytes that the file had when it was opened."""
        return self._status.st_size if self._status is not None else 0

    @property
    def defects(self) -> list[Defect]:
        """Defects found so far, in file order."""
        return self.decoder.defects

    @property
    def decoder(self) -> LineDecoder:
        """The decoder of this file; it counts what was consumed. Use it directly for lines from another stream."""
        if self._decoder is None:
            self._decoder = LineDecoder(self.path, self.start, report_truncated=self.whole)
        return self._decoder

    def pause(self, at_rest: Callable[[], bool]) -> bool:
        """Whether to stop here and leave the rest of a long file to the next reading.

        Ask after each record. `at_rest` says that nothing is open whose end would change what was read; without rest
        a reading goes on for as long again.
        """
        consumed = self.decoder.consumed
        done = consumed - self.start
        if done < PIECE_BYTES or consumed >= self.size:
            return False
        if done < 2 * PIECE_BYTES and not at_rest():
            return False
        self.paused = True
        return True

    def lines(self) -> Iterator[RawLine]:
        """Physical lines from `start` to the size the file had when it was opened; the last may lack its newline."""
        if self._raw is None or self._status is None:
            return
        self._raw.seek(self.start)
        stream = io.BufferedReader(self._raw, BUFFER_BYTES)
        try:
            yield from split_lines(stream, start=self.start, end=self._status.st_size)
        except OSError:
            self.decoder.report(self.start, Reason.UNREADABLE)
        finally:
            self.bytes_read += max(0, min(stream.tell(), self._status.st_size) - self.start)
            stream.detach()

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """Pairs of byte offset and JSON object. Damage goes to `defects`."""
        return self.decoder.objects(self.lines())

    def records(self, fast: Callable[[bytes], T], slow: Callable[[dict[str, Any]], T]) -> Iterator[tuple[int, T]]:
        """Pairs of byte offset and typed record; see `LineDecoder.records`."""
        return self.decoder.records(self.lines(), fast, slow)

    def document(self) -> Any:
        """The file as one JSON value, or None with a defect when it is none. Reads the file from its beginning."""
        data = self.everything()
        value = loads(data)
        if value is not None:
            self.decoder.consumed = len(data)
        elif data.strip(_LEADING):
            self.decoder.report(0, Reason.BAD_JSON)
        return value

    def everything(self) -> bytes:
        """All bytes of the file; empty with a defect when it cannot be read."""
        if self._raw is None:
            return b""
        try:
            self._raw.seek(0)
            data = self._raw.readall()
        except OSError:
            self.decoder.report(0, Reason.UNREADABLE)
            return b""
        self.bytes_read += len(data)
        return data

    def cursor(self, state: Mapping[str, str] | None = None, *, offset: int | None = None) -> Cursor | None:
        """Where the file was left: behind the last consumed line, or at `offset` when given. None: not readable."""
        if self.change is Change.UNCHANGED:
            return self.previous
        if self._raw is None or self._status is None:
            return None
        position = self.decoder.consumed if offset is None else offset
        head_length = min(HEAD_BYTES, position, len(self.head))
        return Cursor(
            inode=self._status.st_ino,
            # Of a paused reading the size is not the file's, so that the file counts as grown.
            size=position if self.paused else self._status.st_size,
            mtime_ns=self._status.st_mtime_ns,
            offset=position,
            head=digest(self.head[:head_length]),
            head_length=head_length,
            tail=digest(self.bytes_before(position)),
            state=dict(state or {}),
        )

    def nothing(self) -> Reading:
        """The reading of a file that is unchanged or cannot be read."""
        return Reading(
            session=None,
            defects=tuple(self.defects),
            cursor=self.previous if self.change is Change.UNCHANGED else None,
            whole=self.change is not Change.UNCHANGED,
            bytes_read=self.bytes_read,
        )

    def bytes_before(self, position: int) -> bytes:
        """The (at most) 256 bytes before `position`."""
        return self.take(max(0, position - TAIL_BYTES), min(TAIL_BYTES, position))

    def take(self, position: int, length: int) -> bytes:
        """Up to `length` bytes at `position`, counted as read."""
        if self._raw is None:
            return b""
        self._raw.seek(position)
        data = self._raw.read(length)
        self.bytes_read += len(data)
        return data


def open_log(path: Path, cursor: Cursor | None = None, *, binary: bool = False) -> Log:
    """Open a transcript for reading only and find out what became of it since `cursor`.

    With `binary` a file that is no text is opened too (for compressed logs: `Log.everything`, then `split_lines` over
    the unpacked stream, `Log.decoder.objects`, and `Log.cursor(offset=...)`).

    Raises nothing for a missing, forbidden, binary or special file: the log then is `UNREADABLE` and holds one defect.
    """
    raw: io.FileIO | None = None
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return _unreadable(path, Reason.NOT_A_FILE)
        now = (status.st_ino, status.st_size, status.st_mtime_ns)
        if cursor is not None and now == (cursor.inode, cursor.size, cursor.mtime_ns):
            log = Log(path, Change.UNCHANGED, None, status)
            log.previous = cursor
            return log
        raw = io.FileIO(path, "rb")
        status = os.fstat(raw.fileno())
        log = Log(path, Change.WHOLE, raw, status)
        log.head = log.take(0, min(HEAD_BYTES, status.st_size))
        if not binary and looks_binary(log.head):
            raw.close()
            return _unreadable(path, Reason.BINARY)
        if cursor is not None and _continues(log, cursor, status):
            log.change = Change.GROWN
            log.start = cursor.offset
            log.previous = cursor
        return log
    except (OSError, ValueError) as error:
        if raw is not None:
            raw.close()
        return _unreadable(path, Reason.MISSING if isinstance(error, FileNotFoundError) else Reason.UNREADABLE)


def split_lines(stream: BinaryIO, *, start: int = 0, end: int | None = None) -> Iterator[RawLine]:
    """The lines of a binary stream that stands at `start`, split on b"\\n" only, none beyond the byte offset `end`.

    Memory is bounded by the longest line.
    """
    offset = start
    for data in stream:
        behind = offset + len(data)
        if end is not None and behind > end:
            data = data[: end - offset]  # noqa: PLW2901 - what came after the size was taken is for the next reading
            if data:
                yield RawLine(offset, data)
            return
        yield RawLine(offset, data)
        offset = behind


def digest(data: bytes) -> str:
    """A short fingerprint of bytes (BLAKE2b, 128 bit, hexadecimal)."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def looks_binary(head: bytes) -> bool:
    """True when the beginning of a file neither opens like JSON nor is text (NULs, or much that is no UTF-8)."""
    body = head.strip(_LEADING)
    if not body or body[:1] in b"{[":
        return False
    strange = body.count(b"\0") + body.decode("utf-8", "replace").count("\ufffd")
    return b"\0" in body or strange * 20 > len(body)


def _unreadable(path: Path, reason: Reason) -> Log:
    log = Log(path, Change.UNREADABLE, None, None)
    log.decoder.report(0, reason)
    return log


def _continues(log: Log, cursor: Cursor, status: os.stat_result) -> bool:
    """True when the file still begins with what the cursor saw.

    A file of the same size but another mtime was edited in place (or only touched): it is read whole, to be sure.
    """
    if cursor.offset == 0 or cursor.inode != status.st_ino or status.st_size <= cursor.size:
        return False
    same_head = digest(log.head[: cursor.head_length]) == cursor.head
    return same_head and digest(log.bytes_before(cursor.offset)) == cursor.tail
