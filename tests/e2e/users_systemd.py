"""A systemd of a user's own on a machine that was not started by systemd: in namespaces that end with it."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

_MANAGER = "/lib/systemd/systemd"
_START = r"""
set -e
mount -t tmpfs tmpfs /run/systemd
mkdir -p /run/systemd/system
as=
if [ "$2" != 0 ]; then
  chown -R "$2" "$HOME"
  as="setpriv --reuid $2 --clear-groups"
  for tree in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
    [ -e "$tree/cgroup.procs" ] || continue
    mkdir -p "$tree/$3"
    chown -R "$2" "$tree/$3"
    echo $$ >"$tree/$3/cgroup.procs"
  done
fi
touch "$XDG_RUNTIME_DIR/address"
$as dbus-daemon --session --address="unix:path=$XDG_RUNTIME_DIR/bus" --nofork --nopidfile --print-address \
  >"$XDG_RUNTIME_DIR/address" 2>/dev/null &
for _ in $(seq 100); do [ -s "$XDG_RUNTIME_DIR/address" ] && break; sleep 0.1; done
echo ready
$as "$1" --user --log-target=console 2>"$XDG_RUNTIME_DIR/log"
"""
_GROUP = "sleepd-e2e"
"""The control group of somebody who is not root: theirs to divide."""


@dataclass(frozen=True)
class Manager:
    """A running manager; commands are run beside it."""

    pid: int
    environment: dict[str, str]
    uid: int

    def run(self, *words: str, seconds: float = 300, **more: str) -> subprocess.CompletedProcess[str]:
        """Run a command where it sees this manager."""
        inside = ["nsenter", "--target", str(self.pid), "--mount", "--pid"]
        if self.uid:
            inside += ["setpriv", "--reuid", str(self.uid), "--clear-groups"]
        inside += words
        env = {**self.environment, **more}
        return subprocess.run(inside, env=env, capture_output=True, text=True, check=False, timeout=seconds)

    def systemctl(self, *words: str) -> str:
        """What `systemctl --user` says."""
        return self.run("systemctl", "--user", *words).stdout.strip()


@contextmanager
def user_manager(home: Path, uid: int = 0) -> Iterator[Manager]:
    """Start one whose home is `home`; everything it started ends with it. Skips the test where that cannot be.

    With a `uid` it is that user's, and the home becomes theirs.
    """
    for name in ("unshare", "nsenter", "setpriv", "dbus-daemon", "systemd-run", _MANAGER):
        if shutil.which(name) is None:
            pytest.skip(f"needs {name}: the packages systemd, dbus and dbus-user-session")
    if os.geteuid() != 0:
        pytest.skip("only root may make the namespaces")
    runtime = home / "runtime"
    runtime.mkdir(mode=0o700)
    env = {"HOME": str(home), "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "XDG_RUNTIME_DIR": str(runtime)}
    env["DBUS_SESSION_BUS_ADDRESS"] = f"unix:path={runtime}/bus"
    words = ["unshare", "--mount", "--pid", "--fork", "--kill-child=SIGKILL", "--mount-proc", "sh", "-c", _START]
    process = subprocess.Popen([*words, "sh", _MANAGER, str(uid), _GROUP], env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            pytest.skip("this machine allows no namespaces of its own")
        manager = Manager(_child_of(process.pid), env, uid)
        if not _answers(manager):
            pytest.skip(_why(runtime))
        yield manager
        manager.systemctl("exit")
    finally:
        process.kill()
        process.communicate(timeout=30)
        _remove_groups()


def _remove_groups() -> None:
    for group in Path("/sys/fs/cgroup").glob(f"**/{_GROUP}"):
        for folder, _, _ in os.walk(group, topdown=False):
            with suppress(OSError):  # a process that has just been killed may still be counted
                Path(folder).rmdir()


def _child_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()[0])


def _answers(manager: Manager) -> bool:
    for _ in range(60):
        if manager.systemctl("is-system-running") in ("running", "degraded"):
            return True
        time.sleep(0.5)
    return False


def _why(runtime: Path) -> str:
    log = runtime / "log"
    said = log.read_text(errors="replace").splitlines()[-1:] if log.exists() else []
    return f"no user manager came up here: {''.join(said)}"
