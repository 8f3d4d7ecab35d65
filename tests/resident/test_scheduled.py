"""Nights that nobody sits beside: once a date, one after another, and only when nothing is in the way."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from sleepd.core.machine import Host
from sleepd.host import clock, locks, log
from sleepd.host.still import Still
from sleepd.resident import scheduled
from sleepd.resident.scheduled import RunEnvironment
from sleepd.settings import config
from sleepd.store import nights
from sleepd.store.calendar import Calendar, PastNight, calendar
from sleepd.store.database import open_database
from sleepd.store.nights import Night, NightStatus
from sleepd.usecases import agenda, run_night, upcoming
from sleepd.usecases.due import Timetable
from tests.cli.command import SETTINGS, configure, environment, living_in, sleepd, started
from tests.stub.script import Fail
from tests.stub.server import Stub

ANY_TIME = 'at = "00:00"\njitter_minutes = 0\n'
UNHINDERED = "[conditions]\nagent_quiet_minutes = 0\n"
SCHEDULED = SETTINGS + ANY_TIME + UNHINDERED
"""Due all day long: the moment was midnight."""


@dataclass
class Sitting:
    """A clock that goes on by sleeping, and what was said; `meanwhile` happens at each sleep."""

    host: Host = field(default_factory=Still)
    meanwhile: Callable[[], object] = lambda: None
    slept: list[float] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def means(self, *, once: bool = False) -> RunEnvironment:
        return RunEnvironment(host=self.host, say=self.said.append, pause=self._pause, now=self._now, once=once)

    def _now(self) -> datetime:
        return clock.now() + timedelta(seconds=sum(self.slept))

    def _pause(self, seconds: float) -> None:
        assert len(self.slept) < 1_000
        self.slept.append(seconds)
        self.meanwhile()


def enter(status: NightStatus, *, scope: str = "user", day: date | None = None, **report: object) -> Night:
    """A night of today, or of another day, as if it had been run."""
    database = open_database(config.places().database)
    now = clock.now()
    today = date.fromisoformat(clock.local_date(now))
    day = day or today
    then = now - (today - day)
    night = Night(
        id=f"{day}-{scope[-6:]}-1", scope=scope, date=day.isoformat(), status=status,
        started_at=then, ended_at=then, message="", report=report,
    )  # fmt: skip
    with database.writing() as connection:
        nights.begin(connection, night)
        nights.end(connection, night)
    database.close()
    return night


def stored() -> list[tuple[str, str, str]]:
    """Scope, date and status of each night."""
    return sorted(
        (n.scope, n.date, n.status) for n in calendar(config.places().database, "2000-01-01", clock.now()).nights
    )


def logged() -> list[dict[str, str]]:
    return [json.loads(line) for line in config.places().log.read_text().splitlines()]


@pytest.mark.slow
def test_a_scheduled_night_is_run_once_a_date(lived_in: Path) -> None:
    """In autumn the clock strikes twice, and cron may be set up beside the daemon: the second finds it done."""
    configure(lived_in, SCHEDULED)
    first, second = sleepd("run", "--scheduled"), sleepd("run", "--scheduled")
    today = clock.local_date(clock.now())
    assert (0, 0) == (first.code, second.code)
    assert f"night {today}" in first.err and f"the night of {today} is done already\n" == second.err
    assert [("user", today, "done")] == stored()


def test_a_run_by_hand_is_the_night_of_its_date(begun: Path) -> None:
    """Whoever could not wait has had it; a spent budget is not spent again before the next night."""
    configure(begun, SCHEDULED)
    enter(NightStatus.BUDGET_SPENT)
    assert "done already" in sleepd("run", "--scheduled").err


def test_it_takes_everything_from_the_settings(begun: Path) -> None:
    """An option that a scheduler would forget is refused, and what nobody answered is an error, not a question."""
    refused = sleepd("run", "--scheduled", "--max-calls", "3")
    assert 2 == refused.code and "settings file" in refused.err
    configure(begun, '[embedder]\nname = "hashed-tfidf"\n')
    unanswered = sleepd("run", "--scheduled")
    assert (2, 1) == (unanswered.code, unanswered.err.count("\n")) and "night.max_calls" in unanswered.err


def test_a_scheduler_that_is_a_moment_early_means_the_night_to_come(begun: Path) -> None:
    """Not the one before, which is done: taking it for that would leave this date without a night."""
    soon = clock.now().astimezone() + timedelta(seconds=30)
    minute = soon.replace(second=0, microsecond=0) + timedelta(minutes=1)
    configure(begun, SCHEDULED.replace('at = "00:00"', f'at = "{minute:%H:%M}"'))
    enter(NightStatus.DONE, day=minute.date() - timedelta(days=1))
    sitting = Sitting()
    sitting.slept.append((minute - timedelta(seconds=5) - clock.now()).total_seconds())
    came = scheduled.run(config.places(), None, sitting.means())
    assert f"night {minute.date()}" in came["user"].line and 2 == len(sitting.slept)


def test_the_daemon_and_the_night_it_starts_mean_the_same_night(begun: Path) -> None:
    """In the minute before a night the one that was missed is given up: what was started for it would not run it."""
    table, day = Timetable(at="03:00", zone=UTC), date(2026, 5, 4)
    begin = datetime(2026, 5, 4, 3, tzinfo=UTC)
    past = Calendar(nights=(PastNight(scope="user", date="2026-05-01", status="done"),), scopes=frozenset({"user"}))
    for seconds, (night, start) in {
        61: ("2026-05-03", begin - timedelta(days=1)),
        59: (day.isoformat(), begin),
        0: (day.isoformat(), begin),
    }.items():
        seen = upcoming.looks(table, past, ["user"], begin - timedelta(seconds=seconds))["user"]
        assert (night, start) == (seen.date, seen.start), seconds


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system takes up another time zone by itself, or never")
def test_whoever_waits_sees_that_the_time_zone_changed(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A laptop that flew on while a night waited: night.at is where the laptop is now."""
    with living_in("UTC"):
        minute = clock.now().replace(second=0, microsecond=0) + timedelta(minutes=2)
        configure(begun, SCHEDULED.replace('at = "00:00"', f'at = "{minute:%H:%M}"'))
        enter(NightStatus.DONE, day=minute.date() - timedelta(days=1))
        # Three hours west it is not that late yet, and the night of before is done.
        sitting = Sitting(meanwhile=lambda: monkeypatch.setenv("TZ", "XXX3"))
        sitting.slept.append((minute - timedelta(seconds=20) - clock.now()).total_seconds())
        came = scheduled.run(config.places(), None, sitting.means())
        assert (2, 1) == (len(sitting.slept), len(stored())) and "is done already" in came["user"].line


@pytest.mark.slow
def test_each_project_has_its_night_and_one_that_is_gone_stops_none(lived_in: Path) -> None:
    """One after another; the one that is gone is a line that names the remedy."""
    other = lived_in / "other"
    other.mkdir()
    configure(lived_in, SCHEDULED.replace("[night]", f'[night]\nprojects = ["~/gone", "~/uploader", "{other}"]'))
    done = sleepd("run", "--scheduled")
    today = clock.local_date(clock.now())
    assert [(str(other), today, "done"), (str(lived_in / "uploader"), today, "done")] == stored()
    assert 2 == done.code and "gone: the folder is gone" in done.err and "night.projects" in done.err
    assert 0 == sleepd("run", "--scheduled", "--project", other).code


@pytest.mark.slow(14)
def test_eight_at_once_are_eight_nights(lived_in: Path) -> None:
    """Each its own process, as eight lines of one crontab: they queue."""
    projects = [lived_in / f"p{n}" for n in range(8)]
    for project in projects:
        project.mkdir()
    configure(lived_in, SCHEDULED)
    running = [started("run", "--scheduled", "--project", str(project)) for project in projects]
    ended = [process.communicate(timeout=120) for process in running]
    assert [0] * 8 == [process.returncode for process in running], ended
    assert sorted((str(p), clock.local_date(clock.now()), "done") for p in projects) == stored()


@pytest.mark.slow
def test_two_at_once_are_one_night(lived_in: Path) -> None:
    """Both found it due; the one that has to queue looks again when its turn comes."""
    configure(lived_in, SCHEDULED)
    with locks.night(config.places(), 0):
        running = [started("run", "--scheduled") for _ in range(2)]
        time.sleep(1.5)
    said = "".join(process.communicate(timeout=60)[1] for process in running)
    assert 1 == len(stored()) and 1 == said.count("is done already"), said


def test_a_night_that_failed_in_a_defect_stops_no_other(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be explained and what cannot: both said and in the log, neither raised."""
    folders = [begun / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    configure(begun, SCHEDULED.replace("[night]", f"[night]\nprojects = {json.dumps([str(f) for f in folders])}"))
    log.configure(config.places().log)
    run_due, told = run_night.run_due, iter([ZeroDivisionError("a defect"), None])

    def sometimes(*given: object) -> object:
        if (error := next(told)) is not None:
            raise error
        return run_due(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(run_night, "run_due", sometimes)
    came = scheduled.run(config.places(), None, Sitting().means())
    log.silence()
    assert [70, 0] == [came[str(folder)].status for folder in folders]
    assert "ZeroDivisionError: a defect" in came[str(folders[0])].line
    (failed,) = [event for event in logged() if event["event"] == "night.failed"]
    assert "ZeroDivisionError" in failed["exception"]


# Waiting ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_waits_for_the_conditions_and_says_so_once(lived_in: Path) -> None:
    """The reason stands in the log once, in `sleepd status` while it lasts, and is gone afterwards."""
    configure(lived_in, SCHEDULED)
    log.configure(config.places().log)
    seen: list[str] = []
    sitting = Sitting(host=Still(on_battery=True))

    def meanwhile() -> None:
        seen.append(sleepd("status").out)
        if len(sitting.slept) == 3:
            sitting.host = Still()
            object.__setattr__(means, "host", sitting.host)

    sitting.meanwhile = meanwhile
    means = sitting.means()
    came = scheduled.run(config.places(), None, means)
    log.silence()
    assert (0, [300.0] * 3) == (came["user"].status, [round(s, -1) for s in sitting.slept])
    assert "waiting: the machine runs on battery" == sitting.said[0] and 2 == len(sitting.said)
    assert all("waits: the machine runs on battery" in text for text in seen)
    assert "battery" not in sleepd("status").out
    assert 1 == [event["event"] for event in logged()].count("night.deferred")


@pytest.mark.slow
def test_a_night_that_never_could_begin_gives_way_to_the_next(begun: Path) -> None:
    """It is said, with the status of what could not be measured."""
    configure(begun, SCHEDULED)
    sitting = Sitting(host=Still(idle_s=1.0))
    came = scheduled.run(config.places(), None, sitting.means())
    assert 3 == came["user"].status and "did not begin" in came["user"].line
    assert [] == stored() and sum(sitting.slept) < 25 * 3600


def test_a_limit_is_waited_for_by_all_projects(begun: Path) -> None:
    """One project's night met it: the provider's limit is the same for the other."""
    places = config.places()
    (begun / "b").mkdir()
    configure(begun, SCHEDULED.replace("[night]", f'[night]\nprojects = ["{begun}/b"]'))
    until = clock.now() + timedelta(minutes=20)
    enter(NightStatus.NOT_MEASURED, scope="/another", retry_at=until.isoformat())
    sitting = Sitting()
    came = scheduled.run(places, None, sitting.means())
    assert 0 == came[f"{begun}/b"].status and 20 * 60 <= sum(sitting.slept) + 1
    assert f"waiting: the provider's limit resets at {until.astimezone():%H:%M}" == sitting.said[0]


@pytest.mark.slow
def test_a_limit_that_the_provider_states_is_kept_with_the_night(
    lived_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the night is gone on with when it is over; for the daemon's child, by the daemon."""
    monkeypatch.setenv("SLEEPD_API_KEY", "k")
    reset = clock.now() + timedelta(seconds=900)
    with Stub(scenarios={"": (Fail(429, "rate_limit_error", "too many requests", {"retry-after": "900"}),)}) as stub:
        model = f'name = "openai"\nmodel = "stub"\nbase_url = "{stub.url}/v1"\nmax_retries = 0\n'
        at = SCHEDULED.index("[model]"), SCHEDULED.index("[night]")
        configure(lived_in, SCHEDULED[: at[0]] + "[model]\n" + model + SCHEDULED[at[1] :])
        once = Sitting()
        came = scheduled.run(config.places(), None, once.means(once=True))
    assert (3, []) == (came["user"].status, once.slept)
    (night,) = calendar(config.places().database, "2000-01-01", clock.now()).nights
    assert night.retry_at is not None and abs(night.retry_at - reset) < timedelta(minutes=1)
    configure(lived_in, SCHEDULED)
    sitting = Sitting()
    assert 0 == scheduled.run(config.places(), None, sitting.means())["user"].status
    assert (
        800 < sum(sitting.slept) < 1_000
        and 2 == calendar(config.places().database, "2000-01-01", clock.now()).nights[0].attempts
    )


@pytest.mark.slow
def test_a_message_is_shown_after_the_night(lived_in: Path) -> None:
    """By whoever ran it, where there is a desktop."""
    configure(lived_in, SCHEDULED)
    desk = Still(shows=True)
    scheduled.run(config.places(), None, Sitting(host=desk).means())
    assert 1 == len(desk.shown) and "sleepd review" in desk.shown[0][1]


# What it leaves behind ----------------------------------------------------------------------------------------------


def test_a_note_of_a_process_that_is_gone_says_nothing(begun: Path) -> None:
    """Nor does one that is rubbish."""
    places, now = config.places(), clock.now()
    agenda.Waits(places).note("the machine runs on battery", now)
    assert agenda.waiting(places, now) is not None
    assert None is agenda.waiting(places, now + timedelta(hours=1))
    for rubbish in (
        "",
        "[]",
        '{"why": 1}',
        '{"why": "x", "again_at": "soon"}',
        '{"why": "x", "again_at": "2026-01-01"}',
    ):
        (places.state / "waiting.json").write_text(rubbish)
        assert None is agenda.waiting(places, now)


def test_status_knows_when_a_night_is_gone_on_with(begun: Path) -> None:
    """After a limit: at the provider's time, not tomorrow."""
    configure(begun, SCHEDULED)
    until = clock.now() + timedelta(minutes=20)
    enter(NightStatus.NOT_MEASURED, retry_at=until.isoformat())
    assert f"next night  {until.astimezone():%Y-%m-%d %H:%M}" in sleepd("status").out


# A disk that takes no more -------------------------------------------------------------------------------------------


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A disk of two megabytes."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount command here")
    if done.returncode:
        pytest.skip(f"no disk of two megabytes can be made here: {done.stderr.decode().strip()}")
    yield folder  # type: ignore[misc]
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.slow
def test_a_full_disk_and_a_read_only_one_are_one_line(
    lived_in: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever the night meets it: status 3, tried again, and nothing of before is lost."""
    configure(lived_in, SCHEDULED)
    for name in ("data", "state"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tiny / name))
    assert 0 == sleepd("harvest").code
    full = sleepd("run", "--scheduled")
    assert (3, 1) == (full.code, full.err.count("\n")) and "disk is full; make room" in full.err, full.err
    assert 50 == sleepd("status", "--json").json["sessions"]
    with pytest.raises(OSError, match="No space"):
        (tiny / "rest").write_bytes(b"x" * 4_000_000)
    again = sleepd("run")
    assert 3 == again.code and "make room" in again.err.splitlines()[-1]
    log.silence()  # nothing may be open there for writing
    subprocess.run(["mount", "-o", "remount,ro", str(tiny)], check=True)
    assert 0 == sleepd("harvest").code  # there is nothing new to write down
    some = next(lived_in.rglob("*.jsonl"))
    some.write_bytes(some.read_bytes() + some.read_bytes().splitlines(keepends=True)[-1])
    for verb in (["run"], ["run", "--scheduled"], ["harvest"], ["daemon"]):
        ended = sleepd(*verb)
        assert (3, 1) == (ended.code, ended.err.count("\n")) and "make it writable" in ended.err, (verb, ended.err)
    assert 0 == sleepd("status").code


@pytest.mark.slow
def test_a_night_in_the_environment_of_cron_needs_nothing_more(lived_in: Path) -> None:
    """No terminal, next to no variables."""
    configure(lived_in, SCHEDULED)
    bare = {"PATH": "/usr/bin:/bin", "HOME": str(lived_in), "SHELL": "/bin/sh"}
    known = {name: environment()[name] for name in ("HF_HUB_OFFLINE",) if name in environment()}
    process = started("run", "--scheduled", env=bare | known, cwd="/")
    _, said = process.communicate(timeout=60)
    assert 0 == process.returncode, said
    assert ["done"] == [status for _, _, status in stored()]
