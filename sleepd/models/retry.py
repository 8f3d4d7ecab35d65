"""Asking again after a failure that may pass, until one deadline."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from sleepd.core.ports import Failure, Reply
from sleepd.models.settings import ModelSettings

LONGEST_WAIT_S = 20.0
"""A provider that asks for more is out of reach for now: that is a QUOTA or NETWORK failure with its reset time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """A failure that another attempt may mend, and how long to wait first (None: the usual pause)."""

    failure: Failure
    wait_s: float | None = None


def until_answered(
    attempt: Callable[[float], Reply | Failure | Again], settings: ModelSettings, pause: Callable[[float], None]
) -> Reply | Failure:
    """The outcome of the first attempt that is not `Again`, or the failure of the last one.

    `attempt` is given the deadline, a time of `time.monotonic()`. Pauses double from half a second; there are at most
    `max_retries` of them, and none ends after `timeout_s`.
    """
    deadline = time.monotonic() + settings.timeout_s
    tries = 0
    while True:
        outcome = attempt(deadline)
        if not isinstance(outcome, Again):
            return outcome
        wait_s = outcome.wait_s if outcome.wait_s is not None else 0.5 * 2 ** min(tries, 5)
        if tries >= settings.max_retries or wait_s > LONGEST_WAIT_S or wait_s >= deadline - time.monotonic():
            return outcome.failure
        pause(wait_s)
        tries += 1
