"""Near-duplicates among many rows, found without comparing all pairs."""

from __future__ import annotations

import numpy as np
import pytest

from sleepd.core.copies import copies
from sleepd.core.ports import Vectors


def rows_with_copies(count: int, dimensions: int = 128, *, seed: int = 0) -> Vectors:
    """Rows in twenty crowds, every fifth one a near copy of an earlier row, in no order."""
    rng = np.random.default_rng(seed)
    rows = rng.standard_normal((20, dimensions))[np.arange(count) % 20] + rng.standard_normal((count, dimensions))
    rows[::5] = rows[rng.integers(count, size=len(rows[::5]))] + 0.1 * rng.standard_normal((len(rows[::5]), dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)[rng.permutation(count)]


@pytest.mark.parametrize("first", [0, 1, 700, 1_099, 1_100])
@pytest.mark.parametrize("threshold", [0.5, 0.95])
def test_the_outcome_is_that_of_comparing_all_pairs(first: int, threshold: float) -> None:
    """Earlier rows only, in order, for each row from the first one asked about on."""
    rows = rows_with_copies(1_100)
    alike = rows @ rows.T >= threshold
    expected = tuple(tuple(np.flatnonzero(alike[row, :row]).tolist()) for row in range(first, len(rows)))
    assert expected == copies(rows, first, threshold).earlier


def test_no_row_has_no_copies() -> None:
    """Nothing to place, or nothing there."""
    assert () == copies(np.zeros((0, 8), dtype=np.float32), 0, 0.95).earlier
    assert ((),) == copies(np.ones((1, 1), dtype=np.float32), 0, 0.95).earlier


def test_rows_that_are_blank_are_no_copies() -> None:
    """A text without a letter has a row of zeros; a row a little longer than 1 is compared all the same."""
    rows = np.vstack([np.zeros((2, 16)), np.eye(16)[[3, 3]] * 1.0004]).astype(np.float32)
    assert ((), (), (), (2,)) == copies(rows, 0, 0.95).earlier


def test_rows_are_compared_whole_hardly_more_often_than_there_are_copies() -> None:
    """Four times the rows: four times the comparisons and not sixteen times."""
    few, many = (copies(rows_with_copies(count), 0, 0.95) for count in (1_000, 4_000))
    assert many.compared <= 5 * few.compared
    assert many.compared <= 2 * sum(map(len, many.earlier))


def test_crowds_far_from_one_another_are_not_even_bounded() -> None:
    """Forty crowds: a block of rows meets its own crowd and few others."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((40, 64))[np.arange(20_000) % 40] + 0.1 * rng.standard_normal((20_000, 64))
    found = copies((rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), 0, 0.995)
    assert found.bounded <= 0.4 * 20_000 * 20_000 / 2
