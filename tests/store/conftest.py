"""An empty database, migrated once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sleepd.store.database import Database, open_database


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The bytes of a new database; migrations take half a second."""
    path = tmp_path_factory.mktemp("empty") / "empty.db"
    open_database(path).close()
    return path.read_bytes()


@pytest.fixture
def fresh(empty: bytes, tmp_path: Path) -> Callable[[], Database]:
    """Opens the database at the same path, making it the first time."""
    path = tmp_path / "sleepd.db"
    path.write_bytes(empty)
    path.chmod(0o600)
    return lambda: open_database(path)


@pytest.fixture
def database(fresh: Callable[[], Database]) -> Database:
    return fresh()
