"""Which host the product is given, and where it looks for buses."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from sleepd import compose
from sleepd.core.machine import Host
from sleepd.host.linux import Linux
from sleepd.host.still import Still
from sleepd.settings import config


@pytest.mark.skipif(sys.platform != "linux", reason="says what Linux gets")
def test_linux_gets_linux() -> None:
    """By the system it runs on."""
    assert isinstance(compose.host(), Linux)


def test_an_unknown_system_gets_a_host_that_tells_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """And that hinders no night."""
    monkeypatch.setattr(sys, "platform", "haiku")
    host: Host = compose.host()
    assert isinstance(host, Still)
    assert (None, None, False) == (host.on_battery(), host.idle_s(), host.notify("sleepd", "text"))


def test_the_still_host_answers_as_it_was_made() -> None:
    """And keeps what it was told to show."""
    host = Still(on_battery=True, idle_s=7.0, shows=True)
    assert (True, 7.0, True) == (host.on_battery(), host.idle_s(), host.notify("a", "b"))
    assert [("a", "b")] == host.shown


def test_the_environment_names_the_buses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before any usual place."""
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/a")
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/b")
    assert config.Buses(system="unix:path=/b", session="unix:path=/a") == config.bus_addresses()


def test_a_start_without_variables_finds_the_usual_socket(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As from cron. What an address may not hold is escaped."""
    folder = tmp_path / "run, time;1"
    folder.mkdir()
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(folder))
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "bus"))
        found = config.bus_addresses().session
    assert f"unix:path={tmp_path}/run%2C%20time%3B1/bus" == found


def test_a_file_that_is_no_socket_is_no_bus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is a folder that is not there."""
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "bus").write_text("")
    found = config.bus_addresses().session
    assert found is None or str(tmp_path) not in found
