"""The daemon: an ear that harvests as sessions grow, and a clock that runs a night. It stays in the foreground.

The ear only ever says "something changed": what, the harvest finds out itself, so that lost or doubled events cost
nothing. A rescan every few minutes catches what no event told.
"""

from __future__ import annotations

import queue
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from types import FrameType

import structlog
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.cron import CronTrigger
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from sleepd.app import answers, clock, compose, config, due, gather, standing, tonight
from sleepd.app.places import Places
from sleepd.app.settings import Settings
from sleepd.core.errors import SleepdError
from sleepd.pipeline.ingest import IngestReport
from sleepd.store import nights
from sleepd.store.nights import NightStatus

_SUFFIXES = (".jsonl", ".json", ".zst")
_TELLING = ("created", "modified", "moved")
"""Reading a file raises events too; only those of writing count."""
_ROOTS = ("projects", "sessions", "archived_sessions", "session-state", "history-session-state", "workspaceStorage")
"""The folders below which agents make new ones."""
_SCHEDULED_LOCK_WAIT_S = 3_600.0
"""A night that the clock starts queues behind one that a person started, for so long."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How the ear waits, in seconds."""

    quiet: float = 2.0
    """Silence after which a change is harvested: agents write line by line."""
    longest: float = 30.0
    """A change is harvested at the latest after so long, however busy the agent is."""
    rescan: float = 300.0


class Ear(FileSystemEventHandler):
    """Hears that a transcript changed. Holds one knock at most, whatever comes."""

    def __init__(self) -> None:
        self._knocks: queue.Queue[None] = queue.Queue(maxsize=1)
        self._stopped = threading.Event()

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    def stop(self) -> None:
        """End the listening; whoever waits is woken."""
        self._stopped.set()
        self.knock()

    def knock(self) -> None:
        with suppress(queue.Full):  # one knock says it all
            self._knocks.put_nowait(None)

    def wait(self, seconds: float) -> bool:
        """Whether something was heard within so many seconds."""
        try:
            self._knocks.get(timeout=seconds)
        except queue.Empty:
            return False
        return True

    def on_any_event(self, event: FileSystemEvent) -> None:
        told = event.event_type in _TELLING
        name = str(event.dest_path or event.src_path)
        if told and (event.is_directory or name.endswith(_SUFFIXES)):
            self.knock()


def listen(ear: Ear, roots: Callable[[], Iterable[Path]], heard: Callable[[], None], pace: Pace | None = None) -> None:
    """Call `heard` now, after every change below `roots()`, and every few minutes, until the ear is stopped."""
    pace = pace or Pace()
    observer = Observer()
    observer.start()
    watched: dict[Path, int] = {}
    try:
        while not ear.stopped:
            _watch(observer, ear, roots(), watched)
            heard()
            if ear.wait(pace.rescan):
                _until_quiet(ear, pace)
    finally:
        observer.stop()
        observer.join()


def _until_quiet(ear: Ear, pace: Pace) -> None:
    for _ in range(max(1, round(pace.longest / pace.quiet))):
        if ear.stopped or not ear.wait(pace.quiet):
            return


def _watch(observer: BaseObserver, ear: Ear, roots: Iterable[Path], watched: dict[Path, int]) -> None:
    """Watch folders that are new, or were made anew under the same name."""
    for root in roots:
        inode = root.stat().st_ino if root.is_dir() else None
        if inode is None or watched.get(root) == inode:
            continue
        try:
            observer.schedule(ear, str(root), recursive=True)
        except OSError as error:
            # The system's limit of watches: the rescan still finds everything, a few minutes later.
            logger = structlog.get_logger()
            logger.warning("watch.refused", folder=str(root), reason=error.strerror)
        watched[root] = inode


def roots(settings: Settings) -> tuple[Path, ...]:
    """The folders to watch: where transcripts lie, so far up that a new project or a new day is below."""
    sources = compose.sources(settings, clock.now())
    files = (path for h in sources.harvesters for path in h.find(sources.env, sources.home))
    return tuple(sorted({_root(path) for path in files}))


def _root(path: Path) -> Path:
    return next((folder for folder in path.parents if folder.name in _ROOTS), path.parent)


# Harvesting ---------------------------------------------------------------------------------------------------------


def watch(places: Places, settings: Settings, told: Callable[[IngestReport], None], ear: Ear | None = None) -> None:
    """Harvest now and whenever a transcript grows, until Ctrl-C. `told` hears of every harvest that read something."""

    def heard() -> None:
        report = harvested(places, settings)
        if report.read:
            told(report)

    listen(ear or Ear(), lambda: roots(settings), heard)


def harvested(places: Places, settings: Settings) -> IngestReport:
    """Harvest once, with a line in the log when something was new."""
    database = compose.database(places)
    try:
        report = gather.harvest(places, database, settings, gather.Named())
    finally:
        database.close()
    if report.read:
        logger = structlog.get_logger()
        logger.info("harvest.ended", files=report.read, sessions=report.sessions, defects=report.defects)
    return report


# Nights -------------------------------------------------------------------------------------------------------------


def is_done(places: Places, date: str) -> bool:
    """Whether the user's night of this local date was run to its end. In autumn the clock strikes twice."""
    return any(date == night.date and night.status is NightStatus.DONE for night in _nights(places))


def is_missed(places: Places, now: datetime, at: str) -> bool:
    """Whether the newest night is older than the last time one was due: the machine was off or asleep.

    False before the first night: a person starts that.
    """
    due = standing.next_night(now, at) - timedelta(days=1)
    dates = [night.date for night in _nights(places)]
    return bool(dates) and max(dates) < due.date().isoformat()


def _nights(places: Places) -> list[nights.Night]:
    database = compose.database(places)
    try:
        with database.reading() as connection:
            return [night for night in nights.nights(connection) if night.scope == due.USER_SCOPE]
    finally:
        database.close()


def night(places: Places, stopped: Callable[[], bool]) -> nights.Night | None:
    """The night of today for all projects; None when it is done already. Settings are read anew each time."""
    logger = structlog.get_logger()
    date = clock.local_date(clock.now())
    if is_done(places, date):
        logger.info("night.skipped", date=date)
        return None
    settings = config.load()
    wait = max(settings.night.lock_wait_s, _SCHEDULED_LOCK_WAIT_S)
    settings = answers.with_values(settings, {"night.lock_wait_s": wait})
    return tonight.run(places, settings, tonight.Wish(), tonight.Told(), stopped).night


def scheduled(places: Places, stopped: Callable[[], bool], say: Callable[[str], None]) -> None:
    """What the clock calls. Whatever goes wrong is in the log, and the next night is tried all the same."""
    try:
        ended = night(places, stopped)
    except SleepdError as error:
        _failed(say, str(error))
    except Exception as error:  # noqa: BLE001 - the daemon must see another night
        _failed(say, f"unexpected {type(error).__name__}: {error}")
    else:
        if ended is not None:
            say(f"night {ended.id}, {ended.status}: {ended.message}")


def _failed(say: Callable[[str], None], why: str) -> None:
    logger = structlog.get_logger()
    logger.exception("night.failed", reason=why)
    say(f"the night failed: {why}")


def clockwork(settings: Settings, job: Callable[[], None]) -> BackgroundScheduler:
    """A clock that calls `job` at `night.at`, local time: once if it was missed, and never twice at once."""
    hour, minute = settings.night.at.split(":")
    # Without `misfire_grace_time=None` a night that is a second late, on a waking laptop, would be dropped.
    scheduler = BackgroundScheduler(job_defaults={"coalesce": True, "misfire_grace_time": None, "max_instances": 1})
    scheduler.add_job(job, CronTrigger(hour=int(hour), minute=int(minute)), id="night")
    return scheduler


# Both ---------------------------------------------------------------------------------------------------------------


def run(places: Places, settings: Settings, say: Callable[[str], None], pace: Pace | None = None) -> None:
    """Stay until SIGTERM or Ctrl-C. A night then ends after the calls that are under way, and goes on next time."""
    ear = Ear()
    logger = structlog.get_logger()
    clock_ = clockwork(settings, lambda: scheduled(places, lambda: ear.stopped, say))

    def heard() -> None:
        # A sleeping machine's timers sleep too: let the clock look at the time again.
        clock_.wakeup()
        _harvest_and_say(places, settings, say)

    with _stopped_by_signals(ear):
        clock_.start()
        try:
            logger.info("daemon.started", at=settings.night.at)
            if is_missed(places, clock.now(), settings.night.at):
                say("the last night was missed; it runs now")
                clock_.add_job(scheduled, args=(places, lambda: ear.stopped, say))
            say(f"listening; next night {standing.next_night(clock.now(), settings.night.at):%Y-%m-%d %H:%M}")
            listen(ear, lambda: roots(settings), heard, pace)
        finally:
            ear.stop()
            clock_.shutdown(wait=True)
            logger.info("daemon.stopped")
    say("stopped")


def _harvest_and_say(places: Places, settings: Settings, say: Callable[[str], None]) -> None:
    try:
        report = harvested(places, settings)
    except SleepdError as error:
        logger = structlog.get_logger()
        logger.warning("harvest.failed", reason=str(error))
        say(f"the harvest failed and is tried again: {error}")
        return
    if report.read:
        say(
            f"harvested {report.read} files: {report.sessions} sessions, {report.turns} turns, {report.defects} defects"
        )


@contextmanager
def _stopped_by_signals(ear: Ear) -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        ear.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
