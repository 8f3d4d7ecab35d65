"""A mean of scores says how little it may mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleepd.core.interval import around

scores = st.lists(st.floats(0, 1), min_size=1, max_size=40)


class TestAround:
    @given(scores)
    def test_it_lies_around_the_mean_and_within_what_scores_can_be(self, values: list[float]) -> None:
        mean, low, high = around(values)
        assert 0 <= low <= mean + 1e-9
        assert mean - 1e-9 <= high <= 1

    @pytest.mark.parametrize(("count", "widest"), [(1, 1.0), (10, 0.3), (100, 0.04)])
    def test_equal_scores_prove_little_when_they_are_few(self, count: int, widest: float) -> None:
        _, low, high = around([1.0] * count)
        assert high == pytest.approx(1.0)
        assert 0 < 1 - low <= widest

    @pytest.mark.parametrize("share", [0.5, 0.8, 0.95])
    @pytest.mark.parametrize("count", [6, 12, 40])
    def test_it_holds_the_truth_about_as_often_as_it_says(self, share: float, count: int) -> None:
        """At least 92 of 100 times for scores of 0 and 1, which are the widest there are."""
        rng = np.random.default_rng([count, int(100 * share)])
        found = [around((rng.random(count) < share).astype(float).tolist()) for _ in range(1_000)]
        assert np.mean([low <= share <= high for _, low, high in found]) >= 0.92

    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            ([1, 1, 1, 1, 1, 1, 1, 1, 0, 0], (0.8, 0.4902, 0.9433)),
            ([0.5] * 4, (0.5, 0.2993, 0.7007)),
            ([0.2, 0.4, 0.9], (0.5, 0.1857, 0.8143)),
            ([0.0], (0.0, 0.0, 0.7935)),
        ],
        ids=["Wilson's own for ten tosses", "equal", "spread", "one"],
    )
    def test_known_figures(self, values: list[float], expected: tuple[float, float, float]) -> None:
        """By hand: of scores other than 0 and 1 the interval is narrower than Wilson's."""
        assert expected == pytest.approx(around(values), abs=1e-4)

    def test_no_score_has_no_mean(self) -> None:
        with pytest.raises(ValueError, match="no scores"):
            around([])
