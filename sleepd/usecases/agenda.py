"""Two notes in the state folder: the reason why a night waits, and the time since which a scope has nights. Neither is
needed. An unreadable note counts as missing, and a note that cannot be written is left out.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from sleepd.settings.places import Places, make_private

_STALE: Final = timedelta(minutes=15)
"""A note that was not renewed for so long is of a process that is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A due night, and the reason why it waits."""

    why: str
    again_at: datetime


def waiting(places: Places, now: datetime) -> Waiting | None:
    """The reason why a night waits now; None when none waits."""
    known = _read(_waiting_file(places))
    try:
        noted = Waiting(why=str(known["why"]), again_at=datetime.fromisoformat(known["again_at"]))
        return noted if abs(noted.again_at - now) <= _STALE else None
    except (KeyError, ValueError, TypeError):
        return None


class Waits:
    """Notes and logs the reason why a night waits, each reason once; leaving the block removes the note."""

    def __init__(self, places: Places) -> None:
        self._file = _waiting_file(places)
        self._why: str | None = None

    def __enter__(self) -> Waits:
        return self

    def __exit__(self, *_: object) -> None:
        if self._why is not None:
            with suppress(OSError):  # it counts for nothing a few minutes later
                self._file.unlink(missing_ok=True)

    def note(self, why: str, again_at: datetime) -> bool:
        """Whether the reason is another one than before."""
        _write(self._file, {"why": why, "again_at": again_at.isoformat()})
        changed, self._why = why != self._why, why
        if changed:
            import structlog

            logger = structlog.get_logger()
            logger.info("night.deferred", reason=why)
        return changed


def since(places: Places, scopes: Iterable[str], now: datetime) -> dict[str, datetime]:
    """Scope -> when the daemon first saw it. What it sees for the first time it sees now, and remembers."""
    file = places.state / "since.json"
    known: dict[str, datetime] = {}
    for scope, at in _read(file).items():
        try:
            known[scope] = min(datetime.fromisoformat(at), now)
        except (ValueError, TypeError):
            continue
    fresh = {scope: now for scope in scopes if scope not in known}
    if fresh:
        _write(file, {scope: at.isoformat() for scope, at in (known | fresh).items()})
    return known | fresh


def _waiting_file(places: Places) -> Path:
    return places.state / "waiting.json"


def _read(file: Path) -> dict[str, str]:
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(file: Path, value: dict[str, str]) -> None:
    part = file.with_name(f".{file.name}.new-{os.getpid()}")
    try:
        make_private(file.parent)
        part.touch(mode=0o600)
        part.write_text(json.dumps(value), encoding="utf-8")
        part.replace(file)
    except OSError as error:
        import structlog

        logger = structlog.get_logger()
        logger.warning("note.refused", file=file.name, reason=error.strerror)
