"""What the desktop and the login manager are asked over D-Bus. It imports jeepney; `linux` imports it when asked."""

from __future__ import annotations

import html
import os
import time
from collections.abc import Callable
from typing import Final, TypeVar

from sleepd.host.bus import Bus, BusObject, NoAnswer, conversation

_NORMAL_URGENCY: Final = 1
_UNTIL_DISMISSED: Final = 0
"""Nobody sits there at night: the message stays until the morning."""
_MUTTER: Final = BusObject(
    name="org.gnome.Mutter.IdleMonitor",
    path="/org/gnome/Mutter/IdleMonitor/Core",
    interface="org.gnome.Mutter.IdleMonitor",
)
_SCREEN_SAVER: Final = BusObject(
    name="org.freedesktop.ScreenSaver",
    path="/org/freedesktop/ScreenSaver",
    interface="org.freedesktop.ScreenSaver",
)
_LOGIND: Final = BusObject(
    name="org.freedesktop.login1",
    path="/org/freedesktop/login1",
    interface="org.freedesktop.login1.Manager",
)
_NOTIFICATIONS: Final = BusObject(
    name="org.freedesktop.Notifications",
    path="/org/freedesktop/Notifications",
    interface="org.freedesktop.Notifications",
)

Answer = TypeVar("Answer")


def idle_s(system_bus: str | None, session_bus: str | None, patience_s: float) -> float | None:
    """Seconds since the desktop, or a terminal the user is logged in at, last saw the user; None when nobody knows.

    All questions to one bus together may take `patience_s`.
    """
    answers = (_asked(session_bus, patience_s, _desktop_idle), _asked(system_bus, patience_s, _login_idle))
    return min((answer for answer in answers if answer is not None), default=None)


def notify(session_bus: str | None, title: str, body: str, patience_s: float) -> bool:
    """Whether the desktop took the message. `body` is shown as it is, letter by letter."""

    def show(bus: Bus) -> bool:
        abilities = _only(bus.wake(_NOTIFICATIONS, "GetCapabilities"))
        marked_up = isinstance(abilities, list) and "body-markup" in abilities
        text = html.escape(body, quote=False) if marked_up else body
        hints = {"urgency": ("y", _NORMAL_URGENCY)}
        bus.wake(_NOTIFICATIONS, "Notify", "susssasa{sv}i", "sleepd", 0, "", title, text, [], hints, _UNTIL_DISMISSED)
        return True

    return _asked(session_bus, patience_s, show) or False


def _asked(address: str | None, seconds: float, question: Callable[[Bus], Answer]) -> Answer | None:
    """The answer of a bus; None when it gives none."""
    if not address:
        return None
    try:
        with conversation(address, seconds) as bus:
            return question(bus)
    except NoAnswer:
        return None


def _desktop_idle(bus: Bus) -> float | None:
    """What the desktop says: GNOME by a monitor of its own, others by their screen saver."""
    try:
        return _number(bus.ask(_MUTTER, "GetIdletime")) / 1000
    except NoAnswer:
        idle = _number(bus.ask(_SCREEN_SAVER, "GetSessionIdleTime"))
    if not bus.has("org.kde.screensaver"):
        return idle
    # KDE counts milliseconds, and stays at 0 where it cannot tell.
    return idle / 1000 if idle > 0 else None


def _login_idle(bus: Bus) -> float | None:
    """What the login manager knows of this user's sessions; the one that was last used counts."""
    sessions = _only(bus.ask(_LOGIND, "ListSessions"))
    rows = sessions if isinstance(sessions, list) else []  # of (id, uid, user, seat, path)
    own = [str(row[4]) for row in rows if isinstance(row, tuple) and len(row) == 5 and row[1] == os.getuid()]
    known = [_session_idle(bus, path) for path in own]
    return min((idle for idle in known if idle is not None), default=None)


def _session_idle(bus: Bus, path: str) -> float | None:
    whom = BusObject(name=_LOGIND.name, path=path, interface="org.freedesktop.DBus.Properties")
    try:
        facts = _only(bus.ask(whom, "GetAll", "s", "org.freedesktop.login1.Session"))
    except NoAnswer:
        return None  # it ended meanwhile; the others still count
    kind, hint, since = (_value(facts, name) for name in ("Type", "IdleHint", "IdleSinceHintMonotonic"))
    # A terminal is watched by the login manager itself, and always right. Of a desktop only "idle" can be believed:
    # many never say anything.
    if not isinstance(since, int) or since <= 0 or not (hint is True or kind == "tty"):
        return None
    return max(0.0, time.monotonic() - since / 1_000_000)


def _value(facts: object, name: str) -> object:
    """One of an object's properties, each of which comes as (type, value)."""
    match facts.get(name) if isinstance(facts, dict) else None:
        case (_, value):
            return value
        case _:
            return None


def _only(answer: tuple[object, ...]) -> object:
    """The one value of an answer. Raises `NoAnswer` for another number of them."""
    if len(answer) != 1:
        raise NoAnswer("one value was wanted")
    return answer[0]


def _number(answer: tuple[object, ...]) -> int:
    number = _only(answer)
    if isinstance(number, bool) or not isinstance(number, int):
        raise NoAnswer("a number was wanted")
    return number
