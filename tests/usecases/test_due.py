"""Whether a night is due: the calendar, the nights there were, and clocks that jump."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from sleepd.store.calendar import PastNight
from sleepd.usecases import due
from sleepd.usecases.due import Timetable, look

BERLIN = ZoneInfo("Europe/Berlin")
AT_THREE = Timetable(at="03:17", zone=BERLIN)
HOUR = timedelta(hours=1)


def at(text: str, fold: int = 0) -> datetime:
    """A moment by the clocks of Berlin."""
    return datetime.fromisoformat(text).replace(tzinfo=BERLIN, fold=fold).astimezone(UTC)


def night(status: str, day: str = "2026-05-04", **facts: object) -> PastNight:
    known = {"attempt_at": at(f"{day}T03:17"), "ended_at": at(f"{day}T03:40"), **facts}
    return PastNight(scope="user", date=day, status=status, **known)  # type: ignore[arg-type]


def told(
    now: str, *nights: PastNight, timetable: Timetable = AT_THREE, **more: datetime
) -> tuple[str, str | None, str]:
    """Date, start and following start, by the clocks of Berlin."""
    seen = look(at(now), timetable, nights, **more)
    start = None if seen.start is None else seen.start.astimezone(timetable.zone).strftime("%m-%d %H:%M")
    return seen.date, start, seen.following.astimezone(timetable.zone).strftime("%m-%d %H:%M")


@pytest.mark.parametrize(
    ("now", "nights", "expected"),
    [
        ("2026-05-04T12:00", [], ("2026-05-04", "05-04 03:17", "05-05 03:17")),
        ("2026-05-04T03:16", [], ("2026-05-03", "05-03 03:17", "05-04 03:17")),
        ("2026-05-04T03:17", [], ("2026-05-04", "05-04 03:17", "05-05 03:17")),
        ("2026-05-04T12:00", [night("done")], ("2026-05-04", None, "05-05 03:17")),
        ("2026-05-04T12:00", [night("budget-spent")], ("2026-05-04", None, "05-05 03:17")),
        # Off for a week: one night, not seven.
        ("2026-05-04T12:00", [night("done", "2026-04-27")], ("2026-05-04", "05-04 03:17", "05-05 03:17")),
        # By hand once more on the same date, and stopped: the date has its night.
        ("2026-05-04T12:00", [night("running"), night("done")], ("2026-05-04", None, "05-05 03:17")),
    ],
)
def test_a_night_is_due_until_its_date_has_one(
    now: str, nights: list[PastNight], expected: tuple[str, str | None, str]
) -> None:
    """Missed ones are one; a done or paid one settles its date."""
    assert expected == told(now, *nights)


def test_what_could_not_be_measured_is_tried_again_until_the_next_night() -> None:
    """An hour later, then two, four, …; at the provider's own time when it said one."""
    failed = [night("not-measured", attempts=n) for n in (1, 2, 3, 6)]
    assert ["05-04 04:40", "05-04 05:40", "05-04 07:40", None] == [told("2026-05-04T04:00", one)[1] for one in failed]
    limit = night("not-measured", attempts=4, retry_at=at("2026-05-04T05:00"))
    assert "05-04 05:00" == told("2026-05-04T04:00", limit)[1]
    tomorrow = night("not-measured", retry_at=at("2026-05-05T05:00"))
    assert None is told("2026-05-04T04:00", tomorrow)[1]
    stale = night("not-measured", retry_at=at("2026-05-04T03:20"))
    assert "05-04 04:40" == told("2026-05-04T04:00", stale)[1]


def test_a_night_that_was_stopped_goes_on_at_once_and_one_that_always_dies_does_not() -> None:
    """The first time it was the machine that went off; a night that kills its process again and again must not spin."""
    stopped = [night("running", attempts=n, ended_at=None, attempt_at=at("2026-05-04T06:00")) for n in (1, 2, 3)]
    assert ["05-04 03:17", "05-04 07:00", "05-04 08:00"] == [told("2026-05-04T06:10", one)[1] for one in stopped]


def test_before_the_first_night_nothing_was_missed() -> None:
    """Whoever installs it at three in the afternoon waits for the night; from then on it is caught up with."""
    since = at("2026-05-04T15:00")
    assert ("2026-05-04", None, "05-05 03:17") == told("2026-05-04T15:00", since=since)
    assert ("2026-05-05", "05-05 03:17", "05-06 03:17") == told("2026-05-05T09:00", since=since)


@pytest.mark.parametrize("off_until", ["2026-05-05T08:00", "2026-05-06T08:00", "2026-05-07T08:00"])
def test_a_machine_that_is_off_each_night_has_each_night_in_the_morning(off_until: str) -> None:
    """The night of 23:30 that runs at 8 belongs to the evening before, so that it does not stand for the next one."""
    late = Timetable(at="23:30", zone=BERLIN)
    evening = date.fromisoformat(off_until[:10]) - timedelta(days=1)
    before = night("done", (evening - timedelta(days=1)).isoformat())
    seen = look(at(off_until), late, [before])
    assert (evening.isoformat(), late.moment(evening)) == (seen.date, seen.start)


# Clocks -------------------------------------------------------------------------------------------------------------


def test_half_past_two_comes_twice_in_autumn_and_never_in_spring() -> None:
    """One night each: the first half past two in autumn, half past three in spring."""
    table = Timetable(at="02:30", zone=BERLIN)
    (first, second) = at("2026-10-25T02:30"), at("2026-10-25T02:30", fold=1)
    assert (first, HOUR) == (table.moment(date(2026, 10, 25)), second - first)
    assert look(first, table, []).date == look(second, table, []).date == "2026-10-25"
    assert None is look(second, table, [night("done", "2026-10-25")]).start
    assert ("2026-03-29", "03-29 03:30", "03-30 02:30") == told("2026-03-29T12:00", timetable=table)
    assert "2026-03-28" == told("2026-03-29T01:59", timetable=table)[0]


@pytest.mark.parametrize("day", ["2026-03-29", "2026-10-25", "2026-05-04"])
def test_days_of_23_and_25_hours_have_their_night_on_time(day: str) -> None:
    """By the clock on the wall, not by 24 hours."""
    evening = datetime.fromisoformat(f"{day}T12:00").replace(tzinfo=BERLIN) - timedelta(days=1)
    seen = look(evening.astimezone(UTC), AT_THREE, [])
    assert (day, "03:17") == (
        seen.following.astimezone(BERLIN).date().isoformat(), f"{seen.following.astimezone(BERLIN):%H:%M}",
    )  # fmt: skip


def test_nights_of_a_clock_that_was_wrong_hinder_none() -> None:
    """A machine that woke up in 2036 and was set right: its future night stands for none of today's."""
    future = night("done", "2036-05-04")
    assert ("2026-05-04", "05-04 03:17", "05-05 03:17") == told("2026-05-04T12:00", future)
    # And one that goes back by an hour after the night runs it no second time.
    assert None is told("2026-05-04T03:20", night("done"))[1]


# Jitter -------------------------------------------------------------------------------------------------------------


def test_jitter_is_each_machines_own_and_always_the_same() -> None:
    """Within its minutes, another one on another date, and the clock may ask as often as it likes."""
    tables = [Timetable(at="03:17", jitter_minutes=10, machine=name, zone=BERLIN) for name in map(str, range(50))]
    late = [(t.start(date(2026, 5, 4)) - t.moment(date(2026, 5, 4))).total_seconds() for t in tables]
    assert 40 < len(set(late)) and 0 <= min(late) and 300 < max(late) <= 600
    again = [(t.start(date(2026, 5, 5)) - t.moment(date(2026, 5, 5))).total_seconds() for t in tables]
    assert late != again
    assert tables[0].start(date(2026, 5, 4)) == tables[0].start(date(2026, 5, 4))


def test_jitter_over_midnight_leaves_the_date_alone() -> None:
    """A night of 23:55 that starts at 00:03 is the evening's; the next evening has its own."""
    table = next(
        t
        for n in range(99)
        if (t := Timetable(at="23:55", jitter_minutes=10, machine=str(n), zone=BERLIN))
        .start(date(2026, 5, 4)).astimezone(BERLIN).day == 5
    )  # fmt: skip
    start = table.start(date(2026, 5, 4))
    assert ("2026-05-04", start) == ((seen := look(start, table, [])).date, seen.start)
    assert table.start(date(2026, 5, 5)) == look(start, table, [night("done")]).following


def test_the_next_night_is_today_or_tomorrow() -> None:
    """At the local time of day."""
    now = datetime(2026, 5, 4, 12, 0).astimezone()
    assert ["2026-05-04 23:59", "2026-05-05 03:17"] == [
        due.next_night(now, at).strftime("%Y-%m-%d %H:%M") for at in ("23:59", "03:17")
    ]
