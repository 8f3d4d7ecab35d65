"""Idleness and notifications on Linux, asked of a real message bus with programs on it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jeepney import DBusAddress, new_method_call

from sleepd.host.linux import Linux
from tests.host.desk import LONG_S, SILENCE, STARTABLE, Answer, Methods, odd_bus, program, running_bus

MUTTER, MUTTER_PATH = "org.gnome.Mutter.IdleMonitor", "/org/gnome/Mutter/IdleMonitor/Core"
SAVER, SAVER_PATH = "org.freedesktop.ScreenSaver", "/org/freedesktop/ScreenSaver"
NOTIFICATIONS, NOTIFICATIONS_PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
LOGIND, LOGIND_PATH = "org.freedesktop.login1", "/org/freedesktop/login1"
NEAR = LONG_S
"""Seconds that a slow machine may add."""


def host(*, session: str | None = None, system: str | None = None) -> Linux:
    """The host with these buses; it waits for an answer however busy the machine is."""
    return Linux(session_bus=session, system_bus=system, patience_s=LONG_S)


@pytest.fixture(scope="module")
def bus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_bus(tmp_path_factory.mktemp("bus")) as address:
        yield address


# Idleness: the desktop ----------------------------------------------------------------------------------------------


def test_gnome_counts_milliseconds(bus: str) -> None:
    """Its monitor is asked first."""
    with program(bus, MUTTER, {MUTTER_PATH: {"GetIdletime": ("t", (90_500,))}}):
        assert 90.5 == host(session=bus).idle_s()


def test_a_screen_saver_counts_seconds(bus: str) -> None:
    """Where there is no GNOME."""
    with program(bus, SAVER, {SAVER_PATH: {"GetSessionIdleTime": ("u", (600,))}}):
        assert 600 == host(session=bus).idle_s()


@pytest.mark.parametrize(("said", "expected"), [(600_000, 600.0), (0, None)])
def test_kde_counts_milliseconds_under_the_same_name(bus: str, said: int, expected: float | None) -> None:
    """And says 0 where it cannot tell."""
    saver = {SAVER_PATH: {"GetSessionIdleTime": ("u", (said,))}}
    with program(bus, SAVER, saver), program(bus, "org.kde.screensaver", {}):
        assert expected == host(session=bus).idle_s()


@pytest.mark.parametrize("rubbish", [("s", ("soon",)), ("b", (True,)), ("uu", (1, 2)), ("", ())])
def test_what_is_no_number_is_no_answer(bus: str, rubbish: Answer) -> None:
    """A desktop may be broken; a night is not hindered by it."""
    with program(bus, SAVER, {SAVER_PATH: {"GetSessionIdleTime": rubbish}}):
        assert None is host(session=bus).idle_s()


def test_a_bus_without_a_desktop_cannot_tell(bus: str) -> None:
    """As on a server."""
    assert None is host(session=bus, system=bus).idle_s()


# Idleness: the login manager ----------------------------------------------------------------------------------------


def session(kind: str, since_s: float, *, idle: bool) -> dict[str, tuple[str, object]]:
    since = int((time.monotonic() - since_s) * 1_000_000)
    return {"Type": ("s", kind), "IdleHint": ("b", idle), "IdleSinceHintMonotonic": ("t", since)}


def logind(sessions: list[tuple[int, dict[str, tuple[str, object]]]]) -> dict[str, Any]:
    paths = [f"{LOGIND_PATH}/session/_{number}" for number in range(len(sessions))]
    rows = [(str(n), uid, "who", "seat0", paths[n]) for n, (uid, _) in enumerate(sessions)]
    objects: dict[str, Any] = {LOGIND_PATH: {"ListSessions": ("a(susso)", (rows,))}}
    objects |= {path: {"GetAll": ("a{sv}", (facts,))} for path, (_, facts) in zip(paths, sessions, strict=True)}
    return objects


ME, ANOTHER = os.getuid(), os.getuid() + 1
Login = tuple[int, dict[str, tuple[str, object]]]


def logins() -> dict[str, tuple[float | None, list[Login]]]:
    """Made when they are wanted: a long suite may come to them minutes after it began."""
    return {
        "an idle desktop": (300, [(ME, session("wayland", 300, idle=True))]),
        "a desktop that never says that it is idle": (None, [(ME, session("x11", 300, idle=False))]),
        "a terminal in use": (20, [(ME, session("tty", 20, idle=False))]),
        "an idle terminal": (900, [(ME, session("tty", 900, idle=True))]),
        "an idle desktop and a terminal in use": (
            20,
            [(ME, session("x11", 900, idle=True)), (ME, session("tty", 20, idle=False))],
        ),
        "somebody else's terminal": (None, [(ANOTHER, session("tty", 20, idle=False))]),
        "a session that knows no time": (None, [(ME, {"Type": ("s", "tty"), "IdleHint": ("b", True)})]),
        "rubbish for a time": (None, [(ME, session("tty", 0, idle=True) | {"IdleSinceHintMonotonic": ("s", "x")})]),
        "nobody": (None, []),
    }


@pytest.mark.parametrize("case", logins())
def test_the_login_manager_knows_who_is_idle(bus: str, case: str) -> None:
    """The session of this user that was last used counts; of a desktop only "idle" is believed."""
    expected, sessions = logins()[case]
    with program(bus, LOGIND, logind(sessions)):
        found = host(system=bus).idle_s()
    if expected is None:
        assert None is found
    else:
        assert found is not None and expected <= found <= expected + NEAR


@pytest.mark.parametrize("rubbish", [("", ()), ("s", ("none",)), ("as", (["a"],)), ("a(su)", ([("1", ME)],)), SILENCE])
def test_a_login_manager_that_talks_rubbish_cannot_tell(bus: str, rubbish: Answer) -> None:
    """Nothing fails."""
    with program(bus, LOGIND, {LOGIND_PATH: {"ListSessions": rubbish}}):
        assert None is Linux(system_bus=bus, patience_s=0.5 if rubbish is SILENCE else LONG_S).idle_s()


@pytest.mark.parametrize("rubbish", [None, ("", ()), ("a{ss}", ({"Type": "t", "IdleHint": "y"},)), ("i", (5,))])
def test_a_session_that_ended_meanwhile_hides_no_other(bus: str, rubbish: Answer) -> None:
    """Or one that talks rubbish."""
    objects = logind([(ME, session("tty", 20, idle=False)), (ME, session("tty", 50, idle=False))])
    with program(bus, LOGIND, objects | {f"{LOGIND_PATH}/session/_0": {"GetAll": rubbish}}):
        found = host(system=bus).idle_s()
    assert found is not None and 50 <= found <= 50 + NEAR


def test_whoever_saw_the_user_last_is_right(bus: str) -> None:
    """Typing over SSH is work, though the desktop has been idle for long."""
    desktop = program(bus, MUTTER, {MUTTER_PATH: {"GetIdletime": ("t", (9_000_000,))}})
    with desktop, program(bus, LOGIND, logind([(ME, session("tty", 20, idle=False))])):
        found = host(system=bus, session=bus).idle_s()
    assert found is not None and 20 <= found <= 20 + NEAR


# Notifications ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("abilities", "shown"),
    [(["body", "body-markup"], "1 &lt; 2 &amp; 'so' on"), (["body"], "1 < 2 & 'so' on"), ([], "1 < 2 & 'so' on")],
)
def test_a_message_reads_as_it_was_written(bus: str, abilities: list[str], shown: str) -> None:
    """Markup is escaped for a desktop that would obey it, and for no other. It stays until somebody has seen it."""
    answers = {"GetCapabilities": ("as", (abilities,)), "Notify": ("u", (1,))}
    with program(bus, NOTIFICATIONS, {NOTIFICATIONS_PATH: answers}) as asked:
        assert host(session=bus).notify("sleepd", "1 < 2 & 'so' on")
    assert ("Notify", "sleepd", 0, "", "sleepd", shown, [], {"urgency": ("y", 1)}, 0) == asked[-1]


def test_a_desktop_that_shows_nothing_is_not_an_error(bus: str) -> None:
    """Nobody there, or somebody who refuses."""
    assert not host(session=bus).notify("sleepd", "hello")
    with program(bus, NOTIFICATIONS, {NOTIFICATIONS_PATH: {"GetCapabilities": ("as", ([],))}}):
        assert not host(session=bus).notify("sleepd", "hello")


def test_only_a_message_starts_a_program(tmp_path: Path) -> None:
    """A question wakes nobody: a screen saver that is not running has nothing to say. What shows messages is woken."""
    with running_bus(tmp_path) as address:
        ours = host(system=address, session=address)
        assert None is ours.idle_s()
        started_by_questions = {name for name in STARTABLE if (tmp_path / name).exists()}
        assert not ours.notify("sleepd", "hello")
        assert (set(), True) == (started_by_questions, (tmp_path / "org.freedesktop.Notifications").exists())


@pytest.mark.parametrize("rubbish", [("", ()), ("asas", (["body"], ["body"])), ("a{ss}", ({"a": "b"},)), ("i", (5,))])
def test_a_desktop_of_odd_abilities_is_not_an_error(bus: str, rubbish: Answer) -> None:
    """It is asked what it can do, and may answer anything."""
    answers: Methods = {"GetCapabilities": rubbish, "Notify": ("u", (1,))}
    with program(bus, NOTIFICATIONS, {NOTIFICATIONS_PATH: answers}) as asked:
        shown = host(session=bus).notify("sleepd", "a < b")
    assert shown is any(call[0] == "Notify" for call in asked)


@pytest.mark.parametrize("text", ["a\0b", "half a letter \udc80"])
def test_text_that_the_bus_cannot_carry_is_not_shown(bus: str, text: str) -> None:
    """And does no harm."""
    answers = {"GetCapabilities": ("as", ([],)), "Notify": ("u", (1,))}
    with program(bus, NOTIFICATIONS, {NOTIFICATIONS_PATH: answers}):
        shown = host(session=bus).notify("sleepd", text)
        assert shown is False
        assert host(session=bus).notify("sleepd", "the next one")


# Buses that misbehave -----------------------------------------------------------------------------------------------

GUID = b"OK 0123456789abcdef0123456789abcdef\r\n"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "disabled:",
        "rubbish",
        "unix:",
        "unix:path=",
        "unix:path",
        "tcp:host=127.0.0.1,port=1",
        "unix:path=/nowhere/bus",
    ],
)
def test_an_address_without_a_bus_is_no_bus(address: str) -> None:
    """Whatever the variable holds."""
    alone = host(system=address, session=address)
    assert (None, False) == (alone.idle_s(), alone.notify("sleepd", "hello"))


def damaged(at: int, byte: int) -> bytes:
    """A message with one wrong byte."""
    message = new_method_call(DBusAddress("/a", "a.b", "c.d"), "Method", "a{sv}", ({"name": ("s", "value")},))
    data = bytearray(message.serialise(serial=1))
    data[at] = byte
    return bytes(data)


ODD: dict[str, tuple[bytes, ...]] = {
    "silent": (),
    "silent after the greeting": (GUID,),
    "refuses": (b"REJECTED EXTERNAL\r\n",),
    "rubbish": (GUID, b"no message of D-Bus at all, " * 20),
    "rubbish in a message": (GUID, b"l" + b"\xff" * 64),
    "an unknown kind of message": (GUID, damaged(1, 99)),
    "an unknown field": (GUID, damaged(16, 77)),
    "an unknown type": (GUID, damaged(18, 0xFF)),
    "padding that is none": (GUID, damaged(26, 7)),
    "a length beyond the end": (GUID, damaged(4, 3)),
}


@pytest.mark.parametrize("said", ODD.values(), ids=ODD.keys())
def test_a_bus_that_misbehaves_is_given_up(tmp_path: Path, said: tuple[bytes, ...]) -> None:
    """One that hangs does not hang the night with it."""
    with odd_bus(tmp_path / "odd", *said) as address:
        assert None is Linux(session_bus=address, patience_s=0.5).idle_s()


def test_a_program_that_never_answers_is_given_up(bus: str) -> None:
    """The bus is well, who is asked on it is not."""
    with program(bus, SAVER, {SAVER_PATH: {"GetSessionIdleTime": SILENCE}}) as asked:
        assert None is Linux(session_bus=bus).idle_s()
    assert [("GetSessionIdleTime",)] == asked


def test_nothing_is_left_open(bus: str) -> None:
    """A daemon asks every few minutes for months."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        host(session=bus, system=bus).idle_s()
        host(session="unix:path=/nowhere").idle_s()
    assert before == len(list(Path("/proc/self/fd").iterdir()))
