"""What a person typed while Claude Code was at work, as its `queue-operation` lines tell it.

Up to 2.1.50 most such messages stand nowhere else: they entered the conversation in the middle of a turn without a
line of their own. Others come once more, as a prompt after the turn or (from 2.1.92 on) as an attachment, and must not
be counted twice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

_PATIENCE = 8
"""Replies after which a message that left the queue is taken for one that comes nowhere else. A person may send a
message again that came back into the input line (`popAll`); that one waits for the next prompt."""


@dataclass(slots=True, kw_only=True)
class Queued:
    """One message in the queue, or on its way out of it."""

    text: str
    at: datetime | None
    position: int
    """Where it was typed; where it left the queue, once it did."""
    taken_back: bool = False
    """The person took it back into the input line."""
    replies: int = 0
    """Lines of the agent since it left the queue."""


class Queue:
    """Messages that were typed and are not yet known to stand in the conversation."""

    def __init__(self) -> None:
        self._waiting: list[Queued] = []
        self._left: list[Queued] = []
        self._told: list[str] = []
        """Texts that were told as turns of their own, for the attachment that may still follow."""

    @property
    def unsettled(self) -> bool:
        """True while a message may still turn up as a line of its own."""
        return bool(self._waiting or self._left)

    def operate(self, operation: str, message: Queued | None, position: int) -> None:
        """Take in one operation; `message` is its content, where it has one."""
        if operation == "enqueue":
            if message is not None:
                self._waiting.append(message)
            return
        named = None if message is None else next((m for m in self._waiting if m.text == message.text), None)
        leaving = self._waiting[:] if operation == "popAll" else self._waiting[:1]
        for one in leaving if named is None else [named]:
            self._waiting.remove(one)
            one.position, one.taken_back = position, operation == "popAll"
            self._left.append(one)

    def said(self, text: str) -> bool:
        """A line of the conversation says `text`: True when it was typed while the agent worked."""
        # A prompt is the message, or several messages that the client joined, this one among them.
        found = [m for m in (*self._waiting, *self._left) if f"\n{m.text}\n" in f"\n{text}\n"]
        self._waiting = [m for m in self._waiting if m not in found]
        self._left = [m for m in self._left if m not in found]
        return bool(found)

    def told_before(self, text: str) -> bool:
        """True, once, for the text of a message that was given as a turn already."""
        if text in self._told:
            self._told.remove(text)
            return True
        return False

    def after_prompt(self) -> list[Queued]:
        """The messages that left the queue and did not come back up to a prompt of another text."""
        return self._tell(self._left)

    def after_reply(self) -> list[Queued]:
        """The messages after whose leaving the agent has said so much that no line of theirs will come."""
        if not self._left:
            return []
        for message in self._left:
            message.replies += 1
        return self._tell([m for m in self._left if m.replies >= _PATIENCE and not m.taken_back])

    def _tell(self, messages: Iterable[Queued]) -> list[Queued]:
        told = list(messages)
        self._left = [m for m in self._left if m not in told]
        self._told += [m.text for m in told]
        return told
