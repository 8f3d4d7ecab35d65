"""A race before the gate: it chooses, it leaves nothing behind that counts, and a night that is killed repeats it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from sleepd.core import race
from sleepd.core.errors import NotMeasured
from sleepd.core.experiment import VerdictRule
from sleepd.core.model import Cause
from sleepd.core.ports import Ask, Failure, Model, Reply
from sleepd.models.scripted import FailingAt
from sleepd.pipeline.optimize import OptimizeReport, optimize
from sleepd.pipeline.trial import GateTerms
from tests.pipeline.test_step import MANY, OPTIMIZING, bench_of, work_of
from tests.pipeline.world import World

SAID = "Start with the ticket key in square brackets."
TEXTS = (*MANY[:2], SAID, *MANY[2:5])
RUNNERS = len(TEXTS) + 1
"""With the person's exact words for the rule that the person stated."""
GATE = GateTerms(pairs_per_night=120, baseline_samples=2, max_pairs=200)
OUTAGE = Failure(cause=Cause.NETWORK, message="no route")


class Alternating:
    """Every other reflection proposes other edits, so that no two agree."""

    key = "alternating"

    def __init__(self) -> None:
        self._asked = 0

    def ask(self, ask: Ask) -> Reply | Failure:
        if '"order"' in ask.system:
            return Reply(text='{"order": [1]}')
        self._asked += 1
        half = TEXTS[:3] if self._asked % 2 else TEXTS[3:]
        return Reply(text=json.dumps({"edits": [{"op": "add", "text": text} for text in half]}))


def night(world: World, name: str = "n1", model: Model | None = None, **gate: Any) -> OptimizeReport:
    ctx = bench_of(world, Alternating(), name)
    ctx = replace(ctx, model=model or ctx.model)
    optimizing = replace(OPTIMIZING, minibatch=8)
    return optimize(ctx, work_of(world), optimizing, replace(GATE, **gate))


def tried(report: OptimizeReport) -> list[str]:
    return [t.candidate.edits[0].text for t in report.tried]


def test_the_best_go_to_the_gate_and_the_others_keep_their_chance(world: World) -> None:
    """The rule that the person wants comes first; those behind have no index, and are said to be behind."""
    report = night(world)
    assert SAID == tried(report)[0]
    assert [1, 2][: len(report.tried)] == [t.candidate.index for t in report.tried]
    assert len(report.tried) == len(world.rows("candidates")) <= 2
    behind = [line for line in report.problems if line.startswith(f"others did better in a race of {RUNNERS}")]
    assert RUNNERS == len(behind) + len(report.tried)


def test_no_rollout_of_a_race_is_part_of_a_pair(world: World) -> None:
    """The gate draws afresh: as many rollouts of the candidate's own as it has pairs; the race is paid for as well."""
    report = night(world)
    rows = [(r["purpose"], r["series"]) for r in world.rows("rollouts")]
    assert race.rollouts(RUNNERS) == sum(purpose == "race" for purpose, _ in rows)
    assert -(-race.rollouts(RUNNERS) // 3) == report.raced
    pairs = [p for p in world.rows("pairs") if p["purpose"] == "candidate"]
    assert len(pairs) == sum(purpose == "candidate" for purpose, _ in rows) - sum(
        p["purpose"] == "confirmation" for p in world.rows("pairs")
    )
    assert len(world.rows("pairs")) <= GATE.pairs_per_night - report.raced


def test_a_night_that_is_killed_in_its_race_comes_to_the_same_end(world: World, copy_of_mined: object) -> None:
    """At any of its calls: the rollouts of the race are kept, and nothing is drawn twice."""
    undisturbed = night(copy_of_mined("undisturbed"))  # type: ignore[operator]
    for call in (30, 40, 50, 20, 4):
        with pytest.raises(NotMeasured):
            night(world, model=FailingAt(world.model, call, OUTAGE))
    again = night(world)
    assert (tried(undisturbed), undisturbed.raced) == (tried(again), again.raced)
    assert [t.candidate.verdict for t in undisturbed.tried] == [t.candidate.verdict for t in again.tried]
    assert [t.evidence for t in undisturbed.tried] == [t.evidence for t in again.tried]


@pytest.mark.parametrize(
    "gate", [{"runners": 0}, {"runners": 2}, {"pairs_per_night": 61}, {"rule": VerdictRule.STRICT}]
)
def test_there_is_none_where_it_is_not_worth_it(world: World, gate: dict[str, Any]) -> None:
    """Without runners, with two that go on anyway, with too few pairs left, and under the paper's rules."""
    report = night(world, **gate)
    assert (0, 0) == (report.raced, sum(r["purpose"] == "race" for r in world.rows("rollouts")))
    assert 1 == len(report.tried)


class TestWhatIsLeft:
    """A candidate that waits, in a night in which nothing new is proposed."""

    def second(self, world: World, *, last: bool) -> int:
        """The pairs that it drew in the second night."""
        ctx = replace(bench_of(world, Silent(), "n2"))
        optimize(ctx, work_of(world), OPTIMIZING, replace(GATE, pairs_per_night=20), last=last)
        return sum(p["run_id"] == "n2" for p in world.rows("pairs"))

    @pytest.mark.parametrize(("last", "expected"), [(True, 20), (False, 10)])
    def test_goes_to_the_candidate_that_waits(self, world: World, last: bool, expected: int) -> None:
        """All pairs of the night; half of them where other work of tonight has the rest."""
        optimize(
            bench_of(world, OneIdle(), "n1"), work_of(world), OPTIMIZING, replace(GATE, pairs_per_night=5), last=True
        )
        assert ["undecided"] == [c["verdict"] for c in world.rows("candidates")]
        assert expected == self.second(world, last=last)
        assert expected == self.second(world, last=last)  # a rerun of the same night draws no more


class Silent:
    """Proposes nothing."""

    key = "silent"

    def ask(self, ask: Ask) -> Reply | Failure:
        return Reply(text='{"order": []}' if '"order"' in ask.system else '{"edits": []}')


class OneIdle:
    """Proposes one rule that does nothing."""

    key = "one idle rule"

    def ask(self, ask: Ask) -> Reply | Failure:
        return Reply(text=json.dumps({"edits": [{"op": "add", "text": MANY[0]}]}))
