"""Attempts at tasks: made once, kept, never made twice, and never a zero for what could not be measured."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest

from sleepd.core.errors import BudgetSpent, NotMeasured
from sleepd.core.model import Cause, Score, Unscored
from sleepd.core.ports import Ask, Failure, Reply
from sleepd.core.score import Metric
from sleepd.models.scripted import FailingAt, ScriptedModel
from sleepd.pipeline.rollout import Bench, Order, key, run_all
from sleepd.store import rollouts, tasks
from tests.pipeline.world import World


def orders(world: World, count: int) -> list[Order]:
    with world.database.writing() as connection:
        text = rollouts.put_text(connection, "- Be brief.\n")
        usable = [s for s in tasks.load(connection) if s.usable]
    return [Order(task=usable[n % 4], text=text, sample=n // 4) for n in range(count)]


def test_what_was_made_is_not_made_again(world: World) -> None:
    """The second time nothing is asked, and the same rollouts come back in the order asked for."""
    model = FailingAt(world.model, 0, Failure(cause=Cause.AUTH, message=""))
    wanted = orders(world, 8)
    first = run_all(world.bench(model, workers=2), wanted)
    again = run_all(world.bench(model), wanted[::-1])
    assert (8, first[::-1]) == (model.asked, again)


def test_an_order_given_twice_is_one_call(world: World) -> None:
    """Equal keys are the same rollout."""
    model = FailingAt(world.model, 0, Failure(cause=Cause.AUTH, message=""))
    one = orders(world, 1)
    first, second = run_all(world.bench(model), one * 2)
    assert (1, first) == (model.asked, second)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_an_outage_keeps_what_was_paid_and_makes_none_twice(world: World, n: int, workers: int) -> None:
    """The model fails at call n: the calls before are kept, those after are not made, and a rerun makes the rest."""
    failing = FailingAt(world.model, n, Failure(cause=Cause.NETWORK, message="no route"))
    wanted = orders(world, 8)
    with pytest.raises(NotMeasured, match="no route"):
        run_all(world.bench(failing, workers=workers), wanted)
    kept = len(world.rows("rollouts"))
    assert (failing.asked - 1, True) == (kept, n - 1 <= kept < n + workers)
    rerun = FailingAt(world.model, 0, Failure(cause=Cause.AUTH, message=""))
    assert 8 == len(run_all(world.bench(rerun), wanted))
    assert 8 == kept + rerun.asked


@pytest.mark.parametrize("cause", [c for c in Cause if c.outside])
def test_a_cause_outside_the_text_ends_the_night_and_leaves_no_row(world: World, cause: Cause) -> None:
    """Our own spent budget is told apart from the rest."""
    expected = BudgetSpent if cause is Cause.SPENT else NotMeasured
    with pytest.raises(expected):
        run_all(world.bench(ScriptedModel(otherwise=Failure(cause=cause, message="x"))), orders(world, 2))
    assert [] == world.rows("rollouts")


@pytest.mark.parametrize("cause", [c for c in Cause if not c.outside])
def test_a_cause_that_the_text_may_have_is_an_unscored_rollout(world: World, cause: Cause) -> None:
    """Kept with its cause, without a score: never 0.0."""
    (made,) = run_all(world.bench(ScriptedModel(Failure(cause=cause, message="why"))), orders(world, 1))
    assert Unscored(cause=cause, reason="why") == made.result
    (row,) = world.rows("rollouts")
    assert (None, cause.value) == (row["score"], row["cause"])


def test_a_broken_adapter_costs_one_rollout(world: World) -> None:
    """What it raises is the reason."""
    made = run_all(world.bench(ScriptedModel("fine")), orders(world, 2))
    assert isinstance(made[0].result, Score)
    assert isinstance(made[1].result, Unscored)
    assert (Cause.MALFORMED, True) == (made[1].result.cause, "LookupError" in made[1].result.reason)


def test_other_models_metrics_and_checks_are_other_rollouts(world: World) -> None:
    """Promise 6: the key holds text, model, metric and checks."""
    (order,) = orders(world, 1)
    bench = world.bench(ScriptedModel())
    other_task = replace(order, task=replace(order.task, checks=()))
    benches: list[tuple[Bench, Order]] = [
        (bench, order),
        (world.bench(), order),
        (replace(bench, metric=Metric.HARD), order),
        (bench, other_task),
        (bench, replace(order, sample=1)),
    ]
    assert 5 == len({key(b, o) for b, o in benches})


def test_calls_that_were_not_begun_are_not_made_when_the_night_is_ended(world: World) -> None:
    """Ctrl-C or a signal in the middle does not pay for the rest of the batch."""

    class Ended(BaseException):
        """Like KeyboardInterrupt."""

    class EndsAtThird:
        key = "ends"

        def __init__(self) -> None:
            self.asked = 0

        def ask(self, ask: Ask) -> Reply | Failure:
            self.asked += 1
            if self.asked == 3:
                raise Ended
            if self.asked == 4:
                threading.Event().wait(0.3)
            return Reply(text="fine")

    model = EndsAtThird()
    with pytest.raises(Ended):
        run_all(world.bench(model), orders(world, 40))
    assert model.asked <= 5
