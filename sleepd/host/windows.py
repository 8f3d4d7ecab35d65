"""Windows: power and idleness from the system's own library. Never run: written from its documentation."""

from __future__ import annotations

import ctypes
import sys


class _PowerStatus(ctypes.Structure):
    """SYSTEM_POWER_STATUS."""

    _fields_ = (
        ("ac_line", ctypes.c_ubyte),
        ("battery_flag", ctypes.c_ubyte),
        ("battery_percent", ctypes.c_ubyte),
        ("saver", ctypes.c_ubyte),
        ("seconds_left", ctypes.c_uint32),
        ("seconds_full", ctypes.c_uint32),
    )


class _LastInput(ctypes.Structure):
    """LASTINPUTINFO."""

    _fields_ = (("size", ctypes.c_uint32), ("tick", ctypes.c_uint32))


class Windows:
    """Implements `sleepd.core.ports.Host`. Shows no message: that would need a registered application."""

    def on_battery(self) -> bool | None:
        if sys.platform != "win32":
            return None
        status = _PowerStatus()
        if not ctypes.windll.kernel32.GetSystemPowerStatus(ctypes.byref(status)):
            return None
        return powered(status.ac_line)

    def idle_s(self) -> float | None:
        if sys.platform != "win32":
            return None
        last = _LastInput(size=ctypes.sizeof(_LastInput))
        if not ctypes.windll.user32.GetLastInputInfo(ctypes.byref(last)):
            return None
        return elapsed_s(last.tick, ctypes.windll.kernel32.GetTickCount() & 0xFFFFFFFF)

    def notify(self, title: str, body: str) -> bool:  # noqa: ARG002 - the port's signature
        return False


def powered(ac_line: int) -> bool | None:
    """ACLineStatus, as `on_battery` answers: 0 is battery, 1 is mains, anything else is unknown."""
    return {0: True, 1: False}.get(ac_line)


def elapsed_s(then: int, now: int) -> float:
    """Seconds between two tick counts in milliseconds, which start again at 0 every 49.7 days."""
    return ((now - then) % 2**32) / 1000
