"""A desktop for tests: a real message bus with programs on it that answer as a test wants, and buses that misbehave."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from jeepney import HeaderFields, MessageType, new_error, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import DBusConnection, open_dbus_connection

LONG_S = 60.0
"""Longer than anything takes on a busy machine."""

DAEMON = shutil.which("dbus-daemon")

CONFIGURATION = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <servicedir>{services}</servicedir>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
"""A bus that starts no programs but those of the test."""

STARTABLE = ("org.freedesktop.ScreenSaver", "org.freedesktop.Notifications", "org.freedesktop.login1")
"""What the bus could start: a program that leaves a file of its name beside the bus, and ends without an answer."""

Answer = tuple[str, tuple[Any, ...]] | None
"""Signature and body; None: this method is not known. `SILENCE`: it is known, and never answered."""
SILENCE = ("silence", ())
Methods = Mapping[str, Callable[..., Answer] | Answer]


@contextmanager
def running_bus(folder: Path) -> Iterator[str]:
    """A real dbus-daemon; its address."""
    if DAEMON is None:
        pytest.skip("dbus-daemon is not installed (Debian: dbus-daemon); the D-Bus side was not tested")
    configuration = folder / "bus.conf"
    services = folder / "services"
    services.mkdir()
    for name in STARTABLE:
        text = f"[D-BUS Service]\nName={name}\nExec=/bin/sh -c 'touch {folder / name}; exit 1'\n"
        (services / f"{name}.service").write_text(text, encoding="utf-8")
    configuration.write_text(CONFIGURATION.format(socket=folder / "bus", services=services), encoding="utf-8")
    command = [DAEMON, f"--config-file={configuration}", "--nofork", "--print-address"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as daemon:
        try:
            assert daemon.stdout is not None
            address = daemon.stdout.readline().strip()
            assert address, "the bus did not start"
            yield address
        finally:
            daemon.kill()


@contextmanager
def program(address: str, name: str, objects: Mapping[str, Methods]) -> Iterator[list[tuple[Any, ...]]]:
    """A program on the bus that goes by `name`; yields the list of (method, *arguments) it was asked.

    `objects` holds, for each path, the answers by method.
    """
    connection = open_dbus_connection(address)
    asked: list[tuple[Any, ...]] = []
    owner = connection.send_and_get_reply(message_bus.RequestName(name), timeout=LONG_S)
    assert (1,) == owner.body
    thread = threading.Thread(target=_serve, args=(connection, objects, asked))
    thread.start()
    try:
        yield asked
    finally:
        connection.sock.shutdown(socket.SHUT_RDWR)
        thread.join(LONG_S)
        connection.close()


def _serve(connection: DBusConnection, objects: Mapping[str, Methods], asked: list[tuple[Any, ...]]) -> None:
    """Answer until the connection is shut: whoever asked may have gone meanwhile."""
    with suppress(OSError):
        _answer_all(connection, objects, asked)


def _answer_all(connection: DBusConnection, objects: Mapping[str, Methods], asked: list[tuple[Any, ...]]) -> None:
    while True:
        message = connection.receive()
        if message.header.message_type is not MessageType.method_call:
            continue
        fields = message.header.fields
        method = fields[HeaderFields.member]
        asked.append((method, *message.body))
        found = objects.get(fields[HeaderFields.path], {}).get(method)
        answer = found(*message.body) if callable(found) else found
        if answer is SILENCE:
            continue
        if answer is None:
            connection.send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))
        else:
            connection.send(new_method_return(message, *answer))


@contextmanager
def odd_bus(file: Path, *said: bytes) -> Iterator[str]:
    """A socket that answers each thing it hears with the next of `said`, and then with nothing; its address."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(file))
        listening.listen()
        thread = threading.Thread(target=_answer_one, args=(listening, said))
        thread.start()
        try:
            yield f"unix:path={file}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(LONG_S)


def _answer_one(listening: socket.socket, said: tuple[bytes, ...]) -> None:
    try:
        connected, _ = listening.accept()
    except OSError:
        return
    with connected:
        connected.settimeout(LONG_S)
        answers = iter(said)
        with suppress(OSError):  # the other side gave up
            while connected.recv(4096).strip(b"\0"):
                if (answer := next(answers, None)) is not None:
                    connected.sendall(answer)
