"""A child that ends when its parent is gone, however the parent ended: also by `kill -9`."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from typing import Final

_GRACE_S: Final = 60.0
"""Calls under way are waited for so long."""


def end_with_stdin() -> None:
    """From now on, end as by SIGTERM as soon as standard input does: the parent holds its other end."""
    threading.Thread(target=_watch, args=(sys.stdin.fileno(),), daemon=True).start()


def _watch(descriptor: int) -> None:
    # Not `sys.stdin.read`: it would hold a lock that the end of the interpreter waits for.
    while os.read(descriptor, 4096):
        pass
    if sys.platform == "win32":
        signal.raise_signal(signal.SIGTERM)
    else:
        # To the main thread: only then does its sleep end at once.
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
    time.sleep(_GRACE_S)
    os._exit(130)
