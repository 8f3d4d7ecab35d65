"""Somebody at a terminal: reads what stands there, waits for a question, presses a key."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.cli.command import environment, started

LIMIT_S = 30.0


class Terminal:
    """A command with a terminal for all its streams."""

    def __init__(self, process: subprocess.Popen[str], ours: int) -> None:
        self.process = process
        self._ours = ours
        self.text = ""
        """Everything that stood on the terminal so far."""
        self._seen = 0

    def expect(self, words: str) -> str:
        """Wait until these words stand on the terminal, after what was waited for before; the text up to them."""
        until = time.monotonic() + LIMIT_S
        while words not in self.text[self._seen :]:
            assert self._read(until), f"{words!r} never came:\n{self.text[self._seen :]}"
        at = self.text.index(words, self._seen) + len(words)
        passed, self._seen = self.text[self._seen : at], at
        return passed

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def press_at(self, words: str, keys: str) -> str:
        """Wait for a question and answer it."""
        passed = self.expect(words)
        self.press(keys)
        return passed

    def end(self) -> int:
        """Read on until the command is over; its status."""
        until = time.monotonic() + LIMIT_S
        while self._read(until):
            pass
        return self.process.wait(LIMIT_S)

    def _read(self, until: float) -> bool:
        """Take what stands there; False when there will be no more."""
        ready, _, _ = select.select([self._ours], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self._ours, 65_536)
        except OSError:  # the other side is closed
            return False
        self.text += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)


@contextmanager
def terminal(*arguments: str, columns: int = 100, **variables: str) -> Iterator[Terminal]:
    """The command at a terminal of its own, with these variables as well; ended, whatever happened."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    # The test run may carry the kind and the size of its own terminal in variables, which would count more.
    env = environment(**{"TERM": "xterm", "COLUMNS": str(columns), "LINES": "40", **variables})
    process = started(
        *arguments, stdin=its, stdout=its, stderr=its, start_new_session=True, env=env, preexec_fn=_own_terminal
    )
    os.close(its)
    try:
        yield Terminal(process, ours)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait(LIMIT_S)
        os.close(ours)


def _own_terminal() -> None:
    """Makes the terminal the process's own, so that Ctrl-C reaches it."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
