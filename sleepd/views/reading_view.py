"""What a reading of turns and lessons would ask, and what it brought."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sleepd.core.act_reading import Agreement
from sleepd.core.lesson_reading import Fate, LessonsRead, ReadingPlan
from sleepd.views.report import Plain, count

_CLIPPED = 100


def plan_text(plan: ReadingPlan) -> str:
    """Calls and tokens, before anything is asked."""
    if not plan.act_calls and not plan.lesson_calls:
        return f"Everything was read by {plan.model} before; nothing would be asked."
    lines = [
        f"{plan.model} would be asked:",
        f"  {count(plan.act_calls, 'call')} about what {count(plan.turns, 'turn')} of yours are",
        f"  {count(plan.lesson_calls, 'call')} about the lessons",
        f"together about {plan.tokens:,} tokens sent; at most {count(plan.most_calls, 'call')} a reading "
        "(lessons.max_calls). Nothing was asked now.",
    ]
    return "\n".join(lines)


def plan_json(plan: ReadingPlan) -> Plain:
    return {
        "model": plan.model,
        "turns": plan.turns,
        "act_calls": plan.act_calls,
        "lesson_calls": plan.lesson_calls,
        "tokens": plan.tokens,
        "max_calls": plan.most_calls,
    }


def reading_text(model: str, agreed: Agreement, read: LessonsRead, troubles: Sequence[str]) -> str:
    """How the model and the signs agree, and what became of the model's lessons."""
    lines = []
    if agreed.read:
        lines.append(
            f"{model} read {count(agreed.read, 'turn')}: {agreed.same} as the signs do; of "
            f"{count(agreed.corrections, 'turn')} that either calls a correction, both do of {agreed.both}."
        )
    if agreed.unusable:
        lines.append(f"For {count(agreed.unusable, 'turn')} the reply could not be used; the signs decide there.")
    fates = Counter(fate for _, fate in read.fates)
    lines.append(
        f"{count(len(read.fates), 'lesson')} in the replies: {fates[Fate.NEW]} new, {fates[Fate.JOINED]} joined with "
        f"what was known, {fates[Fate.NO_QUOTE] + fates[Fate.NO_RULE]} dropped; "
        f"{count(read.dropped_quotes, 'quote')} not found where it should be."
    )
    lines += [
        f"  dropped ({fate}): {rule[:_CLIPPED]}" for rule, fate in read.fates if fate in (Fate.NO_QUOTE, Fate.NO_RULE)
    ]
    if troubles:
        lines.append(f"{count(len(troubles), 'call')} gave no answer, and will be made again: {troubles[0]}")
    return "\n".join([*lines, ""])
