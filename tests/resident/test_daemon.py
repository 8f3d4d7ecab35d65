"""The daemon: it hears sessions grow, has each night run once, keeps small, and ends when told to."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from watchdog.events import DirCreatedEvent, FileClosedNoWriteEvent, FileModifiedEvent, FileOpenedEvent

from sleepd.core.errors import BadSettings, UsageError
from sleepd.host import clock, locks
from sleepd.resident import daemon, watcher
from sleepd.resident.live_settings import LiveSettings
from sleepd.resident.watcher import Pace, Watcher
from sleepd.settings import config
from sleepd.store.calendar import calendar
from sleepd.store.nights import NightStatus
from tests.cli.command import SETTINGS, configure, environment, live_in, living_in, sleepd, started
from tests.resident.test_scheduled import SCHEDULED, enter, stored
from tests.stub.server import Stub

AT_ONCE = Pace(quiet=0.02, longest=0.1, rescan=60.0)
LONG = 30.0


# The ear ------------------------------------------------------------------------------------------------------------


class Listening:
    """`listen` in a thread; `heard` counts, and lets a test wait for the next time."""

    def __init__(self, folder: Path, pace: Pace, beside: Path | None = None) -> None:
        self.ear = Watcher()
        self._folder = folder
        self._times = threading.Semaphore(0)
        given = (self.ear, self._heard, pace, beside)
        self._thread = threading.Thread(target=watcher.listen, args=given, daemon=True)

    def _heard(self) -> list[Path]:
        self._times.release()
        return [self._folder]

    def __enter__(self) -> Listening:
        self._thread.start()
        # The first look needs no event; the second is for what came before anything was watched.
        assert self.hears() and (not self._folder.is_dir() or self.hears())
        return self

    def __exit__(self, *_: object) -> None:
        self.ear.stop()
        self._thread.join(LONG)
        assert not self._thread.is_alive()

    def hears(self, within: float = LONG) -> bool:
        return self._times.acquire(timeout=within)


def test_a_session_that_grows_is_heard(tmp_path: Path) -> None:
    """Also one in a folder that was made since."""
    file = tmp_path / "a.jsonl"
    file.write_text("{}\n")
    with Listening(tmp_path, AT_ONCE) as it:
        with file.open("a") as stream:
            stream.write("{}\n")
        assert it.hears()
        (tmp_path / "new" / "deep").mkdir(parents=True)
        (tmp_path / "new" / "deep" / "b.jsonl").write_text("{}\n")
        assert it.hears()


def test_folders_made_in_one_another_do_not_end_the_listening(tmp_path: Path) -> None:
    """They are found twice at times, which the library takes for a mistake of ours."""
    with Listening(tmp_path, AT_ONCE) as it:
        for n in range(300):
            (tmp_path / f"{n}" / "very" / "deep" / "down").mkdir(parents=True)
        assert it.hears()
        while it.hears(within=0.5):
            pass
        (tmp_path / "299" / "very" / "deep" / "down" / "a.jsonl").write_text("{}\n")
        assert it.hears()


def test_our_own_reading_is_not_heard(tmp_path: Path) -> None:
    """A look at all files, and a harvest, open thousands: that must not wake the next one. A write after it is heard."""
    for n in range(20):
        (tmp_path / f"{n}.jsonl").write_text("{}\n")
    with Listening(tmp_path, AT_ONCE) as it:
        for _ in range(3):
            assert 20 == len([file.read_text() for file in tmp_path.rglob("*.jsonl")])
        assert not it.hears(within=0.5)
        (tmp_path / "0.jsonl").write_text("{}\n")
        assert it.hears()


def test_the_settings_are_watched_and_what_lies_below_them_is_not(tmp_path: Path) -> None:
    """With SLEEPD_HOME our own state lies there."""
    transcripts, beside = tmp_path / "transcripts", tmp_path / "config"
    transcripts.mkdir()
    (beside / "state").mkdir(parents=True)
    with Listening(transcripts, AT_ONCE, beside) as it:
        (beside / "state" / "since.json").write_text("{}")
        assert not it.hears(within=0.3)
        (beside / "config.toml").write_text("")
        assert it.hears()


def test_the_rescan_catches_what_no_event_told(tmp_path: Path) -> None:
    """A folder that is not there cannot be watched; it is looked for again."""
    with Listening(tmp_path / "later", Pace(quiet=0.02, longest=0.1, rescan=0.05)) as it:
        assert it.hears() and it.hears()


def test_only_writing_and_only_transcripts_are_heard() -> None:
    """Whatever the system tells."""
    it = Watcher()
    for event in (FileOpenedEvent("a.jsonl"), FileClosedNoWriteEvent("a.jsonl"), FileModifiedEvent("a.log")):
        it.on_any_event(event)
    assert not it.wait(0)
    it.on_any_event(DirCreatedEvent("new"))
    assert it.wait(0)


def test_a_thousand_events_are_one_knock() -> None:
    """The queue is bounded, whatever an agent writes."""
    it = Watcher()
    for _ in range(1000):
        it.on_any_event(FileModifiedEvent("a.jsonl"))
    assert it.wait(0) and not it.wait(0)


# The clock and the settings -----------------------------------------------------------------------------------------


def test_the_clock_never_drops_a_night() -> None:
    """Late is better than never, many misses are one, and never two at once."""
    scheduler, rung = daemon.clockwork(), threading.Event()
    late = datetime.now(UTC) - timedelta(days=300)  # noqa: TID251
    scheduler.add_job(rung.set, "interval", hours=1, id="night", next_run_time=late)
    scheduler.start(paused=True)
    job = scheduler.get_job("night")
    assert (None, True, 1) == (job.misfire_grace_time, job.coalesce, job.max_instances)
    scheduler.resume()
    assert rung.wait(LONG)
    scheduler.shutdown()


def test_settings_are_taken_up_as_they_change_and_broken_ones_are_not(begun: Path) -> None:
    """The old ones stay, children go by them too, and the reason is told; a file that is mended counts again."""
    places = config.places()
    it = LiveSettings(places)
    assert (False, "03:17") == (it.renew(), it.now.night.at)
    configure(begun, SETTINGS + 'at = "04:00"\n')
    assert (True, "04:00", None) == (it.renew(), it.now.night.at, it.for_children())
    for broken in ("[night", '[night]\nat = "25:00"\n', "[harvest]\n"):
        file = configure(begun, broken)
        assert (True, "04:00") == (it.renew(), it.now.night.at)
        assert it.refused and str(file) in it.refused
        told = it.for_children()
        assert told is not None and 'at = "04:00"' in Path(told["SLEEPD_CONFIG"]).read_text()
    file.unlink()
    file.mkdir()
    assert (True, "04:00") == (it.renew(), it.now.night.at)
    assert f"{file}: is a folder; move it away" in str(it.refused)
    file.rmdir()
    assert 0o600 == Path(told["SLEEPD_CONFIG"]).stat().st_mode & 0o777
    configure(begun, SETTINGS + 'at = "05:00"\n')
    assert (True, "05:00", None, None) == (it.renew(), it.now.night.at, it.refused, it.for_children())


def test_settings_that_are_broken_from_the_start_start_nothing(begun: Path) -> None:
    """There are none of before."""
    configure(begun, "[night")
    with pytest.raises(BadSettings):
        LiveSettings(config.places())
    configure(begun, "[harvest]\n")
    with pytest.raises(UsageError, match=r"night\.max_calls"):
        LiveSettings(config.places())


def test_another_settings_file_can_be_named(begun: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For this process alone; the rest of the files stay where they are."""
    before = config.places()
    monkeypatch.setenv("SLEEPD_CONFIG", str(tmp_path / "other.toml"))
    assert (tmp_path / "other.toml", before.database) == (config.places().config, config.places().database)


def test_doctor_says_that_the_daemon_keeps_the_settings_of_before(begun: Path) -> None:
    """Only while one runs."""
    configure(begun, "[night")
    assert "earlier settings" not in sleepd("doctor").out
    with locks.daemon(config.places()):
        assert "the daemon keeps the earlier settings" in sleepd("doctor").out


@pytest.mark.slow
def test_the_daemon_imports_nothing_that_is_large() -> None:
    """What it imports stays in memory for months."""
    code = "import sys, sleepd.cli.resident, sleepd.resident.daemon, sleepd.usecases.upcoming; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    large = {"sqlalchemy", "numpy", "torch", "openai", "anthropic", "alembic", "jeepney", "mcp", "scipy"}
    assert set() == large & set(loaded.stdout.split())


# The whole ----------------------------------------------------------------------------------------------------------


@contextmanager
def running(**variables: str) -> Iterator[subprocess.Popen[str]]:
    """A daemon that listens, and is gone afterwards."""
    process = started("daemon", env=environment(**variables))
    assert process.stderr is not None
    try:
        assert "watching" in process.stderr.readline()
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=LONG)


def line(process: subprocess.Popen[str], word: str) -> str:
    """The next line on stderr with this word in it."""
    assert process.stderr is not None
    return next(said for said in process.stderr if word in said)


def children(process: subprocess.Popen[str]) -> list[int]:
    threads = Path(f"/proc/{process.pid}/task")
    return [int(child) for t in threads.iterdir() for child in (t / "children").read_text().split()]


def ended(pid: int, within: float = LONG) -> bool:
    """Whether a process that is nobody's child of ours is gone by then."""
    gone = threading.Event()
    for _ in range(int(within / 0.1)):
        try:
            if Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z":
                return True
        except FileNotFoundError:
            return True
        gone.wait(0.1)
    return False


@pytest.mark.slow
def test_the_daemon_harvests_what_is_there_and_ends_cleanly(begun: Path) -> None:
    """Exit status 0 when it is told to stop; a second daemon is one too many, and ends with one line."""
    live_in(begun, 6)
    with running() as process:
        assert "harvested 6 files" in line(process, "harvested")
        second = sleepd("daemon")
        assert (75, 1) == (second.code, second.err.count("\n"))
        assert sleepd("status", "--json").json["daemon"]
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=LONG)
        assert (0, "stopped") == (process.returncode, rest.strip().splitlines()[-1])
    assert (6, False) == ((seen := sleepd("status", "--json").json)["sessions"], seen["daemon"])


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(time, "tzset"), reason="this system takes up another time zone by itself, or never")
@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot tell itself to end there")
def test_a_daemon_that_stays_sees_that_the_time_zone_changed(begun: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its next look."""

    def say(text: str) -> None:
        if "watching" in text:
            monkeypatch.setenv("TZ", "XXX3")
            begun.joinpath(".claude", "projects").mkdir(parents=True)
            live_in(begun, 1)
        elif "harvested" in text:
            os.kill(os.getpid(), signal.SIGTERM)

    with living_in("UTC"):
        daemon.run(config.places(), say, AT_ONCE)
        assert timedelta(hours=-3) == datetime.now().astimezone().utcoffset()  # noqa: TID251 - what it shows


NIGHTLY = """\
[harvest]
since = "all"
[embedder]
name = "hashed-tfidf"
[model]
name = "openai"
model = "stub"
base_url = "{url}/v1"
max_retries = 0
[conditions]
agent_quiet_minutes = 0
[night]
max_calls = 500
jitter_minutes = 0
at = "00:00"
"""


class Asked:
    """A model that lets a test know that a night is in the middle of its calls, and waits for it."""

    def __init__(self) -> None:
        self.asked, self.go_on = threading.Event(), threading.Event()

    def __call__(self, system: str, prompt: str) -> str:
        if "the word ready" not in prompt:
            self.asked.set()
            self.go_on.wait(LONG)
        return "an answer"


@pytest.fixture
def caught_up(lived_in: Path) -> Path:
    """A home whose night of today was missed: the one of long ago says that there is a history."""
    assert 0 == sleepd("harvest").code
    enter(NightStatus.DONE, day=datetime(2026, 1, 1).date())  # noqa: DTZ001
    return lived_in


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found by way of /proc")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_night_ends_with_its_daemon_and_goes_on_with_the_next(caught_up: Path, number: signal.Signals) -> None:
    """Told to end, or killed: no child is left behind, and what was missed is caught up with by the next daemon."""
    model = Asked()
    with Stub(answer=model) as stub:
        configure(caught_up, NIGHTLY.format(url=stub.url))
        with running(SLEEPD_API_KEY="k") as process:
            assert model.asked.wait(LONG)
            (child,) = children(process)
            process.send_signal(number)
            model.go_on.set()
            assert ended(child) and process.wait(LONG) == (0 if number is signal.SIGTERM else -number)
        assert "running" == stored()[-1][2]
        assert not locks.is_held(config.places().lock)
        with running(SLEEPD_API_KEY="k") as process:
            assert "night" in line(process, "done:")
    assert "done" == stored()[-1][2]
    assert 2 == calendar(config.places().database, "2026-02-01", clock.now()).nights[0].attempts


@pytest.mark.slow
def test_the_daemon_takes_up_another_time_and_runs_the_night_under_the_settings_of_before(caught_up: Path) -> None:
    """Broken settings are said once; the night is run all the same, and stands in the settings that held."""
    configure(caught_up, SCHEDULED.replace('at = "00:00"', 'at = "23:59"'))
    today = datetime.now(UTC).astimezone().date()  # noqa: TID251
    enter(NightStatus.DONE, day=today - timedelta(days=1))
    with running() as process:
        configure(caught_up, SCHEDULED)
        assert f"next night {today} 00:00" in line(process, "read again")
        assert f"night {today}" in line(process, "done:")
        configure(caught_up, "[night")
        assert "not TOML" in line(process, "earlier settings")
        process.send_signal(signal.SIGTERM)
        _, rest = process.communicate(timeout=LONG)
        assert 0 == process.returncode and "earlier settings" not in rest
    assert json.loads(config.places().log.read_text().splitlines()[-1])["event"] == "daemon.stopped"


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
