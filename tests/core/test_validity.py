"""Which checks gate, which are observed, and the sentences that say why."""

from __future__ import annotations

import pytest

from sleepd.core.validity import YOURS, Discrimination, Ground, counted, measured, objective, observed, together


def found(p: float, auc: float = 0.9, low: float = 0.7) -> Discrimination:
    return Discrimination(auc=auc, low=low, high=0.97, p=p, corrected_sessions=9, kept_sessions=20)


def test_a_check_that_agrees_on_held_out_sessions_gates_and_says_how_well() -> None:
    """The sentence holds the area, its interval, p and the sessions."""
    verdict = measured(found(0.004))
    assert (Ground.HELD_OUT, "gates") == (verdict.ground, verdict.word)
    expected = "AUC .90 [.70, .97], p = .004, 9 sessions corrected and 20 kept"
    assert verdict.why.endswith(expected)


@pytest.mark.parametrize(
    ("agreement", "said"),
    [
        (found(0.2), "no better than shuffled labels"),
        (found(0.03, low=0.48), "too few held-out sessions"),
        (None, "no held-out session tells"),
    ],
)
def test_anything_less_is_observed_with_its_reason(agreement: Discrimination | None, said: str) -> None:
    """A p above .05, an interval that holds one half, or no corrected session: each has a sentence of its own."""
    verdict = measured(agreement)
    assert (False, "observed") == (verdict.gates, verdict.word)
    assert said in verdict.why


def test_the_more_checks_are_measured_the_more_each_has_to_show() -> None:
    """Holm: of three the smallest p counts threefold, and none counts less than the one before."""
    kept = together({"a": found(0.02), "b": found(0.01), "c": found(0.03), "d": None})
    assert [pytest.approx(p) for p in (0.04, 0.03, 0.04)] == [one.p for one in map(kept.get, "abc") if one is not None]
    assert kept["d"] is None


def test_one_check_alone_keeps_its_p() -> None:
    """Nothing is corrected where nothing else was tried."""
    assert {"a": found(0.05)} == together({"a": found(0.05)})


def test_verdicts_are_counted_in_words() -> None:
    """Objective checks and the person's own gate."""
    assert "2 gate, 1 observed" == counted([objective("why"), YOURS, observed("why")])
    assert "1 gates, 0 observed" == counted([YOURS])
