"""A real cron runs a night by the line that `sleepd service install --cron` wrote."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sleepd.schedulers.cron import BEGIN, daemon_runs
from tests.cli.command import environment, started
from tests.docs.machine import provider, with_history
from tests.stub.server import Stub

pytestmark = pytest.mark.e2e(100)

SPOOL = Path("/var/spool/cron/crontabs/root")
THEIRS = b"# mine\nPATH=/nowhere\nSHELL=/bin/false\n59 23 31 12 * echo 100\\% >/dev/null\n"
SETTINGS = """\
[harvest]
since = "all"
[embedder]
name = "hashed-tfidf"
[model]
name = "openai"
model = "stub"
base_url = "{url}/v1"
[night]
max_calls = 3000
at = "{at:%H:%M}"
jitter_minutes = 0
[conditions]
on_battery = true
idle_minutes = 0
agent_quiet_minutes = 0
[notify]
desktop = false
"""


def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, to its end."""
    with started(*words, env=environment(**more)) as process:
        out, err = process.communicate(timeout=300)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


@pytest.fixture
def crontab(own_schedules: None) -> Iterator[None]:
    """Root's crontab, put back to the byte afterwards."""
    if shutil.which("crontab") is None or shutil.which("cron") is None:
        pytest.skip("needs the package cron")
    if os.geteuid() != 0:
        pytest.skip("only root may start cron")
    before = SPOOL.read_bytes() if SPOOL.exists() else None
    try:
        subprocess.run(["crontab", "-"], input=THEIRS, check=True)
        yield
    finally:
        subprocess.run(["crontab", "-r"], check=False, capture_output=True)
        if before is not None:
            SPOOL.write_bytes(before)
            SPOOL.chmod(0o600)


@contextmanager
def cron() -> Iterator[None]:
    """A cron daemon, unless one runs."""
    if daemon_runs():
        yield
        return
    process = subprocess.Popen(["cron", "-f"])
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


def soon() -> datetime:
    """The next whole minute that is far enough to install something before it."""
    return datetime.now(UTC).astimezone() + timedelta(seconds=75)  # noqa: TID251  cron goes by the real clock


def listed() -> bytes:
    return subprocess.run(["crontab", "-l"], capture_output=True, check=True).stdout


def nights(**more: str) -> list[dict[str, str]]:
    done = run("nights", "--json", **more)
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


def wait_for_a_night(seconds: int, **more: str) -> list[dict[str, str]]:
    """The nights, once one has ended."""
    for _ in range(seconds // 3):
        found = nights(**more)
        if found and found[0]["status"] != "running":
            return found
        time.sleep(3)
    return nights(**more)


def test_cron_runs_a_night(own_home: Path, crontab: None) -> None:
    """From a folder whose name cron and the shell could misread, with a key that only the shell had."""
    home = own_home / "it's 100% $mine"
    more = {"SLEEPD_HOME": str(home), "SLEEPD_API_KEY": "right"}
    home.mkdir(mode=0o700)
    with_history(own_home, datetime(2026, 11, 1, tzinfo=UTC), sessions=30)
    with Stub(answer=provider()) as stub, cron():
        (home / "config.toml").write_text(SETTINGS.format(url=stub.url, at=soon()), encoding="utf-8")
        without = run("service", "install", "--cron", **more)
        assert (2, THEIRS) == (without.returncode, listed()) and "--keep-key" in without.stderr
        done = run("service", "install", "--cron", "--keep-key", "--json", **more)
        assert 0 == done.returncode, done.stderr
        assert listed().startswith(BEGIN) and listed().endswith(THEIRS)
        assert True is json.loads(run("service", "status", "--json", **more).stdout)["schedules"][0]["active"]
        found = wait_for_a_night(480, **more)
        assert ["done"] == [night["status"] for night in found], found
        assert "[hidden]" in {r.headers.get("authorization") for r in stub.requests}
    gone = run("service", "uninstall", **more)
    assert (0, THEIRS) == (gone.returncode, listed()), gone.stderr
    assert not (home / "environment").exists() and (home / "sleepd.db").exists()
