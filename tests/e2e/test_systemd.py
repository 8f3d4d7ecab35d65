"""A real systemd of a user's own: what `sleepd service install` wrote is started, restarted, fired and removed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sleepd.schedulers import systemd
from tests.cli.command import SETTINGS, configure, live_in
from tests.e2e.users_systemd import Manager, user_manager
from tests.resident.schedulers import a_plan

# Begun late: until then the two others that install schedules have had their turns.
pytestmark = pytest.mark.e2e(1)

CONDITIONS = """\
at = "{at:%H:%M}"
jitter_minutes = 0
[conditions]
on_battery = true
idle_minutes = 0
agent_quiet_minutes = 0
[notify]
desktop = false
"""
UNITS = ".config/systemd/user"


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that units can see: not below /tmp."""
    folder = Path(tempfile.mkdtemp(prefix="sleepd-e2e-", dir="/var/lib"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def manager(home: Path, own_schedules: None) -> Iterator[Manager]:
    """The user's systemd."""
    if Path(sys.executable).is_relative_to("/tmp"):
        pytest.skip("units do not see what lies in /tmp, as this Python does")
    with user_manager(home) as running:
        yield running


def now() -> datetime:
    return datetime.now(UTC).astimezone()  # noqa: TID251  systemd goes by the real clock


def sleepd(manager: Manager, *words: str) -> subprocess.CompletedProcess[str]:
    return manager.run(sys.executable, "-m", "sleepd", *words)


def told(manager: Manager, *words: str) -> Any:
    done = sleepd(manager, *words, "--json")
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


def until(holds: Callable[[], object], what: str, tries: int = 60) -> None:
    """Look again each second, for a bounded time."""
    for _ in range(tries):
        if holds():
            return
        time.sleep(1)
    pytest.fail(f"it never came about that {what}")


def property_of(manager: Manager, unit: str, name: str) -> str:
    return manager.systemctl("show", "--value", f"--property={name}", unit)


def drop_in(home: Path, unit: str, text: str) -> None:
    """What makes a test short; the unit itself stays as it was written."""
    folder = home / UNITS / f"{unit}.d"
    folder.mkdir(parents=True)
    (folder / "test.conf").write_text(text, encoding="utf-8")


def test_the_daemon_is_started_again_and_removed(home: Path, manager: Manager) -> None:
    """It listens; killed, it comes back; uninstalled, nothing is left but what was learnt."""
    live_in(home, 4)
    configure(home, SETTINGS + CONDITIONS.format(at=now() + timedelta(hours=12)))
    drop_in(home, "sleepd.service", "[Service]\nRestartSec=1\n")
    done = sleepd(manager, "service", "install")
    assert 0 == done.returncode, done.stderr
    assert "only while you are logged in" in done.stderr
    assert ("active", "enabled") == (
        manager.systemctl("is-active", "sleepd"),
        manager.systemctl("is-enabled", "sleepd"),
    )
    until(lambda: told(manager, "status").get("sessions", 0) >= 4, "the daemon harvested what was there")
    first = property_of(manager, "sleepd.service", "MainPID")
    assert 0 == manager.run("kill", "-KILL", first).returncode
    until(lambda: "1" == property_of(manager, "sleepd.service", "NRestarts"), "it was started again")
    live_in(home, 6, first=4)
    until(lambda: told(manager, "status")["sessions"] >= 6, "the new daemon heard the new sessions")
    seen = told(manager, "service", "status")
    assert ["systemd service"] == [s["kind"] for s in seen["schedules"]] and [] == seen["faults"]
    assert "restarted 1 times" in seen["schedules"][0]["last"]
    assert 0 == sleepd(manager, "service", "uninstall").returncode
    assert "not-found" == property_of(manager, "sleepd.service", "LoadState")
    left = [p.relative_to(home / UNITS).as_posix() for p in (home / UNITS).rglob("*") if not p.is_dir()]
    assert ["sleepd.service.d/test.conf"] == left
    assert (home / ".local/share/sleepd/sleepd.db").exists() and not (home / ".config/sleepd/environment").exists()


def test_the_timer_takes_the_daemons_place_and_runs_a_night(home: Path, manager: Manager) -> None:
    """One schedule is left, and it fires: the night's row is there, written under the unit's restrictions."""
    live_in(home, 30)
    configure(home, SETTINGS + CONDITIONS.format(at=now() + timedelta(hours=12)))
    assert 0 == sleepd(manager, "service", "install").returncode
    drop_in(home, "sleepd-night.timer", "[Timer]\nAccuracySec=1s\n")
    configure(home, SETTINGS + CONDITIONS.format(at=now() + timedelta(seconds=75)))
    assert told(manager, "service", "status")["installed"]
    done = told(manager, "service", "install", "--timer")
    assert ("systemd timer", ["systemd service"]) == (done["kind"], done["replaced"])
    assert "not-found" == property_of(manager, "sleepd.service", "LoadState")
    seen = told(manager, "service", "status")
    assert [("systemd timer", True)] == [(s["kind"], s["active"]) for s in seen["schedules"]]
    assert datetime.fromisoformat(seen["next"]) <= now() + timedelta(minutes=2)
    until(lambda: "done" in [n["status"] for n in told(manager, "nights")], "the timer ran a night", tries=180)
    until(lambda: "inactive" == manager.systemctl("is-active", "sleepd-night.service"), "the unit ended")
    assert "success" == told(manager, "service", "status")["schedules"][0]["last"]
    gone = sleepd(manager, "service", "uninstall")
    assert 0 == gone.returncode, gone.stderr
    assert ["test.conf"] == [p.name for p in (home / UNITS).rglob("*") if not p.is_dir()]
    assert [] == list(home.rglob("stamp-sleepd-night.timer"))


def test_what_would_fail_at_night_fails_at_once(home: Path, manager: Manager) -> None:
    """The manager has no key; nothing is installed, and the message says what keeps it."""
    text = SETTINGS.replace('name = "simulated"', 'name = "openai"\nbase_url = "http://127.0.0.1:9/v1"')
    configure(home, text.replace("seed = 3\n", ""))
    done = manager.run(sys.executable, "-m", "sleepd", "service", "install", OPENAI_API_KEY="sk-only-here")
    assert 2 == done.returncode and "--keep-key" in done.stderr and 1 == len(done.stderr.splitlines())
    assert not (home / UNITS).exists() and not (home / ".config/sleepd/environment").exists()


def test_the_restrictions_hold_for_somebody_who_is_not_root(home: Path) -> None:
    """A user's own systemd may do less: a unit that asks for what it cannot have would not start at all."""
    made = a_plan(program=("/bin/true",), writable=(home,), caches=())
    with user_manager(home, uid=65534) as manager:
        for folder in (home / ".config", home / UNITS):
            manager.run("mkdir", "-p", str(folder))
        unit = systemd.text("sleepd-night.service", made)
        manager.run("sh", "-c", f'printf %s "$1" >{home / UNITS}/sleepd-night.service', "sh", unit)
        manager.systemctl("daemon-reload")
        done = manager.run("systemctl", "--user", "start", "sleepd-night.service")
        assert (0, "success") == (done.returncode, property_of(manager, "sleepd-night.service", "Result")), done.stderr
