"""How sleepd stands. Light: it answers in a blink, so nothing heavy is imported on its way."""

from __future__ import annotations

from datetime import datetime

from sleepd.settings.places import Places
from sleepd.settings.settings import Settings
from sleepd.store.overview import overview
from sleepd.usecases.upcoming import upcoming
from sleepd.views.status_view import StatusView


def status(places: Places, settings: Settings, now: datetime) -> StatusView:
    """Last night, next night, what is on probation, what waits. Raises `Busy` and `DatabaseDamaged`."""
    seen = overview(places.database, now)
    # Only an unfinished night can be running; whether it is, its lock knows.
    unfinished = seen is not None and seen.last_night is not None and seen.last_night.status == "running"
    if unfinished:
        from sleepd.host import locks

        unfinished = locks.is_held(places.lock)
    return StatusView(
        overview=seen,
        running=unfinished,
        upcoming=upcoming(places, settings, now),
        database=places.database,
        config=places.config,
    )
