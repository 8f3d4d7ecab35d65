"""The night's limits hold, whatever the threads do."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core.errors import BadSettings
from sleepd.core.model import Cause
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.models.metered import Ledger, Metered, Tally
from sleepd.models.scripted import ScriptedModel
from sleepd.models.settings import Price

DOLLAR_A_TOKEN = Price(in_per_mtok=1_000_000, out_per_mtok=1_000_000)


def ask(purpose: CallPurpose = CallPurpose.ROLLOUT, prompt: str = "p", max_tokens: int = 10) -> Ask:
    return Ask(purpose=purpose, system="", prompt=prompt, max_tokens=max_tokens)


def reply(tokens_in: int | None = 1, tokens_out: int | None = 2) -> Reply:
    return Reply(text="x", tokens_in=tokens_in, tokens_out=tokens_out)


def test_calls_are_counted_by_purpose() -> None:
    """Spending names calls, tokens and dollars in total and by purpose."""
    ledger = Ledger()
    model = Metered(ScriptedModel(otherwise=reply()), ledger, price=DOLLAR_A_TOKEN)
    for purpose in (CallPurpose.ROLLOUT, CallPurpose.ROLLOUT, CallPurpose.REFLECT):
        model.ask(ask(purpose))
    spent = ledger.spending()
    assert (3, 0, 3, 6, 9.0) == (spent.calls, spent.failed, spent.tokens_in, spent.tokens_out, spent.cost_usd)
    assert {
        CallPurpose.ROLLOUT: Tally(calls=2, tokens_in=2, tokens_out=4, cost_usd=6.0),
        CallPurpose.REFLECT: Tally(calls=1, tokens_in=1, tokens_out=2, cost_usd=3.0),
    } == spent.by_purpose


def test_the_call_after_the_last_is_refused_before_it_is_made() -> None:
    """At `max_calls` the model is not asked any more; the refusal is SPENT and counts as no call."""
    inner = ScriptedModel(otherwise=reply())
    ledger = Ledger(max_calls=2)
    model = Metered(inner, ledger)
    outcomes = [model.ask(ask()) for _ in range(4)]
    assert [None, None, Cause.SPENT, Cause.SPENT] == [o.cause if isinstance(o, Failure) else None for o in outcomes]
    assert 2 == len(inner.asks) == ledger.spending().calls


def test_once_a_stop_is_wanted_the_model_is_not_asked() -> None:
    """The refusal is KILLED, and counts as no call."""
    inner, ledger, wanted = ScriptedModel(otherwise=reply()), Ledger(), iter([False, True])
    model = Metered(inner, ledger, stopped=lambda: next(wanted))
    outcomes = [model.ask(ask()) for _ in range(2)]
    assert [None, Cause.KILLED] == [o.cause if isinstance(o, Failure) else None for o in outcomes]
    assert 1 == len(inner.asks) == ledger.spending().calls


def test_what_was_never_asked_is_no_call() -> None:
    """It is neither counted nor taken from the budget, in calls and in dollars."""
    unasked = Failure(cause=Cause.AUTH, message="no key", asked=False)
    ledger = Ledger(max_calls=1, budget_usd=100.0)
    model = Metered(
        ScriptedModel(unasked, unasked, unasked, otherwise=reply()), ledger, price=Price(in_per_mtok=1, out_per_mtok=1)
    )
    assert [unasked] * 3 == [model.ask(ask()) for _ in range(3)]
    assert (0, 0, {}) == (ledger.spending().calls, ledger.spending().failed, ledger.spending().by_purpose)
    assert isinstance(model.ask(ask()), Reply)
    assert 1 == ledger.spending().calls


def test_eight_threads_do_not_overrun_the_calls() -> None:
    """Reservation happens before the call: exactly `max_calls` go through."""
    inner = ScriptedModel(otherwise=reply())
    model = Metered(inner, Ledger(max_calls=25))
    ready = threading.Barrier(8)

    def hammer(_: int) -> None:
        ready.wait()
        for _ in range(20):
            model.ask(ask())

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(hammer, range(8)))
    assert 25 == len(inner.asks)


def test_calls_under_way_hold_their_worst_case() -> None:
    """While a call runs, its worst case is reserved: two calls that fit one after the other do not fit at once."""
    entered, release = threading.Event(), threading.Event()

    class Slow:
        key = "slow"

        def ask(self, ask: Ask) -> Reply | Failure:
            entered.set()
            release.wait(10)
            return reply()

    model = Metered(Slow(), Ledger(budget_usd=120.0), price=DOLLAR_A_TOKEN)  # worst case of one call: 1 + 64 + 10
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(model.ask, ask())
        entered.wait(10)
        refused = model.ask(ask())
        release.set()
        assert isinstance(first.result(), Reply)
    assert isinstance(refused, Failure) and Cause.SPENT is refused.cause
    assert isinstance(model.ask(ask()), Reply)


def test_a_dollar_budget_without_a_price_is_refused() -> None:
    """A cap that cannot be kept is an error at once, not silently off."""
    with pytest.raises(BadSettings, match="price"):
        Metered(ScriptedModel(), Ledger(budget_usd=1.0))


@pytest.mark.parametrize(("calls", "usd"), [(-1, None), (None, -0.1), (None, float("nan"))])
def test_impossible_budgets_are_refused(calls: int | None, usd: float | None) -> None:
    """Negative and undefined budgets raise BadSettings."""
    with pytest.raises(BadSettings):
        Ledger(max_calls=calls, budget_usd=usd)


@pytest.mark.parametrize(
    ("cause", "expected"), [(Cause.NETWORK, 0.0), (Cause.AUTH, 0.0), (Cause.TIMEOUT, 75.0), (Cause.OVERLONG, 75.0)]
)
def test_a_failure_that_may_be_billed_counts_in_full(cause: Cause, expected: float) -> None:
    """The model may have worked before a timeout or a cut answer; before an outage it has not."""
    ledger = Ledger(budget_usd=100)
    Metered(ScriptedModel(Failure(cause=cause, message="m")), ledger, price=DOLLAR_A_TOKEN).ask(ask())
    spent = ledger.spending()
    assert (1, 1, expected) == (spent.calls, spent.failed, spent.cost_usd)


def test_missing_token_counts_cost_the_worst_case() -> None:
    """A server that states no usage cannot make calls free."""
    ledger = Ledger()
    Metered(ScriptedModel(reply(None, None)), ledger, price=DOLLAR_A_TOKEN).ask(ask())
    assert 75.0 == ledger.spending().cost_usd


def test_without_a_price_the_cost_is_unknown() -> None:
    """No call costs nothing; a call without a price costs an unknown amount."""
    ledger = Ledger()
    assert 0.0 == ledger.spending().cost_usd
    Metered(ScriptedModel(otherwise=reply()), ledger).ask(ask())
    assert ledger.spending().cost_usd is None


def test_an_error_in_the_model_still_ends_the_call() -> None:
    """A bug in a model is passed on and does not leave its reservation behind."""
    ledger = Ledger(budget_usd=200)
    with pytest.raises(LookupError):
        Metered(ScriptedModel(), ledger, price=DOLLAR_A_TOKEN).ask(ask())
    assert (1, 75.0) == (ledger.spending().calls, ledger.spending().cost_usd)


def test_lone_surrogates_can_be_counted() -> None:
    """A cut emoji in a prompt or a system text is not fatal to the count."""
    model = Metered(ScriptedModel(otherwise=reply()), Ledger(budget_usd=1000), price=DOLLAR_A_TOKEN)
    torn = Ask(purpose=CallPurpose.ROLLOUT, system="\ud83d", prompt="\ude00", max_tokens=1)
    assert isinstance(model.ask(torn), Reply)


def test_two_models_share_one_budget() -> None:
    """What the task model used up is gone for the reflection model too, and the spending holds both."""
    task, reflection = ScriptedModel(otherwise=reply()), ScriptedModel(otherwise=reply())
    ledger = Ledger(max_calls=3)
    one, other = Metered(task, ledger), Metered(reflection, ledger)
    outcomes = [model.ask(ask()) for model in (one, other, one, other, one)]
    assert [False, False, False, True, True] == [isinstance(outcome, Failure) for outcome in outcomes]
    assert (2, 1, 3) == (len(task.asks), len(reflection.asks), ledger.spending().calls)


def test_closing_reaches_the_model_that_holds_connections() -> None:
    """A model with connections gives them back; one without is left alone."""
    closed = []

    class Connected(ScriptedModel):
        def close(self) -> None:
            closed.append(True)

    Metered(Connected(), Ledger()).close()
    Metered(ScriptedModel(), Ledger()).close()
    assert [True] == closed


def test_what_was_spent_before_counts_against_the_limits_and_not_in_the_bill() -> None:
    """A night that is gone on with: calls and dollars of its earlier runs leave so much less."""
    inner = ScriptedModel(otherwise=reply())
    ledger = Ledger(max_calls=5, budget_usd=100)
    ledger.resume(calls=3, usd=0.0)
    model = Metered(inner, ledger, price=DOLLAR_A_TOKEN)
    outcomes = [model.ask(ask(max_tokens=1)) for _ in range(4)]
    assert 2 == sum(isinstance(o, Reply) for o in outcomes) == ledger.spending().calls
    dear = Ledger(budget_usd=100)
    dear.resume(calls=0, usd=99.5)
    refused = Metered(inner, dear, price=DOLLAR_A_TOKEN).ask(ask())
    assert isinstance(refused, Failure) and Cause.SPENT is refused.cause and 0.0 == dear.spending().cost_usd


def test_the_key_is_the_models() -> None:
    """Metering does not change what is answered."""
    assert "scripted" == Metered(ScriptedModel(), Ledger()).key


@settings(max_examples=60)
@given(
    st.integers(0, 500),
    st.lists(st.tuples(st.text(max_size=30), st.integers(0, 40), st.integers(1, 40)), max_size=30),
)
def test_the_dollar_budget_is_never_exceeded(budget: int, calls: list[tuple[str, int, int]]) -> None:
    """For any prompts and replies within their limits, the bill stays within the budget."""
    inner = ScriptedModel()
    ledger = Ledger(budget_usd=budget)
    model = Metered(inner, ledger, price=DOLLAR_A_TOKEN)
    for prompt, used, limit in calls:
        before = len(inner.asks)
        inner.enqueue(Reply(text="x", tokens_in=len(prompt.encode()), tokens_out=min(used, limit)))
        model.ask(ask(prompt=prompt, max_tokens=limit))
        if before == len(inner.asks):
            break
    cost = ledger.spending().cost_usd
    assert cost is not None and cost <= budget
