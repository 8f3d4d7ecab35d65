"""Open the database: the one place that knows it is SQLite.

It is made whole under another name and then renamed, so a crash never leaves half a database; a file that is there but
cannot be trusted is an error that names the last backup, never a fresh start.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, exc
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry, QueuePool

from sleepd.core.errors import DatabaseDamaged, Unwritable
from sleepd.store import readable
from sleepd.store.schema import metadata

HEAD = "0009"
"""The newest migration. A test holds it against the scripts."""
_BACKUPS_KEPT = 3
_BUSY_MS = 30_000


class Database:
    """An open database. `reading` and `writing` give connections; a `writing` block is one transaction."""

    def __init__(self, path: Path, engine: Engine) -> None:
        self.path = path
        self._engine = engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._guarded(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with self._guarded(), self._engine.begin() as connection:
            yield connection

    def backup(self, name: str) -> Path:
        """A consistent copy beside the database; the newest three are kept."""
        folder = self.path.parent / "backups"
        target = folder / f"{self.path.stem}-{name}.db"
        part = target.with_suffix(".part")
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            part.unlink(missing_ok=True)
            with self._guarded(), closing(sqlite3.connect(self.path)) as source, closing(sqlite3.connect(part)) as copy:
                source.backup(copy)
            part.chmod(0o600)
            part.replace(target)
            for old in backups(self.path)[_BACKUPS_KEPT:]:
                old.unlink()
        except (Unwritable, OSError) as error:
            # Half a copy would only fill the disk some more.
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise error if isinstance(error, Unwritable) else Unwritable.of(folder, error) from error
        return target

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        with _damage_named(self.path):
            yield


def open_database(path: Path) -> Database:
    """Open the database at `path`, making it first, or backing it up and migrating it.

    Raises `DatabaseDamaged` when the file exists and is not a usable database, `Unwritable` for a disk that is full.
    On a read-only disk it can be read, unless it is to be made or migrated first; writing then raises `Unwritable`.
    """
    if not path.exists():
        try:
            _create(path)
        except OSError as error:
            raise Unwritable.of(path, error) from error
    if path.stat().st_size == 0:
        raise _damaged(path, "it is empty")
    source, writable = readable.uri(path), readable.can_be_written(path)
    database = Database(path, _engine(path) if writable else _still(source))
    with _damage_named(path):
        if _revision(source, path) != HEAD:
            if not writable:
                raise Unwritable(
                    f"the database {path} is of an older sleepd and cannot be migrated: its disk is read-only; make "
                    "it writable for you, and try again"
                )
            database.backup(f"before-{HEAD}")
            _migrate(path)
    return database


def backups(path: Path) -> list[Path]:
    """Backups of this database, newest first."""
    folder = path.parent / "backups"
    return sorted(folder.glob(f"{path.stem}-*.db"), key=lambda p: (p.stat().st_mtime_ns, p.name), reverse=True)


def _engine(path: Path) -> Engine:
    engine = create_engine(f"sqlite:///{path}", connect_args={"timeout": _BUSY_MS / 1000})

    @event.listens_for(engine, "connect")
    def _prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        cursor = connection.cursor()
        # WAL: a reader such as `sleepd status` never waits for the night that writes.
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.execute("PRAGMA synchronous=NORMAL")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    return engine


def _still(source: str) -> Engine:
    """For a file that can only be read: WAL mode is not even asked for."""

    def connect() -> sqlite3.Connection:
        return sqlite3.connect(source, uri=True, check_same_thread=False)

    return create_engine("sqlite://", creator=connect, poolclass=QueuePool)


def _create(path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.new-{os.getpid()}")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    # Two first runs at once: whoever comes second keeps the database that is already there.
    try:
        with _damage_named(path):
            _make_tables(part)
        os.link(part, path)
    except FileExistsError:
        pass
    finally:
        part.unlink()


def _make_tables(path: Path) -> None:
    """The newest schema at once, marked as such; a test holds it against what the migrations come to."""
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        metadata.create_all(connection)
        connection.exec_driver_sql("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
        connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (HEAD,))
    engine.dispose()


def _migrate(path: Path) -> None:
    # Alembic costs a quarter of a second to import, and is needed once per release.
    from sleepd.store.migrate import upgrade

    engine = create_engine(f"sqlite:///{path}")
    upgrade(engine)
    engine.dispose()


def _revision(source: str, path: Path) -> str | None:
    with closing(sqlite3.connect(source, uri=True)) as connection:
        table = connection.execute("SELECT name FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
        if table is None:
            raise _damaged(path, "it is not a database of sleepd")
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        if row is not None and row[0] > HEAD:
            raise _damaged(path, f"it was made by a newer sleepd (schema {row[0]}); upgrade sleepd")
        return None if row is None else str(row[0])


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    """Turn SQLite's words for a damaged file, and for a disk that takes no more, into an error that says what to do."""
    try:
        yield
    except (exc.DatabaseError, sqlite3.DatabaseError) as error:
        cause = getattr(error, "orig", error)
        text = str(cause)
        if readable.is_unwritable(cause):
            raise Unwritable.of(f"the database {path}", OSError(text)) from error
        if any(word in text for word in ("malformed", "not a database", "disk image", "file is encrypted")):
            raise _damaged(path, text) from error
        raise


def _damaged(path: Path, why: str) -> DatabaseDamaged:
    known = backups(path)
    remedy = f"the last backup is {known[0]}" if known else "there is no backup"
    return DatabaseDamaged(f"the database {path} cannot be used: {why}; {remedy}. Move it away or restore it by hand")
