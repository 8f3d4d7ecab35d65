"""The judge of rule checks: no model, no clock, the same score for the same answer."""

from __future__ import annotations

from sleepd.core.model import Cause, Score, Unscored
from sleepd.core.ports import Model, ReplayOutcome, RolloutRequest
from sleepd.core.score import CheckCriteria, score


class CheckJudge:
    """Values an answer by its task's checks."""

    def __init__(self, _model: Model) -> None:
        """No model is asked."""

    def judge(self, request: RolloutRequest, outcome: ReplayOutcome) -> Score | Unscored:
        criteria = request.criteria
        if not isinstance(criteria, CheckCriteria):
            return Unscored(cause=Cause.NO_CHECK, reason="the task has no rule check")
        return score(outcome.answer, criteria.checks, criteria.metric)
