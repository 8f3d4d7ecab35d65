"""A model that answers what it was told to: the shipped fake, and a wrapper that breaks one call."""

from __future__ import annotations

import threading
from collections import deque

from sleepd.core.ports import Ask, Failure, Model, Reply


class ScriptedModel:
    """Gives the enqueued outcomes in order and remembers every ask. Safe to call from several threads.

    With an empty queue it gives `otherwise`; without one it raises LookupError: the test asked more than it planned.
    """

    def __init__(self, *outcomes: Reply | Failure | str, otherwise: Reply | Failure | str | None = None) -> None:
        self._lock = threading.Lock()
        self._queue = deque(_outcome(o) for o in outcomes)
        self._otherwise = None if otherwise is None else _outcome(otherwise)
        self._asks: list[Ask] = []

    @property
    def key(self) -> str:
        return "scripted"

    @property
    def asks(self) -> tuple[Ask, ...]:
        """Every ask so far, in order of arrival."""
        with self._lock:
            return tuple(self._asks)

    def enqueue(self, *outcomes: Reply | Failure | str) -> None:
        """Appends outcomes; a string stands for a Reply with that text."""
        with self._lock:
            self._queue.extend(_outcome(o) for o in outcomes)

    def ask(self, ask: Ask) -> Reply | Failure:
        with self._lock:
            self._asks.append(ask)
            if self._queue:
                return self._queue.popleft()
            if self._otherwise is None:
                raise LookupError(f"nothing is enqueued for ask number {len(self._asks)}")
            return self._otherwise


class FailingAt:
    """Passes asks on to `model`, except the `n`-th (from 1), which gets `failure` and does not reach it."""

    def __init__(self, model: Model, n: int, failure: Failure) -> None:
        self._model = model
        self._n = n
        self._failure = failure
        self._lock = threading.Lock()
        self._asked = 0

    @property
    def key(self) -> str:
        """The wrapped model's: what it does answer is exchangeable with that model's replies."""
        return self._model.key

    @property
    def asked(self) -> int:
        """Asks so far, the failed one included: the sweep ends at the first n that is never reached."""
        with self._lock:
            return self._asked

    def ask(self, ask: Ask) -> Reply | Failure:
        with self._lock:
            self._asked += 1
            fails = self._asked == self._n
        return self._failure if fails else self._model.ask(ask)


def _outcome(given: Reply | Failure | str) -> Reply | Failure:
    if not isinstance(given, str):
        return given
    if not given:
        raise ValueError("a reply's text is never empty; enqueue a Failure")
    return Reply(text=given)
