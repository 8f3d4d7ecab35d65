"""Judges against the person: areas under the curve, intervals, permutations of whole sessions."""

from __future__ import annotations

import random

import pytest

from sleepd.core.discrimination import JudgedContrast, JudgedEpisode, discrimination, of_contrasts
from sleepd.core.validity import Discrimination


def moments(*rows: tuple[str, float, float]) -> list[JudgedEpisode]:
    return [JudgedEpisode(session=session, fault=fault, corrected=corrected) for session, fault, corrected in rows]


def measured(found: Discrimination | None) -> Discrimination:
    assert found is not None
    return found


def test_a_judge_that_orders_everything_right_has_an_area_of_one() -> None:
    """Its interval is not of no width: twelve sessions prove less than a thousand."""
    found = measured(discrimination(moments(*[(f"s{n}", float(n >= 6), float(n >= 6)) for n in range(12)])))
    assert (1.0, 1.0, 6, 6) == (found.auc, found.high, found.corrected_sessions, found.kept_sessions)
    assert 0.5 < found.low < 0.9
    assert found.p <= 0.01
    assert found.shown


def test_equal_figures_count_one_half() -> None:
    """A judge that says the same of everything is at chance, and its p is 1."""
    found = measured(discrimination(moments(*[(f"s{n}", 1.0, float(n % 2)) for n in range(10)])))
    assert (0.5, 1.0, False) == (found.auc, found.p, found.shown)


def test_the_area_is_the_share_of_pairs_in_the_right_order() -> None:
    """Three of the four pairs are in order; by hand."""
    found = measured(discrimination(moments(("a", 3, 1), ("b", 1, 1), ("c", 2, 0), ("d", 0, 0))))
    assert pytest.approx(0.75) == found.auc


def test_a_probability_counts_as_a_part_of_both() -> None:
    """One certain pair in order, weighed 0.8 · 0.6, against the pairs that the doubt makes."""
    found = measured(discrimination(moments(("a", 1, 0.8), ("b", 0, 0.4))))
    # bad: .8 above, .4 below; good: .2 above, .6 below
    expected = (0.8 * (0.6 + 0.1) + 0.4 * 0.3) / (1.2 * 0.8)
    assert pytest.approx(expected) == found.auc


@pytest.mark.parametrize("corrected", [0.0, 1.0])
def test_without_both_kinds_nothing_is_measured(corrected: float) -> None:
    """A person who corrects nothing, or everything, gives no area instead of one of a half."""
    assert discrimination(moments(("a", 1, corrected), ("b", 0, corrected))) is None
    assert discrimination([]) is None


def test_a_hundred_episodes_of_three_sessions_prove_little() -> None:
    """One bad session that the judge dislikes throughout: the area is 1, and it is not shown."""
    rows = [(f"s{n // 40}", float(n >= 80), float(n >= 80)) for n in range(120)]
    found = measured(discrimination(moments(*rows)))
    assert (1.0, 1, 2) == (found.auc, found.corrected_sessions, found.kept_sessions)
    assert not found.shown


@pytest.mark.slow
def test_moods_of_sessions_do_not_make_a_judge() -> None:
    """Figures and corrections that both come in runs, independent of each other: at most a few of 60 worlds reach .05."""
    reached = 0
    for seed in range(60):
        chance = random.Random(seed)
        rows = []
        for number in range(20):
            fault, corrected = chance.random() < 0.4, chance.random() < 0.3
            rows += [(f"s{number}", float(fault), float(corrected))] * chance.randint(1, 8)
        found = discrimination(moments(*rows))
        reached += found is not None and found.p <= 0.05
    assert reached <= 7


def test_the_same_episodes_give_the_same_figures_in_any_order() -> None:
    """Nothing depends on the order in which a database returns its rows of different sessions."""
    chance = random.Random(3)
    rows = [(f"s{n}", chance.random(), float(chance.random() < 0.4)) for n in range(30)]
    assert discrimination(moments(*rows)) == discrimination(moments(*reversed(rows)))


def contrast(session: str, rejected: tuple[float, ...], kept: float) -> JudgedContrast:
    return JudgedContrast(session=session, rejected=rejected, kept=kept)


def test_rejected_and_kept_answers_of_one_session_change_places_by_a_coin() -> None:
    """Two sessions in the right order: one shuffle of four is as good, so p lies near a quarter and nothing is shown."""
    found = measured(of_contrasts([contrast("a", (1.0,), 0.0), contrast("b", (1.0,), 0.0)]))
    assert (1.0, 2, 2, False) == (found.auc, found.corrected_sessions, found.kept_sessions, found.shown)
    assert 0.2 < found.p < 0.3


def test_tasks_of_one_session_change_places_together() -> None:
    """Twenty tasks of one session are one coin: p is one half, whatever their number."""
    found = measured(of_contrasts([contrast("a", (0.0, 1.0), 0.0) for _ in range(20)]))
    assert 0.4 < found.p < 0.6


def test_twelve_sessions_in_the_right_order_are_shown() -> None:
    """Answers kept at once count as kept, and change places with nothing."""
    rows = [contrast(f"s{n}", (1.0,), 0.0) for n in range(12)] + [contrast("k", (), 0.0)]
    found = measured(of_contrasts(rows))
    assert (1.0, 12, 13, True) == (found.auc, found.corrected_sessions, found.kept_sessions, found.shown)
    assert of_contrasts([contrast("k", (), 0.0)]) is None
