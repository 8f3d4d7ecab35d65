"""Linux: power from sysfs, idleness and notifications over D-Bus.

A bus that is not there, hangs or talks rubbish costs seconds at most and means None: it never holds up a night.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

_MOST_READ: Final = 100
"""Bytes of a file in sysfs; it holds one word."""
_PATIENCE_S: Final = 5.0
"""For a bus: the machine may be busy, or the desktop may have to start the program that shows a message."""
_FULL: Final = ("Charging", "Full", "Not charging")


class Linux:
    """Implements `sleepd.core.ports.Host`. Without the address of a bus, what it would tell is unknown."""

    def __init__(
        self,
        sysfs: Path = Path("/sys"),
        system_bus: str | None = None,
        session_bus: str | None = None,
        patience_s: float = _PATIENCE_S,
    ) -> None:
        self._sysfs = sysfs
        self._patience_s = patience_s
        self._system_bus = system_bus
        self._session_bus = session_bus

    def on_battery(self) -> bool | None:
        try:
            found = sorted((self._sysfs / "class" / "power_supply").iterdir())
        except OSError:
            return None
        supplies = [
            _Supply(kind=_word(one / "type"), online=_word(one / "online"), status=_word(one / "status"))
            for one in found
            # A mouse's battery is of scope Device; an empty bay says that nothing is present.
            if _word(one / "scope") != "Device" and _word(one / "present") != "0"
        ]
        # USB, USB_C, USB_PD, …: a laptop is charged through any of them.
        mains = [one.online for one in supplies if one.kind == "Mains" or (one.kind or "").startswith("USB")]
        batteries = [one.status for one in supplies if one.kind == "Battery"]
        if "1" in mains or "2" in mains:  # 2: online at a voltage that was negotiated
            return False
        if not batteries:
            return None if any(one.kind is None for one in supplies) else False
        if "Discharging" in batteries:
            return True
        if any(status in _FULL for status in batteries):
            return False
        return True if "0" in mains else None

    def idle_s(self) -> float | None:
        from sleepd.host import desktop

        return desktop.idle_s(self._system_bus, self._session_bus, self._patience_s)

    def notify(self, title: str, body: str) -> bool:
        from sleepd.host import desktop

        return desktop.notify(self._session_bus, title, body, self._patience_s)


# Power --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Supply:
    """One entry of sysfs; None for what could not be read."""

    kind: str | None
    online: str | None
    status: str | None


def _word(file: Path) -> str | None:
    try:
        with file.open("rb") as stream:
            return stream.read(_MOST_READ).decode("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
