"""The slow update: at the end of an epoch, guidance for the longer term, in a region that no step may edit.

SkillOpt (arXiv 2605.23904), 3.6. A skill text has at most one such region; each slow update writes it anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from sleepd.core import edit
from sleepd.core.edit import Region
from sleepd.core.model import CandidateOrigin, Edit, EditOp, Unmatched
from sleepd.core.ports import Ask, CallPurpose
from sleepd.core.select import Bundle
from sleepd.pipeline.compare import ScoreChange, TaskComparison, comparison_prompt
from sleepd.pipeline.prompts import WHOLE_SKILL
from sleepd.pipeline.replies import ReplyText, found, reply_to, sentences
from sleepd.pipeline.rollout import RunContext
from sleepd.replayers.prompt import part, template
from sleepd.replayers.text import NO_SKILL

LINES = 6
"""Lines of guidance at most: more would be a second skill."""
_KINDS = (ScoreChange.REGRESSED, ScoreChange.PERSISTENT, ScoreChange.IMPROVED)


class SlowMode(StrEnum):
    """How a slow update is taken over."""

    GATED = "gated"
    """It has to pass the gate like any other candidate (the paper, 3.6)."""
    FORCED = "forced"
    """It becomes part of the present text untested, never of the best one without a higher validation score (the
    reference implementation's default)."""
    OFF = "off"


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    guidance: list[str] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionChange:
    """A text with a region written anew or added to."""

    text: str
    """The input itself when there is nothing to change."""
    bundle: Bundle | None
    """What the gate is asked about; None when there is nothing to change."""
    unmatched: tuple[Unmatched, ...] = ()
    problems: tuple[str, ...] = ()


def slow_update(
    ctx: RunContext,
    present: str,
    compared: Sequence[TaskComparison],
    *,
    began_with: str,
    max_tokens: int,
    margin: float,
) -> RegionChange:
    """The present text with guidance for the longer term; the epoch began with the text `began_with`.

    At most `max_tokens` in all; guidance that makes the text shorter has to be no worse by `margin` (gate, promise 8).
    Raises `NotMeasured` or `BudgetSpent`.
    """
    guidance = "\n".join(edit.learnt_lines(present, Region.SLOW_UPDATE))
    parts = [
        part("The file at the beginning", began_with or NO_SKILL, WHOLE_SKILL) if began_with != present else "",
        part("The skill file today", present or NO_SKILL, WHOLE_SKILL),
        part("Your earlier guidance", guidance, WHOLE_SKILL),
        comparison_prompt(compared, _KINDS),
    ]
    reply = reply_to(
        ctx,
        Ask(
            purpose=CallPurpose.REFLECT,
            system=template("slow").format(limit=LINES),
            prompt="\n\n".join(p for p in parts if p),
            max_tokens=ctx.max_tokens,
        ),
    )
    if not isinstance(reply, ReplyText):
        return RegionChange(text=present, bundle=None, problems=(reply,))
    read = found(reply.text, _Reply)
    if read is None:
        return RegionChange(text=present, bundle=None, problems=("the slow update's reply holds no guidance in JSON",))
    lines = read.guidance.splitlines() if isinstance(read.guidance, str) else read.guidance
    sessions = tuple(str(one.task.task.session_id) for one in compared)
    edits = [
        Edit(op=EditOp.ADD, anchor=None, text=line, reason="guidance for the longer term")
        for line in list(sentences(lines))[:LINES]
    ]
    there = Region.SLOW_UPDATE.opening in present
    emptied = edit.set_region(present, Region.SLOW_UPDATE, "") if there else present
    done = edit.apply(emptied, edits, region=Region.SLOW_UPDATE, max_tokens=max_tokens)
    if done.text == present or not (done.applied or there):
        return RegionChange(text=present, bundle=None, unmatched=done.unmatched)
    shorter = edit.tokens(done.text) < edit.tokens(present)
    bundle = Bundle.of(done.applied, sessions, origin=CandidateOrigin.SLOW_UPDATE, margin=margin if shorter else 0.0)
    return RegionChange(text=done.text, bundle=bundle, unmatched=done.unmatched)
