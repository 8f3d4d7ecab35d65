"""Open the database: the one place that knows it is SQLite.

It is made whole under another name and then renamed, so a crash never leaves half a database; a file that is there but
cannot be trusted is an error that names the last backup, never a fresh start.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from sleepd.core.errors import Busy, DatabaseDamaged, Unwritable
from sleepd.store import readable
from sleepd.store.readable import HEAD

if TYPE_CHECKING:
    # Its import takes longer than most harvests, which store by `Database.storing`.
    from sqlalchemy import Connection, Engine
    from sqlalchemy.engine.interfaces import DBAPIConnection
    from sqlalchemy.pool import ConnectionPoolEntry

_BACKUPS_KEPT = 3
_BUSY_MS = 30_000
_LEFT_S = 3_600


class Database:
    """An open database. `reading` and `writing` give connections; a `writing` block is one transaction."""

    def __init__(self, path: Path, source: str | None = None) -> None:
        self.path = path
        self._source = source
        """How SQLite is told to open a file that can only be read; None: the file can be written."""

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._guarded(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with self._guarded(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def storing(self) -> Iterator[sqlite3.Connection]:
        """One transaction, as `writing` is, on a connection that needs no SQLAlchemy: see `session_rows`."""
        with damage_named(self.path), self._plain as connection:
            yield connection

    @cached_property
    def _plain(self) -> sqlite3.Connection:
        if self._source is not None:
            return sqlite3.connect(self._source, uri=True, check_same_thread=False)
        connection = sqlite3.connect(self.path, timeout=_BUSY_MS / 1000, check_same_thread=False)
        _prepare(connection)
        return connection

    @cached_property
    def _engine(self) -> Engine:
        from sqlalchemy import create_engine
        from sqlalchemy.pool import QueuePool

        if self._source is None:
            return _engine(self.path)
        # Of a file that can only be read, WAL mode is not even asked for.
        connect = partial(sqlite3.connect, self._source, uri=True, check_same_thread=False)
        return create_engine("sqlite://", creator=connect, poolclass=QueuePool, hide_parameters=True)

    def backup(self, name: str) -> Path:
        """A consistent, checked copy in the folder `backups`; the newest three are kept.

        Raises `DatabaseDamaged` when the copy does not pass SQLite's own check: no earlier copy is replaced or removed.
        """
        folder = self.path.parent / "backups"
        target = folder / f"{self.path.stem}-{name}.db"
        part = target.with_suffix(".part")
        try:
            folder.mkdir(mode=0o700, exist_ok=True)
            # A process that was killed leaves its half-made copy.
            for left in folder.glob("*.part"):
                left.unlink(missing_ok=True)
            with self._guarded(), closing(sqlite3.connect(self.path)) as source, closing(sqlite3.connect(part)) as copy:
                source.backup(copy)
            damage = damage_in(part)
            if damage is not None:
                part.unlink()
                raise _damaged(self.path, damage)
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
        # A connection that was never asked for is not made to be closed.
        if "_plain" in self.__dict__:
            self._plain.close()
            del self._plain
        if "_engine" in self.__dict__:
            self._engine.dispose()

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        from sqlalchemy import exc

        with damage_named(self.path, exc.DatabaseError):
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
    database = Database(path, None if writable else source)
    with damage_named(path):
        old = _revision(source, path) != HEAD
    if old:
        if not writable:
            raise Unwritable(
                f"the database {path} is of an older sleepd and cannot be migrated: its disk is read-only; make "
                "it writable for you, and try again"
            )
        _migrate(database)
    return database


def damage_in(path: Path) -> str | None:
    """What SQLite's `quick_check` finds in this database file: the first fault in its words, None for a sound file.

    Reads the whole file. Raises `Unwritable` for a disk on which the file cannot be read.
    """
    try:
        with closing(sqlite3.connect(readable.uri(path), uri=True, timeout=_BUSY_MS / 1000)) as connection:
            found = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        if readable.is_unwritable(error):
            raise Unwritable.of(f"the database {path}", OSError(str(error))) from error
        return str(error)
    return None if found == "ok" else found.removeprefix("*** in database main ***").strip().replace("\n", ": ")


def require_sound(path: Path) -> None:
    """Raises `DatabaseDamaged` when SQLite's own check finds a fault in the database."""
    damage = damage_in(path)
    if damage is not None:
        raise _damaged(path, damage)


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A database that was put back from a backup."""

    backup: Path
    moved: Path | None
    """Where the former file is now, with its write-ahead log; None when there was none."""


def restore(path: Path, backup: Path, stamp: str) -> Restored:
    """Put a backup in the place of the database; the former file is kept under the name `….before-restore-STAMP`.

    The caller sees to it that nobody has the database open. The write-ahead log and its index belong to the former file
    and move with it: SQLite would replay them into the restored one. The backup itself stays where it is.

    Raises `DatabaseDamaged` when the backup is not a sound database of sleepd: nothing is moved then.
    """
    damage = damage_in(backup)
    if damage is not None:
        raise DatabaseDamaged(f"the backup {backup} cannot be used: {damage}; name another one")
    try:
        _revision(readable.uri(backup), backup)
    except DatabaseDamaged as error:
        raise DatabaseDamaged(
            f"the backup {backup} cannot be used: it is not a database of sleepd, or of a newer one; name another one"
        ) from error
    part = path.with_name(f"{path.name}.restored.part")
    moved = path.with_name(f"{path.name}.before-restore-{stamp}") if path.exists() else None
    try:
        part.unlink(missing_ok=True)
        with closing(sqlite3.connect(readable.uri(backup), uri=True)) as source, closing(sqlite3.connect(part)) as copy:
            source.backup(copy)
        part.chmod(0o600)
        # At each moment a whole database has the name: after a kill, a missing one would be made anew and empty.
        if moved is not None:
            for end in ("", "-wal"):
                former = path.with_name(path.name + end)
                if former.exists():
                    os.link(former, path.with_name(f"{moved.name}{end}"))
        for end in ("-wal", "-shm"):
            path.with_name(path.name + end).unlink(missing_ok=True)
        part.replace(path)
    except OSError as error:
        raise Unwritable.of(path, error) from error
    return Restored(backup=backup, moved=moved)


def backups(path: Path) -> list[Path]:
    """Backups of this database, newest first."""
    folder = path.parent / "backups"
    return sorted(folder.glob(f"{path.stem}-*.db"), key=lambda p: (p.stat().st_mtime_ns, p.name), reverse=True)


def _migrate(database: Database) -> None:
    # Alembic costs a quarter of a second to import, and is needed once per release.
    from sqlalchemy import create_engine, exc

    from sleepd.store.migrate import upgrade

    with damage_named(database.path, exc.DatabaseError):
        database.backup(f"before-{HEAD}")
        engine = create_engine(f"sqlite:///{database.path}", hide_parameters=True)
        upgrade(engine)
        engine.dispose()


def _engine(path: Path) -> Engine:
    from sqlalchemy import create_engine, event

    engine = create_engine(
        # Words of the person never stand in the message of a failed statement.
        f"sqlite:///{path}",
        connect_args={"timeout": _BUSY_MS / 1000},
        hide_parameters=True,
    )

    @event.listens_for(engine, "connect")
    def _connected(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
        _prepare(connection)

    return engine


def _prepare(connection: DBAPIConnection | sqlite3.Connection) -> None:
    cursor = connection.cursor()
    # WAL: a reader such as `sleepd status` never waits for the night that writes.
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=NORMAL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _create(path: Path) -> None:
    from sqlalchemy import create_engine, exc

    from sleepd.store.schema_parts import complete as metadata

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.new-{os.getpid()}")
    part.unlink(missing_ok=True)
    part.touch(mode=0o600)
    # A process that was killed leaves its half-made database; a process that still works on its own began just now.
    for left in path.parent.glob(f"{path.name}.new-*"):
        # Two first runs at once: the other one may have ended since it was listed, and taken its file along.
        with suppress(FileNotFoundError):
            if left.stat().st_mtime < part.stat().st_mtime - _LEFT_S:
                left.unlink()
    # Two first runs at once: whoever comes second keeps the database that is already there.
    try:
        with damage_named(path, exc.DatabaseError):
            # The newest schema at once, marked as such; a test holds it against what the migrations come to.
            engine = create_engine(f"sqlite:///{part}", hide_parameters=True)
            with engine.begin() as connection:
                metadata.create_all(connection)
                connection.exec_driver_sql(
                    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"
                )
                connection.exec_driver_sql("INSERT INTO alembic_version VALUES (?)", (HEAD,))
            engine.dispose()
        os.link(part, path)
    except FileExistsError:
        pass
    finally:
        part.unlink()


def _revision(source: str, path: Path) -> str | None:
    with closing(sqlite3.connect(source, uri=True)) as connection:
        table = connection.execute("SELECT name FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
        if table is None:
            raise _damaged(path, "it is not a database of sleepd")
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        if row is not None and row[0] > HEAD:
            # Sound, and newer than any backup: to go back would lose what the newer sleepd stored.
            raise DatabaseDamaged(
                f"the database {path} cannot be used: it was made by a newer sleepd (schema {row[0]}); upgrade sleepd"
            )
        return None if row is None else str(row[0])


@contextmanager
def damage_named(path: Path, *others: type[Exception]) -> Iterator[None]:
    """Turn SQLite's words for a damaged file, and for a disk that takes no more, into an error that says what to do.

    `others` are the errors of a library that hold SQLite's own as `orig`.
    """
    kinds: tuple[type[Exception], ...] = (sqlite3.DatabaseError, *others)
    try:
        yield
    except kinds as error:
        cause = getattr(error, "orig", error)
        text = str(cause)
        if readable.is_unwritable(cause):
            raise Unwritable.of(f"the database {path}", OSError(text)) from error
        if readable.is_busy(cause):
            raise Busy(f"the database {path} is in use by another program; try again in a moment") from error
        if any(word in text for word in ("malformed", "not a database", "disk image", "file is encrypted")):
            raise _damaged(path, text) from error
        raise


def _damaged(path: Path, why: str) -> DatabaseDamaged:
    known = backups(path)
    remedy = (
        f"the last backup is {known[0]}: `sleepd restore` puts it back"
        if known
        else "there is no backup: move the file away, and sleepd begins with an empty one"
    )
    return DatabaseDamaged(f"the database {path} cannot be used: {why}; {remedy}")
