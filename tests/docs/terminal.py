"""A terminal with a shell on it, as the reader of a page has one."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

PATIENCE_S = 300
"""Far more than a command of a page takes: it ends a test that would wait for ever."""

_PROMPT = re.compile(r"\x1e(\d+)\x1e$")
_QUESTION = re.compile(r"\[[\w/]+\]:? $")
_SETUP = "PS1= PS2= PROMPT_COMMAND='printf \"\\036%s\\036\" $?'; set +H"
_ON_A_TERMINAL = """
import fcntl, os, sys, termios
if os.getpid() != os.getsid(0):
    os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
fcntl.ioctl(0, termios.TIOCSWINSZ, b"\\x32\\0\\x78\\0\\0\\0\\0\\0")
os.execvp("bash", ["bash", "--noprofile", "--norc", "--noediting", "-i"])
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A command that came to its end: what stood on the terminal, and the exit status."""

    text: str
    status: int


class Terminal:
    """Commands are typed into one bash, one after another; what they print and ask is read as it stands there."""

    def __init__(self, folder: Path, environment: Mapping[str, str], within: Sequence[str] = ()) -> None:
        """`within` is what the shell is started by, such as a command that enters namespaces."""
        self._ours, its = pty.openpty()
        self._shell = subprocess.Popen(
            [*within, sys.executable, "-I", "-S", "-c", _ON_A_TERMINAL],
            stdin=its,
            stdout=its,
            stderr=its,
            cwd=folder,
            env={**environment, "TERM": "dumb", "HISTFILE": "", "COLUMNS": "120", "LINES": "50"},
            start_new_session=True,
        )
        os.close(its)

    def __enter__(self) -> Self:
        # The command line that sets the prompt is echoed, and bash's own first prompt goes before it.
        self._type(_SETUP)
        self._until_prompt("", [])
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._ours)  # the shell and what runs in it are told that the terminal is gone
        try:
            self._shell.wait(10)
        except subprocess.TimeoutExpired:
            self._shell.kill()
            self._shell.wait()

    def run(self, command: str, answers: Sequence[str] = ()) -> Ended:
        """Type a command, and each answer when a question stands there; wait for the prompt."""
        self._type(command)
        text, status = self._until_prompt(command, list(answers))
        _echo, _, said = text.partition("\n")
        return Ended(text=said, status=status)

    def _type(self, line: str) -> None:
        os.write(self._ours, f"{line}\n".encode())

    def _until_prompt(self, command: str, answers: list[str]) -> tuple[str, int]:
        seen, end = b"", time.monotonic() + PATIENCE_S
        while True:
            text = seen.decode("utf-8", "replace").replace("\r\n", "\n")
            if found := _PROMPT.search(text):
                return text[: found.start()], int(found[1])
            if _QUESTION.search(text):
                assert answers, f"nothing says what to type at the end of this:\n{text}"
                self._type(answers.pop(0))
                seen += b"\0"  # this question is answered
            ready, _, _ = select.select([self._ours], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"{command!r} did not end; so far it said:\n{text}"
            seen = seen.removesuffix(b"\0") + os.read(self._ours, 65_536)
