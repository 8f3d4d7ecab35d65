"""The database file: made whole, private, never replaced silently."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, exc, inspect

from sleepd.core.errors import Busy, DatabaseDamaged
from sleepd.store.database import HEAD, Database, backups, damage_in, open_database, restore
from sleepd.store.migrate import config, upgrade
from sleepd.store.schema import metadata

ROOT = Path(__file__).parents[2]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def in_child(code: str, *args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *args], cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stdin=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


REVISIONS = [script.revision for script in ScriptDirectory.from_config(config()).walk_revisions()]
"""The newest first."""


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Revision -> the bytes of an empty database of that revision, each made from the one before."""
    path = tmp_path_factory.mktemp("older") / "old.db"
    found = {}
    for revision in reversed(REVISIONS):
        engine = create_engine(f"sqlite:///{path}")
        upgrade(engine, revision)
        engine.dispose()
        found[revision] = path.read_bytes()
    return found


class TestSchema:
    def test_migrations_lead_to_the_schema_in_the_code(self, database: Database) -> None:
        """Alembic finds no difference, indexes and foreign keys included."""
        with database.reading() as connection:
            context = MigrationContext.configure(connection, opts={"compare_server_default": True})
            assert [] == compare_metadata(context, metadata)

    def test_the_head_is_the_newest_script(self) -> None:
        """Written down in the code so that alembic is not imported for a look."""
        assert HEAD == ScriptDirectory.from_config(config()).get_current_head()

    @pytest.mark.parametrize("revision", REVISIONS)
    def test_every_older_schema_is_migrated_with_its_rows(
        self, tmp_path: Path, revision: str, older: dict[str, bytes]
    ) -> None:
        """What is there stays, and a backup is kept of how it was."""
        path = tmp_path / "old.db"
        path.write_bytes(older[revision])
        with closing(sqlite3.connect(path)) as old, old:
            night = "run_id" if revision >= "0011" else "night_id"
            old.execute(
                "INSERT INTO candidates (id, number, alpha, agent, name, path, project, description, base, text, edits,"
                f" tasks, model, {night}, nights, verdict, reason) VALUES ('c', 1, .05, '', '', '', '', '', '', '', '[]',"
                " '[]', '', '', 1, '', '')"
            )
        database = open_database(path)
        with database.reading() as connection:
            assert [("c", "[]")] == connection.exec_driver_sql("SELECT id, sessions FROM candidates").fetchall()
            assert set(metadata.tables) <= set(inspect(connection).get_table_names())
        assert (revision != HEAD) == bool(backups(path))


class TestPrivate:
    def test_nobody_else_may_read_it(self, tmp_path: Path) -> None:
        """0600 for every file, 0700 for the folders, whatever the umask."""
        before = os.umask(0)
        try:
            path = tmp_path / "state" / "sleepd.db"
            database = open_database(path)
            with database.writing() as connection:
                connection.exec_driver_sql("INSERT INTO texts VALUES ('a', 'b')")
            copy = database.backup("one")
            assert {0o600} == {mode(p) for p in (copy, *path.parent.glob("sleepd.db*"))}
            assert {0o700} == {mode(path.parent), mode(copy.parent)}
        finally:
            os.umask(before)


DAMAGED = {
    "empty": lambda good: b"",
    "text": lambda good: b"not a database, but a letter to somebody\n" * 40,
    "cut": lambda good: good[: len(good) // 3],
    "overwritten": lambda good: good[:100] + b"\xff" * 8_000 + good[8_100:],
    "another program's": lambda good: None,
    "newer": lambda good: None,
}


class TestDamage:
    @pytest.mark.parametrize("kind", DAMAGED)
    def test_it_is_said_and_the_file_is_left_alone(self, kind: str, empty: bytes, tmp_path: Path) -> None:
        """The message names the file and the last backup; nothing is made anew over it."""
        path = tmp_path / "sleepd.db"
        data = DAMAGED[kind](empty)
        if data is None:
            path.write_bytes(empty if kind == "newer" else b"")
            with closing(sqlite3.connect(path)) as other, other:
                if kind == "newer":
                    other.execute("UPDATE alembic_version SET version_num = '9999'")
                else:
                    other.execute("CREATE TABLE bookmarks (id)")
            data = path.read_bytes()
        path.write_bytes(data)
        backup = tmp_path / "backups" / "sleepd-n7.db"
        backup.parent.mkdir()
        backup.write_bytes(empty)
        with pytest.raises(DatabaseDamaged) as caught:
            database = open_database(path)
            with database.reading() as connection:
                for table in metadata.tables:
                    connection.exec_driver_sql(f"SELECT * FROM {table}").fetchall()
        # A newer database is sound: a backup would lose what the newer sleepd stored.
        assert str(path) in str(caught.value)
        assert (str(backup) in str(caught.value), "upgrade sleepd" in str(caught.value)) == (
            (False, True) if kind == "newer" else (True, False)
        )
        assert data == path.read_bytes()

    def test_without_a_backup_it_says_so(self, tmp_path: Path) -> None:
        """And what to do."""
        path = tmp_path / "sleepd.db"
        path.write_bytes(b"")
        with pytest.raises(DatabaseDamaged, match="there is no backup: move the file away"):
            open_database(path)

    def test_other_errors_are_not_called_damage(self, database: Database) -> None:
        """A defect in a statement is a defect."""
        with pytest.raises(Exception, match="no such table"), database.reading() as connection:
            connection.exec_driver_sql("SELECT * FROM nowhere")


def damaged_in_the_middle(path: Path) -> None:
    """Overwrite all pages behind the first one, as a failing disk may: the file still opens."""
    data = bytearray(path.read_bytes())
    data[4096:] = b"\x07" * (len(data) - 4096)
    path.write_bytes(data)


class TestDamageIsNotSpread:
    """A backup of a damaged database must never take the place of a good one."""

    def test_a_damaged_database_is_not_copied_over_the_good_backups(self, tmp_path: Path) -> None:
        """The copies stay as they were, and the error names the newest of them."""
        path = tmp_path / "sleepd.db"
        database = open_database(path)
        good = database.backup("monday")
        with database.writing() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        before = good.read_bytes()
        # One page: the file opens, and SQLite copies it without a word.
        data = path.read_bytes()
        path.write_bytes(data[:-4096] + b"\x07" * 4096)
        with pytest.raises(DatabaseDamaged, match="sleepd restore"):
            open_database(path).backup("tuesday")
        assert [good] == backups(path)
        assert before == good.read_bytes()
        assert [] == list(good.parent.glob("*.part"))

    def test_what_a_kill_left_of_a_copy_is_removed_by_the_next(self, database: Database) -> None:
        """Half a copy is no backup and takes room."""
        folder = database.backup("monday").parent
        (folder / "sleepd-tuesday.part").write_bytes(b"half")
        database.backup("wednesday")
        assert [] == list(folder.glob("*.part"))

    def test_a_database_that_is_in_use_is_busy_and_not_broken(self, tmp_path: Path) -> None:
        """Status 75: the same command works in a moment."""
        path = tmp_path / "sleepd.db"
        database = open_database(path)
        with pytest.raises(Busy), database.reading():
            raise exc.OperationalError("INSERT", {}, busy(path))


def busy(path: Path) -> sqlite3.Error:
    """The error that SQLite gives while another connection writes."""
    with closing(sqlite3.connect(path, timeout=0)) as first, closing(sqlite3.connect(path, timeout=0)) as second:
        first.execute("BEGIN IMMEDIATE")
        try:
            second.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            return error
    raise AssertionError("the second writer was let in")


def placed(home: Path, data: bytes) -> Path:
    """A database file with these bytes in a new home."""
    home.mkdir()
    path = home / "sleepd.db"
    path.write_bytes(data)
    path.chmod(0o600)
    return path


class TestRestore:
    def test_the_backup_comes_back_and_the_former_file_is_kept(self, tmp_path: Path) -> None:
        """Also with a write-ahead log of the former file lying there: it moves with its file."""
        path = tmp_path / "sleepd.db"
        database = open_database(path)
        good = database.backup("monday")
        with database.writing() as connection:
            connection.exec_driver_sql("CREATE TABLE later (id)")
        wal = path.with_name("sleepd.db-wal")
        kept_open = sqlite3.connect(path)
        kept_open.execute("SELECT count(*) FROM later").fetchone()
        assert wal.exists()
        restored = restore(path, good, "now")
        kept_open.close()
        database.close()
        again = open_database(path)
        with again.reading() as connection:
            names = {row[0] for row in connection.exec_driver_sql("SELECT name FROM sqlite_master")}
        again.close()
        assert "later" not in names and "nights" in names
        assert restored.moved is not None and restored.moved.exists()
        assert path.with_name("sleepd.db.before-restore-now-wal").exists()
        assert 0o600 == path.stat().st_mode & 0o777

    def test_a_kill_at_any_step_leaves_a_whole_database(self, empty: bytes, tmp_path: Path) -> None:
        """The former one or the restored one: a missing file would be made anew, and empty, by the next command."""
        steps = range(1, 12)
        for step in steps:
            database = open_database(placed(tmp_path / str(step), empty))
            database.backup("monday")
            database.close()
        child = in_child(
            """
            import os, sys
            from pathlib import Path
            from sleepd.store.database import restore

            left = 0

            def kill(event, arguments):
                global left
                if event in ("os.link", "os.remove", "os.rename", "os.chmod"):
                    left -= 1
                    if left == 0:
                        os._exit(9)

            sys.addaudithook(kill)
            # Each dies alone: a copy of this process for each step.
            for step in map(int, sys.argv[2:]):
                pid = os.fork()
                if pid == 0:
                    home, left = Path(sys.argv[1], str(step)), step
                    restore(home / "sleepd.db", home / "backups" / "sleepd-monday.db", "now")
                    os._exit(0)
                print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
            """,
            str(tmp_path), *map(str, steps),
        )  # fmt: skip
        out, err = child.communicate(timeout=60)
        ended = [int(line) for line in out.splitlines()]
        killed = ended.index(0)
        assert killed >= 4 and [9] * killed + [0] * (len(steps) - killed) == ended, err
        for step in steps:
            path = tmp_path / str(step) / "sleepd.db"
            assert path.exists(), step
            open_database(path).close()
            assert damage_in(path) is None

    def test_a_damaged_backup_is_refused_and_nothing_moves(self, tmp_path: Path) -> None:
        """The present file may be better than the backup."""
        path = tmp_path / "sleepd.db"
        database = open_database(path)
        copy = database.backup("monday")
        database.close()
        damaged_in_the_middle(copy)
        before = path.read_bytes()
        with pytest.raises(DatabaseDamaged, match="name another one"):
            restore(path, copy, "now")
        assert before == path.read_bytes()


class TestBackup:
    def test_three_are_kept_the_newest_first(self, database: Database) -> None:
        """Each a whole database of its moment."""
        for n in range(5):
            with database.writing() as connection:
                connection.exec_driver_sql(f"INSERT INTO texts VALUES ('{n}', '')")
            os.utime(database.backup(f"n{n}"), (1_000_000 + n, 1_000_000 + n))
        kept = backups(database.path)
        assert ["sleepd-n4.db", "sleepd-n3.db", "sleepd-n2.db"] == [p.name for p in kept]
        restored = open_database(kept[1])
        with restored.reading() as connection:
            assert 4 == connection.exec_driver_sql("SELECT count(*) FROM texts").scalar()

    def test_one_name_is_one_backup(self, database: Database) -> None:
        """A rerun of a night replaces that night's."""
        assert database.backup("n1") == database.backup("n1")
        assert 1 == len(backups(database.path))


class TestProcesses:
    @pytest.mark.slow
    def test_two_first_runs_at_once_share_one_database(self, tmp_path: Path) -> None:
        """Neither fails, neither's rows are lost, and nothing half-made is left over."""
        path = tmp_path / "sleepd.db"
        code = """
            import sys
            from pathlib import Path
            from sleepd.store.database import open_database
            database = open_database(Path(sys.argv[1]))
            with database.writing() as connection:
                connection.exec_driver_sql("INSERT INTO texts VALUES (?, '')", (sys.argv[2],))
        """
        children = [in_child(code, str(path), str(n)) for n in range(3)]
        assert [(0, "")] * 3 == [(c.returncode, err) for c in children for err in [c.communicate(timeout=60)[1]]]
        with open_database(path).reading() as connection:
            assert 3 == connection.exec_driver_sql("SELECT count(*) FROM texts").scalar()
        assert [] == list(tmp_path.glob("*.new-*"))

    def test_a_file_that_another_first_run_just_took_away_is_no_error(self, tmp_path: Path) -> None:
        """A name that is listed and has no file any more: here a link to nothing."""
        (tmp_path / "sleepd.db.new-1").symlink_to(tmp_path / "gone")
        database = open_database(tmp_path / "sleepd.db")
        with database.reading() as connection:
            assert 0 == connection.exec_driver_sql("SELECT count(*) FROM texts").scalar()

    @pytest.mark.slow
    def test_a_killed_writer_leaves_the_old_state(self, fresh: Callable[[], Database]) -> None:
        """Killed in the middle of a transaction, what was committed before stands and no lock stays."""
        path = fresh().path
        code = """
            import sys
            from pathlib import Path
            from sleepd.store.database import open_database
            database = open_database(Path(sys.argv[1]))
            with database.writing() as connection:
                connection.exec_driver_sql("INSERT INTO texts VALUES ('kept', '')")
            with database.writing() as connection:
                connection.exec_driver_sql("INSERT INTO texts VALUES ('lost', '')")
                print("in", flush=True)
                sys.stdin.readline()
        """
        child = in_child(code, str(path))
        assert child.stdout is not None and "in\n" == child.stdout.readline()
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=60)
        database = fresh()
        with database.writing() as connection:
            connection.exec_driver_sql("INSERT INTO texts VALUES ('next', '')")
            rows = connection.exec_driver_sql("SELECT digest FROM texts ORDER BY 1").scalars().all()
        assert ["kept", "next"] == rows

    def test_a_reader_does_not_wait_for_a_writer(self, fresh: Callable[[], Database]) -> None:
        """`sleepd status` answers while a night writes, with the last whole state."""
        writer, reader = fresh(), fresh()
        with writer.writing() as connection:
            connection.exec_driver_sql("INSERT INTO texts VALUES ('a', '')")
            with reader.reading() as looking:
                assert 0 == looking.exec_driver_sql("SELECT count(*) FROM texts").scalar()

    def test_a_broken_transaction_leaves_nothing(self, database: Database) -> None:
        """All of a writing block or none of it."""
        with pytest.raises(KeyboardInterrupt), database.writing() as connection:
            connection.exec_driver_sql("INSERT INTO texts VALUES ('a', '')")
            raise KeyboardInterrupt
        with database.reading() as connection:
            assert 0 == connection.exec_driver_sql("SELECT count(*) FROM texts").scalar()
