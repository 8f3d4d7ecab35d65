"""What a judge model was asked about a lesson, what it is worth, and the cards that the person answers."""

from __future__ import annotations

from collections.abc import Sequence

from sleepd.core.rubric import Estimated, JudgedExchange, JudgedLesson, JudgingPlan
from sleepd.views import report
from sleepd.views.proposal_view import LineStyle, PageLine
from sleepd.views.report import Plain


def plan_text(plan: JudgingPlan) -> str:
    """Calls and tokens, before anything is asked."""
    if not plan.calls:
        return f"{plan.model} has read every exchange for lesson {plan.lesson.id[:6]}; nothing would be asked."
    return (
        f"{plan.model} would be asked in {report.count(plan.calls, 'call')} whether this rule was kept in "
        f"{report.count(plan.exchanges, 'exchange')}: {plan.lesson.text}\n"
        f"about {plan.tokens:,} tokens sent. Nothing was asked now."
    )


def plan_json(plan: JudgingPlan) -> Plain:
    return {
        "lesson": plan.lesson.id,
        "model": plan.model,
        "exchanges": plan.exchanges,
        "calls": plan.calls,
        "tokens": plan.tokens,
    }


def judged_text(one: JudgedLesson) -> str:
    """What the judge said over the history, whether it gates, and what is missing."""
    broken = sum(found.broken for found in one.judged)
    corrected = sum(found.exchange.corrected for found in one.judged)
    both = sum(found.broken and found.exchange.corrected for found in one.judged)
    lines = [
        f"{one.lesson.id[:6]}  {one.lesson.text}",
        f"the judge calls {broken} of {report.count(len(one.judged), 'exchange')} broken; you corrected {corrected}, "
        f"{both} of them among these",
    ]
    if one.error is not None:
        lines.append(
            f"by {one.error.cards} of your cards, {_share(one.error.broken)} are broken (the judge says "
            f"{one.error.said:.0%})"
        )
    lines.append(f"{one.validity.word}: {one.validity.why}")
    if one.waiting:
        lines.append(f"{report.count(len(one.waiting), 'card')} for you: sleepd review")
    if one.troubles:
        lines.append(
            f"{report.count(len(one.troubles), 'call')} gave no answer, and will be made again: {one.troubles[0]}"
        )
    return "\n".join(lines)


def judged_json(one: JudgedLesson) -> Plain:
    error = one.error
    return {
        "lesson": one.lesson.id,
        "rule": one.rubric.question,
        "exchanges": len(one.judged),
        "called_broken": sum(found.broken for found in one.judged),
        "corrected": sum(found.exchange.corrected for found in one.judged),
        "judged": report.validity_json(one.validity),
        "cards": {"offered": len(one.cards), "waiting": len(one.waiting)},
        "error": None
        if error is None
        else {
            "cards": error.cards,
            "sensitivity": _json(error.sensitivity),
            "specificity": _json(error.specificity),
            "said": error.said,
            "broken": _json(error.broken),
        },
        "troubles": list(one.troubles),
    }


def card_page(one: JudgedLesson, card: JudgedExchange, number: int, of: int) -> list[PageLine]:
    """One card. It says neither what the judge said nor what the person did then: that would answer it."""
    lines = [
        PageLine(f"card {number} of {of}: was this rule kept?", LineStyle.HEAD),
        PageLine(f"  {one.rubric.question}"),
        PageLine("you asked:", LineStyle.QUIET),
        *(PageLine(f"  {line}") for line in card.exchange.request.splitlines()),
        PageLine("the agent:", LineStyle.QUIET),
        *(PageLine(f"  {line}") for line in card.exchange.done.splitlines()),
        PageLine(""),
    ]
    return lines


def cards_json(found: Sequence[JudgedLesson]) -> list[Plain]:
    """The cards that wait, in the order in which they are asked."""
    return [
        {
            "lesson": one.lesson.id,
            "rule": one.rubric.question,
            "card": card.exchange.key[:12],
            "session": card.exchange.session.split(":", 1)[-1],
            "turn": card.exchange.turn,
            "request": card.exchange.request,
            "done": card.exchange.done,
        }
        for one in found
        for card in one.waiting
    ]


def _share(one: Estimated) -> str:
    return f"{one.value:.0%} [{one.low:.0%}, {one.high:.0%}]"


def _json(one: Estimated) -> Plain:
    return {"value": round(one.value, 3), "low": round(one.low, 3), "high": round(one.high, 3)}
