"""The daemon: it hears sessions grow, runs each night once, and ends when told to."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from watchdog.events import DirCreatedEvent, FileClosedNoWriteEvent, FileModifiedEvent, FileOpenedEvent

from sleepd.app import clock, config, daemon, log
from sleepd.app.daemon import Ear, Pace
from sleepd.store import nights
from sleepd.store.database import open_database
from sleepd.store.nights import Night, NightStatus
from tests.app.command import configure, live_in, sleepd, started

QUICK = Pace(quiet=0.02, longest=0.1, rescan=60.0)
LONG = 20.0


class Listening:
    """`listen` in a thread; `heard` counts, and lets a test wait for the next time."""

    def __init__(self, roots: Callable[[], list[Path]], pace: Pace) -> None:
        self.ear = Ear()
        self._times = threading.Semaphore(0)
        self._thread = threading.Thread(
            target=daemon.listen, args=(self.ear, roots, self._times.release, pace), daemon=True
        )

    def __enter__(self) -> Listening:
        self._thread.start()
        assert self.hears()  # the first harvest needs no event
        return self

    def __exit__(self, *_: object) -> None:
        self.ear.stop()
        self._thread.join(LONG)
        assert not self._thread.is_alive()

    def hears(self) -> bool:
        return self._times.acquire(timeout=LONG)


def test_a_session_that_grows_is_heard(tmp_path: Path) -> None:
    """Also one in a folder that was made since."""
    file = tmp_path / "a.jsonl"
    file.write_text("{}\n")
    with Listening(lambda: [tmp_path], QUICK) as it:
        with file.open("a") as stream:
            stream.write("{}\n")
        assert it.hears()
        (tmp_path / "new" / "deep").mkdir(parents=True)
        (tmp_path / "new" / "deep" / "b.jsonl").write_text("{}\n")
        assert it.hears()


def test_the_rescan_catches_what_no_event_told(tmp_path: Path) -> None:
    """A folder that is not there cannot be watched; it is looked for again."""
    with Listening(lambda: [tmp_path / "later"], Pace(quiet=0.02, longest=0.1, rescan=0.05)) as it:
        assert it.hears() and it.hears()


def test_reading_and_other_files_are_not_heard() -> None:
    """Our own harvest must not wake the next one."""
    ear = Ear()
    for event in (FileOpenedEvent("a.jsonl"), FileClosedNoWriteEvent("a.jsonl"), FileModifiedEvent("a.log")):
        ear.on_any_event(event)
    assert not ear.wait(0)
    ear.on_any_event(DirCreatedEvent("new"))
    assert ear.wait(0)


def test_a_thousand_events_are_one_knock() -> None:
    """The queue is bounded, whatever an agent writes."""
    ear = Ear()
    for _ in range(1000):
        ear.on_any_event(FileModifiedEvent("a.jsonl"))
    assert ear.wait(0) and not ear.wait(0)


def test_folders_are_watched_so_far_up_that_a_new_project_is_below(lived_in: Path) -> None:
    """Not the home folder, and not each project alone."""
    found = {root.relative_to(lived_in).as_posix() for root in daemon.roots(config.load())}
    assert {".claude/projects", ".codex/sessions", ".copilot/session-state"} == found


# The clock ----------------------------------------------------------------------------------------------------------


def test_the_clock_never_drops_a_night(own_home: Path) -> None:
    """Late is better than never, many misses are one, and never two at once."""
    scheduler = daemon.clockwork(config.load(overrides={"night.at": "02:30"}), lambda: None)
    scheduler.start(paused=True)
    job = scheduler.get_job("night")
    scheduler.shutdown()
    assert (None, True, 1) == (job.misfire_grace_time, job.coalesce, job.max_instances)
    assert (2, 30) == (job.next_run_time.hour, job.next_run_time.minute)


def enter(begun: Path, date: str, status: NightStatus, scope: str = "user") -> None:
    database = open_database(config.places().database)
    at = datetime.fromisoformat(f"{date}T03:17").replace(tzinfo=UTC)
    night = Night(
        id=f"{date}-{scope[:4]}-{status}", scope=scope, date=date, status=status,
        started_at=at, ended_at=at, message="", report={},
    )  # fmt: skip
    with database.writing() as connection:
        nights.begin(connection, night)
        nights.end(connection, night)
    database.close()


def test_a_night_is_run_once_a_date(begun: Path) -> None:
    """In autumn the clock strikes twice: the second time nothing is left to do. Another scope's night does not count."""
    places, today = config.places(), clock.local_date(clock.now())
    enter(begun, today, NightStatus.DONE, scope="/a/project")
    enter(begun, today, NightStatus.NOT_MEASURED)
    assert not daemon.is_done(places, today)
    first = daemon.night(places, lambda: False)
    assert first is not None and NightStatus.DONE is first.status
    assert daemon.night(places, lambda: False) is None


@pytest.mark.parametrize(
    ("newest", "expected"), [(None, False), ("2026-05-03", True), ("2026-05-04", False), ("2026-05-05", False)]
)
def test_a_missed_night_is_noticed(begun: Path, newest: str | None, expected: bool) -> None:
    """At noon, the night of this morning should be there. Before the first night nothing is missed."""
    if newest is not None:
        enter(begun, newest, NightStatus.DONE)
    noon = datetime(2026, 5, 4, 12).astimezone()
    assert expected == daemon.is_missed(config.places(), noon, "03:17")
    assert not daemon.is_missed(config.places(), noon - timedelta(days=300), "03:17")


def test_whatever_a_night_meets_the_daemon_lives(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be explained and what cannot: both in the log and said, neither raised."""
    places, said = config.places(), list[str]()
    log.configure(places.log)
    configure(begun, "[model]\nname = 'nobody'\n[night]\nmax_calls = 1\n[harvest]\nsince='all'\n")
    daemon.scheduled(places, lambda: False, said.append)

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(daemon, "night", broken)
    daemon.scheduled(places, lambda: False, said.append)
    log.silence()
    events = [json.loads(line) for line in places.log.read_text().splitlines()]
    assert ["night.failed", "night.failed"] == [e["event"] for e in events]
    assert "ZeroDivisionError" in events[1]["exception"]
    assert "unknown model 'nobody'" in said[0] and "ZeroDivisionError: a defect" in said[1]


def test_a_daemon_that_is_told_to_stop_asks_no_model_any_more(lived_in: Path) -> None:
    """The night under way ends as not measured; the next one goes on with it."""
    ended = daemon.night(config.places(), lambda: True)
    assert ended is not None and NightStatus.NOT_MEASURED is ended.status and "stopped" in ended.message
    again = daemon.night(config.places(), lambda: False)
    assert again is not None and (ended.id, NightStatus.DONE) == (again.id, again.status)


# The whole ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_daemon_harvests_what_is_written_and_ends_cleanly(begun: Path, number: signal.Signals) -> None:
    """From the first session on; exit status 0 when it is told to stop."""
    live_in(begun, 6)
    process = started("daemon")
    assert process.stderr is not None
    assert "listening" in process.stderr.readline()
    assert "harvested 6 files" in process.stderr.readline()
    live_in(begun, 9, first=6)
    assert "harvested" in process.stderr.readline()
    process.send_signal(number)
    _, rest = process.communicate(timeout=LONG)
    assert (0, "stopped") == (process.returncode, rest.strip().splitlines()[-1])
    assert 6 < sleepd("status", "--json").json["sessions"]


@pytest.mark.slow
def test_harvest_can_watch_alone(begun: Path) -> None:
    """One report a harvest on stdout; Ctrl-C ends it with success."""
    live_in(begun, 6)
    process = started("harvest", "--watch")
    assert process.stdout is not None
    assert process.stdout.readline().startswith("files")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=LONG)
    assert 0 == process.returncode


def test_named_files_cannot_be_watched(own_home: Path) -> None:
    """Only agents' own places can."""
    assert 2 == sleepd("harvest", "--watch", own_home).code
