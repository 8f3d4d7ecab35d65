"""The meta skill: what the reflection model notes for itself about proposing changes. No skill text ever holds it.

SkillOpt (arXiv 2605.23904), 3.6: memory of the optimiser, distilled at the end of an epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict

from sleepd.core.model import Candidate, Verdict
from sleepd.core.ports import Ask, CallPurpose
from sleepd.pipeline.compare import TaskComparison, comparison_prompt
from sleepd.pipeline.prompts import advised
from sleepd.pipeline.replies import ReplyText, found, reply_to, sentences
from sleepd.pipeline.rollout import RunContext
from sleepd.replayers.prompt import part, template
from sleepd.store import notes as stored
from sleepd.store.proposals import Trial

NOTES = 8
_LONGEST = 300
_SHOWN = 20
"""Candidates of one epoch, the newest."""


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    notes: list[str] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesResult:
    """The strategy notes after an epoch."""

    notes: str
    """One a line; the earlier ones when the reply could not be used."""
    problems: tuple[str, ...] = ()


def take_notes(ctx: RunContext, trials: Sequence[Trial], compared: Sequence[TaskComparison]) -> NotesResult:
    """The notes in `ctx`, written anew from what was accepted and rejected. Raises `NotMeasured` or `BudgetSpent`.

    Nothing is asked when nothing was tried.
    """
    if not trials:
        return NotesResult(notes=ctx.notes)
    tried = "\n\n".join(_tried(t.candidate, t.effect) for t in trials[-_SHOWN:])
    ask = Ask(
        purpose=CallPurpose.REFLECT,
        system=template("meta").format(limit=NOTES),
        prompt="\n\n".join([tried, comparison_prompt(compared, ())]) if compared else tried,
        max_tokens=ctx.max_tokens,
    )
    reply = reply_to(ctx, advised(ask, ctx.notes))
    if not isinstance(reply, ReplyText):
        return NotesResult(notes=ctx.notes, problems=(reply,))
    read = found(reply.text, _Reply)
    if read is None:
        return NotesResult(notes=ctx.notes, problems=("the reply about strategy holds no notes in JSON",))
    lines = read.notes.splitlines() if isinstance(read.notes, str) else read.notes
    kept = [line[:_LONGEST] for line in sentences(lines)][:NOTES]
    return NotesResult(notes="\n".join(kept) or ctx.notes)


def with_notes(ctx: RunContext, path: str) -> RunContext:
    """The context for a night's work on one file, with the notes that earlier nights left."""
    with ctx.database.reading() as connection:
        return replace(ctx, notes=stored.latest(connection, path, but_of=ctx.run.id))


def keep_notes(ctx: RunContext, path: str, trials: Sequence[Trial]) -> tuple[str, ...]:
    """Write the notes on one file anew from what tonight decided; the problems with that.

    `ctx` is that of `with_notes`. Raises `NotMeasured` or `BudgetSpent`.
    """
    decided = [t for t in trials if t.candidate.verdict is not Verdict.UNDECIDED]
    noted = take_notes(ctx, decided, ())
    if noted.notes != ctx.notes:
        with ctx.database.writing() as connection:
            stored.save(connection, path, ctx.run.id, noted.notes)
    return noted.problems


def _tried(candidate: Candidate, effect: float | None) -> str:
    measured = "" if effect is None else f", mean difference {effect:+.2f}"
    verdict = "accepted" if candidate.verdict is Verdict.ACCEPTED else f"{candidate.verdict}: {candidate.reason}"
    changes = "\n".join(
        f"{e.op} {e.text or e.anchor}" + (f" (because: {e.reason})" if e.reason else "") for e in candidate.edits
    )
    return f"## Tried ({candidate.origin}), {verdict}{measured}\n{part('the changes', changes)}"
