"""The appendix: when the skill already says it and the agent did not keep it, a reminder instead of a second rule.

After EmbodiSkill's split of a skill into body and appendix (arXiv 2605.10332), which the reference implementation of
SkillOpt follows. A reminder has to name the rule it reminds of, letter for letter, and passes the gate like any edit.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from sleepd.core import edit, plaintext
from sleepd.core.edit import Region
from sleepd.core.model import CandidateOrigin, Edit, EditOp
from sleepd.core.ports import Ask, CallPurpose
from sleepd.core.select import Bundle
from sleepd.pipeline.compare import ScoreChange, TaskComparison, comparison_prompt
from sleepd.pipeline.prompts import WHOLE_SKILL
from sleepd.pipeline.replies import ReplyText, found, reply_to, sentences
from sleepd.pipeline.rollout import RunContext
from sleepd.pipeline.slow import RegionChange
from sleepd.replayers.prompt import part, template

REMINDERS = 2
"""At a time: they compete for the same attention as the rules."""
_CLIPPED = 200
_KINDS = (ScoreChange.REGRESSED, ScoreChange.PERSISTENT)


class _Reminder(BaseModel):
    model_config = ConfigDict(extra="ignore")

    rule: str = ""
    reminder: str = ""


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    reminders: list[_Reminder]


def remind(ctx: RunContext, present: str, compared: Sequence[TaskComparison], max_tokens: int) -> RegionChange:
    """The present text with reminders of rules that it holds and that were broken.

    Nothing is asked when nothing failed or there is no rule. At most `max_tokens` tokens in all. Raises `NotMeasured`
    or `BudgetSpent`.
    """
    failed = [one for one in compared if one.change in _KINDS]
    if not failed or not rules(present):
        return RegionChange(text=present, bundle=None)
    reply = reply_to(
        ctx,
        Ask(
            purpose=CallPurpose.REFLECT,
            system=template("appendix").format(limit=REMINDERS),
            prompt="\n\n".join([part("The skill file today", present, WHOLE_SKILL), comparison_prompt(failed, _KINDS)]),
            max_tokens=ctx.max_tokens,
        ),
    )
    if not isinstance(reply, ReplyText):
        return RegionChange(text=present, bundle=None, problems=(reply,))
    read = found(reply.text, _Reply)
    if read is None:
        return RegionChange(text=present, bundle=None, problems=("the reply about reminders holds none in JSON",))
    known = rules(present)
    named = [r for r in read.reminders if _key(r.rule) in known]
    problems = [
        f"no reminder, since the skill does not say it: {_clipped(r.rule)}" for r in read.reminders if r not in named
    ]
    edits = [
        Edit(op=EditOp.ADD, anchor=None, text=text, reason=f"not kept: {_clipped(r.rule)}")
        for r in named
        for text in sentences([r.reminder])
    ]
    done = edit.apply(present, edits[:REMINDERS], region=Region.APPENDIX, max_tokens=max_tokens)
    if not done.applied:
        return RegionChange(text=present, bundle=None, unmatched=done.unmatched, problems=tuple(problems))
    sessions = tuple(str(one.task.task.session_id) for one in failed)
    bundle = Bundle.of(done.applied, sessions, origin=CandidateOrigin.APPENDIX)
    return RegionChange(text=done.text, bundle=bundle, unmatched=done.unmatched, problems=tuple(problems))


def rules(text: str) -> frozenset[str]:
    """The lines of a skill that a reminder may name, as `plaintext.key`s without their bullet; not its appendix."""
    keys: list[str] = []
    for one in edit.split_regions(text):
        if one.region is not Region.APPENDIX:
            lines = plaintext.lines(one.body)
            start = plaintext.frontmatter_end(lines) if one.region is None else 0
            keys.extend(key for key in map(_key, lines[start:]) if key)
    for region in (Region.LEARNT, Region.SLOW_UPDATE):
        keys.extend(map(_key, edit.learnt_lines(text, region)))
    return frozenset(keys)


def _key(line: str) -> str:
    return plaintext.key(line.strip().lstrip("-*+•# "))


def _clipped(rule: str) -> str:
    return " ".join(sentences([rule]))[:_CLIPPED]
