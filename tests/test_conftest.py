"""The isolation of the tests, tested: a guard that lets everything through would not be missed otherwise."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st


def test_home_is_the_tests_own(own_home: Path) -> None:
    """A test's home is a new folder, for `Path.home` and for the shell's `~` alike."""
    assert own_home == Path.home() == Path("~").expanduser()
    assert [] == list(own_home.iterdir())


def test_the_machines_own_variables_are_gone() -> None:
    """A test sees the search path, the locale and the zone of this machine, and besides only what the tests set."""
    ours = {
        "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "HF_HUB_OFFLINE",
        "DBUS_SESSION_BUS_ADDRESS", "DBUS_SYSTEM_BUS_ADDRESS", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM",
        "OPENBLAS_NUM_THREADS",
    }  # fmt: skip
    machines = ("PATH", "HOME", "LANG", "LC_", "TZ", "TMPDIR", "PYTEST_")
    seen = {name for name in os.environ if not name.startswith(machines)}  # noqa: TID251
    assert set() == seen - ours


@pytest.mark.parametrize("call", ["connect", "connect_ex"])
def test_a_connection_to_elsewhere_fails_the_test(call: str) -> None:
    """An address outside of this machine ends the test at once, and not as a network error."""
    with socket.socket() as sock, pytest.raises(pytest.fail.Exception, match=r"192\.0\.2\.1"):
        getattr(sock, call)(("192.0.2.1", 80))


def test_a_lookup_of_elsewhere_fails_the_test() -> None:
    """A host name is refused before it is looked up."""
    with pytest.raises(pytest.fail.Exception, match=r"elsewhere\.invalid"):
        socket.create_connection(("elsewhere.invalid", 80))


def test_this_machine_can_be_reached() -> None:
    """A server on the loopback address answers."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert server.getsockname() == client.getpeername()


@given(st.integers())
def test_properties_run_within_the_isolation(number: int) -> None:
    """Hypothesis accepts the fixtures that every test gets."""
    assert number == int(str(number))
