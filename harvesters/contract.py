"""What every harvester has to hold, as a kit of checks that an outside package can import.

    from harvesters.contract import violations

    def test_the_contract(tmp_path):
        assert [] == violations(MyAgent(), Path("sample.jsonl"), tmp_path)

The sample is an ordinary transcript of a few turns with at least one tool call. `tmp_path` is an empty folder.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from harvesters.records import Harvester, Reading, ToolCall, Turn

T = TypeVar("T")
_CLIP = 40
_FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)
_GARBAGE = (
    b"",
    b"\n",
    b"{",
    b"null\n",
    b"[1,2]\n",
    b'{"type":7}\n',
    b"\x00\x01\xff" * 100,
    b"words, and no JSON\n" * 50,
)
_REPLACED = ("output", "status", "exit_code", "feedback")
_ADDED = ("answers", "changes", "duration_ms", "subagent", "subagent_tokens", "result_id")


def violations(harvester: Harvester, sample: Path, folder: Path) -> list[str]:
    """What the harvester does not hold, one sentence each; empty when all is well.

    An exception of the harvester is a violation, too: it must never raise for what is in a file.
    """
    return [
        f"{check.__name__.removeprefix('_').replace('_', ' ')}: {finding}"
        for check in _CHECKS
        for finding in _tried(check, harvester, sample, folder)
    ]


def merged_turns(readings: Iterable[Reading]) -> tuple[Turn, ...]:
    """The turns of a file after all its readings, by position, put together as a store has to."""
    turns: dict[str, Turn] = {}
    for reading in readings:
        if reading.whole:
            turns = {}
        if reading.session is None:
            continue
        for turn in reading.session.turns:
            known = turns.get(turn.id)
            turns[turn.id] = (
                turn
                if known is None
                else replace(
                    known,
                    text=known.text + turn.text,
                    tool_calls=known.tool_calls + turn.tool_calls,
                    tokens=known.tokens + turn.tokens,
                    skill=turn.skill or known.skill,
                    abandoned=turn.abandoned,
                )
            )
        late = {call.id: call for call in reading.session.late_results}
        for identity, turn in turns.items() if late else ():
            calls = tuple(_completed(call, late[call.id]) if call.id in late else call for call in turn.tool_calls)
            turns[identity] = replace(turn, tool_calls=calls)
    return tuple(sorted(turns.values(), key=lambda turn: turn.position))


def _completed(call: ToolCall, late: ToolCall) -> ToolCall:
    told = {name: value for name in _ADDED if (value := getattr(late, name)) not in (None, ())}
    return replace(call, **{name: getattr(late, name) for name in _REPLACED}, **told)


Check = Callable[[Harvester, Path, Path], Iterator[str]]


def _tried(check: Check, harvester: Harvester, sample: Path, folder: Path) -> list[str]:
    place = folder / check.__name__
    place.mkdir()
    try:
        return list(check(harvester, sample, place))
    except _FAULTS as error:
        return [f"raised {type(error).__name__}: {error}"]


def _all_of(harvester: Harvester, path: Path, *, clip: int = 16_512) -> list[Reading]:
    readings = [harvester.read(path, clip=clip)]
    while readings[-1].more:
        readings.append(harvester.read(path, readings[-1].cursor, clip=clip))
    return readings


def _the_sample_is_read(harvester: Harvester, sample: Path, folder: Path) -> Iterator[str]:
    copy = _copied(sample, folder)
    reading = harvester.read(copy)
    session = reading.session
    if session is None:
        yield "it gives no session"
        return
    if session.agent != harvester.agent:
        yield f"the session's agent is {session.agent!r}, the harvester's {harvester.agent!r}"
    if not reading.whole or reading.cursor is None or reading.bytes_read == 0:
        yield "a first reading is whole, has a cursor and says how many bytes it read"
    ids = [turn.id for turn in session.turns]
    positions = [turn.position for turn in session.turns]
    calls = [call for turn in session.turns for call in turn.tool_calls]
    if not session.turns or not any(turn.role == "user" for turn in session.turns):
        yield "it has no turn of a user"
    if len(set(ids)) != len(ids):
        yield "two turns have one id"
    if sorted(positions) != positions:
        yield "the turns are not in the order of their positions"
    if len({call.id for call in calls}) != len(calls):
        yield "two tool calls have one id"
    for moment in _values(session, datetime):
        if moment.tzinfo is None or moment.utcoffset() is None:
            yield f"the time {moment} is not aware"
    for text in _values(session, str):
        try:
            text.encode()
        except UnicodeEncodeError:
            yield "a text holds half a surrogate pair, which cannot be stored"
    if harvester.read(copy) != reading:
        yield "a second whole reading differs"


def _an_unchanged_file_is_not_read(harvester: Harvester, sample: Path, folder: Path) -> Iterator[str]:
    copy = _copied(sample, folder)
    last = _all_of(harvester, copy)[-1]
    again = harvester.read(copy, last.cursor)
    if again.bytes_read or again.session is not None or again.cursor != last.cursor:
        yield "with its own cursor it is read again"


def _a_grown_file_adds_up(harvester: Harvester, sample: Path, folder: Path) -> Iterator[str]:
    data = sample.read_bytes()
    whole = merged_turns(_all_of(harvester, _copied(sample, folder)))
    ends = [index + 1 for index, byte in enumerate(data) if byte == 10][:-1]
    for end in ends:
        place = folder / str(end)
        place.mkdir()
        path = place / sample.name
        path.write_bytes(data[:end])
        first = harvester.read(path)
        with path.open("ab") as file:
            file.write(data[end:])
        if merged_turns([first, harvester.read(path, first.cursor)]) != whole:
            yield f"read in two pieces, cut at byte {end}, it gives other turns than whole"


def _a_rewritten_file_is_read_whole(harvester: Harvester, sample: Path, folder: Path) -> Iterator[str]:
    copy = _copied(sample, folder)
    cursor = _all_of(harvester, copy)[-1].cursor
    copy.write_bytes(b"\n" + copy.read_bytes())
    if not harvester.read(copy, cursor).whole:
        yield "a file with another beginning is taken for a grown one"


def _texts_are_clipped(harvester: Harvester, sample: Path, folder: Path) -> Iterator[str]:
    for reading in _all_of(harvester, _copied(sample, folder), clip=_CLIP):
        turns = reading.session.turns if reading.session is not None else ()
        told = [turn.text for turn in turns]
        told += [text for turn in turns for call in turn.tool_calls for text in (call.input, call.output or "")]
        if any(len(text) > _CLIP for text in told):
            yield "a text is longer than was asked for"


def _damage_raises_nothing(harvester: Harvester, sample: Path, folder: Path) -> Iterator[str]:
    data = sample.read_bytes()
    pieces = [*_GARBAGE, *(data[: len(data) * n // 16] for n in range(1, 16)), data.replace(b'":"', b'":7,"x":"', 3)]
    for number, piece in enumerate(pieces):
        path = folder / f"{number}" / sample.name
        path.parent.mkdir()
        path.write_bytes(piece)
        for reading in _all_of(harvester, path):
            if any(defect.offset < 0 or not defect.reason for defect in reading.defects):
                yield "a defect names no place or no reason"
    for path in (folder / "missing" / sample.name, folder):
        if not harvester.read(path).defects:
            yield f"{'a folder' if path == folder else 'a missing file'} is no defect"


def _an_empty_home_has_no_transcript(harvester: Harvester, sample: Path, folder: Path) -> Iterator[str]:  # noqa: ARG001
    if list(harvester.find({}, folder)):
        yield "it finds something"


_CHECKS: tuple[Check, ...] = (
    _the_sample_is_read,
    _an_unchanged_file_is_not_read,
    _a_grown_file_adds_up,
    _a_rewritten_file_is_read_whole,
    _texts_are_clipped,
    _damage_raises_nothing,
    _an_empty_home_has_no_transcript,
)


def _copied(sample: Path, folder: Path) -> Path:
    copy = folder / sample.name
    shutil.copyfile(sample, copy)
    return copy


def _values(value: object, kind: type[T]) -> Iterator[T]:
    """All values of a kind within records."""
    if isinstance(value, kind):
        yield value
    elif is_dataclass(value):
        for item in fields(value):
            yield from _values(getattr(value, item.name), kind)
    elif isinstance(value, tuple):
        for one in value:
            yield from _values(one, kind)
