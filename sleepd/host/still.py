"""A machine that never changes: what a test, or a system that sleepd does not know, is given."""

from __future__ import annotations


class Still:
    """Implements `sleepd.core.ports.Host` with fixed answers, and keeps what it was told to show."""

    def __init__(self, on_battery: bool | None = None, idle_s: float | None = None, *, shows: bool = False) -> None:
        self._on_battery = on_battery
        self._idle_s = idle_s
        self._shows = shows
        self.shown: list[tuple[str, str]] = []
        """(title, body) of every message, shown or not."""

    def on_battery(self) -> bool | None:
        return self._on_battery

    def idle_s(self) -> float | None:
        return self._idle_s

    def notify(self, title: str, body: str) -> bool:
        self.shown.append((title, body))
        return self._shows
