"""A home on a full disk, and on a read-only one: what reads, reads, and what cannot be done says what helps."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from sleepd.app import config
from sleepd.store.database import HEAD
from sleepd.store.nights import NightStatus
from tests.app.command import configure
from tests.app.disks import FULL, READ_ONLY, run_on
from tests.app.test_scheduled import SCHEDULED, enter

READING = ("status", "nights", "proposals", "review", "tasks list", "service status")


def one_waits() -> None:
    with closing(sqlite3.connect(config.places().database)) as connection, connection:
        connection.execute("INSERT INTO proposals VALUES ('a', 'n', 'waiting', '[]', '', '[]', 0, NULL, NULL, NULL)")


def test_on_a_read_only_disk_reading_verbs_read(begun: Path) -> None:
    """And whoever has to write says what helps, in one line, with a status that says that it is tried again."""
    configure(begun, SCHEDULED)
    night = enter(NightStatus.NOT_MEASURED)
    writing = ("run --scheduled", "harvest")
    seen = run_on(READ_ONLY, *READING, *writing)
    assert dict.fromkeys(READING, (0, "")) == {verb: (seen[verb].code, seen[verb].err) for verb in READING}
    assert night.date in seen["status"].out and night.id in seen["nights"].out
    for verb in writing:
        assert (3, 1) == (seen[verb].code, seen[verb].err.count("\n")) and "make it writable" in seen[verb].err


def test_what_a_reader_that_was_killed_left_is_read_too(begun: Path) -> None:
    """A log beside the database, with the newest night in it."""
    night = enter(NightStatus.DONE)
    file = config.places().database
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("UPDATE nights SET message = 'only in the log'")
        connection.commit()
        seen = run_on(READ_ONLY, "status", "nights")
    assert [0, 0] == [one.code for one in seen.values()], seen
    assert night.date in seen["status"].out and all("only in the log" in one.out for one in seen.values())


def test_a_notice_that_cannot_be_remembered_is_not_said(begun: Path) -> None:
    """It would be said daily."""
    enter(NightStatus.DONE)
    one_waits()
    for disk in (READ_ONLY, FULL):
        said = run_on(disk, "notice")["notice"]
        assert (3, "", 1) == (said.code, said.out, said.err.count("\n")), said
        assert "cannot be written" in said.err and "make room" in said.err


def test_an_old_database_on_a_read_only_disk_says_that_it_is_old(begun: Path) -> None:
    """It is not migrated, and not called damaged."""
    with closing(sqlite3.connect(config.places().database)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
        connection.execute("ALTER TABLE nights RENAME TO evenings")
    assert "0001" < HEAD
    for verb, done in run_on(READ_ONLY, "status", "nights").items():
        assert (3, 1) == (done.code, done.err.count("\n")) and "of an older sleepd" in done.err, (verb, done)


def test_a_scheduled_night_on_a_full_disk_names_the_remedy(begun: Path) -> None:
    """Also where the database cannot even be read: not that it is damaged."""
    configure(begun, SCHEDULED)
    enter(NightStatus.NOT_MEASURED)
    done = run_on(FULL, "run --scheduled")["run --scheduled"]
    assert 3 == done.code and "make room" in done.err.splitlines()[-1], done
