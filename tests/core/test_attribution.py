"""Which edits of a bundle stay: those that help, never those that hurt."""

from __future__ import annotations

import numpy as np
import pytest

from sleepd.core import experiment
from sleepd.core.evidence import Floats, Scores, interval
from sleepd.core.model import Verdict
from sleepd.pipeline.trial import AttributionConfig

HOW = AttributionConfig()


def stays(full: Floats, without: Floats, how: AttributionConfig) -> bool | None:
    """None while the experiment has no verdict."""
    verdict = experiment.decide(how.experiment, Scores(candidate=full, baseline=without)).verdict
    return None if verdict is Verdict.UNDECIDED else verdict is Verdict.ACCEPTED


def decided(rng: np.random.Generator, full: float, without: float) -> bool:
    """Pass/fail rollouts at these rates, a few at a time, until the edit stays or goes."""
    a, b = (rng.random(HOW.most) < full).astype(float), (rng.random(HOW.most) < without).astype(float)
    for n in range(8, HOW.most + 1, 8):
        answer = stays(a[:n], b[:n], HOW)
        if answer is not None:
            return answer
    raise AssertionError("undecided after all its pairs")


@pytest.mark.parametrize(("full", "without", "low", "high"), [
    (0.95, 0.3, 0.98, 1.0),
    (0.8, 0.55, 0.8, 1.0),
    (0.6, 0.75, 0.0, 0.03),
    (0.3, 0.95, 0.0, 0.0),
    (0.9, 0.9, 0.0, 0.2),
])  # fmt: skip
def test_how_often_an_edit_stays(full: float, without: float, low: float, high: float) -> None:
    """The share of 300 edits with these pass rates, with and without them."""
    rng = np.random.default_rng(1)
    assert low <= np.mean([decided(rng, full, without) for _ in range(300)]) <= high


def test_a_missing_score_is_no_gift() -> None:
    """A bundle that answers nothing in time keeps no edit; one that does so without the edit proves nothing for it."""
    scores: Floats = np.ones(HOW.most)
    missing: Floats = np.full(HOW.most, np.nan)
    assert not stays(missing, np.zeros(HOW.most), HOW)
    assert not stays(scores, missing, HOW)


@pytest.mark.parametrize(("wins", "losses", "expected"), [
    (6, 0, True), (8, 2, True), (18, 12, True), (19, 13, False), (20, 14, False), (26, 20, False),
])  # fmt: skip
def test_what_looks_worth_it_stays_only_without_the_harm(wins: int, losses: int, expected: bool) -> None:
    """All show a mean of 6 in 64 when their pairs are used up; only many losses leave a harm of 0.15 possible."""
    full, without = np.zeros(HOW.most), np.zeros(HOW.most)
    full[np.linspace(1, HOW.most - 1, wins).astype(int)] = 1
    same = np.flatnonzero(full == 0)
    without[same[np.linspace(0, len(same) - 1, losses).astype(int)]] = 1
    assert 6 / 64 == (full - without).mean()
    assert all(stays(full[:n], without[:n], HOW) is None for n in range(1, HOW.most))
    assert expected is stays(full, without, HOW)


def test_the_first_bet_to_win_decides() -> None:
    """What comes later does not count, so it does not matter how many pairs are drawn at once."""
    full, without = np.concatenate([np.ones(20), np.zeros(44)]), np.concatenate([np.zeros(20), np.ones(44)])
    assert stays(full, without, HOW)
    assert stays(full[:24], without[:24], HOW)


@pytest.mark.slow
def test_the_interval_holds_the_truth() -> None:
    """In at least 95 of 100 series, at all of their looks together; it narrows as pairs come in."""
    rng = np.random.default_rng(2)
    missed = 0
    for _ in range(60):
        full, without = (rng.random(64) < 0.8).astype(float), (rng.random(64) < 0.5).astype(float)
        looks = [interval(Scores(candidate=full[:n], baseline=without[:n])) for n in (8, 16, 32, 64)]
        missed += any(not low - 0.01 <= 0.3 <= high + 0.01 for low, high in looks)
    assert missed <= 3
    assert looks[-1][1] - looks[-1][0] < looks[0][1] - looks[0][0]
    assert (-1.0, 1.0) == interval(Scores.of([None], [1.0]))
