"""Text replay: the request is asked again under a text. Nothing is done again."""

from __future__ import annotations

from functools import cache

from sleepd.core import schedule
from sleepd.core.model import CallUsage, digest
from sleepd.core.ports import Ask, CallPurpose, Failure, Model, ReplayOutcome, Reply, RolloutRequest
from sleepd.replayers.prompt import quoted, template

NO_SKILL = "(there is no skill file yet)"


@cache
def prompt_version() -> str:
    """Changes when the words around the text do."""
    return digest(template("rollout"))[:8]


class TextReplayer:
    """Asks the model for an answer to the task's request."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def replay(self, request: RolloutRequest) -> ReplayOutcome | Failure:
        task = request.task
        context = f"What came before:\n{quoted(task.context)}\n\nThe request:\n" if task.context else ""
        ask = Ask(
            purpose=CallPurpose.ROLLOUT,
            system=instructions(request.text),
            prompt=context + task.request,
            sample=schedule.seed(request.key.sample),
            max_tokens=request.max_tokens,
        )
        return as_outcome(self._model.ask(ask))


def instructions(text: str) -> str:
    """The system text that holds a text under trial."""
    return template("rollout").format(skill=text.strip() or NO_SKILL)


def as_outcome(reply: Reply | Failure) -> ReplayOutcome | Failure:
    """The model's reply as the outcome of a replay."""
    if isinstance(reply, Failure):
        return reply
    usage = CallUsage(tokens_in=reply.tokens_in, tokens_out=reply.tokens_out, cost_usd=reply.cost_usd)
    return ReplayOutcome(answer=reply.text, usage=usage)
