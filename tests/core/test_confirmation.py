"""The look at each task: what blocks a candidate, what has to be drawn again, and how often a blameless one is blocked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core.confirmation import Confirmation, ConfirmationConfig, confirm
from sleepd.core.experiment import Decision, Experiment, OnePass, VerdictRule, conclude
from sleepd.core.model import Pair, Purpose, TaskId, Verdict

TASKS = tuple(TaskId(f"t{n}") for n in range(10))
HOW = ConfirmationConfig()
TERMS = Experiment(alpha=0.05)


def pair(task: str, candidate: float | None, baseline: float | None, draw: int = 0) -> Pair:
    return Pair(ordinal=draw, task_id=TaskId(task), candidate=candidate, baseline=baseline)


def looking(pair: Pair) -> Pair:
    return replace(pair, purpose=Purpose.CONFIRMATION)


def settle(
    pairs: list[Pair], tasks: tuple[TaskId, ...], asked: Experiment, how: ConfirmationConfig
) -> tuple[Decision, Confirmation]:
    found = conclude(replace(asked, confirmation=how), pairs, tasks)
    return found.decision, found.confirmation


def each(*scores: tuple[float | None, float | None]) -> list[Pair]:
    """The same scores for every task."""
    return [pair(task, *score) for task in TASKS for score in scores]


class TestConfirming:
    def test_every_task_is_wanted_until_it_was_drawn_often_enough(self) -> None:
        """Pairs that the schedule drew before count."""
        found = confirm([pair("t0", 1, 0), pair("t0", 1, 0), *[pair("t1", 1, 1)] * 4], TASKS, HOW)
        assert {task: 2 if task == "t0" else 4 for task in TASKS if task != "t1"} == found.wanting

    def test_a_task_that_looks_worse_is_drawn_on(self) -> None:
        """One more at a time, up to the stated number, unless it recovers."""
        rest = [p for p in each(*[(1.0, 1.0)] * 4) if p.task_id != "t0"]
        worse = [*rest, *[pair("t0", 0, 1)] * 2, *[pair("t0", 1, 1)] * 2]
        assert {"t0": 1} == confirm(worse, TASKS, HOW).wanting
        assert {} == confirm([*worse, *[pair("t0", 1, 1)] * 5], TASKS, HOW).wanting
        half = [*rest, *[pair("t0", 0, 1), pair("t0", 1, 1)] * (HOW.most // 2)]
        assert {} == confirm(half, TASKS, HOW).wanting

    def test_a_task_is_never_drawn_more_often_than_stated(self) -> None:
        """Here six times, though it still looks worse; nothing is broken yet, so the round is over."""
        how = ConfirmationConfig(most=6)
        worse = [pair("t0", 0, 1)] * 2
        found = [confirm([*worse, *[pair("t0", 1, 1)] * n], TASKS[:1], how) for n in (3, 4)]
        assert [((), {"t0": 1}), ((), {})] == [(one.broken, one.wanting) for one in found]

    @pytest.mark.parametrize("lost", [0.0, None], ids=["worse", "silent"])
    def test_a_task_looks_worse_from_half_the_stated_drop_on(self, lost: float | None) -> None:
        """One of four is half of a drop of 0.5 and one of five is less, whether lower or without a score."""
        looked = [[pair("t0", lost, 1), *[pair("t0", 1, 1)] * n] for n in (3, 4)]
        assert [{"t0": 1}, {}] == [confirm(pairs, TASKS[:1], HOW).wanting for pairs in looked]

    @pytest.mark.parametrize(
        ("tasks", "level", "pairs"),
        [(1, 0.1, 6), (3, 0.1, 8), (6, 0.1, 9), (10, 0.1, 10), (10, 0.05, 11), (10, 0.5, 7)],
    )
    def test_a_task_that_is_lost_blocks(self, tasks: int, level: float, pairs: int) -> None:
        """After so many pairs in a row: the more tasks may be blamed by chance and the rarer that may be, the later."""
        rest = [p for p in each(*[(1.0, 1.0)] * 4) if p.task_id != "t0"]
        how = ConfirmationConfig(level=level)
        lost = [confirm([*rest, *[pair("t0", 0, 1)] * n], TASKS[:tasks], how) for n in range(1, pairs + 1)]
        assert [*[()] * (pairs - 1), ("t0",)] == [found.broken for found in lost]

    def test_a_task_that_only_the_candidate_cannot_do_in_time_is_lost(self) -> None:
        """Its missing scores are no evidence either way, and no reason to accept."""
        rest = [p for p in each(*[(1.0, 1.0)] * 4) if p.task_id != "t0"]
        some = confirm([*rest, *[pair("t0", None, 1)] * 4], TASKS, HOW)
        assert ((), {"t0": 1}) == (some.broken, some.wanting)
        assert ("t0",) == confirm([*rest, *[pair("t0", None, 1)] * 12], TASKS, HOW).broken
        assert () == confirm([*rest, *[pair("t0", None, None)] * 24], TASKS, HOW).broken

    @pytest.mark.slow
    def test_answers_that_go_missing_on_both_sides_block_nothing(self) -> None:
        """A fifth of all rollouts times out, whatever the text: at most the stated share of candidates is blocked."""
        rng = np.random.default_rng(9)
        blocked = sum(bool(played(rng, [1.0] * 10, [1.0] * 10, missing=0.2)) for _ in range(100))
        assert blocked <= 10

    @pytest.mark.slow
    @pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
    def test_a_candidate_that_lowers_nothing_is_seldom_blocked(self, rate: float) -> None:
        """At most at the stated level; the whole round is played, with its drawing on."""
        rng = np.random.default_rng(7)
        blocked = sum(bool(played(rng, [rate] * 10, [rate] * 10)) for _ in range(200))
        assert blocked <= 0.1 * 200

    @pytest.mark.slow
    def test_a_broken_task_is_seldom_missed(self) -> None:
        """One of ten tasks falls from 0.95 to 0.1."""
        rng = np.random.default_rng(8)
        missed = sum(not played(rng, [0.95] * 10, [0.1, *[0.95] * 9]) for _ in range(100))
        assert missed <= 5


class TestSettling:
    def test_evidence_alone_does_not_accept(self) -> None:
        """Undecided while tasks are wanting, accepted when none got worse."""
        scheduled = [pair("t0", 1, 0, draw) for draw in range(8)]
        decision, found = settle(scheduled, TASKS, TERMS, HOW)
        assert (Verdict.UNDECIDED, 9) == (decision.verdict, len(found.wanting))
        looked = [looking(pair(task, 1, 0, n)) for n, task in enumerate(TASKS * 4)]
        assert Verdict.ACCEPTED is settle([*scheduled, *looked], TASKS, TERMS, HOW)[0].verdict

    def test_a_candidate_that_loses_a_task_is_rejected(self) -> None:
        """Though it is better on the whole; the reason tells how many tasks got worse, and how sure that is."""
        scheduled = [pair("t0", 1, 0, draw) for draw in range(8)]
        looked = [looking(pair(task, task != "t1", task == "t1", n)) for n, task in enumerate(TASKS * 12)]
        decision, found = settle([*scheduled, *looked], TASKS, TERMS, HOW)
        assert (Verdict.REJECTED, ("t1",)) == (decision.verdict, found.broken)
        assert "better on the whole, but 1 of 10 tasks got worse (error at most 0.1)" == decision.reason

    def test_the_reason_tells_how_far_the_look_at_each_task_is(self) -> None:
        """It goes on, or found nothing."""
        scheduled = [pair("t0", 1, 0, draw) for draw in range(8)]
        looked = [looking(pair(task, 1, 0, n)) for n, task in enumerate(TASKS * 4)]
        reasons = [settle(pairs, TASKS, TERMS, HOW)[0].reason for pairs in (scheduled, [*scheduled, *looked])]
        crossed = "evidence passed 1/0.05 after 7 pairs; "
        assert [f"{crossed}each task is looked at", f"{crossed}none of 10 tasks got worse"] == reasons

    def test_what_was_drawn_for_a_task_is_no_evidence_for_the_mean(self) -> None:
        """The evidence is the same before and after the round."""
        scheduled = [pair("t0", 1, 0, draw) for draw in range(8)]
        looked = [looking(pair(task, 1, 0, n)) for n, task in enumerate(TASKS * 4)]
        before, after = settle(scheduled, TASKS, TERMS, HOW)[0], settle([*looked, *scheduled], TASKS, TERMS, HOW)[0]
        assert (before.evidence, before.pairs) == (after.evidence, after.pairs)

    @pytest.mark.parametrize(
        ("terms", "how"),
        [
            (TERMS, ConfirmationConfig(least=0)),
            (Experiment(alpha=0.05, statistic=OnePass(rule=VerdictRule.STRICT)), HOW),
        ],
    )
    def test_it_can_be_left_out(self, terms: Experiment, how: ConfirmationConfig) -> None:
        """With `least` 0, and under the paper's rules."""
        decision, _ = settle([pair("t0", 1, 0, draw) for draw in range(8)], TASKS, terms, how)
        assert Verdict.ACCEPTED is decision.verdict

    def test_the_look_at_each_task_rests_on_the_pairs_up_to_the_crossing(self) -> None:
        """Pairs drawn in one go with the crossing one count for nothing: here they would block for a second task."""
        crossing = [pair("t0", 1, 0, draw) for draw in range(8)]
        until = settle(crossing, TASKS, TERMS, HOW)[0].pairs
        behind = [pair("t1", 0, 1, until + n) for n in range(20)]
        decision, found = settle([*crossing[:until], *behind], TASKS, TERMS, HOW)
        assert (Verdict.UNDECIDED, ()) == (decision.verdict, found.broken)
        assert (HOW.least, {TaskId("t0")}) == (found.wanting[TaskId("t1")], set(TASKS) - set(found.wanting))

    @settings(max_examples=40, deadline=None)
    @given(
        st.lists(st.tuples(st.sampled_from(TASKS), st.floats(0, 1), st.floats(0, 1)), max_size=60), st.integers(0, 9)
    )
    def test_pairs_behind_the_crossing_change_nothing(self, rows: list[tuple[str, float, float]], more: int) -> None:
        """Where a night ended does not matter: pairs that were drawn with the crossing one are left out."""
        scheduled = [pair(t, c, b, n) for n, (t, c, b) in enumerate(rows)]
        decision, found = settle(scheduled, TASKS, TERMS, HOW)
        if decision.verdict is Verdict.UNDECIDED and found.wanting:
            longer = [*scheduled, *(pair("t1", 0, 1, len(rows) + n) for n in range(more))]
            assert (decision, found) == settle(longer, TASKS, TERMS, HOW)


def played(
    rng: np.random.Generator, before: list[float], after: list[float], missing: float = 0.0
) -> tuple[TaskId, ...]:
    """One round of confirmation over tasks with these pass rates: the tasks found broken."""

    def drawn(rate: float) -> float | None:
        return None if rng.random() < missing else float(rng.random() < rate)

    pairs: list[Pair] = []
    while True:
        found = confirm(pairs, TASKS, HOW)
        if found.broken or not found.wanting:
            return found.broken
        for task, count in found.wanting.items():
            n = TASKS.index(task)
            pairs += [pair(task, drawn(after[n]), drawn(before[n])) for _ in range(count)]
