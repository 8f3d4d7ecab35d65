"""The plan of a schedule: the program, its variables, the time."""

from __future__ import annotations

import os
import sys
import zoneinfo
from dataclasses import dataclass
from pathlib import Path

from sleepd.core.errors import UsageError
from sleepd.schedulers.captured import folders_beside
from sleepd.settings import config
from sleepd.settings.places import Places
from sleepd.settings.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """All that the files of a schedule hold: the time, and absolute paths. Every other option stays in the settings."""

    program: tuple[str, ...]
    """The words that start sleepd."""
    environment: Path
    at: str
    """`HH:MM`, local time."""
    jitter_minutes: int
    time_zone: str | None
    """The user's own, where their shell sets one; None: the machine's."""
    writable: tuple[Path, ...]
    """The folders sleepd writes; they exist once `Plan.prepare` was called."""
    caches: tuple[Path, ...]
    """Folders that libraries write; they may be missing."""
    output: Path
    """The file for the command's output, where a scheduler keeps no journal."""

    def words(self, *verb: str) -> tuple[str, ...]:
        """The command line of a verb."""
        return (*self.program, "--environment", str(self.environment), *verb)

    @property
    def daemon(self) -> tuple[str, ...]:
        """The command line of the resident process."""
        return self.words("daemon")

    @property
    def night(self) -> tuple[str, ...]:
        """The command line of one night."""
        return self.words("run", "--scheduled")

    @property
    def hour(self) -> int:
        return int(self.at[:2])

    @property
    def minute(self) -> int:
        return int(self.at[3:])


def plan(places: Places, settings: Settings, environment: Path | None = None) -> Plan:
    """The plan of this sleepd for these settings. Raises `UsageError` for a path that no schedule can hold."""
    name = config.variables(("TZ",)).get("TZ", "")
    try:
        time_zone = zoneinfo.ZoneInfo(name).key if name else None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        time_zone = None
    made = Plan(
        program=program(Path(sys.executable)),
        environment=environment or places.environment,
        at=settings.night.at,
        jitter_minutes=settings.night.jitter_minutes,
        time_zone=time_zone,
        writable=tuple(dict.fromkeys((places.database.parent, places.state))),
        caches=folders_beside(),
        output=places.state / "service.out",
    )
    for word in (*made.night, *map(str, made.writable), *map(str, made.caches)):
        if not word.isprintable():
            raise UsageError(f"{word!r}: a schedule cannot hold this path; move it to one without control characters")
    return made


def program(python: Path) -> tuple[str, ...]:
    """How to start this sleepd from anywhere: its script next to this Python, else the Python itself."""
    if not python.is_absolute():
        raise UsageError(f"{python}: Python does not know its own path; call sleepd by its whole path")
    script = python.with_name("sleepd.exe" if os.name == "nt" else "sleepd")
    if os.access(script, os.X_OK):
        return (str(script),)
    # -P: a file of the working folder must not shadow one of its modules.
    return (str(python), "-P", "-m", "sleepd")
