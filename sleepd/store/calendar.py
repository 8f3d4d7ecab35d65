"""The nights there were, as the clock needs them, without SQLAlchemy: whoever only looks here stays small."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from sleepd.store.ahead import CAME, latest
from sleepd.store.readable import reading


@dataclass(frozen=True, slots=True, kw_only=True)
class PastNight:
    """One night, as far as it says whether another is due. Times are aware."""

    scope: str
    date: str
    """Local, ISO."""
    status: str
    """As `sleepd.store.nights.NightStatus`."""
    ended_at: datetime | None = None
    attempts: int = 1
    """How often it was begun or gone on with."""
    attempt_at: datetime | None = None
    """When it was last begun or gone on with."""
    retry_at: datetime | None = None
    """When the provider's limit resets, where that kept the night from being measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """What is written down of nights."""

    nights: tuple[PastNight, ...] = ()
    """Those asked for, newest first."""
    scopes: frozenset[str] = frozenset()
    """Scopes that ever had a night."""
    first: Mapping[str, datetime] = field(default_factory=dict)
    """When each scope's first night began."""


def calendar(path: Path, since: str, now: datetime) -> Calendar:
    """The nights whose local date is `since` (ISO) or later; not those that a clock which was ahead dated past `now`.

    Without a database there was none; none is made.

    Raises `Busy` when the database is locked for long, `Unwritable` on a full disk, `DatabaseDamaged` otherwise.
    """
    if not path.exists():
        return Calendar()
    with reading(path, timeout=30) as connection:
        connection.row_factory = sqlite3.Row
        rows = connection.execute(
            f"SELECT * FROM nights WHERE date >= ? AND {CAME} ORDER BY started_at DESC",  # noqa: S608
            (since, *latest(now)),
        )
        nights = []
        for row in rows:
            report = json.loads(row["report"])
            night = PastNight(
                scope=row["scope"],
                date=row["date"],
                status=row["status"],
                ended_at=_moment(row["ended_at"]),
                attempts=report.get("attempts", 1),
                attempt_at=_moment(report.get("attempt_at") or row["started_at"]),
                retry_at=_moment(report.get("retry_at")),
            )
            nights.append(night)
        scopes = frozenset(str(row[0]) for row in connection.execute("SELECT DISTINCT scope FROM nights"))
        begun = connection.execute(
            f"SELECT scope, min(started_at) FROM nights WHERE {CAME} GROUP BY scope",  # noqa: S608
            latest(now),
        )
        first = {str(scope): datetime.fromisoformat(at) for scope, at in begun}
    return Calendar(nights=tuple(nights), scopes=scopes, first=first)


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
