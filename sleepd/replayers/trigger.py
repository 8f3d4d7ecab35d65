"""Trigger replay: the model is asked which skills it would load for a request. The text is a description."""

from __future__ import annotations

from sleepd.core import schedule
from sleepd.core.model import Cause
from sleepd.core.ports import Ask, CallPurpose, Failure, Model, ReplayOutcome, RolloutRequest
from sleepd.core.trigger import LoadCriteria
from sleepd.replayers.prompt import template
from sleepd.replayers.text import as_outcome


class TriggerReplayer:
    """Shows the model the list of skills, as an agent does, and the task's request."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def replay(self, request: RolloutRequest) -> ReplayOutcome | Failure:
        if not isinstance(request.criteria, LoadCriteria):
            return Failure(cause=Cause.NO_CHECK, message="a trigger replay needs the list of skills")
        ask = Ask(
            purpose=CallPurpose.TRIGGER,
            system=template("trigger").format(skills=request.criteria.skills.listed(request.text)),
            prompt=request.task.request,
            sample=schedule.seed(request.key.sample),
            max_tokens=request.max_tokens,
        )
        return as_outcome(self._model.ask(ask))
