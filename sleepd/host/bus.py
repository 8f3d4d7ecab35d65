"""A short conversation over D-Bus: a few questions, each answered, refused or given up on in time.

jeepney puts the messages together; the waiting is done here, because its own connection greets a bus without a limit
of time, and one that hangs must not hold up a night.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from jeepney import (
    DBusAddress,
    DBusErrorResponse,
    HeaderFields,
    Message,
    MessageFlag,
    Parser,
    message_bus,
    new_method_call,
)
from jeepney.bus import get_connectable_addresses
from jeepney.io.blocking import prep_socket
from jeepney.wrappers import unwrap_msg

_MOST_BYTES: Final = 1_000_000
"""Of one conversation; the answers wanted here take a few hundred."""

_TROUBLE: Final = (
    OSError,
    DBusErrorResponse,
    RuntimeError,
    # What jeepney raises for addresses and messages that are none:
    ValueError,
    TypeError,
    LookupError,
    AssertionError,
    struct.error,
)


class NoAnswer(Exception):
    """The bus, or who was asked on it, gives no usable answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BusObject:
    """An object on a bus, by the interface that is spoken with it."""

    name: str
    path: str
    interface: str


class Bus:
    """A bus that answers. All calls together take at most the seconds that `conversation` was given."""

    def __init__(self, connected: socket.socket, deadline: float) -> None:
        self._socket = connected
        self._deadline = deadline
        self._parser = Parser()
        self._serial = 0

    def ask(self, target: BusObject, method: str, signature: str = "", *arguments: object) -> tuple[object, ...]:
        """What the method returns. Starts no program to answer. Raises `NoAnswer`."""
        return self._ask(target, method, signature, arguments, MessageFlag.no_auto_start)

    def wake(self, target: BusObject, method: str, signature: str = "", *arguments: object) -> tuple[object, ...]:
        """As `ask`, but the bus may start the program that answers."""
        return self._ask(target, method, signature, arguments, MessageFlag(0))

    def _ask(
        self, target: BusObject, method: str, signature: str, arguments: tuple[object, ...], flags: MessageFlag
    ) -> tuple[object, ...]:
        address = DBusAddress(target.path, bus_name=target.name, interface=target.interface)
        with _named(f"{target.name} {method}"):
            message = new_method_call(address, method, signature, arguments)
            message.header.flags |= flags
            return self.call(message)

    def has(self, name: str) -> bool:
        """Whether somebody on the bus goes by this name. Raises `NoAnswer`."""
        with _named(name):
            return self.call(message_bus.NameHasOwner(name)) == (1,)

    def call(self, message: Message) -> tuple[object, ...]:
        """Send a message and wait for its own reply; whatever else comes in between is passed over."""
        self._serial += 1
        self._in_time()
        self._socket.sendall(message.serialise(serial=self._serial))
        read = 0
        while True:
            while (reply := self._parser.get_next_message()) is not None:
                if reply.header.fields.get(HeaderFields.reply_serial) == self._serial:
                    return tuple(unwrap_msg(reply))
            self._in_time()
            data = self._socket.recv(4096)
            read += len(data)
            if not data or read > _MOST_BYTES:
                raise ConnectionError("the bus hung up" if not data else "the bus does not stop talking")
            self._parser.add_data(data)

    def _in_time(self) -> None:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("no answer in time")
        self._socket.settimeout(left)


@contextmanager
def conversation(address: str, seconds: float) -> Iterator[Bus]:
    """Talk with the bus at a D-Bus address for so many seconds at most. Raises `NoAnswer` when it is not there."""
    deadline = time.monotonic() + seconds
    with _named(address):
        connected = prep_socket(next(iter(get_connectable_addresses(address))), timeout=seconds)
    try:
        bus = Bus(connected, deadline)
        with _named(address):
            bus.call(message_bus.Hello())
        yield bus
    finally:
        with suppress(OSError):  # it may have hung up already
            connected.close()


@contextmanager
def _named(what: str) -> Iterator[None]:
    """Whatever a bus does wrong is one error: nothing, a refusal, rubbish, or an address that is none."""
    try:
        yield
    except _TROUBLE as error:
        raise NoAnswer(f"{what}: {error}") from error
