"""The clock. Everything else is told the time."""

from __future__ import annotations

import time
from datetime import UTC, datetime


def now() -> datetime:
    """The time, aware and UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the one place that reads the clock


def renew_zone() -> None:
    """Take up this machine's time zone as it is now: a process keeps to the one it began in, and may stay for weeks.

    Does nothing where the system has no such call, as on Windows.
    """
    if hasattr(time, "tzset"):
        time.tzset()


def local_date(moment: datetime) -> str:
    """The ISO date of a moment where this machine is: a night belongs to it."""
    return moment.astimezone().date().isoformat()
