"""A home on a full disk, and on a read-only one: what reads, reads, and what cannot be done says what helps."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sleepd.settings import config
from sleepd.store.database import HEAD
from sleepd.store.nights import NightStatus
from tests.cli.command import configure, sleepd
from tests.cli.disks import FULL, READ_ONLY, run_on
from tests.resident.schedulers import a_crontab
from tests.resident.test_scheduled import SCHEDULED, enter

pytestmark = pytest.mark.slow

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
    assert (0, "") == (seen["harvest"].code, seen["harvest"].err)  # there is nothing new to write down
    for verb in ("run --scheduled",):
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


def test_installing_on_a_full_disk_is_one_line(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the file and the remedy, also over an installation that serves; the crontab is as it was."""
    install = "service install --cron --no-preflight"
    table = a_crontab(tmp_path, monkeypatch, b"0 1 * * * true\n")
    for again in (False, True):
        before = table.read_bytes()
        seen = run_on(FULL, install)[install]
        assert (3, 1) == (seen.code, seen.err.count("\n")), seen
        assert str(config.places().environment) in seen.err and "no space left on device; make room" in seen.err
        assert before == table.read_bytes()
        if not again:
            shutil.rmtree(begun.with_name(f"{begun.name}.copy"))
            assert 0 == sleepd(*install.split()).code


def test_uninstalling_on_a_read_only_disk_says_what_is_gone(
    begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The schedule: only the file with the variables stays."""
    table = a_crontab(tmp_path, monkeypatch)
    assert 0 == sleepd("service", "install", "--cron", "--no-preflight").code
    gone, again = run_on(READ_ONLY, "service uninstall", "service  uninstall").values()
    assert (3, 1, False) == (gone.code, gone.err.count("\n"), table.exists()), gone
    assert f"removed the lines of sleepd in your crontab; but {config.places().environment} cannot be" in gone.err
    assert (3, 1) == (again.code, again.err.count("\n")) and "removed the lines" not in again.err


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
