"""The interface of every kind of schedule, and the state of one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from sleepd.host.outfile import replace_file
from sleepd.schedulers.calls import CommandResult, call
from sleepd.schedulers.plan import Plan

PREFLIGHT_S: Final = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledSchedule:
    """A schedule that is installed."""

    kind: str
    where: tuple[str, ...]
    """Its files, or its other place."""
    active: bool | None
    """Whether it will run; None when that is unknown."""
    state: str
    """The scheduler's own words about it."""
    again: str
    """The command that installs it again."""
    wake: str | None = None
    """The command that activates it where a second installation does not."""
    next_at: datetime | None = None
    """The scheduler's own next time; None when it states none."""
    last: str | None = None
    """How the scheduler says the last start ended."""
    differs: tuple[str, ...] = ()
    """The parts that this sleepd would write differently now."""


class Scheduler(Protocol):
    """A way to let sleepd run by itself."""

    @property
    def kind(self) -> str:
        """Its name in messages and in `--json`."""

    @property
    def unit(self) -> str | None:
        """The unit whose journal has its output; None where there is no journal."""

    def refusal(self) -> str | None:
        """Why it cannot be used on this machine; None when it can."""

    def try_out(self, plan: Plan, *verb: str) -> CommandResult:
        """Run a verb of sleepd with the scheduler's environment alone."""

    def install(self, plan: Plan) -> None:
        """Write and enable it, over one that is there. Raises `UsageError`; nothing of a new one is then left."""

    def remove(self) -> tuple[str, ...]:
        """Stop and remove it; the removed parts, empty when there were none."""

    def look(self, plan: Plan) -> InstalledSchedule | None:
        """The installed schedule; None for none."""


def bare(words: tuple[str, ...], path: str, more: Mapping[str, str] | None = None) -> CommandResult:
    """Run a command with the few variables every scheduler sets, `PATH` being this one's."""
    import pwd

    me = pwd.getpwuid(os.getuid())
    env = {"HOME": me.pw_dir, "LOGNAME": me.pw_name, "PATH": path, "SHELL": "/bin/sh", **(more or {})}
    return call(*words, env=env, seconds=PREFLIGHT_S, cwd=me.pw_dir)


def put(texts: Mapping[Path, bytes]) -> None:
    """Write the files of a schedule; their folders are made as any program makes them."""
    for file, data in texts.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, data, 0o644)


def take_away(files: tuple[Path, ...]) -> tuple[str, ...]:
    """Remove those that are there; their names."""
    there = [file for file in files if file.exists() or file.is_symlink()]
    for file in there:
        file.unlink()
    return tuple(map(str, there))


def differing(texts: Mapping[Path, bytes]) -> tuple[str, ...]:
    """The files that are not as they would be written now."""
    return tuple(str(file) for file, data in texts.items() if not file.exists() or file.read_bytes() != data)
