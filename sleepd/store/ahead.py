"""Nights that a clock which was ahead left behind: they say nothing about last night until their date has come."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from sleepd.store.readable import reading

_AHEAD: Final = timedelta(days=1)
"""So far two time zones are apart at most, or nearly."""
CAME: Final = "date <= ? AND started_at <= ?"
"""What holds of all other nights, in SQL; `latest` gives the two values."""


def latest(now: datetime) -> tuple[str, str]:
    """The latest local date, and the latest start in UTC, of a night that can have been by now. As they are stored."""
    limit = now + _AHEAD
    return limit.astimezone().date().isoformat(), limit.isoformat()


def nights_ahead(path: Path, now: datetime) -> tuple[str, ...]:
    """The ids of nights whose date or start is more than a day later than now, sorted. Raises as `reading` does."""
    with reading(path, timeout=30) as connection:
        rows = connection.execute(f"SELECT id FROM nights WHERE NOT ({CAME}) ORDER BY id", latest(now))  # noqa: S608
        return tuple(str(id_) for (id_,) in rows)
