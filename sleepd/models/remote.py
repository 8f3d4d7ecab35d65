"""A model behind HTTP: one key check, bounded retries, one deadline, one typed outcome. The wires know the formats.

The SDKs' own retries are off: they sleep for as long as a `retry-after` header says (one of them for weeks), and a
night must not hang on a limit that resets in the morning.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any, Protocol

from sleepd.core.model import Cause
from sleepd.core.ports import Ask, Failure, Reply
from sleepd.models import outcomes
from sleepd.models.limits import retry_after_s
from sleepd.models.outcomes import Provider, Rejection
from sleepd.models.retry import Again, until_answered
from sleepd.models.settings import ModelSettings
from sleepd.models.surrogates import without_surrogates


class Streamed(Protocol):
    """A reply whose body has not been read yet."""

    def iter_bytes(self) -> Iterator[bytes]: ...


class ClientSession(Protocol):
    """An open SDK client; safe to use from several threads."""

    def send(self, ask: Ask, timeout_s: float) -> AbstractContextManager[Streamed]: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """What an SDK raises, by meaning. A `status` error carries `.response`; a timeout may be a connection error too."""

    status: type[Exception]
    timeout: tuple[type[Exception], ...]
    connection: tuple[type[Exception], ...]
    other: tuple[type[Exception], ...]


class Wire(Protocol):
    """One provider's request and reply format."""

    @property
    def provider(self) -> Provider: ...

    def raised(self) -> Raised: ...

    def open(self, key: str) -> ClientSession: ...

    def read(self, body: dict[str, Any]) -> Reply | Failure: ...


class _LateError(Exception):
    """The body was still arriving at the deadline."""


class RemoteModel:
    """A Model over one wire. Safe to call from several threads; `close` gives back its connections."""

    def __init__(self, settings: ModelSettings, wire: Wire, *, pause: Callable[[float], None] = time.sleep) -> None:
        self._settings = settings
        self._wire = wire
        self._pause = pause
        self._key = (settings.api_key or "").strip()
        self._lock = threading.Lock()
        self._session: ClientSession | None = None

    @property
    def key(self) -> str:
        return self._settings.key

    def ask(self, ask: Ask) -> Reply | Failure:
        """The reply, or why there is none.

        Takes `timeout_s`, retries and pauses included; twice that if a server falls silent in the middle of its reply.
        """
        outcome: Reply | Failure
        if not self._key:
            outcome = outcomes.no_key(self._wire.provider)
        elif not self._key.isascii() or not self._key.isprintable() or " " in self._key:
            outcome = outcomes.bad_key(self._wire.provider)
        else:
            clean = replace(ask, system=without_surrogates(ask.system), prompt=without_surrogates(ask.prompt))
            self._open()  # the library's import takes a second once, and is not the provider's fault
            outcome = until_answered(lambda deadline: self._attempt(clean, deadline), self._settings, self._pause)
        if isinstance(outcome, Failure):
            return replace(outcome, message=outcomes.one_line(outcome.message, self._key))
        return outcome

    def close(self) -> None:
        with self._lock:
            session, self._session = self._session, None
        if session is not None:
            session.close()

    def _attempt(self, ask: Ask, deadline: float) -> Reply | Failure | Again:
        provider, raised = self._wire.provider, self._wire.raised()
        late: tuple[type[Exception], ...] = (*raised.timeout, _LateError)
        left_s = deadline - time.monotonic()
        if left_s <= 0:
            return outcomes.timed_out(provider, self._settings.timeout_s)
        try:
            with self._open().send(ask, left_s) as streamed:
                # The whole body. The SDKs' own timeouts run anew with every chunk, so a dripping server would never
                # meet one.
                chunks = []
                for chunk in streamed.iter_bytes():
                    chunks.append(chunk)
                    if time.monotonic() > deadline:
                        raise _LateError
                body = b"".join(chunks)
        except late:
            return outcomes.timed_out(provider, self._settings.timeout_s)
        except raised.connection as error:
            # The words of the innermost cause: "Connection refused" says more than "Connection error.".
            root: BaseException = error
            while root.__cause__ is not None:
                root = root.__cause__
            return Again(failure=outcomes.unreachable(provider, str(root) or type(root).__name__))
        except raised.status as error:
            response: Any = error.response  # type: ignore[attr-defined]
            headers = {name.lower(): value for name, value in response.headers.items()}
            rejection = Rejection(status=response.status_code, headers=headers, body=response.content)
            failure = outcomes.explain(rejection, provider)
            if not _passing(rejection, failure):
                return failure
            return Again(failure=failure, wait_s=retry_after_s(headers))
        except raised.other as error:
            return outcomes.malformed(provider, f"a reply that cannot be read ({error})")
        try:
            data = json.loads(body)
        except (ValueError, RecursionError):
            notice = outcomes.notice_in(body.decode("utf-8", "replace"), self._wire.provider)
            return notice or outcomes.malformed(self._wire.provider, "a body that is not JSON")
        if not isinstance(data, dict):
            return outcomes.malformed(self._wire.provider, "JSON of another shape")
        return self._wire.read(data)

    def _open(self) -> ClientSession:
        with self._lock:
            if self._session is None:
                self._session = self._wire.open(self._key)
            return self._session


def priced(settings: ModelSettings, text: str, tokens_in: int | None, tokens_out: int | None) -> Reply:
    """A Reply with its cost, when both the prices and the token counts are known."""
    known = settings.price is not None and tokens_in is not None and tokens_out is not None
    cost = settings.price.of(tokens_in, tokens_out) if known else None  # type: ignore[union-attr, arg-type]
    return Reply(text=text, tokens_in=tokens_in, tokens_out=tokens_out, cost_usd=cost)


def _passing(rejection: Rejection, failure: Failure) -> bool:
    """Whether the same request may succeed in a moment. A used-up allowance does not come back by asking."""
    if rejection.headers.get("x-should-retry") == "false":
        return False
    if failure.cause is Cause.QUOTA:
        return rejection.status == 429 and not outcomes.used_up(rejection.body)
    return rejection.status in {408, 409} or rejection.status >= 500
