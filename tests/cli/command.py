"""The command as a test runs it: in this process, or as one of its own that can be stopped and killed."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sleepd.cli import main
from sleepd.simulate.cast import persona
from sleepd.simulate.life import Days, live
from sleepd.simulate.transcripts import write

SETTINGS = """\
[harvest]
since = "all"

[embedder]
name = "hashed-tfidf"

[model]
name = "simulated"
model = "programmer"
seed = 3

[night]
max_calls = 2000
"""
"""A whole product without a key: shipped fakes, chosen by name."""


SESSIONS = 50
"""Days enough for a night to find something."""


@dataclass(frozen=True)
class Result:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class _Text(io.StringIO):
    """Stands for a stream that is no terminal."""

    encoding = "utf-8"

    def reconfigure(self, **options: object) -> None:
        """As a real stream has it."""


def sleepd(*arguments: str | Path, stdin: str = "") -> Result:
    """Run the command in this process, without a terminal."""
    out, err, before = _Text(), _Text(), sys.stdin
    # A command that was stopped is deaf to further signals; these tests go on.
    ears = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    code: object = 0
    sys.stdin = io.StringIO(stdin)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main([str(argument) for argument in arguments])
    except SystemExit as end:
        code = end.code
    finally:
        sys.stdin = before
        for number, handler in ears.items():
            signal.signal(number, handler)
    assert isinstance(code, int)
    return Result(code, out.getvalue(), err.getvalue())


def started(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """The command as a process of its own; its streams are pipes unless `options` say otherwise."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-m", "sleepd", *arguments], text=True, **{**pipes, **options})


def configure(home: Path, text: str = SETTINGS) -> Path:
    """Write the settings file of this home."""
    file = home / ".config" / "sleepd" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def live_in(home: Path, sessions: int, *, first: int = 0) -> Path:
    """Write some days of a simulated programmer below `home`; the project's folder."""
    who = persona("programmer")
    project = home / who.project
    project.mkdir(parents=True, exist_ok=True)
    days = Days(seed=1, start=datetime(2026, 9, 1, tzinfo=UTC), sessions=sessions)
    for session in list(live(who, days))[first:]:
        write(session, home, project)
    return project


def environment(**more: str) -> dict[str, str]:
    """This process's environment with more in it."""
    return {**os.environ, **more}  # noqa: TID251  handed to a child process


@contextlib.contextmanager
def living_in(zone: str) -> Iterator[None]:
    """Local dates are those of this zone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", zone)
        time.tzset()
        yield
    time.tzset()
