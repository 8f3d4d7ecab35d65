"""The peer, installed from the package index into an environment of its own, and measured child processes.

`python -m benchmarks.peer [CACHE]` installs it and prints its version. Nothing of the peer is imported here: a
snippet runs in the peer's own interpreter.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

REQUIREMENT = "skillopt==0.2.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One finished child process."""

    stdout: str
    status: int
    """Its exit status; negative: the signal that ended it."""
    seconds: float
    """Wall time from start to end."""
    cpu: float
    """Seconds of the processors, of the process and its children: other jobs disturb them less than the clock."""
    peak_mb: float
    """Its largest resident set, in 10^6 bytes, as the operating system counted it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """An installed peer."""

    python: Path
    version: str

    def run(self, snippet: str, *args: str, env: Mapping[str, str] | None = None) -> Measured:
        """Runs Python source in the peer's interpreter, with `args` in `sys.argv[1:]`."""
        return measured([str(self.python), "-c", snippet, *args], env=env)


_STARTER = """
import json, os, sys, time
begun = time.perf_counter()
where = [(os.POSIX_SPAWN_OPEN, 1, sys.argv[1], os.O_WRONLY, 0o600)]
child = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ, file_actions=where)
_, status, usage = os.wait4(child, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), time.perf_counter() - begun, usage.ru_maxrss,
                  usage.ru_utime + usage.ru_stime]))
"""


def measured(command: Sequence[str], *, env: Mapping[str, str] | None = None) -> Measured:
    """Runs a command to its end; its standard error goes to ours. Raises CalledProcessError when it cannot be started.

    A tiny process of its own starts it: the system counts a child's peak from its parent's size on.
    """
    with tempfile.NamedTemporaryFile(mode="rb") as out:
        starter = [sys.executable, "-I", "-S", "-c", _STARTER, out.name, *command]
        told = subprocess.run(starter, check=True, stdout=subprocess.PIPE, env=env)
        text = out.read().decode("utf-8", "replace")
    status, seconds, peak, cpu = json.loads(told.stdout)
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(stdout=text, status=status, seconds=seconds, cpu=cpu, peak_mb=peak * unit / 1e6)


def install(cache: Path | None = None) -> Peer:
    """The peer in `cache`, or in a new temporary folder; an environment made earlier is used again.

    Raises subprocess.CalledProcessError when the package index cannot deliver it.
    """
    folder = (cache or Path(tempfile.mkdtemp(prefix="peer-"))) / REQUIREMENT.replace("==", "-")
    python = folder / "bin" / "python"
    done = folder / "installed"
    if not done.exists():
        venv.create(folder, with_pip=True, clear=True)
        quiet = ["--quiet", "--disable-pip-version-check", "--compile"]
        subprocess.run([python, "-m", "pip", "install", *quiet, REQUIREMENT], check=True)
        done.touch()
    version = measured([str(python), "-c", "import importlib.metadata as m; print(m.version('skillopt'))"])
    return Peer(python=python, version=version.stdout.strip())


def main() -> int:
    peer = install(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    print(f"{peer.version} in {peer.python}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
