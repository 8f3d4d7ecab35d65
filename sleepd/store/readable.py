"""Reading the database file without SQLAlchemy, also where nothing can be written: on a read-only disk.

A reader of a database in WAL mode wants to write, too: its share of what reader and writer agree by lies in a file.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from sleepd.core.errors import Busy, DatabaseDamaged, Unwritable

HEAD: Final = "0021"
"""The newest migration. A test holds it against the scripts."""

_UNWRITABLE: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR)
_NEEDS_WRITING: Final = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


def can_be_written(path: Path) -> bool:
    """Whether something can be put beside this file, as everybody has to who writes to it."""
    return os.access(path.parent, os.W_OK)


def uri(path: Path) -> str:
    """How SQLite is told to open this file for reading alone."""
    usual = f"{path.absolute().as_uri()}?mode=ro"
    if can_be_written(path):
        return usual
    try:
        with closing(sqlite3.connect(usual, uri=True)) as connection:
            connection.execute("SELECT 1 FROM sqlite_master LIMIT 1")
    except sqlite3.DatabaseError as error:
        # Nobody writes, or what they agreed by would lie there and do.
        return f"{usual}&immutable=1" if _code(error) in _NEEDS_WRITING else usual
    return usual


@contextmanager
def reading(path: Path, *, timeout: float) -> Iterator[sqlite3.Connection]:
    """A connection that reads. Makes, migrates and repairs nothing.

    Raises `Busy` when the database is locked for `timeout` seconds, `Unwritable` for a disk on which it cannot even be
    read, such as a full one, `DatabaseDamaged` when it cannot be read for another reason.
    """
    try:
        with closing(sqlite3.connect(uri(path), uri=True, timeout=timeout)) as connection:
            yield connection
    except sqlite3.DatabaseError as error:
        if is_busy(error):
            raise Busy(f"the database {path} is in use; try again in a moment") from error
        if is_unwritable(error):
            raise Unwritable.of(f"the database {path}", OSError(str(error))) from error
        raise DatabaseDamaged(
            f"the database {path} cannot be read: {error}; `sleepd restore` puts the last backup back"
        ) from error


def is_unwritable(error: BaseException) -> bool:
    """Whether SQLite says that the disk takes no more."""
    return _code(error) in _UNWRITABLE


def is_busy(error: BaseException) -> bool:
    """Whether SQLite says that another connection holds the database."""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def _code(error: BaseException) -> int:
    """The primary code: the extended ones differ by what could not be done."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
