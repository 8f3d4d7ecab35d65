"""Read outcomes, propose edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, ValidationError

from sleepd.core.aggregate import ProposedEdits
from sleepd.core.model import Edit, EditOp
from sleepd.pipeline.buffer import Failed
from sleepd.pipeline.prompts import Case, advised, reflect_ask, with_files
from sleepd.pipeline.replies import ReplyText, found, replies_to
from sleepd.pipeline.rollout import RunContext

CASES_AT_ONCE = 4
MOST_EDITS = 50
"""Edits read of one reply, whatever the budget: more were never thought about one by one."""


class _Edit(BaseModel):
    """An edit as a model writes it: untrusted."""

    model_config = ConfigDict(extra="ignore")

    op: EditOp = EditOp.ADD
    anchor: str | None = None
    text: str = ""
    reason: str = ""


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    edits: list[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReflectionResult:
    """What the reflection model proposed, and what it said that could not be used."""

    proposed: tuple[ProposedEdits, ...]
    problems: tuple[str, ...]


def reflect(
    ctx: RunContext, skill: str, cases: Sequence[Case], failed: Sequence[Failed], limit: int
) -> ReflectionResult:
    """Ask about failures and successes apart, a few at a time. A reply paid for once is not paid for again.

    At most `limit` edits of each reply are read, and never more than `MOST_EDITS`. Raises `NotMeasured` or
    `BudgetSpent` when the model cannot be reached or the budget is spent.
    """
    limit = min(limit, MOST_EDITS)
    groups = [c for c in cases if not c.succeeded], [c for c in cases if c.succeeded]
    batches = [group[n : n + CASES_AT_ONCE] for group in groups for n in range(0, len(group), CASES_AT_ONCE)]
    asks = [
        advised(with_files(reflect_ask(skill, some, failed, limit, ctx.max_tokens), ctx.companions), ctx.notes)
        for some in batches
    ]
    proposed, problems = [], []
    for some, reply in zip(batches, replies_to(ctx, asks), strict=True):
        edits = parse(reply.text, limit) if isinstance(reply, ReplyText) else reply
        if isinstance(edits, str):
            problems.append(edits)
        else:
            shown = (task for case in some for task in (case.task, *case.neighbours))
            sessions = tuple(dict.fromkeys(str(task.session_id) for task in shown))
            proposed.append(ProposedEdits(edits=edits, sessions=sessions, of_failures=not some[0].succeeded))
    return ReflectionResult(proposed=tuple(proposed), problems=tuple(problems))


def parse(text: str, limit: int) -> tuple[Edit, ...] | str:
    """The edits in a model's reply, at most `limit`, or the sentence that says why there are none to be read.

    Finds the JSON object also inside a fence or prose; an edit that is not one is left out.
    """
    reply = found(text, _Reply)
    if reply is None:
        return "the reflection model's reply holds no edits in JSON"
    return tuple(edit for edit in map(_edit, reply.edits) if edit is not None)[:limit]


def _edit(value: object) -> Edit | None:
    try:
        edit = _Edit.model_validate(value)
        # Lone surrogates can be written in JSON, but in no file.
        "".join((edit.text, edit.anchor or "", edit.reason)).encode()
    except (ValidationError, UnicodeEncodeError):
        return None
    return Edit(op=edit.op, anchor=edit.anchor, text=" ".join(edit.text.split()), reason=" ".join(edit.reason.split()))
