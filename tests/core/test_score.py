"""From an answer to a number, or to the reason why there is none."""

from __future__ import annotations

import pytest

from sleepd.core.check import LineStart, MaxWords
from sleepd.core.model import Cause, Score, Unscored
from sleepd.core.score import Metric, score

RISK = LineStart("risk:")
SHORT = MaxWords(3)


@pytest.mark.parametrize(
    ("answer", "hard", "soft", "mixed"),
    [("Risk: low", 1.0, 1.0, 1.0), ("fine", 0.0, 0.5, 0.25), ("nothing of it at all", 0.0, 0.0, 0.0)],
)
def test_the_three_metrics(answer: str, hard: float, soft: float, mixed: float) -> None:
    """All or nothing, the share that passes, and the mean of both."""
    got = [score(answer, (RISK, SHORT), metric) for metric in (Metric.HARD, Metric.SOFT, Metric.MIXED)]
    assert [hard, soft, mixed] == [s.value for s in got if isinstance(s, Score)]


def test_the_reason_names_what_was_missed() -> None:
    """Kind and value of each failed check."""
    assert Score(value=0.5, reason="missed line-start 'risk:'") == score("fine", (RISK, SHORT), Metric.SOFT)
    assert Score(value=1.0, reason="all checks passed") == score("Risk: no", (RISK, SHORT), Metric.SOFT)


@pytest.mark.parametrize("metric", Metric)
def test_without_a_check_there_is_no_score(metric: Metric) -> None:
    """A failure to measure is not a measurement of failure: never 0.0, never 1.0."""
    got = score("anything", (), metric)
    assert Unscored(cause=Cause.NO_CHECK, reason="the task has no check") == got
