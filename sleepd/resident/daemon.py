"""The daemon: a file watcher that starts harvests as sessions grow, and a clock that starts nights.

Work that needs a database library, a model or numbers runs in a child process that ends. The daemon itself stays small,
and the database is its memory: the past nights determine which night is due.
"""

from __future__ import annotations

import json
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from types import FrameType
from typing import Final

import structlog
from apscheduler.jobstores.base import JobLookupError
from apscheduler.schedulers.background import BackgroundScheduler

from sleepd.core.errors import SleepdError
from sleepd.host import clock, locks
from sleepd.resident import transcripts, watcher
from sleepd.resident.children import Children
from sleepd.resident.live_settings import LiveSettings
from sleepd.resident.watcher import Pace, Watcher
from sleepd.settings.places import Places
from sleepd.usecases import agenda, due, upcoming

_JOB: Final = "night"
_FIRST_PAUSE: Final = timedelta(minutes=5)
_LONGEST_PAUSE: Final = timedelta(hours=1)
"""A night that cannot even begin, such as on a full disk, is tried again after five minutes, ten, …, an hour."""


def run(places: Places, say: Callable[[str], None], pace: Pace | None = None) -> None:
    """Stay until SIGTERM or Ctrl-C. A night then ends after its running calls, and continues next time.

    Raises `Busy` when another daemon runs, and `SleepdError` for settings that cannot be used from the start.
    """
    with locks.daemon(places):
        _Daemon(places, say).stay(pace or Pace())


def clockwork() -> BackgroundScheduler:
    """A clock that runs late jobs too, missed jobs once, and no job twice at the same time."""
    # It would print a line for every look during a running night.
    logging.getLogger("apscheduler").setLevel(logging.ERROR)
    # Without `misfire_grace_time=None` a night that is a second late, on a waking laptop, would be dropped.
    return BackgroundScheduler(job_defaults={"coalesce": True, "misfire_grace_time": None, "max_instances": 1})


class _Daemon:
    """The clock's thread runs `_tick`, everything else is the main thread's."""

    def __init__(self, places: Places, say: Callable[[str], None]) -> None:
        self._places = places
        self._say = say
        self._watcher = Watcher()
        self._children = Children()
        self._clock = clockwork()
        self._settings = LiveSettings(places)
        self._harvested: int | None = None
        self._ticking = threading.Lock()
        self._failures = 0
        self._not_before: datetime | None = None
        self._said = ""

    def stay(self, pace: Pace) -> None:
        """Listen until a signal ends it."""
        logger = structlog.get_logger()
        with self._stopped_by_signals():
            # Each tick says when the next is to be. Should one break, the hour brings it back.
            self._clock.add_job(self._tick, "interval", hours=1, id=_JOB)
            self._clock.start()
            try:
                logger.info("daemon.started", at=self._settings.now.night.at)
                self._say(f"watching; next night {self._next():%Y-%m-%d %H:%M}")
                watcher.listen(self._watcher, self._heard, pace, self._places.config.parent)
            finally:
                self._watcher.stop()
                self._children.stop()
                # Its own way of waiting would hold a lock that a tick may want.
                self._clock.shutdown(wait=False)
                with self._ticking:
                    logger.info("daemon.stopped")
        self._say("stopped")

    # Watching --------------------------------------------------------------------------------------------------------

    def _heard(self) -> tuple[Path, ...]:
        """Apply the changes; the folders to watch."""
        clock.renew_zone()
        # Take the settings as the file has them now; the old ones stay while it cannot be used.
        if self._settings.renew():
            self._children.environment = self._settings.for_children()
            self._not_before = None
            logger = structlog.get_logger()
            if self._settings.refused is not None:
                logger.warning("settings.refused", reason=self._settings.refused)
                self._say(f"the earlier settings stay in force: {self._settings.refused}")
            else:
                logger.info("settings.renewed", at=self._settings.now.night.at)
                self._say(f"the settings were read again; next night {self._next():%Y-%m-%d %H:%M}")
        try:
            seen = transcripts.look(self._settings.now)
        except SleepdError as error:
            self._complain(f"the transcripts cannot be listed: {error}")
            return ()
        if seen.fingerprint != self._harvested and not self._watcher.stopped:
            self._harvest(seen.fingerprint)
        # Clocks are set, and a sleeping machine's timers sleep too: look at the time again.
        if not self._ticking.locked():
            self._set(clock.now())
        return seen.roots

    def _harvest(self, fingerprint: int) -> None:
        ended = self._children.harvest()
        if self._watcher.stopped:
            return
        if ended.status != 0:
            logger = structlog.get_logger()
            logger.warning("harvest.failed", reason=ended.error)
            self._say(f"the harvest failed and is tried again: {ended.error}")
            return
        # The next look finds lines that were written meanwhile.
        self._harvested = fingerprint
        report = json.loads(ended.out)
        if report["read"]:
            told = f"{report['sessions']} sessions, {report['turns']} turns, {report['defects']} defects"
            self._say(f"harvested {report['read']} files: {told}")

    # The clock ------------------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        """Have the nights run that are due, and set the clock for the next."""
        with self._ticking:
            clock.renew_zone()
            try:
                begin = self._begin()
                if begin <= clock.now() and not self._watcher.stopped:
                    self._night()
                    begin = self._begin()
            except SleepdError as error:
                self._complain(f"the time of the next night is unknown; sleepd looks again: {error}")
                begin = clock.now() + _FIRST_PAUSE
        self._set(begin)

    def _set(self, at: datetime) -> None:
        with suppress(JobLookupError):  # the clock was stopped this moment
            self._clock.modify_job(_JOB, next_run_time=at)

    def _night(self) -> None:
        status = self._children.night().status
        if self._watcher.stopped:
            return
        if self._begin() > clock.now():
            self._failures, self._not_before = 0, None
            return
        self._failures += 1
        pause = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(self._failures - 1, 10))
        self._not_before = clock.now() + pause
        logger = structlog.get_logger()
        logger.warning("night.postponed", status=status, minutes=round(pause.total_seconds() / 60))
        self._say(f"the night could not begin (exit status {status}); it is tried again in {pause}")

    def _begin(self) -> datetime:
        """When something is to be begun next; in the past: now. Raises `Busy` and `DatabaseDamaged`."""
        now, settings = clock.now(), self._settings.now
        wanted = upcoming.scopes(settings)
        nights = upcoming.past(self._places, now)
        since = agenda.since(self._places, wanted, now)
        seen = upcoming.looks(upcoming.timetable(settings), nights, wanted, now, since)
        begin = min(one.next_start for one in seen.values())
        return begin if self._not_before is None else max(begin, self._not_before)

    def _next(self) -> datetime:
        """The same, for a person."""
        try:
            return self._begin().astimezone()
        except SleepdError as error:
            self._complain(str(error))
            return due.next_night(clock.now(), self._settings.now.night.at)

    def _complain(self, line: str) -> None:
        """Say and log it, unless it was the last thing said."""
        if line != self._said:
            self._said = line
            logger = structlog.get_logger()
            logger.warning("daemon.hindered", reason=line)
            self._say(line)

    @contextmanager
    def _stopped_by_signals(self) -> Iterator[None]:
        def stop(_number: int, _frame: FrameType | None) -> None:
            self._watcher.stop()
            self._children.stop()

        before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
