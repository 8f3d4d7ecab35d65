"""macOS: power, idleness and notifications from the system's own commands. Never run: written from their manuals."""

from __future__ import annotations

import re
import subprocess
from typing import Final

_TIMEOUT_S: Final = 5.0
_PMSET: Final = "/usr/bin/pmset"
_IOREG: Final = "/usr/sbin/ioreg"
_OSASCRIPT: Final = "/usr/bin/osascript"
_SCRIPT: Final = """\
on run given
    display notification (item 2 of given) with title (item 1 of given)
end run"""
"""What is shown comes as arguments, which are text and never script."""


class MacOS:
    """Implements `sleepd.core.ports.Host`."""

    def on_battery(self) -> bool | None:
        return drawing_from_battery(_output(_PMSET, "-g", "batt"))

    def idle_s(self) -> float | None:
        return hid_idle_s(_output(_IOREG, "-c", "IOHIDSystem"))

    def notify(self, title: str, body: str) -> bool:
        # No argument of a program can hold NUL.
        shown = (text.replace("\0", "").encode("utf-8", "replace").decode() for text in (title, body))
        return _output(_OSASCRIPT, "-e", _SCRIPT, "--", *shown) is not None


def drawing_from_battery(said: str | None) -> bool | None:
    """From `pmset -g batt`: its first line names the source of power. None when it does not."""
    source = re.search(r"^Now drawing from '([^'\n]*)'", said or "", re.MULTILINE)
    match source[1] if source else None:
        case "Battery Power":
            return True
        case "AC Power":
            return False
        case _:
            return None


def hid_idle_s(said: str | None) -> float | None:
    """From `ioreg -c IOHIDSystem`: nanoseconds since the last input, the smallest of all devices."""
    found = re.findall(r'"HIDIdleTime" = (\d{1,20})$', said or "", re.MULTILINE | re.ASCII)
    return min(map(int, found)) / 1_000_000_000 if found else None


def _output(*command: str) -> str | None:
    """What a command prints; None when it is not there, fails or hangs."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed programs; arguments are no shell text
            command, capture_output=True, timeout=_TIMEOUT_S, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace")
