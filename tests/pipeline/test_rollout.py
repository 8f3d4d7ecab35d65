"""Attempts at tasks: made once, kept, never made twice, and never a zero for what could not be measured."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import threading
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from sleepd.core.errors import BudgetSpent, NotMeasured
from sleepd.core.model import CallUsage, Cause, Replay, Rollout, Score, Unscored
from sleepd.core.ports import Ask, Failure, ReplayOutcome, Reply, RolloutRequest
from sleepd.core.schedule import baseline
from sleepd.core.score import Metric
from sleepd.judges.checks import CheckJudge
from sleepd.models.handoff import END, Handoff, waiting
from sleepd.models.scripted import FailingAt, ScriptedModel
from sleepd.pipeline.rollout import RunContext, run_all
from sleepd.store import tasks
from tests.pipeline.world import World


def requests(ctx: RunContext, count: int) -> list[RolloutRequest]:
    text = ctx.put_text("- Be brief.\n")
    with ctx.database.reading() as connection:
        usable = [s for s in tasks.load(connection) if s.usable]
    return [ctx.request(usable[n % 4], text, baseline(n // 4, "n1")) for n in range(count)]


def run(ctx: RunContext, count: int) -> Sequence[Rollout]:
    return run_all(ctx, requests(ctx, count))


def test_what_was_made_is_not_made_again(world: World) -> None:
    """The second time nothing is asked, and the same rollouts come back in the order asked for."""
    model = FailingAt(world.model, 0, Failure(cause=Cause.AUTH, message=""))
    wanted = requests(world.ctx(model), 8)
    first = run_all(world.ctx(model, workers=2), wanted)
    again = run_all(world.ctx(model), wanted[::-1])
    assert (8, first[::-1]) == (model.asked, again)


def test_an_order_given_twice_is_one_call(world: World) -> None:
    """Equal keys are the same rollout."""
    model = FailingAt(world.model, 0, Failure(cause=Cause.AUTH, message=""))
    one = requests(world.ctx(model), 1)
    first, second = run_all(world.ctx(model), one * 2)
    assert (1, first) == (model.asked, second)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_an_outage_keeps_what_was_paid_and_makes_none_twice(world: World, n: int, workers: int) -> None:
    """The model fails at call n: the calls before are kept, those after are not made, and a rerun makes the rest."""
    failing = FailingAt(world.model, n, Failure(cause=Cause.NETWORK, message="no route"))
    wanted = requests(world.ctx(failing), 8)
    with pytest.raises(NotMeasured, match="no route"):
        run_all(world.ctx(failing, workers=workers), wanted)
    kept = len(world.rows("rollouts"))
    assert (failing.asked - 1, True) == (kept, n - 1 <= kept < n + workers)
    rerun = FailingAt(world.model, 0, Failure(cause=Cause.AUTH, message=""))
    assert 8 == len(run_all(world.ctx(rerun), wanted))
    assert 8 == kept + rerun.asked


@pytest.mark.parametrize("cause", [c for c in Cause if c.outside])
def test_a_cause_outside_the_text_ends_the_night_and_leaves_no_row(world: World, cause: Cause) -> None:
    """Our own spent budget is told apart from the rest."""
    expected = BudgetSpent if cause is Cause.SPENT else NotMeasured
    with pytest.raises(expected):
        run(world.ctx(ScriptedModel(otherwise=Failure(cause=cause, message="x"))), 2)
    assert [] == world.rows("rollouts")


def test_all_prompts_are_handed_over_before_the_night_ends(world: World, tmp_path: Path) -> None:
    """A prompt that waits for somebody cancels no other; an answer is kept, and the rest waits on."""
    folder = tmp_path / "handoff"
    wanted = requests(world.ctx(Handoff(folder)), 8)
    with pytest.raises(NotMeasured, match=f"8 prompts wait for an answer in {folder}"):
        run_all(world.ctx(Handoff(folder), workers=2), wanted)
    assert 8 == len(waiting(folder))
    waiting(folder)[0].answer.write_text(f"an answer\n{END}\n")
    with pytest.raises(NotMeasured, match="7 prompts wait"):
        run_all(world.ctx(Handoff(folder), workers=2), wanted)
    assert 1 == len(world.rows("rollouts"))


def test_an_outage_ends_the_night_also_while_prompts_wait(world: World) -> None:
    """No further call is made, and the outage is what is named."""
    waits = Failure(cause=Cause.WAITING, message="1 prompt waits", waiting=1)
    model = ScriptedModel(waits, Failure(cause=Cause.NETWORK, message="no route"), otherwise=waits)
    with pytest.raises(NotMeasured, match="no route"):
        run_all(world.ctx(model, workers=1), requests(world.ctx(model), 8))
    assert len(model.asks) < 8


@pytest.mark.parametrize("cause", [c for c in Cause if not c.outside])
def test_a_cause_that_the_text_may_have_is_an_unscored_rollout(world: World, cause: Cause) -> None:
    """Kept with its cause, without a score: never 0.0."""
    (made,) = run(world.ctx(ScriptedModel(Failure(cause=cause, message="why"))), 1)
    assert Unscored(cause=cause, reason="why") == made.result
    (row,) = world.rows("rollouts")
    assert (None, cause.value) == (row["score"], row["cause"])


def test_a_broken_adapter_costs_one_rollout(world: World) -> None:
    """What it raises is the reason."""
    made = run(world.ctx(ScriptedModel("fine")), 2)
    assert isinstance(made[0].result, Score)
    assert isinstance(made[1].result, Unscored)
    assert (Cause.MALFORMED, True) == (made[1].result.cause, "LookupError" in made[1].result.reason)


def test_other_models_metrics_and_checks_are_other_rollouts(world: World) -> None:
    """Promise 6: the key holds text, model, metric and checks."""
    ctx = world.ctx(ScriptedModel())
    contexts = [ctx, world.ctx(), replace(ctx, metric=Metric.HARD)]
    keys = [requests(one, 1)[0].key for one in contexts]
    with world.database.reading() as connection:
        task = next(s for s in tasks.load(connection) if s.usable)
    keys.append(ctx.request(replace(task, checks=()), keys[0].text, baseline(0, "n1")).key)
    keys.append(replace(keys[0], sample=baseline(1, "n1")))
    keys.append(replace(keys[0], replay=Replay.DECISION))
    assert 6 == len(set(keys))


class Echo:
    """A replayer that can be pickled: it answers with the process it ran in."""

    def __init__(self, _model: object) -> None:
        """Asks no model."""

    def replay(self, request: RolloutRequest) -> ReplayOutcome | Failure:
        return ReplayOutcome(answer=f"{os.getpid()} {request.task.id}", usage=CallUsage(tokens_in=1, tokens_out=2))


class Unreachable(CheckJudge):
    """A judge whose model is over its quota."""

    def judge(self, request: RolloutRequest, outcome: ReplayOutcome) -> Failure:  # type: ignore[override]
        return Failure(cause=Cause.QUOTA, message="the judge's limit is reached")


def spawned(workers: int) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


@pytest.mark.slow
def test_rollouts_run_in_other_processes_as_in_threads(world: World) -> None:
    """Requests and rollouts are plain values; the executor is passed in."""
    ctx = replace(world.ctx(workers=2), executor=spawned, replayers={Replay.TEXT: Echo})
    wanted = requests(ctx, 6)
    assert wanted == pickle.loads(pickle.dumps(wanted))
    made = run_all(ctx, wanted)
    assert [str(r.task.id) for r in wanted] == [r.answer.partition(" ")[2] for r in made]
    assert str(os.getpid()) not in {r.answer.partition(" ")[0] for r in made}
    assert 6 == len(world.rows("rollouts"))
    in_threads = run_all(replace(ctx, executor=ThreadPoolExecutor, made={}), wanted)
    assert made == in_threads, "what was made is read again"


def test_a_judge_that_cannot_be_asked_ends_the_night_as_a_model_does(world: World) -> None:
    """Its outage says nothing about the text: no row, no score."""
    ctx = replace(world.ctx(), judges={"checks": Unreachable})
    with pytest.raises(NotMeasured, match="the judge's limit"):
        run(ctx, 2)
    assert [] == world.rows("rollouts")


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
        run(world.ctx(model), 40)
    assert model.asked <= 5
