"""What a judge said of exchanges, and what the person answered to cards; by content, so that nothing is asked twice."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core.behaviour import Keeping
from sleepd.core.model import Digest
from sleepd.core.rubric import CardAnswer, ExchangeVerdict
from sleepd.store.schema_parts import rubric_cards, rubric_verdicts


def verdicts(
    connection: Connection, rubric: Digest, prompt: str, model: str | None = None
) -> dict[Digest, ExchangeVerdict]:
    """Exchange -> what was said of it by this version of the prompt; of several models the newest usable word."""
    c = rubric_verdicts.c
    query = (
        select(rubric_verdicts)
        .where(c.rubric == rubric, c.prompt == prompt)
        .order_by(c.keeping.is_not(None), c.at, c.model)
    )
    if model is not None:
        query = query.where(c.model == model)
    return {
        Digest(row.outcome): ExchangeVerdict(keeping=Keeping(row.keeping) if row.keeping else None, why=row.why)
        for row in connection.execute(query)
    }


def judged(connection: Connection, prompt: str) -> frozenset[Digest]:
    """The rubrics that a judge was asked about."""
    query = select(rubric_verdicts.c.rubric).where(rubric_verdicts.c.prompt == prompt).distinct()
    return frozenset(Digest(rubric) for rubric in connection.execute(query).scalars())


def keep_verdicts(
    connection: Connection,
    rubric: Digest,
    found: Mapping[Digest, ExchangeVerdict],
    prompt: str,
    model: str,
    now: datetime,
) -> None:
    """Keep what a judge said; what was kept before stays."""
    rows = [
        {
            "rubric": rubric,
            "outcome": exchange,
            "prompt": prompt,
            "model": model,
            "keeping": one.keeping.value if one.keeping is not None else None,
            "why": one.why,
            "at": now,
        }
        for exchange, one in found.items()
    ]
    if rows:
        connection.execute(upsert(rubric_verdicts).on_conflict_do_nothing(), rows)


def answers(connection: Connection, rubric: Digest) -> dict[Digest, CardAnswer]:
    """Exchange -> what the person answered."""
    c = rubric_cards.c
    rows = connection.execute(select(c.outcome, c.answer).where(c.rubric == rubric))
    return {Digest(row.outcome): CardAnswer(row.answer) for row in rows}


def answer(connection: Connection, rubric: Digest, exchange: Digest, said: CardAnswer, now: datetime) -> None:
    """Keep an answer in the place of an earlier one."""
    statement = upsert(rubric_cards)
    changed = {name: statement.excluded[name] for name in ("answer", "at")}
    connection.execute(
        statement.on_conflict_do_update(index_elements=["rubric", "outcome"], set_=changed),
        [{"rubric": rubric, "outcome": exchange, "answer": said.value, "at": now}],
    )
