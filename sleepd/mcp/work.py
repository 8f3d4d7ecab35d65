"""Tools at work in threads: counted, stopped at the end, and heard of meanwhile."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import anyio
from anyio.to_thread import run_sync
from mcp.server.mcpserver import Context

from sleepd.usecases.run_options import RunProgress

_THREADS: Final = 4
"""Tools at work at once; more wait. The threads that read and write the protocol are not among them."""
_TICK_S: Final = 0.2
_HEARTBEAT_TICKS: Final = 25
"""Every five seconds: clients give up on a call that is silent for long."""
_GRACE_S: Final = 1.0
"""For work under way when the client leaves. Nothing is lost by cutting it: the next run goes on from there."""

T = TypeVar("T")


@dataclass(slots=True)
class Work:
    """What is under way, so that the server can end without leaving a night half stopped."""

    ending: threading.Event = field(default_factory=threading.Event)
    _busy: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _limiter: anyio.CapacityLimiter | None = None

    async def do(self, function: Callable[[], T]) -> T:
        """Run it in a thread; when the call is cancelled, the thread is left to end by itself."""
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_THREADS)
        return await run_sync(self._counted, function, abandon_on_cancel=True, limiter=self._limiter)

    def end(self) -> bool:
        """Tell everything to stop and wait a moment; whether all of it did."""
        self.ending.set()
        with self._changed:
            return self._changed.wait_for(lambda: self._busy == 0, _GRACE_S)

    def _counted(self, function: Callable[[], T]) -> T:
        with self._changed:
            self._busy += 1
        try:
            return function()
        finally:
            with self._changed:
                self._busy -= 1
                self._changed.notify_all()


@dataclass(slots=True)
class Said:
    """The last thing a working thread said of its progress; the event loop looks at it now and then."""

    text: str = "starting"

    def progress(self) -> RunProgress:
        return RunProgress(files=lambda done, total: self.say(f"harvesting: {done} of {total} files"), step=self.say)

    def say(self, text: str) -> None:
        self.text = text

    async def report(self, context: Context[Any, Any]) -> None:
        """Send progress for ever: each change, and a sign of life now and then."""
        number, last = 0, ""
        for tick in range(sys.maxsize):
            if self.text != last or tick % _HEARTBEAT_TICKS == 0:
                number, last = number + 1, self.text
                await context.report_progress(number, message=last)
            await anyio.sleep(_TICK_S)
