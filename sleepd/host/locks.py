"""What only one process may do at a time. The system frees a lock when its process ends, however it ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from sleepd.core.errors import Busy, Unwritable
from sleepd.settings.places import Places, make_private

_OWNER_ALONE: Final = 0o600


@contextmanager
def night(places: Places, wait_s: float) -> Iterator[None]:
    """Hold the one lock of all nights. Raises `Busy` when another night holds it for longer than `wait_s` seconds."""
    with _held(places.lock, wait_s, "another night is running; wait for it, or see `sleepd status`"):
        yield


@contextmanager
def harvest(places: Places, wait_s: float) -> Iterator[None]:
    """Hold the one lock of all harvests: two at once would add the same lines twice. Raises `Busy`."""
    with _held(places.harvest_lock, wait_s, "another harvest is running; wait for it and try again"):
        yield


@contextmanager
def adoption(places: Places, wait_s: float) -> Iterator[None]:
    """Hold the lock of whoever writes skill files. Raises `Busy`."""
    with _held(places.adoption_lock, wait_s, "another adoption is under way; try again"):
        yield


@contextmanager
def plugins(places: Places) -> Iterator[None]:
    """Hold the lock of whoever puts plugins into agents. Raises `Busy` after a minute."""
    with _held(places.plugin_lock, 60.0, "another plugin install is under way; try again"):
        yield


@contextmanager
def daemon(places: Places) -> Iterator[None]:
    """Hold the lock of the one daemon. Raises `Busy`."""
    # Whoever asks whether it is held, holds it for a moment.
    with _held(places.daemon_lock, 1.0, "a sleepd daemon runs for you already; see `sleepd status`"):
        yield


@contextmanager
def training(folder: Path) -> Iterator[None]:
    """Hold the lock of one output folder. Raises `Busy`."""
    with _held(folder / "run.lock", 0, f"another run works in {folder}; wait for it, or name another folder by --out"):
        yield


def is_held(lock: Path) -> bool:
    """Whether some process holds this lock now."""
    if not lock.exists():
        return False
    try:
        with FileLock(lock, timeout=0, mode=_OWNER_ALONE):
            return False
    except Timeout:
        return True
    except OSError:
        # On a read-only disk nobody can hold it.
        return False


@contextmanager
def _held(file: Path, wait_s: float, busy: str) -> Iterator[None]:
    lock = FileLock(file, timeout=wait_s, mode=_OWNER_ALONE)
    try:
        make_private(file.parent)
        lock.acquire()
        file.chmod(_OWNER_ALONE)  # one that an earlier sleepd made
    except Timeout as error:
        raise Busy(busy) from error
    except OSError as error:
        raise Unwritable.of(file, error) from error
    try:
        yield
    finally:
        lock.release()
