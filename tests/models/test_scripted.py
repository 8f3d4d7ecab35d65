"""The shipped fake model."""

from __future__ import annotations

import pytest

from sleepd.core.model import Cause
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.models.scripted import FailingAt, ScriptedModel

OUTAGE = Failure(cause=Cause.NETWORK, message="the line is down")


def ask(prompt: str) -> Ask:
    return Ask(purpose=CallPurpose.ROLLOUT, system="", prompt=prompt)


def test_outcomes_come_in_order_and_asks_are_kept() -> None:
    """The queue is answered first in, first out; then `otherwise` holds."""
    model = ScriptedModel("one", otherwise="rest")
    model.enqueue(OUTAGE, Reply(text="three"))
    outcomes = [model.ask(ask(p)) for p in "abcd"]
    assert [Reply(text="one"), OUTAGE, Reply(text="three"), Reply(text="rest")] == outcomes
    assert ["a", "b", "c", "d"] == [a.prompt for a in model.asks]


def test_an_unplanned_ask_is_an_error() -> None:
    """A model without an answer does not invent one."""
    with pytest.raises(LookupError, match="ask number 1"):
        ScriptedModel().ask(ask("a"))


def test_an_empty_reply_cannot_be_scripted() -> None:
    """The port promises that texts are never empty; the fake keeps the promise."""
    with pytest.raises(ValueError, match="never empty"):
        ScriptedModel("")


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_only_the_nth_call_fails(n: int) -> None:
    """The sweep breaks one call; the model behind sees the others."""
    inner = ScriptedModel(otherwise="fine")
    model = FailingAt(inner, n, OUTAGE)
    outcomes = [model.ask(ask("p")) for _ in range(3)]
    assert [OUTAGE if i == n else Reply(text="fine") for i in (1, 2, 3)] == outcomes
    assert 3 == model.asked
    assert (3 if n > 3 else 2) == len(inner.asks)
    assert inner.key == model.key
