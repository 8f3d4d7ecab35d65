"""The watcher: it notices that a transcript changed, waits until the agent is quiet, and reports it.

Its only report is "something changed". The harvest itself finds the change, so lost or doubled events cost nothing. A
look at all files every few minutes finds the changes of lost events.
"""

from __future__ import annotations

import queue
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog
from watchdog import events
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

_SUFFIXES: Final = (".jsonl", ".json", ".zst", ".toml")
"""Of transcripts, and of our own settings."""
_TELLING: Final[list[type[FileSystemEvent]]] = [
    events.FileCreatedEvent,
    events.FileModifiedEvent,
    events.FileMovedEvent,
    events.DirCreatedEvent,
    events.DirMovedEvent,
]
"""Reading raises events too, and a look at all files would raise thousands: the system is asked for these only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Waiting times of the watcher, in seconds."""

    quiet: float = 20.0
    """Silence after which a change is reported: agents write line by line, and a harvest costs a second."""
    longest: float = 300.0
    """The longest delay of a report, however busy the agent is."""
    rescan: float = 300.0


_HURRIED_S: Final = 1.0

QUICK: Final = Pace(quiet=2.0, longest=30.0)
"""For a person at the terminal."""


class Watcher(FileSystemEventHandler):
    """Notices that a transcript changed. Holds at most a few events, however many arrive."""

    def __init__(self) -> None:
        # A signal's handler may knock in the middle of anything: of all queues only this one allows that.
        self._knocks: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.stopped = False
        self.hurried = False
        """Whether it was the settings that changed: they are not written line by line for an hour."""

    def stop(self) -> None:
        """End the watching; a waiting thread is woken."""
        self.stopped = True
        self._knocks.put(None)

    def knock(self) -> None:
        if self._knocks.empty():  # one knock says it all
            self._knocks.put(None)

    def wait(self, seconds: float) -> bool:
        """Whether something was heard within so many seconds."""
        try:
            self._knocks.get(timeout=seconds)
        except queue.Empty:
            return False
        return True

    def on_any_event(self, event: FileSystemEvent) -> None:
        name = str(event.dest_path or event.src_path)
        if type(event) in _TELLING and (event.is_directory or name.endswith(_SUFFIXES)):
            self.hurried |= name.endswith(".toml")
            self.knock()


def listen(watcher: Watcher, heard: Callable[[], Iterable[Path]], pace: Pace, beside: Path | None = None) -> None:
    """Call `heard` now, after every change, and every few minutes, until the watcher is stopped. `heard` returns the
    folders to watch, with their subfolders. `beside` is one more folder, without its subfolders.
    """
    # Folders made in one another at once are found twice by watchdog: as children of the first and by their own event.
    # It registers the same callback again, and warns, in a thread of its own.
    warnings.filterwarnings("ignore", message="Callback with id", category=RuntimeWarning)
    observer = Observer()
    observer.start()
    watched: dict[Path, int] = {}
    try:
        while not watcher.stopped:
            watcher.hurried = False
            folders = dict.fromkeys(heard(), True) | ({} if beside is None else {beside: False})
            before = dict(watched)
            # Watch folders that are new, or were made anew under the same name.
            for folder, deep in folders.items():
                inode = folder.stat().st_ino if folder.is_dir() else None
                if inode is None or watched.get(folder) == inode:
                    continue
                try:
                    observer.schedule(watcher, str(folder), recursive=deep, event_filter=_TELLING)
                except OSError as error:
                    # The system's limit of watches: the look at all files still finds everything, some minutes later.
                    logger = structlog.get_logger()
                    logger.warning("watch.refused", folder=str(folder), reason=error.strerror)
                watched[folder] = inode
            if watched != before:
                # No event reported lines written between the look and the start of the watching.
                watcher.knock()
            if not watcher.wait(pace.rescan):
                continue
            for _ in range(max(1, round(pace.longest / pace.quiet))):
                if watcher.stopped or not watcher.wait(min(pace.quiet, _HURRIED_S) if watcher.hurried else pace.quiet):
                    break  # the agent is quiet
    finally:
        observer.stop()
        observer.join()
