"""Lines, damage, cursors: what every reader of a log builds on."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime, timedelta, timezone
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harvesters.decode import MAX_DEFECTS, Reason, loads
from harvesters.jsonl import Change, open_log, split_lines
from harvesters.records import Cursor
from harvesters.values import clip, flag, integer, mapping, moment, sequence, text


def taken(
    path: Path, cursor: Cursor | None = None
) -> tuple[list[dict[str, Any]], list[tuple[int, str]], Cursor | None]:
    """Objects, defects and the next cursor."""
    with open_log(path, cursor) as log:
        objects = [obj for _, obj in log.objects()]
        return objects, [(defect.offset, str(defect.reason)) for defect in log.defects], log.cursor()


def of(tmp_path: Path, data: bytes) -> tuple[list[dict[str, Any]], list[tuple[int, str]]]:
    path = tmp_path / "log.jsonl"
    path.write_bytes(data)
    objects, defects, _ = taken(path)
    return objects, defects


# Lines --------------------------------------------------------------------------------------------------------------


def test_lines_end_at_newline_bytes_only() -> None:
    """U+2028, U+2029, U+0085 and form feeds inside a string split nothing."""
    data = '{"a":"x\u2028y\u2029z\x85\x0c"}\n{"b":1}\n'.encode()
    assert [data[:-8], b'{"b":1}\n'] == [line.data for line in split_lines(BytesIO(data))]


def test_lines_know_their_offsets_and_stop_at_the_given_end() -> None:
    """Offsets count from `start`; what lies beyond `end` is left for later."""
    lines = list(split_lines(BytesIO(b"aa\nbb\ncc\n"), start=10, end=15))
    assert [(10, b"aa\n"), (13, b"bb")] == [tuple(line) for line in lines]


def test_a_line_has_no_greatest_length(tmp_path: Path) -> None:
    """A line of five megabytes is one object."""
    objects, _ = of(tmp_path, b'{"a":"' + b"x" * 5_000_000 + b'"}\n')
    assert 5_000_000 == len(objects[0]["a"])


# Damage -------------------------------------------------------------------------------------------------------------

DAMAGE = {
    "byte-order mark and carriage return": (b'\xef\xbb\xbf{"a":1}\r\n', [{"a": 1}], []),
    "blank lines": (b'\n\n  \n{"a":1}\n\n', [{"a": 1}], []),
    "zeros around": (b'\0\0{"a":1}\0\0\n\0\0\0\n', [{"a": 1}], []),
    "nothing but zeros": (b"\0" * 5000, [], []),
    "empty": (b"", [], []),
    "two objects glued": (b'{"a":1}{"b":2}\n', [{"a": 1}, {"b": 2}], []),
    "two objects with zeros between": (b'{"a":1}\0\0{"b":2}\n', [{"a": 1}, {"b": 2}], []),
    "torn object before a whole one": (b'{"a":"xx{"b":{"c":2}}\n', [{"b": {"c": 2}}], [(0, "truncated")]),
    "torn object before two whole ones": (b'{"a":"xx{"b":1}{"c":1}\n', [{"b": 1}, {"c": 1}], [(0, "truncated")]),
    "torn object alone": (b'{"a":"xx\n{"b":1}\n', [{"b": 1}], [(0, "bad-json")]),
    "inner object of a torn one": (b'{"a":{"b":1}\n{"c":1}\n', [{"c": 1}], [(0, "bad-json")]),
    "raw newline in a string": (b'{"a":"x\ny\n\nz"}\n{"b":1}\n', [{"a": "x\ny\n\nz"}, {"b": 1}], []),
    "raw control characters": (b'{"a":"x\ty\x01"}\n', [{"a": "x\ty\x01"}], []),
    "bytes that are no UTF-8": (b'{"a":"x\xff"}\n', [{"a": "x\ufffd"}], [(0, "not-utf8")]),
    "half of a surrogate pair": (
        b'{"a\\ud83d":["\\udc00","\\ud83d\\ude00"]}\n',
        [{"a\ufffd": ["\ufffd", "\U0001f600"]}],
        [],
    ),
    "not a number": (b'{"a":Infinity}\n', [{"a": float("inf")}], []),
    "values that are no objects": (b'[1]\n2\n"x"\n{"a":1}\n', [{"a": 1}], [(0, "not-an-object")]),
    "prose": (b'# Title\n\ntext\nmore\n{"a":1}\nend\n', [{"a": 1}], [(0, "bad-json"), (27, "bad-json")]),
    "nesting without end": (b'{"a":' * 100_000 + b'\n{"b":1}\n', [{"b": 1}], [(0, "too-deep")]),
    "a number of 5000 digits": (b'{"a":' + b"1" * 5000 + b'}\n{"b":1}\n', [{"b": 1}], [(0, "bad-json")]),
    "no newline at the end": (b'{"a":1}\n{"b":2}', [{"a": 1}, {"b": 2}], []),
    "last line cut off": (b'{"a":1}\n{"b":', [{"a": 1}], [(8, "truncated")]),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_damage_costs_no_more_than_the_damaged_piece(tmp_path: Path, case: str) -> None:
    """Everything that can be read is read, and the rest is a defect with its offset."""
    data, objects, defects = DAMAGE[case]
    assert (objects, defects) == of(tmp_path, data)


def test_defects_of_one_file_are_limited(tmp_path: Path) -> None:
    """A file of rubbish gives a bounded list that says it was cut."""
    _, defects = of(tmp_path, b'{"a":1}\nrubbish\n' * (2 * MAX_DEFECTS))
    assert (MAX_DEFECTS, "too-many") == (len(defects), defects[-1][1])


@given(st.binary(max_size=400))
@settings(max_examples=150)
def test_no_bytes_make_a_reader_raise(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Any bytes give objects and defects, and the place to go on from lies inside the file."""
    path = tmp_path_factory.mktemp("any") / "log.jsonl"
    path.write_bytes(b'{"a":"' + data)
    _, _, cursor = taken(path)
    assert cursor is not None
    assert 0 <= cursor.offset <= len(data) + 6


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
@settings(max_examples=80)
def test_whole_values_survive(value: Any) -> None:
    """What `json` writes, `loads` reads, surrogate halves aside."""
    assert value == loads(json.dumps(value).encode())


# Files that are none ------------------------------------------------------------------------------------------------


def test_a_missing_file_is_one_defect(tmp_path: Path) -> None:
    """No exception, no cursor."""
    assert ([], [(0, "missing")], None) == taken(tmp_path / "nowhere.jsonl")


def test_a_folder_is_one_defect(tmp_path: Path) -> None:
    assert ([], [(0, "not-a-file")], None) == taken(tmp_path)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Opening a named pipe would block for ever."""
    os.mkfifo(tmp_path / "pipe")
    assert ([], [(0, "not-a-file")], None) == taken(tmp_path / "pipe")


def test_a_path_through_a_file_is_one_defect(tmp_path: Path) -> None:
    """Any other refusal of the system is `unreadable`."""
    (tmp_path / "file").write_bytes(b"x")
    assert ([], [(0, "unreadable")], None) == taken(tmp_path / "file" / "below")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_forbidden_file_is_one_defect(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"a":1}\n')
    path.chmod(0)
    assert ([], [(0, "unreadable")], None) == taken(path)


@pytest.mark.parametrize(
    "data", [b"SQLite format 3\0" + bytes(range(256)), b"\x28\xb5\x2f\xfd" + bytes(range(128, 256))]
)
def test_a_binary_file_is_one_defect(tmp_path: Path, data: bytes) -> None:
    """A database or a compressed file is not read line by line."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(data * 100)
    assert ([], [(0, "binary")], None) == taken(path)


def test_a_binary_file_is_opened_on_demand(tmp_path: Path) -> None:
    """Readers of compressed logs get the bytes."""
    path = tmp_path / "log.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd\0\1")
    with open_log(path, binary=True) as log:
        assert b"\x28\xb5\x2f\xfd\0\1" == log.everything()


def test_a_document_is_read_as_one_value(tmp_path: Path) -> None:
    """Pretty-printed JSON is one value; its cursor stands at the end."""
    path = tmp_path / "session.json"
    path.write_text('{\n  "a": [1]\n}\n')
    with open_log(path) as log:
        assert {"a": [1]} == log.document()
        cursor = log.cursor()
    assert cursor is not None
    assert path.stat().st_size == cursor.offset


# Cursors ------------------------------------------------------------------------------------------------------------


def test_an_unchanged_file_is_not_opened(tmp_path: Path) -> None:
    """No byte is read and nothing is given; the cursor stays."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"a":1}\n')
    _, _, cursor = taken(path)
    with open_log(path, cursor) as log:
        reading = log.nothing()
    assert (0, None, cursor, False) == (reading.bytes_read, reading.session, reading.cursor, reading.whole)


def test_a_grown_file_gives_only_what_was_added(tmp_path: Path) -> None:
    """The bytes read are the growth and what it takes to know the file again."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"a":"' + b"x" * 100_000 + b'"}\n')
    _, _, cursor = taken(path)
    with path.open("ab") as file:
        file.write(b'{"b":2}\n')
    with open_log(path, cursor) as log:
        objects = [obj for _, obj in log.objects()]
        log.cursor()
    assert (Change.GROWN, [{"b": 2}]) == (log.change, objects)
    assert 8 + 4096 + 2 * 256 == log.bytes_read


def test_a_half_written_line_is_read_when_it_is_whole(tmp_path: Path) -> None:
    """Neither lost nor given twice, and no longer a defect for a reading that continues."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":"')
    first, _, cursor = taken(path)
    with path.open("ab") as file:
        file.write(b"half")
    second, waiting, cursor = taken(path, cursor)
    with path.open("ab") as file:
        file.write(b'"}\n{"c":3}\n')
    third, defects, _ = taken(path, cursor)
    assert ([{"a": 1}], [], [{"b": "half"}, {"c": 3}]) == (first, second, third)
    assert ([], []) == (waiting, defects)


def test_a_last_line_without_newline_is_given_once(tmp_path: Path) -> None:
    """A whole object counts although its newline is still to come."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"a":1}')
    first, _, cursor = taken(path)
    with path.open("ab") as file:
        file.write(b'\n{"b":2}\n')
    second, _, _ = taken(path, cursor)
    assert ([{"a": 1}], [{"b": 2}]) == (first, second)


def test_a_record_with_raw_newlines_is_not_torn_by_the_end_of_a_reading(tmp_path: Path) -> None:
    """Its first half alone is left for the next reading."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":"x\n')
    first, _, cursor = taken(path)
    with path.open("ab") as file:
        file.write(b'y"}\n')
    second, _, _ = taken(path, cursor)
    assert ([{"a": 1}], [{"b": "x\ny"}]) == (first, second)


def test_objects_glued_by_an_unfinished_line_are_given_once(tmp_path: Path) -> None:
    """While the second is half written, neither is given."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"a":1}{"b":')
    first, _, cursor = taken(path)
    with path.open("ab") as file:
        file.write(b"2}\n")
    second, _, _ = taken(path, cursor)
    assert ([], [{"a": 1}, {"b": 2}]) == (first, second)


def test_a_file_edited_in_its_middle_is_read_whole(tmp_path: Path) -> None:
    """Same length, same beginning, same end: the changed time is all there is to see."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"a":1}\n' * 5000)
    _, _, cursor = taken(path)
    path.write_bytes(b'{"a":1}\n' * 2500 + b'{"a":2}\n' + b'{"a":1}\n' * 2499)
    os.utime(path, ns=(1, 1))
    objects, _, _ = taken(path, cursor)
    assert {"a": 2} in objects


REWRITES = {
    "shorter": b'{"a":1}\n',
    "another beginning": b'{"z":1}\n{"b":2}\n{"c":3}\n{"d":4}\n',
    "another middle": b'{"a":1}\n{"y":2}\n{"c":3}\n{"d":4}\n',
    "same length": b'{"a":1}\n{"b":2}\n{"x":3}\n',
}


@pytest.mark.parametrize("rewrite", REWRITES)
def test_a_rewritten_file_is_read_whole(tmp_path: Path, rewrite: str) -> None:
    """What was stored for the file is to be replaced."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"a":1}\n{"b":2}\n{"c":3}\n')
    _, _, cursor = taken(path)
    path.write_bytes(REWRITES[rewrite])
    os.utime(path, ns=(1, 1))
    with open_log(path, cursor) as log:
        objects = [obj for _, obj in log.objects()]
    assert (Change.WHOLE, [json.loads(line) for line in REWRITES[rewrite].splitlines()]) == (log.change, objects)


def test_a_replaced_file_is_read_whole(tmp_path: Path) -> None:
    """Another file under the same name is another file, even when it begins the same."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"a":1}\n')
    _, _, cursor = taken(path)
    other = tmp_path / "other"
    other.write_bytes(b'{"a":1}\n{"b":2}\n')
    other.replace(path)
    with open_log(path, cursor) as log:
        assert Change.WHOLE is log.change


# Values -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("obj", [None, 3, "x", [], {}, {"k": None}, {"k": object()}])
def test_guards_answer_something_empty_for_what_is_not_there(obj: object) -> None:
    """No function raises for a value of the wrong type."""
    assert (None, {}, [], None, None) == (
        text(obj, "k"),
        mapping(obj, "k"),
        sequence(obj, "k"),
        integer(obj, "k"),
        flag(obj, "k"),
    )


def test_guards_give_what_is_there() -> None:
    obj = {"t": "x", "m": {"a": 1}, "s": [1], "i": 2.0, "b": False}
    assert ("x", {"a": 1}, [1], 2, False) == (
        text(obj, "t"),
        mapping(obj, "m"),
        sequence(obj, "s"),
        integer(obj, "i"),
        flag(obj, "b"),
    )


def test_a_truth_value_is_no_number() -> None:
    assert integer({"k": True}, "k") is None


NOON = datetime(2026, 5, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-05-01T12:00:00Z", NOON),
        ("2026-05-01T12:00:00.1234567Z", NOON + timedelta(microseconds=123456)),
        ("2026-05-01T14:00:00+02:00", NOON),
        ("2026-05-01T12:00:00", NOON),
        (1777636800, NOON),
        (1777636800.5, NOON + timedelta(seconds=0.5)),
        (1777636800000, NOON),
        ("1777636800000", NOON),
        (1777636800000000, NOON),
        ("yesterday", None),
        ("", None),
        (-1, None),
        (float("nan"), None),
        (10**300, None),
        (True, None),
        (None, None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)
def test_times_of_all_forms_become_utc(value: object, expected: datetime | None) -> None:
    """ISO-8601 with any fraction and offset, and epochs in seconds, milliseconds or microseconds."""
    found = moment(value)
    assert expected == found
    assert found is None or found.tzinfo is UTC


def test_times_keep_their_zone_out() -> None:
    """An offset is worked in, not kept."""
    found = moment(datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=5))).isoformat())
    assert found is not None
    assert timedelta(0) == found.utcoffset()


def test_clip_keeps_the_beginning() -> None:
    assert ("abc", "ab") == (clip("abc", 3), clip("abc", 2))


def test_every_reason_is_explained() -> None:
    """docs/reference/defects.md names each reason that a defect can have."""
    page = (Path(__file__).parents[2] / "docs" / "reference" / "defects.md").read_text(encoding="utf-8")
    assert [] == [str(reason) for reason in Reason if f"`{reason}`" not in page]
