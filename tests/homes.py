"""Homes in which somebody has lived already."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from sleepd.store.database import open_database
from tests.cli.command import SESSIONS, configure, live_in, sleepd


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database without rows: making one takes half a second, copying it none."""
    file = tmp_path_factory.mktemp("empty") / "sleepd.db"
    open_database(file).close()
    return file


@pytest.fixture
def begun(own_home: Path, empty_database: Path) -> Path:
    """A home with settings that need no key, and a database."""
    configure(own_home)
    file = own_home / ".local" / "share" / "sleepd" / "sleepd.db"
    file.parent.mkdir(parents=True, mode=0o700)
    shutil.copy(empty_database, file)
    file.chmod(0o600)
    return own_home


@pytest.fixture
def lived_in(begun: Path) -> Path:
    """The same with sessions of a simulated programmer, none of them harvested."""
    live_in(begun, SESSIONS)
    return begun


@pytest.fixture(scope="module")
def after_a_night(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which one night was run. Shared by the tests of a module, which only look at it."""
    home = tmp_path_factory.mktemp("after-a-night")
    live_in(home, SESSIONS)
    configure(home)
    with pytest.MonkeyPatch.context() as patch:
        move_into(patch, home)
        assert 0 == sleepd("run").code
    return home


@pytest.fixture
def in_it(after_a_night: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Be in that home."""
    move_into(monkeypatch, after_a_night)
    return after_a_night


def move_into(patch: pytest.MonkeyPatch, home: Path) -> None:
    for name, folder in {
        "HOME": "",
        "USERPROFILE": "",
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_STATE_HOME": ".local/state",
        "XDG_CACHE_HOME": ".cache",
    }.items():
        patch.setenv(name, str(home / folder))
    for name in list(os.environ):  # noqa: TID251  names only, to remove them
        if name.startswith(("SLEEPD_", "CLAUDE", "CODEX", "COPILOT", "VSCODE")):
            patch.delenv(name)
