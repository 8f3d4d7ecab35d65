"""What was asked of models: texts by digest, rollouts, reflections. A paid call is stored when it has come in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from sqlalchemy import ColumnElement, Connection, Row, Table, func, select, tuple_, update
from sqlalchemy.dialects.sqlite import Insert
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core.errors import DatabaseDamaged
from sleepd.core.model import Cause, Digest, Rollout, RolloutKey, Score, TaskId, Unscored, digest
from sleepd.core.ports import Reply
from sleepd.core.schedule import SAMPLES_PER_CANDIDATE, Stage, of_candidate, stage
from sleepd.store import schema as t

_KEYS_AT_ONCE = 400
_UNTIL = " until night "


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the calls of one night cost; `cost_usd` is None when a model's price is unknown."""

    rollouts: int
    reflections: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replied:
    """A reflection."""

    prompt: Digest
    """The prompt itself is not kept."""
    model: str
    reply: str
    tokens_in: int | None
    tokens_out: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A rollout without its answer, and when it was made."""

    key: RolloutKey
    value: float | None
    """None: unscored."""
    night_id: str | None


def put_text(connection: Connection, body: str) -> Digest:
    """Keep a text and return its address."""
    address = digest(body)
    connection.execute(upsert(t.texts).values(digest=address, body=body).on_conflict_do_nothing())
    return address


def text(connection: Connection, address: Digest) -> str:
    """The text at this address; raises `NoResultFound` when it was never kept, `DatabaseDamaged` for another text."""
    body = str(connection.execute(select(t.texts.c.body).where(t.texts.c.digest == address)).scalar_one())
    if digest(body) != address:
        raise DatabaseDamaged(
            f"the database holds another text under the address {address[:12]} than was stored there: nothing was "
            "written; `sleepd restore` puts the last backup back"
        )
    return body


def save(connection: Connection, rollouts: Sequence[Rollout], night_id: str) -> None:
    """Keep rollouts. One that is there already stays as it is, unless it could not be scored."""
    rows = [_row(rollout, night_id) for rollout in rollouts]
    if rows:
        connection.execute(_statement(), rows)


@cache
def _statement() -> Insert:
    statement = upsert(t.rollouts)
    fresh = {c.name: statement.excluded[c.name] for c in t.rollouts.c if not c.primary_key}
    keys = [c.name for c in t.rollouts.primary_key]
    return statement.on_conflict_do_update(index_elements=keys, set_=fresh, where=t.rollouts.c.score.is_(None))


def load(connection: Connection, keys: Iterable[RolloutKey], night_id: str) -> dict[RolloutKey, Rollout]:
    """Those of these rollouts that were made.

    What an earlier night could not score is left out, to be made again: a bad hour of the provider must not stand for
    the live text for ever. Only a candidate's own draws stand as they fell, since drawing them again would be choosing.
    """
    c = t.rollouts.c
    columns = tuple_(c.task_id, c.text, c.model, c.judge, c.sample)
    wanted = [(k.task_id, k.text, k.model, k.judge, k.sample) for k in keys]
    found: dict[RolloutKey, Rollout] = {}
    for start in range(0, len(wanted), _KEYS_AT_ONCE):
        query = select(t.rollouts).where(columns.in_(wanted[start : start + _KEYS_AT_ONCE]))
        for row in connection.execute(query):
            if row.score is not None or row.night_id == night_id or of_candidate(row.sample):
                rollout = _rollout(row)
                found[rollout.key] = rollout
    return found


def kept(connection: Connection, tasks: Sequence[TaskId], text: Digest, model: str) -> tuple[Kept, ...]:
    """The rollouts of these tasks under one text and model, in the order of their sample numbers."""
    c = t.rollouts.c
    columns = (c.task_id, c.text, c.model, c.judge, c.sample, c.score, c.night_id)
    query = select(*columns).where(c.task_id.in_(tasks), c.text == text, c.model == model)
    rows = connection.execute(query.order_by(c.sample, c.task_id, c.judge))
    return tuple(Kept(key=_key(row), value=row.score, night_id=row.night_id) for row in rows)


def former(model: str, night_id: str) -> str:
    """The name of the model that answered to `model` until this night found that it does not any more."""
    return f"{model}{_UNTIL}{night_id}"


def is_former(model: str) -> bool:
    """Whether this is a name that `former` gave."""
    return _UNTIL in model


def changes(connection: Connection, tasks: Sequence[TaskId], text: Digest, model: str) -> int:
    """How often rollouts of these tasks under this text and model were set aside."""
    c = t.rollouts.c
    earlier = c.model.startswith(model + _UNTIL, autoescape=True)
    query = select(func.count(c.model.distinct())).where(c.task_id.in_(tasks), c.text == text, earlier)
    return int(connection.execute(query).scalar_one())


def set_aside(connection: Connection, texts: Iterable[Digest], model: str, night_id: str) -> None:
    """Put all rollouts under these texts and model down to the model's former self: kept, and used by nothing."""
    c = t.rollouts.c
    of_texts = update(t.rollouts).where(c.text.in_(list(texts)), c.model == model)
    connection.execute(of_texts.values(model=former(model, night_id)))


def reflection(connection: Connection, prompt: Digest, model: str) -> str | None:
    """The stored reply to a reflection prompt, so that a rerun does not pay for it again."""
    c = t.reflections.c
    query = select(c.reply).where(c.prompt == prompt, c.model == model)
    reply: str | None = connection.execute(query).scalar()
    return reply


def save_reflection(connection: Connection, prompt: Digest, model: str, reply: Reply, night_id: str) -> None:
    statement = upsert(t.reflections).values(
        prompt=prompt,
        model=model,
        night_id=night_id,
        reply=reply.text,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        cost_usd=reply.cost_usd,
    )
    connection.execute(statement.on_conflict_do_nothing())


def replies(connection: Connection, night_id: str) -> tuple[Replied, ...]:
    """What the reflection model replied under this name, in the order of the prompts' addresses."""
    c = t.reflections.c
    rows = connection.execute(select(t.reflections).where(c.night_id == night_id).order_by(c.prompt, c.model))
    return tuple(
        Replied(prompt=Digest(r.prompt), model=r.model, reply=r.reply, tokens_in=r.tokens_in, tokens_out=r.tokens_out)
        for r in rows
    )


def spent(connection: Connection, night_id: str) -> Spent:
    """What one night's stored calls cost."""
    rollouts = _spent(connection, night_id, t.rollouts)
    reflections = _spent(connection, night_id, t.reflections)
    unknown = rollouts.unpriced + reflections.unpriced
    return Spent(
        rollouts=rollouts.calls,
        reflections=reflections.calls,
        tokens_in=(rollouts.tokens_in or 0) + (reflections.tokens_in or 0),
        tokens_out=(rollouts.tokens_out or 0) + (reflections.tokens_out or 0),
        cost_usd=None if unknown else (rollouts.cost or 0.0) + (reflections.cost or 0.0),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SpentOn:
    """What the stored calls for one purpose cost."""

    stage: str
    """A `core.schedule.Stage`, or `reflections`."""
    calls: int
    tokens_in: int
    tokens_out: int
    uncounted: int
    """Calls whose tokens nobody stated; they are in no sum."""


def spent_by_stage(connection: Connection, night_ids: Sequence[str]) -> tuple[SpentOn, ...]:
    """What the stored calls of some nights cost, by what they were made for, in a fixed order; without empty ones."""
    c, r = t.rollouts.c, t.reflections.c
    # The numbers of a purpose begin at whole millions, so that the database can add them up.
    millions = c.sample // SAMPLES_PER_CANDIDATE
    made = select(millions.label("part"), *_sums(t.rollouts)).where(c.night_id.in_(night_ids)).group_by(millions)
    by_stage: dict[str, list[Row[*tuple[int, ...]]]] = {}
    for row in connection.execute(made):
        by_stage.setdefault(stage(row.part * SAMPLES_PER_CANDIDATE).value, []).append(row)
    by_stage["reflections"] = list(
        connection.execute(select(*_sums(t.reflections)).where(r.night_id.in_(night_ids)).having(func.count() > 0))
    )
    order = (*(one.value for one in Stage), "reflections")
    return tuple(_spent_on(name, by_stage[name]) for name in order if by_stage.get(name))


def _sums(table: Table) -> tuple[ColumnElement[int], ...]:
    c = table.c
    known = func.count(c.tokens_in + c.tokens_out)
    return (
        func.count().label("calls"),
        func.coalesce(func.sum(c.tokens_in), 0).label("tokens_in"),
        func.coalesce(func.sum(c.tokens_out), 0).label("tokens_out"),
        (func.count() - known).label("uncounted"),
    )


def _spent_on(name: str, parts: Sequence[Row[*tuple[int, ...]]]) -> SpentOn:
    return SpentOn(
        stage=name,
        calls=sum(part.calls for part in parts),
        tokens_in=sum(part.tokens_in for part in parts),
        tokens_out=sum(part.tokens_out for part in parts),
        uncounted=sum(part.uncounted for part in parts),
    )


def _spent(connection: Connection, night_id: str, table: Table) -> Row[tuple[int, int, int, float, int]]:
    c = table.c
    query = select(
        func.count().label("calls"),
        func.sum(c.tokens_in).label("tokens_in"),
        func.sum(c.tokens_out).label("tokens_out"),
        func.sum(c.cost_usd).label("cost"),
        (func.count() - func.count(c.cost_usd)).label("unpriced"),
    ).where(c.night_id == night_id)
    return connection.execute(query).one()


def _row(rollout: Rollout, night_id: str) -> dict[str, object]:
    result = rollout.result
    return {
        "task_id": rollout.key.task_id,
        "text": rollout.key.text,
        "model": rollout.key.model,
        "judge": rollout.key.judge,
        "sample": rollout.key.sample,
        "night_id": night_id,
        "mode": rollout.mode,
        "answer": rollout.answer,
        "score": result.value if isinstance(result, Score) else None,
        "cause": result.cause.value if isinstance(result, Unscored) else None,
        "reason": result.reason,
        "tokens_in": rollout.tokens_in,
        "tokens_out": rollout.tokens_out,
        "cost_usd": rollout.cost_usd,
    }


def _key(row: Row[*tuple[object, ...]]) -> RolloutKey:
    return RolloutKey(
        task_id=TaskId(row.task_id),
        text=Digest(row.text),
        model=row.model,
        judge=Digest(row.judge),
        sample=row.sample,
    )


def _rollout(row: Row[tuple[object, ...]]) -> Rollout:
    if row.cause is None:
        result: Score | Unscored = Score(value=row.score, reason=row.reason)
    else:
        result = Unscored(cause=Cause(row.cause), reason=row.reason)
    return Rollout(
        key=_key(row),
        result=result,
        answer=row.answer,
        tokens_in=row.tokens_in,
        tokens_out=row.tokens_out,
        cost_usd=row.cost_usd,
        mode=row.mode,
    )
