"""Runs and their kinds, and how rows name the run that they were made in."""

from __future__ import annotations

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, insert, select
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core.model import RunId, RunKind
from sleepd.store import schema as t


def columns(connection: Connection, run: RunId) -> dict[str, object]:
    """The columns that name a run in a row; the run itself is entered when it is new."""
    connection.execute(upsert(t.runs).values(id=run.id, kind=run.kind.value).on_conflict_do_nothing())
    return {"run_id": run.id, "step": run.step}


def made_in(table: Table, run: RunId) -> ColumnElement[bool]:
    """The condition that a row was made in a run."""
    return and_(table.c.run_id == run.id, table.c.step == run.step)


def kinds(connection: Connection) -> dict[str, RunKind]:
    """The kind of every run, by id."""
    return {row.id: RunKind(row.kind) for row in connection.execute(select(t.runs))}


def run_of(row: Row[*tuple[object, ...]], kind: str | None) -> RunId:
    """The run that a row names."""
    return RunId(id=row.run_id, kind=RunKind(kind or RunKind.NIGHT), step=row.step)


def model_change(connection: Connection, model: str, run: RunId) -> int | None:
    """The number of the change of a model that a run found; None when it found none."""
    c = t.model_changes.c
    number: int | None = connection.execute(select(c.number).where(c.model == model, c.run_id == run.id)).scalar()
    return number


def put_model_change(connection: Connection, model: str, run: RunId) -> int:
    """Write down that a run found a model changed; the number of that change."""
    known = model_change(connection, model, run)
    if known is not None:
        return known
    done = connection.execute(insert(t.model_changes).values(model=model, run_id=run.id))
    return int(done.inserted_primary_key[0]) if done.inserted_primary_key else 0
