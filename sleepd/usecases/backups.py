"""Copies of the database: make one, list them, put one back."""

from __future__ import annotations

from pathlib import Path

from sleepd import compose
from sleepd.core.errors import UsageError
from sleepd.host import clock, locks
from sleepd.settings.places import Places
from sleepd.store import database
from sleepd.store.database import Restored

_WAIT_S = 5.0


def backup(places: Places) -> Path:
    """A checked copy of the database, named after the moment. Raises `DatabaseDamaged`, `Unwritable`."""
    opened = compose.database(places)
    try:
        return opened.backup(_stamp())
    finally:
        opened.close()


def restore(places: Places, wanted: str | None) -> Restored:
    """Put a backup back: the newest sound one, or the one with this path or file name.

    Raises `UsageError` when there is none, `DatabaseDamaged` when it is damaged, `Busy` while a night, a harvest, an
    adoption or the daemon runs.
    """
    with (
        locks.daemon(places),
        locks.night(places, _WAIT_S),
        locks.harvest(places, _WAIT_S),
        locks.adoption(places, _WAIT_S),
    ):
        known = database.backups(places.database)
        if wanted is not None:
            named = next((copy for copy in known if wanted in (copy.name, copy.stem)), Path(wanted).expanduser())
            if not named.is_file():
                raise UsageError(f"there is no backup {wanted!r}; {_listed(known)}")
            chosen = named
        else:
            sound = next((copy for copy in known if database.damage_in(copy) is None), None)
            if sound is None:
                raise UsageError(f"no backup of {places.database} can be used; {_listed(known)}")
            chosen = sound
        return database.restore(places.database, chosen, _stamp())


def _listed(known: list[Path]) -> str:
    return f"there are: {', '.join(copy.name for copy in known)}" if known else "none was made yet"


def _stamp() -> str:
    return f"{clock.now():%Y-%m-%d-%H%M%S}"
