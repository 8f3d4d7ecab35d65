"""The clock. Everything else is told the time."""

from __future__ import annotations

from datetime import UTC, datetime


def now() -> datetime:
    """The time, aware and UTC."""
    return datetime.now(UTC)  # noqa: TID251 - the one place that reads the clock


def local_date(moment: datetime) -> str:
    """The ISO date of a moment where this machine is: a night belongs to it."""
    return moment.astimezone().date().isoformat()
