"""The night's own limits: how many calls, how many dollars, and what they went to.

A call is admitted only when its worst case still fits, so the limits hold whatever the threads do. The worst case of a
prompt is a token per byte: no tokenizer makes more, and what was reserved in excess is free again with the reply.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sleepd.core.errors import BadSettings
from sleepd.core.model import Cause
from sleepd.core.ports import Ask, CallPurpose, Failure, Model, Reply
from sleepd.models.settings import Price

_FRAME_TOKENS = 64
"""Room for what a provider wraps around two messages."""
_UNBILLED = (Cause.AUTH, Cause.QUOTA, Cause.NETWORK, Cause.SPENT)
"""Failures before the model worked. Any other may be on the bill, which does not come with the failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What calls came to. Tokens are as the provider states them; calls that state none add 0."""

    calls: int = 0
    """Calls made, failed ones included."""
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    """Dollars as the replies state them, else by the price: the worst case where the provider gave no token counts.
    None as soon as one call's cost is unknown."""

    def __add__(self, other: Tally) -> Tally:
        return _combined(self, other, 1)

    def __sub__(self, other: Tally) -> Tally:
        """What is left; never below nothing."""
        return _combined(self, other, -1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """A snapshot: the total, and the same by purpose."""

    calls: int
    failed: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    by_purpose: Mapping[CallPurpose, Tally]
    """Only purposes with at least one call."""

    @property
    def total(self) -> Tally:
        return Tally(
            calls=self.calls,
            failed=self.failed,
            tokens_in=self.tokens_in,
            tokens_out=self.tokens_out,
            cost_usd=self.cost_usd,
        )


class Ledger:
    """One account with its limits; several models may be charged to it. Safe from several threads.

    Raises BadSettings for a limit that is no amount.
    """

    def __init__(
        self, *, max_calls: int | None = None, budget_usd: float | None = None, calls_setting: str = "night.max_calls"
    ) -> None:
        if (max_calls is not None and max_calls < 0) or (
            budget_usd is not None and not (math.isfinite(budget_usd) and budget_usd >= 0)
        ):
            raise BadSettings("a budget must be 0 or more")
        self._max_calls = max_calls
        self._budget_usd = budget_usd
        self._calls_setting = calls_setting
        self._lock = threading.Lock()
        self._admitted = 0
        self._reserved_usd = 0.0
        self._earlier_usd = 0.0
        self._tallies: dict[CallPurpose, Tally] = {}

    @property
    def in_dollars(self) -> bool:
        """Whether there is a dollar budget, so that whoever is charged needs a price."""
        return self._budget_usd is not None

    def resume(self, *, calls: int, usd: float) -> None:
        """Count what was spent before against the limits; `spending` goes on to tell of this ledger's calls alone."""
        with self._lock:
            self._admitted += calls
            self._earlier_usd += usd

    def admit(self, worst_usd: float) -> Failure | None:
        """Reserve one call that costs at most `worst_usd` dollars; a SPENT failure when it does not fit."""
        with self._lock:
            if self._max_calls is not None and self._admitted >= self._max_calls:
                return _spent(f"all {self._max_calls} calls of the budget are used; raise {self._calls_setting}")
            # Spent already, and what calls under way may yet cost.
            spent_usd = sum(tally.cost_usd or 0.0 for tally in self._tallies.values())
            charged = self._earlier_usd + self._reserved_usd + spent_usd
            if self._budget_usd is not None and charged + worst_usd > self._budget_usd:
                return _spent(f"the next call could exceed the budget of ${self._budget_usd:g}; raise night.budget_usd")
            self._admitted += 1
            self._reserved_usd += worst_usd
            return None

    def settle(self, purpose: CallPurpose, used: Tally, worst_usd: float) -> None:
        """End a call that was admitted with `worst_usd`: what it came to takes the place of what was reserved."""
        with self._lock:
            self._reserved_usd -= worst_usd
            self._tallies[purpose] = self._tallies.get(purpose, Tally()) + used

    def withdraw(self, worst_usd: float) -> None:
        """Forget a call that was admitted with `worst_usd` and was never made."""
        with self._lock:
            self._reserved_usd -= worst_usd
            self._admitted -= 1

    def spending(self) -> Spending:
        """What was spent up to now; calls under way are not in it."""
        with self._lock:
            tallies = dict(self._tallies)
        total = Tally()
        for tally in tallies.values():
            total += tally
        return Spending(
            calls=total.calls,
            failed=total.failed,
            tokens_in=total.tokens_in,
            tokens_out=total.tokens_out,
            cost_usd=total.cost_usd,
            by_purpose=tallies,
        )


class Metered:
    """A Model charged to a ledger, which refuses with SPENT before a call that could exceed a limit.

    `stopped` is asked before each call: once it says yes, the model is not asked any more. Raises BadSettings for a
    dollar budget without a price: a cap that cannot be kept is refused, not ignored.
    """

    def __init__(
        self, model: Model, ledger: Ledger, *, price: Price | None = None, stopped: Callable[[], bool] | None = None
    ) -> None:
        if ledger.in_dollars and price is None:
            raise BadSettings(
                f"a dollar budget needs the price of {model.key}: set model.price_in_per_mtok and "
                "model.price_out_per_mtok, or limit the night by night.max_calls"
            )
        self._model = model
        self._ledger = ledger
        self._price = price
        self._stopped = stopped

    @property
    def key(self) -> str:
        return self._model.key

    def ask(self, ask: Ask) -> Reply | Failure:
        if self._stopped is not None and self._stopped():
            return Failure(
                cause=Cause.KILLED, message="sleepd was stopped; the next run continues from here", asked=False
            )
        if self._price is None:
            worst_usd = 0.0
        else:
            sent = len(ask.system.encode("utf-8", "surrogatepass")) + len(ask.prompt.encode("utf-8", "surrogatepass"))
            worst_usd = self._price.of(sent + _FRAME_TOKENS, ask.max_tokens)
        refusal = self._ledger.admit(worst_usd)
        if refusal is not None:
            return refusal
        outcome: Reply | Failure | None = None
        try:
            outcome = self._model.ask(ask)
        finally:
            if isinstance(outcome, Failure) and not outcome.asked:
                self._ledger.withdraw(worst_usd)
            else:
                self._ledger.settle(ask.purpose, self._used(outcome, worst_usd), worst_usd)
        return outcome

    def close(self) -> None:
        """Give back the model's connections, where it holds any."""
        close = getattr(self._model, "close", None)
        if close is not None:
            close()

    def _used(self, outcome: Reply | Failure | None, worst_usd: float) -> Tally:
        if isinstance(outcome, Reply):
            tokens_in, tokens_out, cost = outcome.tokens_in, outcome.tokens_out, outcome.cost_usd
            if cost is None and self._price is not None:
                known = tokens_in is not None and tokens_out is not None
                cost = self._price.of(tokens_in or 0, tokens_out or 0) if known else worst_usd
            return Tally(calls=1, tokens_in=tokens_in or 0, tokens_out=tokens_out or 0, cost_usd=cost)
        if outcome is not None and outcome.cause in _UNBILLED:
            return Tally(calls=1, failed=1)
        return Tally(calls=1, failed=1, cost_usd=None if self._price is None else worst_usd)


def _combined(a: Tally, b: Tally, sign: int) -> Tally:
    cost = None if a.cost_usd is None or b.cost_usd is None else max(0.0, a.cost_usd + sign * b.cost_usd)
    return Tally(
        calls=max(0, a.calls + sign * b.calls),
        failed=max(0, a.failed + sign * b.failed),
        tokens_in=max(0, a.tokens_in + sign * b.tokens_in),
        tokens_out=max(0, a.tokens_out + sign * b.tokens_out),
        cost_usd=cost,
    )


def _spent(why: str) -> Failure:
    return Failure(cause=Cause.SPENT, message=f"{why}, or let the next night continue")
