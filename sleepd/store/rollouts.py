"""What was asked of models: texts by digest, rollouts, reflections. A paid call is stored when it has come in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, Row, Table, func, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core.errors import DatabaseDamaged
from sleepd.core.model import (
    CallUsage,
    Cause,
    Digest,
    Purpose,
    Replay,
    Rollout,
    RolloutKey,
    RunId,
    Sample,
    Score,
    TaskId,
    Unscored,
    digest,
)
from sleepd.core.ports import Reply
from sleepd.store import runs
from sleepd.store import schema as t

_KEY = ("task_id", "text", "model", "judge", "replay", "purpose", "series", "ordinal", "night")
_STAGES = {
    Purpose.BASELINE: "live text",
    Purpose.CONFIRMATION: "live text",
    Purpose.CANDIDATE: "candidates",
    Purpose.LEARNING: "learning",
    Purpose.COMPARISON: "epochs compared",
    Purpose.EVALUATION: "evaluation",
    Purpose.SEALED: "sealed tasks",
    Purpose.PROOF: "proof-run",
    Purpose.RACE: "race",
    Purpose.ATTRIBUTION: "attribution",
    Purpose.CALIBRATION: "calibration",
    Purpose.DRIFT: "drift",
}
"""What a rollout was made for, in the words of a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What the calls of one night cost; `cost_usd` is None when a model's price is unknown."""

    rollouts: int
    reflections: int
    tokens_in: int
    tokens_out: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """A reply of the reflection model."""

    prompt: Digest
    """The prompt itself is not kept."""
    model: str
    reply: str
    tokens_in: int | None
    tokens_out: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutScore:
    """A rollout without its answer, and the run it was made in."""

    key: RolloutKey
    value: float | None
    """None: unscored."""
    run_id: str | None


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


_NEW = upsert(t.rollouts)
_SAVE = _NEW.on_conflict_do_update(
    index_elements=[c.name for c in t.rollouts.primary_key],
    set_={c.name: _NEW.excluded[c.name] for c in t.rollouts.c if not c.primary_key},
    where=t.rollouts.c.score.is_(None),
)


def save(connection: Connection, rollouts: Sequence[Rollout], run: RunId) -> None:
    """Keep rollouts. One that is there already stays as it is, unless it could not be scored."""
    made_in = runs.columns(connection, run) if rollouts else {}
    rows = []
    for rollout in rollouts:
        result = rollout.result
        row: dict[str, object] = {
            "invalidated_by": 0,
            "answer": rollout.answer,
            "score": result.value if isinstance(result, Score) else None,
            "cause": result.cause.value if isinstance(result, Unscored) else None,
            "reason": result.reason,
            "tokens_in": rollout.usage.tokens_in,
            "tokens_out": rollout.usage.tokens_out,
            "cost_usd": rollout.usage.cost_usd,
        }
        rows.append(_key_row(rollout.key) | row | made_in)
    if rows:
        connection.execute(_SAVE, rows)


def load(connection: Connection, keys: Iterable[RolloutKey], run: RunId) -> dict[RolloutKey, Rollout]:
    """Those of these rollouts that were made, and not invalidated since because the model changed.

    Rollouts that an earlier run could not score are left out, to be made again: a bad hour of the provider must not
    speak for the live text for ever. Only those that belong to a night stay as they fell: they are compared with
    others, and drawing them again would be choosing.
    """
    c = t.rollouts.c
    wanted = json.dumps([[_key_row(key)[column] for column in _KEY] for key in keys])
    listed = func.json_each(wanted).table_valued("value")
    same = [c[column] == func.json_extract(listed.c.value, f"$[{place}]") for place, column in enumerate(_KEY)]
    counts = (c.score.is_not(None)) | runs.made_in(t.rollouts, run) | (c.night != "")
    found: dict[RolloutKey, Rollout] = {}
    for row in connection.execute(select(t.rollouts).select_from(listed).where(*same, counts, c.invalidated_by == 0)):
        key = _key(row)
        if row.cause is None:
            result: Score | Unscored = Score(value=row.score, reason=row.reason)
        else:
            result = Unscored(cause=Cause(row.cause), reason=row.reason)
        usage = CallUsage(tokens_in=row.tokens_in, tokens_out=row.tokens_out, cost_usd=row.cost_usd)
        found[key] = Rollout(key=key, result=result, answer=row.answer, usage=usage)
    return found


def scores(
    connection: Connection,
    tasks: Sequence[TaskId],
    text: Digest,
    model: str,
    invalidated_by: int = 0,
    replay: Replay = Replay.TEXT,
) -> tuple[RolloutScore, ...]:
    """The replays of one kind of these tasks under one text and model, ordered by sample.

    Those that are valid, or those that one change of the model invalidated.
    """
    c = t.rollouts.c
    query = select(*(column for column in t.rollouts.c if column is not c.answer)).where(
        c.task_id.in_(tasks),
        c.text == text,
        c.model == model,
        c.replay == replay.value,
        c.invalidated_by == invalidated_by,
    )
    rows = connection.execute(query.order_by(c.purpose, c.night, c.series, c.ordinal, c.task_id, c.judge))
    return tuple(RolloutScore(key=_key(row), value=row.score, run_id=row.run_id) for row in rows)


def model_changes(connection: Connection, tasks: Sequence[TaskId], texts: Sequence[Digest], model: str) -> int:
    """How often rollouts of these tasks under these texts were invalidated because the model changed."""
    c = t.rollouts.c
    same = (c.task_id.in_(tasks), c.text.in_(texts), c.model == model, c.invalidated_by > 0)
    return int(connection.execute(select(func.count(c.invalidated_by.distinct())).where(*same)).scalar_one())


def invalidate(connection: Connection, texts: Iterable[Digest], model: str, change: int) -> None:
    """Mark all rollouts under these texts and model as made before the model changed: kept, and used by nothing."""
    c = t.rollouts.c
    valid = update(t.rollouts).where(c.text.in_(list(texts)), c.model == model, c.invalidated_by == 0)
    connection.execute(valid.values(invalidated_by=change))


def reflection(connection: Connection, prompt: Digest, model: str) -> str | None:
    """The stored reply to a reflection prompt, so that a rerun does not pay for it again."""
    c = t.reflections.c
    query = select(c.reply).where(c.prompt == prompt, c.model == model)
    reply: str | None = connection.execute(query).scalar()
    return reply


def save_reflection(connection: Connection, prompt: Digest, model: str, reply: Reply, run: RunId) -> None:
    """Keep the reply to a reflection prompt."""
    statement = upsert(t.reflections).values(
        prompt=prompt,
        model=model,
        **runs.columns(connection, run),
        reply=reply.text,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        cost_usd=reply.cost_usd,
    )
    connection.execute(statement.on_conflict_do_nothing())


def replies(connection: Connection, run: RunId) -> tuple[Reflection, ...]:
    """The replies of the reflection model in a run, in the order of the prompts' addresses."""
    c, made_in = t.reflections.c, runs.made_in(t.reflections, run)
    rows = connection.execute(select(t.reflections).where(made_in).order_by(c.prompt, c.model))
    return tuple(
        Reflection(
            prompt=Digest(r.prompt), model=r.model, reply=r.reply, tokens_in=r.tokens_in, tokens_out=r.tokens_out
        )
        for r in rows
    )


def spent(connection: Connection, run_id: str, steps: Sequence[int] = (0,)) -> Spent:
    """What the stored calls of some steps of a run cost; a night is one step."""
    rollouts = _spent(connection, run_id, steps, t.rollouts)
    reflections = _spent(connection, run_id, steps, t.reflections)
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
    """What they were made for, in words."""
    calls: int
    tokens_in: int
    tokens_out: int
    uncounted: int
    """Calls whose tokens nobody stated; they are in no sum."""


def spent_by_stage(connection: Connection, run_id: str, steps: Sequence[int] = (0,)) -> tuple[SpentOn, ...]:
    """What the stored calls of some steps cost, by what they were made for, in a fixed order; without empty ones."""
    c, r = t.rollouts.c, t.reflections.c
    made = select(c.purpose, *_sums(t.rollouts)).where(c.run_id == run_id, c.step.in_(steps)).group_by(c.purpose)
    by_stage: dict[str, list[Row[*tuple[int, ...]]]] = {}
    for row in connection.execute(made):
        by_stage.setdefault(_STAGES[Purpose(row.purpose)], []).append(row)
    replied = select(*_sums(t.reflections)).where(r.run_id == run_id, r.step.in_(steps)).having(func.count() > 0)
    by_stage["reflections"] = list(connection.execute(replied))
    order = (*dict.fromkeys(_STAGES.values()), "reflections")
    return tuple(
        SpentOn(
            stage=name,
            calls=sum(part.calls for part in parts),
            tokens_in=sum(part.tokens_in for part in parts),
            tokens_out=sum(part.tokens_out for part in parts),
            uncounted=sum(part.uncounted for part in parts),
        )
        for name in order
        if (parts := by_stage.get(name))
    )


def _sums(table: Table) -> tuple[ColumnElement[int], ...]:
    c = table.c
    known = func.count(c.tokens_in + c.tokens_out)
    return (
        func.count().label("calls"),
        func.coalesce(func.sum(c.tokens_in), 0).label("tokens_in"),
        func.coalesce(func.sum(c.tokens_out), 0).label("tokens_out"),
        (func.count() - known).label("uncounted"),
    )


def _spent(
    connection: Connection, run_id: str, steps: Sequence[int], table: Table
) -> Row[tuple[int, int, int, float, int]]:
    c = table.c
    query = select(
        func.count().label("calls"),
        func.sum(c.tokens_in).label("tokens_in"),
        func.sum(c.tokens_out).label("tokens_out"),
        func.sum(c.cost_usd).label("cost"),
        (func.count() - func.count(c.cost_usd)).label("unpriced"),
    ).where(c.run_id == run_id, c.step.in_(steps))
    return connection.execute(query).one()


def _key_row(key: RolloutKey) -> dict[str, object]:
    return {
        "task_id": key.task_id,
        "text": key.text,
        "model": key.model,
        "judge": key.judge,
        "replay": key.replay.value,
        "purpose": key.sample.purpose.value,
        "series": key.sample.series,
        "ordinal": key.sample.ordinal,
        "night": key.sample.night,
    }


def _key(row: Row[*tuple[object, ...]]) -> RolloutKey:
    return RolloutKey(
        task_id=TaskId(row.task_id),
        text=Digest(row.text),
        model=row.model,
        judge=Digest(row.judge),
        replay=Replay(row.replay),
        sample=Sample(purpose=Purpose(row.purpose), series=row.series, ordinal=row.ordinal, night=row.night),
    )
