"""The judge of descriptions: was the skill loaded for a request that it is for, and left alone otherwise?"""

from __future__ import annotations

from sleepd.core import trigger
from sleepd.core.model import Cause, Score, Unscored
from sleepd.core.ports import Model, ReplayOutcome, RolloutRequest
from sleepd.core.trigger import LoadCriteria, Side


class TriggerJudge:
    """1 for the right choice about the skill under trial, whatever else was loaded."""

    def __init__(self, _model: Model) -> None:
        """No model is asked."""

    def judge(self, request: RolloutRequest, outcome: ReplayOutcome) -> Score | Unscored:
        criteria = request.criteria
        if not isinstance(criteria, LoadCriteria):
            return Unscored(cause=Cause.NO_CHECK, reason="there is no list of skills to choose from")
        names = trigger.loaded(outcome.answer, criteria.skills.names)
        if names is None:
            return Unscored(cause=Cause.MALFORMED, reason="the answer does not say which skills to load")
        right = (criteria.skills.name in names) is (criteria.side is Side.WANTED)
        return Score(value=float(right), reason=f"loads {', '.join(sorted(names)) or 'none'}")
