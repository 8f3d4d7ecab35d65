"""When nights are due, by the settings, the calendar and the clock. Light: the daemon and `sleepd status` ask it."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from sleepd.host import clock
from sleepd.settings import config
from sleepd.settings.places import Places
from sleepd.settings.settings import Settings
from sleepd.store.calendar import Calendar, calendar
from sleepd.usecases import agenda, due
from sleepd.usecases.due import USER_SCOPE, NextNight, Timetable
from sleepd.views.status_view import Upcoming

EARLY: Final = timedelta(minutes=1)
"""A scheduler may start us a moment before the night is due: that is the night that is meant, not the one before."""


def scopes(settings: Settings, project: Path | None = None) -> tuple[str, ...]:
    """The scopes that have nights: the named project's, else those of `night.projects`, else the user's."""
    wanted = [project] if project is not None else [Path(name) for name in settings.night.projects]
    return tuple(dict.fromkeys(str(folder.expanduser().resolve()) for folder in wanted)) or (USER_SCOPE,)


def timetable(settings: Settings) -> Timetable:
    """When this machine's nights begin."""
    machine = f"{platform.node()}:{config.home()}"
    return Timetable(at=settings.night.at, jitter_minutes=settings.night.jitter_minutes, machine=machine)


def past(places: Places, now: datetime) -> Calendar:
    """The nights of the last days. Raises `Busy` and `DatabaseDamaged`."""
    return calendar(places.database, clock.local_date(now - timedelta(days=3)), now)


def looks(
    table: Timetable,
    nights: Calendar,
    wanted: Sequence[str],
    now: datetime,
    since: Mapping[str, datetime] | None = None,
) -> dict[str, NextNight]:
    """The schedule of each scope. A night from before a scope's first one was not missed; a scope without any night
    skips nights from before `since`. In the minute before a night that night counts: the daemon and its child must mean
    the same night."""
    begun = {**({} if since is None else {s: at for s, at in since.items() if s not in nights.scopes}), **nights.first}
    return {s: due.look(now + EARLY, table, [n for n in nights.nights if n.scope == s], begun.get(s)) for s in wanted}


def upcoming(places: Places, settings: Settings, now: datetime) -> Upcoming:
    """The next night, for `sleepd status`. Raises `Busy` and `DatabaseDamaged`."""
    wanted = scopes(settings)
    begun = dict.fromkeys(wanted, now)
    seen = looks(timetable(settings), past(places, now), wanted, now, begun)
    at = min(one.next_start for one in seen.values())
    waiting = agenda.waiting(places, now)
    if not places.daemon_lock.exists():
        daemon_runs = False
    else:
        from sleepd.host import locks

        daemon_runs = locks.is_held(places.daemon_lock)
    return Upcoming(
        at=at,
        due=at <= now,
        why=None if waiting is None else waiting.why,
        daemon=daemon_runs,
    )
