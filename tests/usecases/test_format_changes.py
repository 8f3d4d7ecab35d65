"""A client that changes its format is noticed by the share of records that nobody knows."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sleepd.settings import config
from sleepd.store.session_parts import FileCount
from sleepd.usecases import doctor
from sleepd.usecases.format_changes import FormatChange, format_changes, in_words
from tests.cli.command import configure, live_in, sleepd

NOW = datetime(2026, 9, 1, tzinfo=UTC)


def one(version: str | None, count: int, unknown: str | None = None, *, days: int = 0) -> FileCount:
    return FileCount(
        agent="codex", version=version, unknown=unknown, count=count, written_at=NOW - timedelta(days=days)
    )


def found(*counts: FileCount) -> list[str | None]:
    return [change.version for change in format_changes(counts)]


def test_a_version_with_many_unknown_records_is_named() -> None:
    """With its share, the share of before, and the commonest unknown names first."""
    counts = (one("1", 999, days=9), one("1", 1, "x", days=9), one("2", 60), one("2", 10, "b"), one("2", 30, "a"))
    expected = FormatChange(
        agent="codex", version="2", records=100, share=0.4, share_before=0.001, unknown=(("a", 30), ("b", 10))
    )
    assert (expected,) == format_changes(counts)
    assert "codex 2: 40.0% of 100 records are unknown (a 30, b 10); 0.1% before" == in_words(expected)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((one("1", 100), one("2", 100)), []),
        ((one("1", 95), one("1", 5, "x"), one("2", 90), one("2", 10, "x")), []),
        ((one("1", 1000), one("2", 995), one("2", 5, "x")), []),
        ((one("1", 1000), one("2", 9), one("2", 9, "x")), []),
        ((one("1", 50), one("1", 50, "x", days=40), one("2", 1000)), ["1"]),
        ((one("1", 50, days=40), one("1", 50, "x", days=40), one("2", 1000)), []),
        ((one(None, 95), one(None, 5, "x")), []),
        ((one(None, 85), one(None, 15, "x")), [None]),
    ],
    ids=[
        "all known",
        "twice as many",
        "under one in a hundred",
        "too few",
        "in use",
        "long not in use",
        "alone and few",
        "alone and many",
    ],
)
def test_a_jump_is_a_warning_and_the_usual_is_none(counts: tuple[FileCount, ...], expected: list[str | None]) -> None:
    """Three times the share of the other versions, and at least one in a hundred; alone, one in ten."""
    assert expected == found(*counts)


def test_a_renamed_record_type_is_a_warning_of_the_doctor(own_home: Path) -> None:
    """Everything the renamed lines say is lost, and the doctor says so."""
    live_in(own_home, 12)
    configure(own_home)
    files = sorted((own_home / ".claude").rglob("*.jsonl"))
    assert files
    for file in files:
        text = file.read_text(encoding="utf-8")
        file.write_text(re.sub('"type": ?"assistant"', '"type":"answer"', text), encoding="utf-8")
    renamed = sum(file.read_text(encoding="utf-8").count('"type":"answer"') for file in files)
    assert renamed > 0
    assert 0 == sleepd("harvest", "--quiet").code
    rows = [row for row in doctor.examine(config.places()) if row.fact == "format"]
    assert ["warning"] == [row.state.value for row in rows]
    assert f"answer {renamed}" in rows[0].finding


def test_the_doctor_knows_what_the_agents_write(own_home: Path) -> None:
    """Of the simulated sessions of all four agents no record is unknown."""
    live_in(own_home, 12)
    configure(own_home)
    assert 0 == sleepd("harvest", "--quiet").code
    assert ["ok"] == [row.state.value for row in doctor.examine(config.places()) if row.fact == "format"]
