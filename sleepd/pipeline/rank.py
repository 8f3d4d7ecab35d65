"""Put the proposed edits in order: what says the same is joined, what cannot both hold is kept apart."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict

from sleepd.core import aggregate, budget, ngrams
from sleepd.core.aggregate import Backed, Rivals
from sleepd.core.select import Field, Ranking, contested
from sleepd.pipeline.prompts import advised, rank_ask
from sleepd.pipeline.replies import ReplyText, found, replies_to
from sleepd.pipeline.rollout import RunContext

SHOWN = 40
"""Changes that one question shows, the best supported; the others keep their place behind them."""


class _Reply(BaseModel):
    """An order as a model writes it: untrusted."""

    model_config = ConfigDict(extra="ignore")

    order: list[object]
    same: object = None
    opposed: object = None
    number: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankResult:
    """The field in the order in which it is taken."""

    field: Field
    rivals: Rivals
    edit_budget: int
    """The budget in force: what was given, or what the reflection model stated, up to that."""
    problems: tuple[str, ...] = ()


def rank(
    ctx: RunContext, skill: str, field: Field, ranking: Ranking, edit_budget: int, *, autonomous: bool
) -> RankResult:
    """The field ranked and without what says the same twice; with `autonomous` the reflection model states
    the budget.

    The model is asked at most once, and only where its answer decides something. A reply that cannot be used leaves the
    order by support, and is reported. Raises `NotMeasured` or `BudgetSpent`.
    """
    rivals = _rivals(ctx, field.fresh)
    asked = ranking is Ranking.MODEL and contested(field, edit_budget, rivals)
    if not field.fresh or not (asked or autonomous):
        return RankResult(field=field, rivals=rivals, edit_budget=edit_budget)
    shown = field.fresh[:SHOWN]
    ask = rank_ask(skill, shown, edit_budget if autonomous else None, ctx.max_tokens)
    (reply,) = replies_to(ctx, [advised(ask, ctx.notes)])
    read = found(reply.text, _Reply) if isinstance(reply, ReplyText) else None
    if read is None:
        why = "its reply holds none in JSON" if isinstance(reply, ReplyText) else reply
        problem = f"the order is by support, since the reflection model gave none: {why}"
        return RankResult(field=field, rivals=rivals, edit_budget=edit_budget, problems=(problem,))
    granted = budget.stated(read.number, edit_budget) if autonomous else edit_budget
    problems = [] if granted is not None else ["the reflection model did not say how many edits this step deserves"]
    if ranking is Ranking.MODEL:
        field, rivals, problem = _arranged(field, rivals, read)
        problems += [problem] * bool(problem)
    return RankResult(
        field=field,
        rivals=rivals,
        edit_budget=edit_budget if granted is None else granted,
        problems=tuple(problems),
    )


def _rivals(ctx: RunContext, fresh: Sequence[Backed]) -> Rivals:
    """Pairs that never share a candidate: at odds by their words, or about the same thing."""
    edits = [b.edit for b in fresh]
    if len(edits) < 2:
        return frozenset()
    texts = [aggregate.about(e) for e in edits]
    vectors = ngrams.combine(ctx.embedder.encode(texts), texts, english_only=ctx.embedder.english_only)
    return aggregate.opposed(edits) | aggregate.near(edits, vectors)


def _arranged(field: Field, rivals: Rivals, read: _Reply) -> tuple[Field, Rivals, str]:
    """The field in the model's order, with what is wrong with that order, "" if nothing."""
    shown = field.fresh[:SHOWN]
    named = list(dict.fromkeys(n for n in map(_place, read.order) if n is not None and n < len(shown)))
    if not named:
        return field, rivals, "the order is by support, since the reflection model's names no change there is"
    left = [n for n in range(len(shown)) if n not in named]
    ordered = (*(shown[n] for n in (*named, *left)), *field.fresh[SHOWN:])
    groups = [[shown[n].edit.id for n in group if n < len(shown)] for group in _groups(read.same)]
    at_odds = [frozenset(shown[n].edit.id for n in pair if n < len(shown)) for pair in _groups(read.opposed)]
    rivals |= frozenset(frozenset(pair) for group in at_odds for pair in itertools.combinations(group, 2))
    joined = aggregate.join(ordered, groups, aggregate.opposed([b.edit for b in ordered]))
    wrong = len(read.order) - len(named) + len(left)
    problem = f"the reflection model's order names some changes twice or not at all: {wrong} of {len(shown)}"
    return replace(field, fresh=joined), rivals, problem if wrong else ""


def _groups(value: object) -> Iterator[list[int]]:
    """The groups of numbers that a model wrote, from 0; whatever else it wrote there is left out."""
    for group in value if isinstance(value, list) else []:
        members = [n for n in map(_place, group if isinstance(group, list) else []) if n is not None]
        if len(members) > 1:
            yield members


def _place(value: object) -> int | None:
    """A number from 1 as a place from 0."""
    number = budget.stated(value, SHOWN + 1)
    return number - 1 if number else None
