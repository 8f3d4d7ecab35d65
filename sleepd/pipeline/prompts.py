"""What is said to models. Untrusted text stands behind a bar on each line, so that it cannot end its own quote."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sleepd.core.aggregate import Backed
from sleepd.core.model import AnswerOutcome, Rollout, Score, Task, Unscored
from sleepd.core.ports import Ask, CallPurpose
from sleepd.pipeline.buffer import Failed
from sleepd.replayers.prompt import part, quoted, template
from sleepd.replayers.text import NO_SKILL

WHOLE_SKILL = 40_000
"""A skill is shown whole: what cannot be seen would be proposed again."""
_FAILED_SHOWN = 20
"""Of each kind, the newest."""
_FAILED = "Changes that were tried and did not help (do not propose them again):"
_DECLINED = (
    "Changes that the user turned down, and why (never propose them again, nor anything the reason speaks against):"
)
_NOTES = "Your own notes from earlier rounds, on proposing changes (what you see below counts for more)"
_COMPANIONS = "Files beside the skill file that it names (they are the user's and no edit reaches them)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One piece of work as the reflection model sees it."""

    task: Task
    rollouts: tuple[Rollout, ...]
    """What today's text makes of it, once or several times."""
    neighbours: tuple[Task, ...]
    """Similar past work, nearest first."""

    @property
    def scores(self) -> tuple[float, ...]:
        """The scores of those that could be scored."""
        return tuple(r.result.value for r in self.rollouts if isinstance(r.result, Score))

    @property
    def succeeded(self) -> bool:
        """Whether every rollout was scored and perfect."""
        return len(self.scores) == len(self.rollouts) and all(value >= 1 for value in self.scores)


def reflect_ask(skill: str, cases: Sequence[Case], failed: Sequence[Failed], limit: int, max_tokens: int) -> Ask:
    """Ask for edits: what is wrong, or, where all went well, what must be kept.

    The checks themselves are never shown: the model could write to the test.
    """
    parts = [
        part("The skill file today", skill or NO_SKILL, WHOLE_SKILL),
        *(_case(number, case) for number, case in enumerate(cases, 1)),
    ]
    for heading, ones in (
        (_DECLINED, [f for f in failed if f.by_person]),
        (_FAILED, [f for f in failed if not f.by_person]),
    ):
        parts += [heading] * bool(ones) + [
            quoted(f"{one.edit.op} {one.edit.text or one.edit.anchor}" + (f"\nwhy: {one.why}" if one.why else ""))
            for one in ones[-_FAILED_SHOWN:]
        ]
    return Ask(
        purpose=CallPurpose.REFLECT,
        system=template("keep" if all(c.succeeded for c in cases) else "reflect").format(limit=limit),
        prompt="\n\n".join(parts),
        max_tokens=max_tokens,
    )


def rank_ask(skill: str, backed: Sequence[Backed], most: int | None, max_tokens: int) -> Ask:
    """Ask which changes come first, which say the same, and which cannot both hold; with `most`, how many to make."""
    parts = [
        part("The skill file today", skill or NO_SKILL, WHOLE_SKILL),
        *(_change(number, one) for number, one in enumerate(backed, 1)),
    ]
    number = template("number").format(most=most) if most is not None else ""
    return Ask(
        purpose=CallPurpose.REFLECT,
        system=template("rank") + number,
        prompt="\n\n".join(parts),
        max_tokens=max_tokens,
    )


def screen_ask(added: str, max_tokens: int) -> Ask:
    """Ask what the lines that a proposal adds would make an agent do."""
    return Ask(
        purpose=CallPurpose.REFLECT,
        system=template("screen"),
        prompt=part("The lines", added, WHOLE_SKILL),
        max_tokens=max_tokens,
    )


def with_files(ask: Ask, files: str) -> Ask:
    """The same question with the files that the skill file names before it; as it was when there are none."""
    return replace(ask, prompt=f"{part(_COMPANIONS, files, WHOLE_SKILL)}\n\n{ask.prompt}") if files else ask


def advised(ask: Ask, notes: str) -> Ask:
    """The same question with the strategy notes of earlier epochs before it; as it was when there are none."""
    return replace(ask, prompt=f"{part(_NOTES, notes)}\n\n{ask.prompt}") if notes.strip() else ask


def _change(number: int, one: Backed) -> str:
    times = f"{one.support} reflection{'s' * (one.support > 1)}"
    material = "work that went wrong" if one.of_failures else "work that went well"
    heading = f"## Change {number} (proposed by {times}, on {material})"
    edit = f"{one.edit.op} {one.edit.text}".strip()
    return "\n".join(
        p
        for p in (
            heading,
            part("the change", edit),
            part("the line it is put to", one.edit.anchor or ""),
            part("the reason given", one.edit.reason),
        )
        if p
    )


def _case(number: int, case: Case) -> str:
    # Today's answer; where the same text did it well and badly, both, so that the difference teaches.
    ordered = sorted(case.rollouts, key=lambda r: -r.result.value if isinstance(r.result, Score) else 1.0)
    best, worst = ordered[0], ordered[-1]
    if best.result == worst.result:
        answers = [part("today's answer", best.answer)]
    else:
        answers = [part("today's better answer", best.answer), part("today's worse answer", worst.answer)]
    parts = [
        f"## Work {number} (today's answer scores {_score(case)} of 1)",
        part("the request", case.task.request),
        part("what came before", case.task.context),
        *answers,
        *history(case.task),
    ]
    for nearness, neighbour in enumerate(case.neighbours, 1):
        parts.append(f"### Similar past work {nearness}")
        parts.append(part("the request", neighbour.request))
        parts += history(neighbour)
    return "\n".join(p for p in parts if p)


def _score(case: Case) -> str:
    if not case.scores:
        result = case.rollouts[0].result
        return f"unscored ({result.cause})" if isinstance(result, Unscored) else "unscored"
    return " and ".join(f"{value:.2f}" for value in sorted(set(case.scores), reverse=True))


def history(task: Task) -> Iterable[str]:
    """Good and bad attempts side by side, with the reactions."""
    for attempt in task.attempts:
        if attempt.outcome is not AnswerOutcome.UNKNOWN:
            yield part(f"{attempt.outcome} in the past", attempt.answer)
        if attempt.outcome is AnswerOutcome.REJECTED:
            yield part("a tool said", attempt.tool_output or "")
            yield part("the user said", attempt.reaction or "")
