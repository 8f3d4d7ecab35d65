"""The next night as `sleepd status` says it, on the first days of a new user."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from sleepd.settings import config
from sleepd.store import nights
from sleepd.store.database import open_database
from sleepd.store.nights import Night, NightStatus
from sleepd.usecases import upcoming
from tests.cli.command import living_in


def at(day: int, hour: int) -> datetime:
    """An hour of a day in May."""
    return datetime(2026, 5, day, hour, tzinfo=UTC)


def ran(at: datetime) -> None:
    """A night that a person ran by hand at this moment."""
    database = open_database(config.places().database)
    night = Night(
        id=f"{at.date()}-user-1", scope="user", date=at.date().isoformat(), status=NightStatus.DONE, started_at=at,
        ended_at=at, message="", report={},
    )  # fmt: skip
    with database.writing() as connection:
        nights.begin(connection, night)
        nights.end(connection, night)
    database.close()


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (None, at(4, 15), (False, "2026-05-05 03:17")),
        (None, at(4, 1), (False, "2026-05-04 03:17")),
        # Run by hand before the night of the same date would begin: the date before had no night, and missed none.
        (at(4, 1), at(4, 2), (False, "2026-05-05 03:17")),
        (at(4, 15), at(4, 16), (False, "2026-05-05 03:17")),
        # From then on a night that was missed is due.
        (at(4, 1), at(6, 9), (True, "2026-05-06 03:17")),
    ],
)
def test_nothing_is_due_since_before_the_first_night(
    begun: Path, before: datetime | None, now: datetime, expected: tuple[bool, str]
) -> None:
    """Whoever begins at one in the morning, or at three in the afternoon, is behind with nothing."""
    with living_in("UTC"):
        if before is not None:
            ran(before)
        settings = config.load(overrides={"night.jitter_minutes": 0})
        found = upcoming.upcoming(config.places(), settings, now)
    assert expected == (found.due, found.at.astimezone(UTC).strftime("%Y-%m-%d %H:%M"))
