"""What one run is about, and who is told how far it is. Light: whoever only asks for a run imports nothing more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sleepd.usecases.due import USER_SCOPE


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """What one run is about, beyond the settings."""

    project: Path | None = None
    """None: all projects."""
    skill: str | None = None
    """Work on this skill only."""
    date: str | None = None
    """The local date that the night belongs to, ISO; None: today's."""
    fresh: frozenset[str] = frozenset()
    """Limits such as `night.max_calls` that hold for this run alone, not for all runs of the night together."""

    @property
    def scope(self) -> str:
        return USER_SCOPE if self.project is None else str(self.project.expanduser().resolve())


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """Who is told how far a run is: of files (done, in all) and of each step."""

    files: Callable[[int, int], None] | None = None
    step: Callable[[str], None] | None = None

    def say(self, step: str) -> None:
        """Tell of a step, if anybody listens."""
        if self.step is not None:
            self.step(step)
