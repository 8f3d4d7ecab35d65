"""Every test runs alone: its own home, none of the developer's settings, no network but this machine's own."""

from __future__ import annotations

import gc
import itertools
import os
import signal
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from tests.homes import after_a_night, begun, empty_database, in_it, lived_in  # noqa: F401  fixtures for all

# No deadline: a shared machine is slow at times, and that is no defect. The same examples each time, so that a change
# fails only by its own fault; `--hypothesis-profile exploring` tries others.
for _profile, _same in (("sleepd", True), ("exploring", False)):
    hypothesis.settings.register_profile(_profile, deadline=None, derandomize=_same, database=None, print_blob=True)
hypothesis.settings.load_profile("sleepd")

KEPT = ("PATH", "HOME", "LANG", "LC_", "TZ", "TMPDIR", "PYTEST_", "LABELLED_HISTORIES")
"""Beginnings of the variables that a test sees of this machine."""

# Anything else would change what the tests find: a login, an agent's folder, a terminal, unbuffered output. Commands
# that a test starts see no more than what a bare machine has.
for _name in [name for name in os.environ if not name.startswith(KEPT)]:  # noqa: TID251  names only, to remove them
    del os.environ[_name]  # noqa: TID251
os.environ |= {  # noqa: TID251
    # Notices of a test are not for the developer's desktop.
    "DBUS_SESSION_BUS_ADDRESS": "disabled:",
    "DBUS_SYSTEM_BUS_ADDRESS": "disabled:",
    # Libraries that would look something up on the network are told not to.
    "HF_HUB_OFFLINE": "1",
    # One thread for each process: the tests have all processors busy, and threads that wait for one another spin.
    "OPENBLAS_NUM_THREADS": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}

_HOMES = itertools.count()

# Loading the tests makes millions of objects that stay: looking through them again and again took a third of that time.
gc.disable()

# A suite that was started in the background ignores Ctrl-C and hang-ups, and every command it starts would do so too.
for _number, _usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _usual)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The dearest modules come first: nobody waits at the end for one process that began such a module last."""
    cost: Counter[Path] = Counter()
    for item in items:
        for mark in item.iter_markers():
            if mark.name in ("slow", "e2e"):
                cost[item.path] += mark.args[0] if mark.args else 1
    items.sort(key=lambda item: -cost[item.path])


def pytest_collection_finish() -> None:
    """The modules and tests that are loaded now stay: the collector need not look at them."""
    gc.freeze()
    gc.enable()


@pytest.fixture(autouse=True)
def own_home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty home folder; the variables that would lead out of it point into it."""
    # Counted here: `mktemp` looks at all earlier folders for each new number.
    home = tmp_path_factory.getbasetemp() / "homes" / str(next(_HOMES))
    home.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for name, folder in {
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_STATE_HOME": ".local/state",
        "XDG_CACHE_HOME": ".cache",
    }.items():
        monkeypatch.setenv(name, str(home / folder))
    return home


def _is_here(address: Any) -> bool:
    """Unix sockets, and the loopback addresses."""
    if not isinstance(address, tuple):
        return True
    host = str(address[0])
    return host.startswith("127.") or host in ("::1", "localhost", "")


def _guarded(original: Callable[..., Any]) -> Callable[..., Any]:
    def connect(self: socket.socket, address: Any) -> Any:
        if not _is_here(address):
            # A BaseException, so that no handler for network trouble can take it for an outage.
            pytest.fail(f"a test tried to reach {address!r}; only this machine is allowed")
        return original(self, address)

    return connect


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    """Connections and look-ups that would leave this machine fail the test."""
    lookup = socket.getaddrinfo

    def getaddrinfo(host: Any, *rest: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        if name is not None and not _is_here((name,)):
            pytest.fail(f"a test tried to look up {name!r}; only this machine is allowed")
        return lookup(host, *rest, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", _guarded(socket.socket.connect))
        patch.setattr(socket.socket, "connect_ex", _guarded(socket.socket.connect_ex))
        patch.setattr(socket, "getaddrinfo", getaddrinfo)
        yield
