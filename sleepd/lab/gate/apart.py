"""The parts of a long calculation in processes of their own, one for each processor."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

_T = TypeVar("_T")


def each(jobs: Sequence[Callable[[], _T]], told: Callable[[int, int], None]) -> list[_T]:
    """What the jobs return, in their order; `told` hears how many are done, of how many.

    The last ones are begun first. The processes end with this one, however that ends.
    """
    # Not forked: the bar on the terminal is drawn by a thread, which a fork would lose.
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(os.cpu_count(), mp_context=context, initializer=_leashed)
    try:
        begun = [executor.submit(job) for job in reversed(jobs)]
        for number, _ in enumerate(as_completed(begun), 1):
            told(number, len(jobs))
        return [future.result() for future in reversed(begun)]
    finally:
        executor.shutdown(cancel_futures=True)


def _leashed() -> None:
    # One Ctrl-C ends all of them; only the parent says so.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
