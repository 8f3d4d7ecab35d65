"""Decoding lines of JSON that crashes, races and old versions have damaged.

`LineDecoder` turns lines into objects: a fast decoder first, and line by line a patient one when that fails. What
cannot be decoded becomes a `Defect`; nothing here raises for what the bytes hold.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Any, NamedTuple, TypeVar

import msgspec

from harvesters.records import Defect

T = TypeVar("T")

MAX_DEFECTS = 1000
"""A file gives no more defects than this, the last one being `too-many`."""
MAX_JOINED_LINES = 2000
"""How many physical lines are put together again for one record that holds raw newlines."""

MAX_JOINED_BYTES = 16 << 20

_BLANK = " \t\r\n\0\ufeff"
_PATIENT = json.JSONDecoder(strict=False)
_UNTYPED = msgspec.json.Decoder(dict[str, Any])
_SURROGATE = re.compile("[\ud800-\udfff]")
_GLUED = re.compile(r'(?<![:\[,\\])\{"')
_MAX_GLUE_ATTEMPTS = 256
FAST_FAILURES = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What a msgspec decoder raises for bad input."""


class Reason(StrEnum):
    """The stable words of a defect; docs/reference/defects.md explains each."""

    MISSING = "missing"
    UNREADABLE = "unreadable"
    NOT_A_FILE = "not-a-file"
    BINARY = "binary"
    BAD_JSON = "bad-json"
    NOT_AN_OBJECT = "not-an-object"
    BAD_SHAPE = "bad-shape"
    TRUNCATED = "truncated"
    NOT_UTF8 = "not-utf8"
    TOO_DEEP = "too-deep"
    TOO_MANY = "too-many"
    ZSTD_NOT_INSTALLED = "zstd-not-installed"


class RawLine(NamedTuple):
    """One physical line."""

    offset: int
    data: bytes
    """With its newline, if it has one."""

    @property
    def ended(self) -> bool:
        return self.data.endswith(b"\n")

    @property
    def end(self) -> int:
        return self.offset + len(self.data)


class Pieces(NamedTuple):
    """What a text gave when it was read as a run of JSON objects."""

    objects: list[dict[str, Any]]
    rest: str
    """What could not be read; empty when all was."""
    reason: Reason


class LineDecoder:
    """Turns the lines of one file into objects and remembers what went wrong and how far it got."""

    def __init__(self, path: str, start: int = 0, *, report_truncated: bool = True) -> None:
        self.defects: list[Defect] = []
        self.consumed = start
        """Byte offset behind the last line that is done with: the place to go on from next time."""
        self._path = path
        self._report_truncated = report_truncated
        self._open: list[RawLine] = []
        self._in_bad_run = False

    def objects(self, lines: Iterable[RawLine]) -> Iterator[tuple[int, dict[str, Any]]]:
        """Pairs of the byte offset of the line and one decoded object, in file order."""
        return self.records(lines, _UNTYPED.decode, lambda obj: obj)

    def records(
        self, lines: Iterable[RawLine], fast: Callable[[bytes], T], slow: Callable[[dict[str, Any]], T]
    ) -> Iterator[tuple[int, T]]:
        """Like `objects`, but decoded by `fast`, or by `slow` from a plain object where `fast` raises.

        `fast` is the `decode` of a `msgspec.json.Decoder`; `slow` must not raise.
        """
        for line in lines:
            if not self._open:
                try:
                    record = fast(line.data)
                except FAST_FAILURES:
                    pass
                else:
                    self.consumed = line.offset + len(line.data)
                    self._in_bad_run = False
                    yield line.offset, record
                    continue
            for offset, obj in self._mend(line):
                yield offset, slow(obj)
        if self._open and self._report_truncated:
            self.report(self._open[0].offset, Reason.TRUNCATED)

    def report(self, offset: int, reason: Reason) -> None:
        """Add a defect, unless the file has shown too many already."""
        if len(self.defects) < MAX_DEFECTS - 1:
            self.defects.append(Defect(path=self._path, offset=offset, reason=reason))
        elif len(self.defects) == MAX_DEFECTS - 1:
            self.defects.append(Defect(path=self._path, offset=offset, reason=Reason.TOO_MANY))

    def _mend(self, line: RawLine) -> Iterator[tuple[int, dict[str, Any]]]:
        value = as_text(line.data)
        if not value:
            if self._open:
                self._open.append(line)
            elif line.ended:
                self.consumed = line.end
        elif self._open and not value.startswith("{"):
            yield from self._continue_open(line, value)
        else:
            self._give_up_open()
            yield from self._fresh(line, value)

    def _fresh(self, line: RawLine, value: str) -> Iterator[tuple[int, dict[str, Any]]]:
        found = split_objects(value)
        if found.rest and not line.ended:
            self._open = [line]
            return
        try:
            line.data.decode()
        except UnicodeDecodeError:
            if not self._in_bad_run:
                self.report(line.offset, Reason.NOT_UTF8)
        if found.rest and not found.objects and value.startswith("{") and found.reason is Reason.BAD_JSON:
            self._open = [line]
            return
        if found.rest:
            self._report_run(line.offset, found.reason)
        else:
            self._in_bad_run = False
        self.consumed = line.end
        for obj in found.objects:
            yield line.offset, obj

    def _continue_open(self, line: RawLine, value: str) -> Iterator[tuple[int, dict[str, Any]]]:
        self._open.append(line)
        if value.endswith("}"):
            found = split_objects(as_text(b"".join(part.data for part in self._open)))
            if not found.rest:
                first = self._open[0].offset
                self._open = []
                self._in_bad_run = False
                self.consumed = line.end
                for obj in found.objects:
                    yield first, obj
                return
        if len(self._open) > MAX_JOINED_LINES or line.end - self._open[0].offset > MAX_JOINED_BYTES:
            self._give_up_open()

    def _give_up_open(self) -> None:
        if self._open:
            self._report_run(self._open[0].offset, Reason.BAD_JSON)
            self.consumed = self._open[-1].end
            self._open = []

    def _report_run(self, offset: int, reason: Reason) -> None:
        """One defect for a run of bad lines: a text file is one defect and not one for each line."""
        if not self._in_bad_run:
            self.report(offset, reason)
        self._in_bad_run = True


def as_text(data: bytes) -> str:
    """The text of a line without blanks, NULs and byte-order mark around it; bytes that are no UTF-8 are replaced."""
    return data.decode("utf-8", "replace").strip(_BLANK)


def split_objects(value: str) -> Pieces:
    """The JSON objects that `value` is made of: normally one, several when writers glued their lines together.

    A truncated piece is skipped when whole objects follow it up to the end of the text.
    """
    objects: list[dict[str, Any]] = []
    position = 0
    while position < len(value):
        try:
            obj, end = _PATIENT.raw_decode(value, position)
            obj = _without_surrogates(obj) if "\\u" in value else obj
        except RecursionError:
            return Pieces(objects, value[position:], Reason.TOO_DEEP)
        except ValueError:
            start = _start_behind(value, position)
            if start is None:
                return Pieces(objects, value[position:], Reason.BAD_JSON)
            later = split_objects(value[start:])
            return Pieces([*objects, *later.objects], value[position:start], Reason.TRUNCATED)
        if not isinstance(obj, dict):
            return Pieces(objects, value[position:], Reason.NOT_AN_OBJECT)
        objects.append(obj)
        position = _skip_blanks(value, end)
    return Pieces(objects, "", Reason.BAD_JSON)


def loads(data: bytes | memoryview) -> Any:
    """Any one JSON value out of possibly damaged bytes, or None when there is none."""
    try:
        return msgspec.json.decode(data)
    except FAST_FAILURES:
        value = as_text(bytes(data))
    try:
        obj, end = _PATIENT.raw_decode(value)
        return _without_surrogates(obj) if end == len(value) else None
    except (ValueError, RecursionError):
        return None


def _start_behind(value: str, position: int) -> int | None:
    """Where, behind a truncated object, whole objects start that reach to the end; None when there are none.

    An opening brace behind `:`, `[` or `,` belongs to the truncated object itself and is not tried.
    """
    starts = (match.start() for match in _GLUED.finditer(value, position + 1))
    for start in itertools.islice(starts, _MAX_GLUE_ATTEMPTS):
        end = start
        try:
            while end < len(value) and value[end] == "{":
                end = _skip_blanks(value, _PATIENT.raw_decode(value, end)[1])
        except (ValueError, RecursionError):
            continue
        if end == len(value):
            return start
    return None


def _skip_blanks(value: str, position: int) -> int:
    while position < len(value) and value[position] in _BLANK:
        position += 1
    return position


def _without_surrogates(value: Any) -> Any:
    """The value with every half of a surrogate pair replaced: such a text can be neither encoded nor stored."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value
