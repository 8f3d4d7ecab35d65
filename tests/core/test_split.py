"""Which tasks may teach and which may only judge: decided once, whole groups, by hash."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core.model import Split, TaskId
from sleepd.core.ports import Vectors
from sleepd.core.split import Known, Placed, Placement, Shares, SplitRule, normalise, place, side

SHARES = Shares(val=0.3, test=0.2)
RULE = SplitRule(near_duplicate=0.95, shares=SHARES)
NOTHING = Known(requests=(), vectors=np.zeros((0, 0), dtype=np.float32))
Item = tuple[TaskId, str, int]
"""Id, request, direction: tasks of one direction have equal vectors, of others are at right angles."""


def known(items: list[Item]) -> Known:
    vectors: Vectors = np.eye(8, dtype=np.float32)[[direction for _, _, direction in items]]
    return Known(requests=[request for _, request, _ in items], vectors=vectors.reshape(len(items), 8))


def at_once(items: list[Item]) -> Placement:
    return place([i for i, _, _ in items], known(items), (), NOTHING, RULE)


def on(split: Split, n: int = 0) -> TaskId:
    """The n-th task id whose own side is this one."""
    found = (TaskId(f"t{i}") for i in range(1_000))
    return [t for t in found if side(t, SHARES) is split][n]


class TestSide:
    def test_it_is_the_same_for_ever(self) -> None:
        """These were written down; a change of the hash would move everybody's tasks."""
        assert ["train", "train", "test", "test", "val", "val"] == [side(TaskId(f"t{n}"), SHARES) for n in range(6)]

    def test_the_shares_are_about_right(self) -> None:
        """Of 10,000 groups 20 % are sealed and 30 % validate, within two points."""
        counts = Counter(side(TaskId(str(n)), SHARES) for n in range(10_000))
        assert counts[Split.TEST] == pytest.approx(2_000, abs=200)
        assert counts[Split.VAL] == pytest.approx(3_000, abs=200)

    def test_larger_shares_never_unseal(self) -> None:
        """A sealed group stays sealed when the share of sealed groups grows."""
        sealed = [n for n in range(500) if side(TaskId(str(n)), SHARES) is Split.TEST]
        assert {Split.TEST} == {side(TaskId(str(n)), Shares(val=0.3, test=0.4)) for n in sealed}


class TestGroups:
    def test_near_duplicates_are_one_group_on_one_side(self) -> None:
        """By their vectors, or equal up to case and spaces whatever the vectors say."""
        first = on(Split.VAL)
        items = [(first, "Write it", 0), (TaskId("x"), "something", 0), (TaskId("y"), " write  IT\n", 5)]
        assert [(first, Split.VAL)] * 3 == [(p.group, p.split) for p in at_once(items).placed]

    def test_others_found_a_group_of_their_own(self) -> None:
        """A task that resembles none is its own group, on its own side."""
        items = [(TaskId("a"), "one", 0), (TaskId("b"), "two", 1)]
        assert [("a", side(TaskId("a"), SHARES)), ("b", side(TaskId("b"), SHARES))] == [
            (p.group, p.split) for p in at_once(items).placed
        ]

    def test_the_threshold_counts_from_its_value_on(self) -> None:
        """A cosine of exactly the threshold is a near-duplicate."""
        vectors = np.array([[1, 0], [0.5, 0.5], [0.25, 0.5]], dtype=np.float32)
        ids = [TaskId("a"), TaskId("b"), TaskId("c")]
        placed = place(
            ids,
            Known(requests=["1", "2", "3"], vectors=vectors),
            (),
            NOTHING,
            SplitRule(near_duplicate=0.5, shares=SHARES),
        ).placed
        assert "a" == placed[1].group

    def test_a_late_duplicate_of_two_sides_joins_the_sealed_one_and_retires_the_train_copy(self) -> None:
        """Promise 5: train never judges, also when the likeness is seen later; sealed goes before validation."""
        train, val, test = on(Split.TRAIN), on(Split.VAL), on(Split.TEST)
        items = [(train, "a", 0), (val, "b", 1), (test, "c", 2)]
        bridge = np.array([[0.6, 0.6, 0.53, 0, 0, 0, 0, 0]], dtype=np.float32)
        old = at_once(items).placed
        got = place(
            [TaskId("new")],
            Known(requests=["d"], vectors=bridge),
            old,
            known(items),
            SplitRule(near_duplicate=0.5, shares=SHARES),
        )
        assert ((Placed(task=TaskId("new"), group=test, split=Split.TEST),), (train,)) == (got.placed, got.retired)

    def test_a_duplicate_within_train_retires_nothing(self) -> None:
        """Both may teach."""
        train = on(Split.TRAIN)
        got = at_once([(train, "a", 0), (TaskId("x"), "a", 0)])
        assert ((), [Split.TRAIN] * 2) == (got.retired, [p.split for p in got.placed])

    def test_a_task_retired_twice_is_named_once(self) -> None:
        """Two late duplicates of one train task."""
        train, val = on(Split.TRAIN), on(Split.VAL)
        old = (Placed(task=train, group=train, split=Split.TRAIN), Placed(task=val, group=val, split=Split.VAL))
        before = known([(train, "a", 0), (val, "a", 1)])
        late = known([(TaskId("x"), "a", 2), (TaskId("y"), "a", 3)])
        assert (train,) == place([TaskId("x"), TaskId("y")], late, old, before, RULE).retired


items_ = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5)), max_size=25).map(
    lambda rows: [(TaskId(f"id{n}"), request * (n % 3 + 1), direction) for n, (request, direction) in enumerate(rows)]
)


class TestProperties:
    @settings(max_examples=80)
    @given(items_, st.integers(0, 25))
    def test_placing_in_two_goes_is_placing_at_once(self, items: list[Item], cut: int) -> None:
        """Earlier decisions stand, and the rest comes out as if all had come together."""
        first = at_once(items[:cut])
        second = place([i for i, _, _ in items[cut:]], known(items[cut:]), first.placed, known(items[:cut]), RULE)
        whole = at_once(items)
        assert whole.placed == (*first.placed, *second.placed)
        assert set(whole.retired) == {*first.retired, *second.retired}

    @settings(max_examples=80)
    @given(items_)
    def test_no_unretired_train_task_resembles_a_judging_one(self, items: list[Item]) -> None:
        """Whatever the order they came in: each pair of direct near-duplicates is on one side, or the train one retired."""
        got = at_once(items)
        usable = [
            (p, i)
            for p, i in zip(got.placed, items, strict=True)
            if not (p.split is Split.TRAIN and p.task in got.retired)
        ]
        for p, (_, request, direction) in usable:
            for q, (_, other, way) in usable:
                if normalise(request) == normalise(other) or direction == way:
                    assert (p.split is Split.TRAIN) == (q.split is Split.TRAIN)

    @settings(max_examples=40)
    @given(items_)
    def test_every_group_is_whole(self, items: list[Item]) -> None:
        """Tasks of one group are on one side."""
        sides: dict[TaskId, set[Split]] = {}
        for p in at_once(items).placed:
            sides.setdefault(p.group, set()).add(p.split)
        assert all(len(found) == 1 for found in sides.values())


def test_many_tasks_come_out_as_few_do() -> None:
    """Likeness is computed in blocks; their borders do not show."""
    chance = np.random.default_rng(4)
    directions = chance.integers(0, 8, 600)
    items = [(TaskId(f"id{n}"), str(n), int(d)) for n, d in enumerate(directions)]
    firsts = {int(d): next(i for i, _, w in items if w == d) for d in directions}
    assert [firsts[w] for _, _, w in items] == [p.group for p in at_once(items).placed]
