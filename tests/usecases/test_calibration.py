"""`sleepd gate calibrate`: says what a gain takes on one's own work, within a stated budget."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import configure, sleepd


def test_it_says_what_is_missing(begun: Path) -> None:
    """Without recurring work there is nothing to calibrate on, and no model is asked."""
    result = sleepd("gate", "calibrate")
    assert 2 == result.code
    assert "nothing to calibrate on" in result.err


@pytest.mark.slow
def test_a_calibration_of_ones_own_work(lived_in: Path) -> None:
    """Pairs, evidence that is none, and what 10, 20 and 30 points would take; a second time nothing is paid again."""
    sleepd("harvest")
    first = sleepd("gate", "calibrate", "--pairs", "24", "--json")
    assert (0, 24, False) == (first.code, first.json["pairs"], first.json["alarm"])
    assert [0.1, 0.2, 0.3] == [gain["gain"] for gain in first.json["gains"]]
    again = sleepd("gate", "calibrate", "--pairs", "24")
    assert "as expected" in again.out
    assert "+30 points: about" in again.out


@pytest.mark.slow
def test_a_budget_that_is_too_small_is_said(lived_in: Path) -> None:
    """Exit status 4, and the next call goes on."""
    sleepd("harvest")
    assert 4 == sleepd("gate", "calibrate", "--max-calls", "20").code


def test_without_a_budget_nothing_is_spent(begun: Path) -> None:
    """Nobody can be asked here, so the option is named."""
    text = (begun / ".config/sleepd/config.toml").read_text().replace("max_calls = 2000", "")
    configure(begun, text)
    result = sleepd("gate", "calibrate")
    assert 2 == result.code
    assert "--max-calls" in result.err
