"""Whether a night is due, and when to look again. Pure: the time and the past nights are arguments.

A night belongs to the local date of the moment it was due at, not of the moment it is run: one that starts after
midnight, for jitter or because the machine was asleep, is still that date's night, and does not replace the next one.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final

from sleepd.store.calendar import PastNight

USER_SCOPE: Final = "user"
FIRST_PAUSE: Final = timedelta(hours=1)
"""A night that could not be measured is tried again after so long, then after twice as long, and so on."""
_SETTLED: Final = ("done", "budget-spent")
"""The statuses that finish a date. A spent budget stays spent until the next night."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timetable:
    """When nights begin."""

    at: str
    """Local time of day, `HH:MM`."""
    jitter_minutes: int = 0
    machine: str = ""
    """The machine's id: each machine has its own jitter on each date, and always the same."""
    zone: tzinfo | None = None
    """None: this machine's."""

    def moment(self, day: date) -> datetime:
        """When the night of this local date is due, before jitter. UTC.

        A time that the clock skips in spring is the same time later; of one that it strikes twice in autumn, the first.
        """
        hour, minute = map(int, self.at.split(":"))
        naive = datetime.combine(day, time(hour, minute))
        return (naive if self.zone is None else naive.replace(tzinfo=self.zone)).astimezone(UTC)

    def start(self, day: date) -> datetime:
        """When the night of this local date begins: the moment and this machine's jitter. UTC."""
        most = self.jitter_minutes * 60
        seconds = random.Random(f"{self.machine}:{day.isoformat()}").randint(0, most) if most else 0
        return self.moment(day) + timedelta(seconds=seconds)

    def newest(self, now: datetime) -> date:
        """The local date of the last night that was due."""
        today = now.astimezone(self.zone).date()
        return today if self.moment(today) <= now else today - timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class NextNight:
    """The schedule of one scope."""

    date: str
    """Local date of the night that was due last, ISO."""
    start: datetime | None
    """When to begin or continue that night; in the past: now. None: the night needs nothing more."""
    following: datetime
    """When the next one begins."""

    @property
    def next_start(self) -> datetime:
        """When something is to be begun next."""
        return self.following if self.start is None else self.start


def look(now: datetime, timetable: Timetable, nights: Iterable[PastNight], since: datetime | None = None) -> NextNight:
    """Whether a night of a scope is due, by the nights this scope had.

    `since` is when a scope without any night was first to have one: earlier due nights are skipped. None: they are run.
    """
    known, day = list(nights), timetable.newest(now)
    # Whoever ran the coming date's night by hand, before it was due, has had it.
    ahead = (day + timedelta(days=1)).isoformat()
    had = any(night.date == ahead and night.status in _SETTLED for night in known)
    following = timetable.start(day + timedelta(days=2 if had else 1))
    begun = [night for night in known if night.date == day.isoformat()]
    start: datetime | None
    if any(night.status in _SETTLED for night in begun):
        start = None
    elif begun:
        start = max(timetable.start(day), _again(begun[0], timetable.moment(day)))
    else:
        start = None if since is not None and timetable.moment(day) < since else timetable.start(day)
    # Several nights that were missed are one, and one that would start with the next is the next.
    return NextNight(date=day.isoformat(), start=None if start and start >= following else start, following=following)


def next_night(now: datetime, at: str) -> datetime:
    """When a night is due next at this local time of day, whatever was run and without jitter."""
    timetable = Timetable(at=at)
    return timetable.moment(timetable.newest(now) + timedelta(days=1)).astimezone()


def _again(night: PastNight, due: datetime) -> datetime:
    """When to go on with a night that was begun and not settled."""
    ended = night.ended_at or due
    if night.status == "not-measured":
        known = night.retry_at is not None and night.retry_at > ended
        return night.retry_at if known and night.retry_at is not None else ended + _pause(night.attempts)
    # It was stopped in the middle: once that is a machine that was shut down, more often it is the night itself.
    return due if night.attempts < 2 else (night.attempt_at or due) + _pause(night.attempts - 1)


def _pause(failures: int) -> timedelta:
    return FIRST_PAUSE * int(2 ** min(max(failures, 1) - 1, 10))
