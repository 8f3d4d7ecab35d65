"""The daemon's children: each does one thing and ends, which frees its memory."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

GRACE_S: Final = 60.0
"""Seconds in which a child that was told to end may finish its running calls."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a child ended."""

    status: int
    """Its exit status; negative: the signal that ended it."""
    out: str = ""
    error: str = ""
    """The last line it wrote on stderr."""


class Children:
    """Starts `sleepd` commands and waits for them; from several threads, and stopped from a signal's handler."""

    def __init__(self) -> None:
        # No lock: a handler runs in the middle of whatever its thread is doing.
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = False
        self.environment: Mapping[str, str] | None = None
        """None: this process's own."""

    def night(self) -> Ended:
        """Run the due nights. The child writes to our own streams, and ends when we do: its stdin is a pipe that we
        hold."""
        with self._started("run", "--scheduled", "--for-daemon", stdin=subprocess.PIPE) as child:
            self._keep(child)
            status = child.wait()
            self._running.discard(child)
        return Ended(status=status)

    def harvest(self) -> Ended:
        """Harvest once; `out` is the report in JSON."""
        with self._started("harvest", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            self._keep(child)
            out, error = child.communicate()
            self._running.discard(child)
        last = error.strip().splitlines()[-1:] or [""]
        return Ended(status=child.returncode, out=out, error=last[0].removeprefix("sleepd: "))

    def stop(self) -> None:
        """Tell all to end, as SIGTERM does, and see to it that they do. None is started any more."""
        self._stopped = True
        for child in tuple(self._running):
            child.terminate()
        killer = threading.Timer(GRACE_S, self._kill)
        killer.daemon = True
        killer.start()

    def _started(self, *arguments: str, **streams: int) -> subprocess.Popen[str]:
        # -P: the folder we stand in is somebody's project, and a `sleepd.py` there is not ours to run.
        command = [sys.executable, "-P", "-m", "sleepd", *arguments]
        return subprocess.Popen(  # noqa: S603 - our own command
            command,
            text=True,
            errors="replace",
            env=self.environment,
            stdin=streams.get("stdin", subprocess.DEVNULL),
            stdout=streams.get("stdout"),
            stderr=streams.get("stderr"),
        )

    def _keep(self, child: subprocess.Popen[str]) -> None:
        self._running.add(child)
        if self._stopped:
            child.terminate()

    def _kill(self) -> None:
        for child in tuple(self._running):
            child.kill()
