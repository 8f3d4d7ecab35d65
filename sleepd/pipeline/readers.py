"""Files read and cleaned, in processes of their own when there is enough to read."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from harvesters import wire
from sleepd.pipeline.clean import read_clean
from sleepd.pipeline.jobs import Job, Lengths
from sleepd.store.stored_file import StoredFile

WORTH_PROCESSES = 24_000_000
"""Bytes from which on processes pay: each takes half a second to begin."""
_MOST_PROCESSES = 4
_AHEAD = 32_000_000
"""Bytes of transcripts that may be read ahead of the reading that is asked for next. A few readings would not do: one
long file would let the other processes wait."""
_MOST_AHEAD = 64
"""Readings that may be ahead, however short."""


_ALLOCATIONS = 500_000
"""New objects at which Python looks for circles. Records have none, and the usual 700 cost a sixth of the time."""
_LOOKED_AFTER = 32_000_000
"""Bytes read between two looks for circles: some harvesters make some, and each may hold a whole piece of a file."""


@dataclass(slots=True)
class _Circles:
    """Objects that hold each other, and are freed only when somebody looks for them."""

    unlooked: int = 0
    """Bytes read since the last look."""

    def read(self, job: Job, lengths: Lengths) -> StoredFile | None:
        """`read_clean` of the job; what it left in circles is freed from time to time."""
        file = read_clean(job, lengths)
        self.unlooked += 0 if file is None else file.reading.bytes_read
        if self.unlooked >= _LOOKED_AFTER:
            gc.collect(1)
            self.unlooked = 0
        return file


_CIRCLES = _Circles()
"""Of this process."""


def readings(jobs: Sequence[Job], lengths: Lengths, waiting: int) -> Iterator[StoredFile | None]:
    """What each job gave, in the order of the jobs, a long file in pieces; None for a file with nothing new.

    `waiting` is how many bytes are to be read. The processes end with this one, however that ends.
    """
    processes = min(_MOST_PROCESSES, len(jobs), _processors())
    if waiting < WORTH_PROCESSES or processes < 2 or not _can_be_sent(jobs):
        usual = gc.get_threshold()
        gc.set_threshold(_ALLOCATIONS, *usual[1:])
        try:
            for job in jobs:
                yield from _here(job, lengths)
        finally:
            gc.set_threshold(*usual)
        return
    context = multiprocessing.get_context(start_method())
    executor = ProcessPoolExecutor(processes, mp_context=context, initializer=_leashed)
    try:
        yield from apart(executor, deque(jobs), lengths)
    finally:
        executor.shutdown(cancel_futures=True)


def start_method() -> Literal["fork", "spawn"]:
    """How a process begins: as a fork, with all that this process imported, where that is safe.

    Threads do not survive a fork, but the locks that they hold do; the bar on a terminal is drawn by a thread. On
    systems other than Linux libraries start threads of their own.
    """
    return "fork" if sys.platform == "linux" and threading.active_count() == 1 else "spawn"


def _processors() -> int:
    """The processors that this process may use: in a container or under `taskset` not all of the machine's."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _here(job: Job, lengths: Lengths) -> Iterator[StoredFile | None]:
    file = _CIRCLES.read(job, lengths)
    yield file
    while file is not None and file.reading.more:
        job = replace(job, cursor=file.reading.cursor)
        file = _CIRCLES.read(job, lengths)
        yield file


def apart(executor: Executor, jobs: deque[Job], lengths: Lengths) -> Iterator[StoredFile | None]:
    """What each job gave, in the order of the jobs, read by the executor; `jobs` is emptied."""
    begun: deque[tuple[Job, Future[bytes | None]]] = deque()
    ahead = 0
    while jobs or begun:
        while jobs and (not begun or (ahead < _AHEAD and len(begun) < _MOST_AHEAD)):
            job = jobs.popleft()
            ahead += job.size
            begun.append((job, executor.submit(_work, job, lengths)))
        job, future = begun.popleft()
        packed = future.result()
        file = None if packed is None else wire.unpacked(packed, StoredFile)
        if file is not None and file.reading.more:
            job = replace(job, cursor=file.reading.cursor)
            begun.appendleft((job, executor.submit(_work, job, lengths)))
        else:
            ahead -= job.size
        yield file


def _work(job: Job, lengths: Lengths) -> bytes | None:
    file = _CIRCLES.read(job, lengths)
    return None if file is None else wire.packed(file)


def _can_be_sent(jobs: Sequence[Job]) -> bool:
    """Whether the harvesters can work in another process; those of other packages need not."""
    return all(_pickles(type(job.harvester)) for job in jobs)


@cache
def _pickles(kind: type) -> bool:
    try:
        pickle.dumps(kind())
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return True


def _leashed() -> None:
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, *gc.get_threshold()[1:])
    # Ctrl-C and a service's stop reach every process. One that ended in the middle of an answer would let the parent
    # wait for the rest of it for ever; the parent ends this one after the reading that it is at.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
