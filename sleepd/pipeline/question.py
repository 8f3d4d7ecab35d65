"""Put the screen's closed questions to the reflection model: what would these lines make an agent do?

Its yes adds a finding. Its no takes none away, and it is asked only about text in which the patterns found nothing.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from sleepd.core import budget
from sleepd.core.screen import EXCERPT_CHARS, Finding
from sleepd.pipeline.prompts import screen_ask
from sleepd.pipeline.replies import ReplyText, found, reply_to
from sleepd.pipeline.rollout import RunContext

UNANSWERED = "the reflection model did not answer the questions about it"
_QUESTIONS = (
    ("fetch-and-execute", "the reflection model reads it as running something from outside the project"),
    ("outgoing-data", "the reflection model reads it as sending something away"),
    ("environment-or-permissions", "the reflection model reads it as making something run by itself"),
    ("credentials", "the reflection model reads it as touching secrets"),
    ("environment-or-permissions", "the reflection model reads it as widening permissions"),
    ("environment-or-permissions", "the reflection model reads it as weakening a check"),
    ("override", "the reflection model reads it as taking another text for the person's word"),
    ("override", "the reflection model reads it as keeping something from the person"),
    ("environment-or-permissions", "the reflection model reads it as changing what binds the agent"),
    ("environment-or-permissions", "the reflection model reads it as leaving a door open"),
    ("hidden-text", "the reflection model cannot read a part of it"),
)
"""The rule and the reason of a yes to each question of `screen.md`, in its order."""


class _Reply(BaseModel):
    """Answers as a model writes them: untrusted."""

    model_config = ConfigDict(extra="ignore")

    yes: list[object]


def question(ctx: RunContext, added: str) -> tuple[Finding, ...]:
    """A finding for each question that the model answers with yes; one as well when its reply cannot be used.

    Raises `NotMeasured` or `BudgetSpent` when the model cannot be reached or the budget is spent: the lines then reach
    nobody before it was asked.
    """
    reply = reply_to(ctx, screen_ask(added, ctx.max_tokens))
    read = found(reply.text, _Reply) if isinstance(reply, ReplyText) else None
    excerpt = " ".join(added.split())[:EXCERPT_CHARS]
    if read is None:
        return (Finding(rule="override", excerpt=excerpt, why=UNANSWERED),)
    numbers = {budget.stated(answer, len(_QUESTIONS)) for answer in read.yes}
    named = [_QUESTIONS[number - 1] for number in sorted(n for n in numbers if n)]
    if read.yes and not named:
        return (Finding(rule="override", excerpt=excerpt, why=UNANSWERED),)
    return tuple(Finding(rule=rule, excerpt=excerpt, why=why) for rule, why in named)
