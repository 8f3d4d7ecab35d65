"""Which rollouts a candidate's pairs are made of is fixed before the first of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from sleepd.core.model import Candidate, Digest, Pair, Purpose, Sample, SkillTarget, TaskId
from sleepd.core.schedule import PairDraw, baseline, confirming, draws, minibatch, one_pass, seed

TASKS = tuple(TaskId(f"task-{n}") for n in range(8))
TARGET = SkillTarget(agent="claude-code", name="s", path="/p/s", project="/p", description="d")


def candidate(id_: str = "c", index: int = 1) -> Candidate:
    return Candidate(
        id=Digest(id_),
        index=index,
        alpha=0.05,
        target=TARGET,
        base=Digest("b"),
        text=Digest("t"),
        edits=(),
        tasks=TASKS,
        model="m",
    )


def test_asking_for_more_gives_the_same_ones_first() -> None:
    """A kill, a restart or another number per night continues the schedule (promise 9)."""
    long = draws(candidate(), 200, 4, "n1")
    assert [long[:n] for n in (0, 1, 16, 199)] == [draws(candidate(), n, 4, "n1") for n in (0, 1, 16, 199)]
    assert [long[n:] for n in (0, 1, 16, 200)] == [draws(candidate(), 200, 4, "n1", first=n) for n in (0, 1, 16, 200)]
    assert list(range(200)) == [d.ordinal for d in long]


def test_the_order_is_the_same_in_every_process() -> None:
    """It follows from the candidate's id alone; this one was written down."""
    assert ["task-6", "task-3", "task-6", "task-1", "task-5"] == [d.task_id for d in draws(candidate(), 5, 1, "n1")]


def test_tasks_are_drawn_evenly() -> None:
    """Over 4,000 draws each of eight tasks comes about 500 times (within five standard deviations)."""
    counts = Counter(d.task_id for d in draws(candidate(), 4_000, 1, "n1"))
    assert set(TASKS) == set(counts)
    assert all(395 < n < 605 for n in counts.values())


def test_no_rollout_of_the_candidate_is_used_twice() -> None:
    """(task, sample) never repeats, within a candidate and across candidates."""
    used = [
        (d.task_id, d.candidate)
        for c in (candidate("a", 1), candidate("b", 2), candidate("a", 3))
        for d in draws(c, 400, 4, "n1")
    ]
    assert len(used) == len(set(used))


@pytest.mark.parametrize("r", [1, 2, 4])
def test_each_baseline_rollout_serves_one_pair(r: int) -> None:
    """Promise 6: of one candidate and one night, since the model may answer otherwise an hour later or in another night."""
    every = [draws(candidate(i, n), 400, r, night) for i, n in (("a", 1), ("b", 2)) for night in ("n1", "n2")]
    used = [(d.task_id, s) for drawn in every for d in drawn for s in d.baseline]
    assert len(used) == len(set(used)) == 4 * 400 * r


def test_both_sides_of_a_pair_belong_to_the_night_that_draws_it() -> None:
    """Tasks and order are those of every night."""
    first, second = (draws(candidate(), 50, 4, night) for night in ("n1", "n2"))
    assert [d.task_id for d in first] == [d.task_id for d in second]
    round_ = confirming(candidate(), [], WANTING, 99, "n2")
    nights = {s.night for d in (*second, *round_, *one_pass(candidate(), "n2")) for s in (d.candidate, *d.baseline)}
    assert {"n2"} == nights


def test_the_papers_rules_draw_every_task_once() -> None:
    """One pass in order with one baseline rollout."""
    got = one_pass(candidate(index=3), "n1")
    assert list(TASKS) == [d.task_id for d in got]
    assert {(baseline(0, "n1", 3),)} == {d.baseline for d in got}


def measured(drawn: tuple[PairDraw, ...]) -> list[Pair]:
    return [Pair(purpose=d.purpose, ordinal=d.ordinal, task_id=d.task_id, candidate=1.0, baseline=1.0) for d in drawn]


WANTING = {TASKS[5]: 2, TASKS[1]: 3}


class TestConfirming:
    def test_each_task_comes_as_often_as_it_is_wanted(self) -> None:
        """In the order of the candidate's tasks, at most so many as there is room for; others do not come."""
        found = [[d.task_id for d in confirming(candidate(), [], WANTING, room, "n1")] for room in (99, 4, 0)]
        assert [[TASKS[1]] * 3 + [TASKS[5]] * 2, [TASKS[1]] * 3 + [TASKS[5]], []] == found

    def test_a_round_in_pieces_is_the_round_at_once(self) -> None:
        """A kill or the end of a night continues it with the very same rollouts."""
        whole = confirming(candidate(), [], WANTING, 99, "n1")
        first = confirming(candidate(), [], WANTING, 3, "n1")
        assert whole == first + confirming(candidate(), measured(first), {TASKS[5]: 2}, 99, "n1")
        assert all(pair.confirms for pair in measured(whole))

    def test_no_rollout_of_the_candidate_serves_two_pairs(self) -> None:
        """Neither one of the round and one before the crossing, nor two of the round; each has one fresh baseline."""
        before = draws(candidate(), 40, 2, "n1")
        first = confirming(candidate(), measured(before), dict.fromkeys(TASKS, 2), 99, "n1")
        second = confirming(candidate(), measured((*before, *first)), dict.fromkeys(TASKS, 3), 99, "n1")
        drawn = (*before, *first, *second)
        assert 40 + 8 * 5 == len({(d.task_id, d.candidate) for d in drawn})
        assert {1} == {len(d.baseline) for d in (*first, *second)}
        assert 80 + 8 * 5 == len({(d.task_id, sample) for d in drawn for sample in d.baseline})
        assert 40 + 8 * 5 == len({(d.purpose, d.ordinal) for d in drawn})


def test_a_minibatch_depends_on_its_seed_and_not_on_the_order() -> None:
    """The same seed gives the same tasks; another seed gives others; never more than there are."""
    assert minibatch(TASKS, 3, "x") == minibatch(TASKS[::-1], 3, "x")
    assert 1 < len({minibatch(TASKS, 3, str(n)) for n in range(10)})
    assert set(TASKS) == set(minibatch(TASKS, 99, "x"))


@pytest.mark.parametrize(
    ("sample", "number"),
    [
        (Sample(purpose=Purpose.BASELINE, ordinal=7), 7),
        (Sample(purpose=Purpose.CONFIRMATION, ordinal=7), 500_007),
        (Sample(purpose=Purpose.CANDIDATE, series=3, ordinal=7), 3_000_007),
        (Sample(purpose=Purpose.CANDIDATE, series=900, ordinal=7), 10_900_000_007),
        (Sample(purpose=Purpose.LEARNING, series=4, ordinal=2), 902_000_004),
        (Sample(purpose=Purpose.SEALED, series=60), 950_000_060),
        (Sample(purpose=Purpose.DRIFT, ordinal=5), 2_000_000_005),
    ],
)
def test_a_seeded_model_is_given_the_numbers_of_earlier_versions(sample: Sample, number: int) -> None:
    """So it answers as it did."""
    assert number == seed(sample)


def test_different_samples_have_different_seeds() -> None:
    """Of every purpose, of early and late candidates, and of the first rollouts of each."""
    of_candidates = [
        Sample(purpose=Purpose.CANDIDATE, series=index, ordinal=n)
        for index in (1, 899, 900, 949, 980, 1_999, 2_000, 5_000)
        for n in (0, 1, 999_999)
    ]
    single = (Purpose.COMPARISON, Purpose.SEALED)
    others = [
        Sample(purpose=purpose, **{"series" if purpose in single else "ordinal": n})
        for purpose in Purpose
        if purpose not in (Purpose.CANDIDATE, Purpose.LEARNING)
        for n in range(50)
    ]
    learning = [Sample(purpose=Purpose.LEARNING, series=step, ordinal=n) for step in (1, 60) for n in range(8)]
    nightly = [replace(sample, night=night) for sample in of_candidates for night in ("n1", "n2")]
    samples = [*of_candidates, *others, *learning, *nightly]
    assert all(0 <= seed(sample) < 2**53 for sample in samples)
    assert len(set(samples)) == len({seed(sample) for sample in samples})
