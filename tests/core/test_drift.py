"""An alarm about a model that changed: hardly ever without a change, soon with a large one."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core.drift import LEVEL, PAIRS_PER_NIGHT, DriftPair, KeptRollout, in_order, judge, kept_beside
from sleepd.core.model import Purpose, TaskId
from sleepd.core.schedule import baseline

TASKS = tuple(TaskId(f"task-{n}") for n in range(8))
LIVES = 1_500
NIGHTS = 15


def life(
    chance: np.random.Generator, *, nights: int = NIGHTS, shift: float = 0.0, missing: float = 0.0
) -> list[DriftPair]:
    """Thirteen tasks with their own pass rates; `shift` is added to those of the fresh rollouts."""
    count = nights * PAIRS_PER_NIGHT
    rates = chance.beta(0.8, 0.6, 13)[chance.integers(0, 13, count)]
    kept = chance.random(count) < rates
    fresh = chance.random(count) < np.clip(rates + shift, 0, 1)
    gone = chance.random((2, count)) < missing
    sides = zip(kept, fresh, *gone, strict=True)
    return [DriftPair(kept=None if a else float(k), fresh=None if b else float(f)) for k, f, a, b in sides]


def pairs_of(*differences: float) -> list[DriftPair]:
    return [DriftPair(kept=max(0.0, -d), fresh=max(0.0, d)) for d in differences]


@pytest.mark.slow
class TestWithoutAChange:
    @pytest.mark.parametrize("missing", [0.0, 0.05, 0.10, 0.2])
    def test_an_alarm_is_rarer_than_its_level(self, missing: float) -> None:
        """Over lives of forty nights, looked at after every pair: within three standard deviations of at most 1 %."""
        chance = np.random.default_rng(1)
        alarms = sum(judge(life(chance, nights=40, missing=missing)).alarm for _ in range(LIVES))
        assert alarms <= LEVEL * LIVES + 3 * math.sqrt(LEVEL * LIVES)

    def test_ending_the_account_by_what_was_kept_makes_it_no_more_likely(self) -> None:
        """Nights that only come about when the kept rollouts did well, as when a text is replaced by a better one."""
        chance = np.random.default_rng(2)
        alarms = 0
        for _ in range(LIVES):
            pairs = life(chance)
            kept = np.cumsum([p.kept or 0.0 for p in pairs]) / np.arange(1, len(pairs) + 1)
            enough = np.flatnonzero(kept >= np.median(kept))
            alarms += judge(pairs[: enough[-1] + 1]).alarm
        assert alarms <= LEVEL * LIVES + 3 * math.sqrt(LEVEL * LIVES)

    def test_stopping_at_the_first_significant_mean_would_be_wrong_far_more_often(self) -> None:
        """The same lives with a look at z > 2.576 each night: so the simulation can tell the two apart."""
        chance = np.random.default_rng(1)
        alarms = 0
        for _ in range(LIVES // 5):
            d = np.array([(p.fresh or 0.0) - (p.kept or 0.0) for p in life(chance)])
            counts = np.arange(1, len(d) + 1)
            z = np.abs(np.cumsum(d)) / np.sqrt(np.maximum(np.cumsum(d**2), 1e-9))
            alarms += bool((z > 2.576)[counts % PAIRS_PER_NIGHT == 0].any())
        assert alarms > 4 * LEVEL * LIVES / 5


class TestWithAChange:
    @pytest.mark.parametrize(
        ("shift", "nights", "share"), [(-0.5, 3, 0.9), (0.5, 3, 0.9), (-0.3, 6, 0.8), (0.3, 6, 0.8), (-0.9, 1, 0.8)]
    )
    def test_it_is_noticed_within_a_stated_number_of_nights(self, shift: float, nights: int, share: float) -> None:
        """For better or worse. Half of all answers: three nights (in 90 % of lives); a third: six; nearly all: one (80 %)."""
        chance = np.random.default_rng(3)
        noticed = sum(judge(life(chance, nights=nights, shift=shift)).alarm for _ in range(200))
        assert noticed >= share * 200

    def test_a_model_that_begins_to_fail_is_another_one(self) -> None:
        """Fresh rollouts without a score beside good ones are the worst difference; both missing is none."""
        gone = [DriftPair(kept=1.0, fresh=None)] * PAIRS_PER_NIGHT
        assert judge(gone).alarm
        assert [-1.0, 1.0, 0.0] == [
            judge([DriftPair(kept=kept, fresh=fresh)]).difference
            for kept, fresh in ((1.0, None), (None, 1.0), (None, None))
        ]


class TestEvidence:
    def test_both_directions_share_the_capital(self) -> None:
        """Turned around, the same pairs say the same."""
        up, down = judge(pairs_of(0.5, 1.0, -0.2, 0.9)), judge(pairs_of(-0.5, -1.0, 0.2, -0.9))
        assert (up.evidence, up.alarm) == (pytest.approx(down.evidence), down.alarm)
        assert pytest.approx(0.55) == up.difference
        assert pytest.approx(0.0) == judge(pairs_of(1.0)).evidence
        assert pytest.approx(-0.55) == down.difference

    def test_without_pairs_nothing_is_said(self) -> None:
        """No alarm, no mean."""
        nothing = judge([])
        assert (0, None, 0.0, False) == (nothing.pairs, nothing.difference, nothing.evidence, nothing.alarm)

    def test_an_alarm_stays(self) -> None:
        """Whatever is drawn afterwards."""
        raised = pairs_of(*[1.0] * 12)
        assert judge(raised).alarm
        assert judge([*raised, *pairs_of(*[-1.0] * 10)]).alarm

    @given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.3, 1.0]), max_size=60), st.integers(0, 60))
    @settings(max_examples=60)
    def test_more_pairs_never_take_evidence_away(self, differences: list[float], cut: int) -> None:
        """It is the most that was ever earned; so it does not matter how many pairs a night drew at once."""
        whole, part = judge(pairs_of(*differences)), judge(pairs_of(*differences[:cut]))
        assert 0.0 <= part.evidence <= whole.evidence
        assert whole.alarm == (whole.evidence >= math.log(1 / LEVEL))


class TestKeptRollouts:
    KEPT = tuple(
        KeptRollout(task_id=task, sample=baseline(n, night, series))
        for night in ("n1", "n2")
        for series in (3, 2)
        for task in TASKS
        for n in range(2)
    )

    def test_a_later_night_or_candidate_comes_later(self) -> None:
        """Whether it was there may depend on the scores of the earlier ones, which are all used by then."""
        found = in_order(self.KEPT, "s")
        groups = [(k.sample.night, k.sample.series) for k in found]
        assert (sorted(groups), set(self.KEPT)) == (groups, set(found))

    def test_within_a_candidate_a_hash_decides(self) -> None:
        """Always the same, whatever the order in which they are found; another seed gives another order."""
        found = in_order(self.KEPT, "s")
        assert found == in_order(reversed(self.KEPT), "s")
        assert found != in_order(self.KEPT, "t")
        assert [k.task_id for k in found[:16]] != sorted(k.task_id for k in found[:16])

    def test_each_has_a_fresh_rollout_of_its_own(self) -> None:
        """From which it is found again; what versions before numbered from 0 is beside none."""
        fresh = {k.fresh for k in self.KEPT if k.task_id == TASKS[0]}
        assert (8, {Purpose.DRIFT}) == (len(fresh), {f.purpose for f in fresh})
        assert all(k == kept_beside(k.task_id, k.fresh) for k in self.KEPT)
        assert None is kept_beside(TASKS[0], replace(self.KEPT[0].sample, purpose=Purpose.DRIFT, ordinal=23))
