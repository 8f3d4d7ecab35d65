"""The port to the machine. It is apart from the other ports, for whoever waits for hours does without numpy."""

from __future__ import annotations

from typing import Protocol


class Host(Protocol):
    """The machine the user works at. None means that it cannot be told here, which never hinders a night."""

    def on_battery(self) -> bool | None:
        """Whether it runs on its battery alone; False for a machine without one."""
        ...

    def idle_s(self) -> float | None:
        """Seconds since the user's last key stroke or movement."""
        ...

    def notify(self, title: str, body: str) -> bool:
        """Show a message on the desktop; whether one was shown. Never raises for a desktop that is not there."""
        ...
