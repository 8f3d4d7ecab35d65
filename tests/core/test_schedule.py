"""Which rollouts a candidate's pairs are made of is fixed before the first of them."""

from __future__ import annotations

from collections import Counter

import pytest

from sleepd.core import schedule
from sleepd.core.gate import Rule
from sleepd.core.model import Candidate, Digest, Pair, SkillTarget, TaskId
from sleepd.core.schedule import SAMPLES_PER_CANDIDATE, Draw, Stage, confirming, draws, minibatch

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
    long = draws(candidate(), 200, 4, Rule.EVIDENCE)
    assert [long[:n] for n in (0, 1, 16, 199)] == [draws(candidate(), n, 4, Rule.EVIDENCE) for n in (0, 1, 16, 199)]
    assert list(range(200)) == [d.number for d in long]


def test_the_order_is_the_same_in_every_process() -> None:
    """It follows from the candidate's id alone; this one was written down."""
    assert ["task-6", "task-3", "task-6", "task-1", "task-5"] == [
        d.task_id for d in draws(candidate(), 5, 1, Rule.EVIDENCE)
    ]


def test_tasks_are_drawn_evenly() -> None:
    """Over 4,000 draws each of eight tasks comes about 500 times (within five standard deviations)."""
    counts = Counter(d.task_id for d in draws(candidate(), 4_000, 1, Rule.EVIDENCE))
    assert set(TASKS) == set(counts)
    assert all(395 < n < 605 for n in counts.values())


def test_no_rollout_of_the_candidate_is_used_twice() -> None:
    """(task, sample) never repeats, within a candidate and across candidates."""
    used = [
        (d.task_id, d.candidate_sample)
        for c in (candidate("a", 1), candidate("b", 2), candidate("a", 3))
        for d in draws(c, 400, 4, Rule.EVIDENCE)
    ]
    assert len(used) == len(set(used))


@pytest.mark.parametrize("r", [1, 2, 4])
def test_each_baseline_rollout_serves_a_candidate_once(r: int) -> None:
    """Promise 6: fresh within one candidate; another candidate of the same base finds the same ones made already."""
    first, second = (draws(candidate(i, n), 400, r, Rule.EVIDENCE) for i, n in (("a", 1), ("b", 2)))
    used = [(d.task_id, s) for d in first for s in d.baseline_samples]
    assert len(used) == len(set(used)) == 400 * r
    common = {(d.task_id, s) for d in first[:200] for s in d.baseline_samples} & {
        (d.task_id, s) for d in second[:200] for s in d.baseline_samples
    }
    assert len(common) > 0.6 * 200 * r


@pytest.mark.parametrize("rule", [Rule.STRICT, Rule.OFF])
def test_the_papers_rules_draw_every_task_once(rule: Rule) -> None:
    """One pass in order with one baseline rollout, however many draws are asked for."""
    got = draws(candidate(index=3), 400, 4, rule)
    assert list(TASKS) == [d.task_id for d in got]
    assert {(3,)} == {d.baseline_samples for d in got}


def measured(drawn: tuple[Draw, ...]) -> list[Pair]:
    return [Pair(draw=d.number, task_id=d.task_id, candidate=1.0, baseline=1.0) for d in drawn]


WANTING = {TASKS[5]: 2, TASKS[1]: 3}


class TestConfirming:
    def test_each_task_comes_as_often_as_it_is_wanted(self) -> None:
        """In the order of the candidate's tasks, at most so many as there is room for; others do not come."""
        found = [[d.task_id for d in confirming(candidate(), [], WANTING, room)] for room in (99, 4, 0)]
        assert [[TASKS[1]] * 3 + [TASKS[5]] * 2, [TASKS[1]] * 3 + [TASKS[5]], []] == found

    def test_a_round_in_pieces_is_the_round_at_once(self) -> None:
        """A kill or the end of a night continues it with the very same rollouts."""
        whole = confirming(candidate(), [], WANTING, 99)
        first = confirming(candidate(), [], WANTING, 3)
        assert whole == first + confirming(candidate(), measured(first), {TASKS[5]: 2}, 99)
        assert all(pair.confirms for pair in measured(whole))

    def test_no_rollout_of_the_candidate_serves_two_pairs(self) -> None:
        """Neither one of the round and one before the crossing, nor two of the round; each has one fresh baseline."""
        before = draws(candidate(), 40, 2, Rule.EVIDENCE)
        first = confirming(candidate(), measured(before), dict.fromkeys(TASKS, 2), 99)
        second = confirming(candidate(), measured((*before, *first)), dict.fromkeys(TASKS, 3), 99)
        drawn = (*before, *first, *second)
        assert 40 + 8 * 5 == len({(d.task_id, d.candidate_sample) for d in drawn})
        assert {1} == {len(d.baseline_samples) for d in (*first, *second)}
        assert 80 + 8 * 5 == len({(d.task_id, sample) for d in drawn for sample in d.baseline_samples})
        assert 40 + 8 * 5 == len({d.number for d in drawn})


def test_a_minibatch_depends_on_its_seed_and_not_on_the_order() -> None:
    """The same seed gives the same tasks; another seed gives others; never more than there are."""
    assert minibatch(TASKS, 3, "x") == minibatch(TASKS[::-1], 3, "x")
    assert 1 < len({minibatch(TASKS, 3, str(n)) for n in range(10)})
    assert set(TASKS) == set(minibatch(TASKS, 99, "x"))


@pytest.mark.parametrize(
    ("sample", "stage"),
    [
        (0, Stage.LIVE_TEXT), (schedule.CONFIRMING_SAMPLE, Stage.LIVE_TEXT), (SAMPLES_PER_CANDIDATE, Stage.CANDIDATES),
        (schedule.TRAINING_SAMPLE - 1, Stage.CANDIDATES), (schedule.TRAINING_SAMPLE + 3, Stage.LEARNING),
        (schedule.COMPARING_SAMPLE, Stage.COMPARISON), (schedule.EVALUATION_SAMPLE + 2, Stage.EVALUATION),
        (schedule.SEALED_SAMPLE + 60, Stage.SEALED), (schedule.PROOF_SAMPLE, Stage.PROOF),
        (schedule.ATTRIBUTION_SAMPLE + 9, Stage.ATTRIBUTION), (schedule.CALIBRATION_SAMPLE, Stage.CALIBRATION),
        (schedule.DRIFT_SAMPLE + 5, Stage.DRIFT),
    ],
)  # fmt: skip
def test_a_number_tells_what_a_rollout_was_made_for(sample: int, stage: Stage) -> None:
    """Each purpose begins at a whole million, by which the store adds them up."""
    assert stage is schedule.stage(sample)
    assert stage is schedule.stage(sample // SAMPLES_PER_CANDIDATE * SAMPLES_PER_CANDIDATE)


@pytest.mark.parametrize("index", [1, 899, 900, 949, 970, 980, 1_999, 2_000, 5_000])
def test_the_samples_of_every_candidate_are_its_own(index: int) -> None:
    """However many candidates an account has seen: none runs into what other purposes use."""
    first = schedule.first_sample(index)
    assert {Stage.CANDIDATES} == {schedule.stage(first), schedule.stage(first + SAMPLES_PER_CANDIDATE - 1)}
    assert schedule.of_candidate(first)
    assert not schedule.of_live_text(first)
    assert schedule.first_sample(index + 1) >= first + SAMPLES_PER_CANDIDATE
