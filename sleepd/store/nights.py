"""Nights: one row per scope and local date, with its report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, Row, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.store import schema as t


class NightStatus(StrEnum):
    RUNNING = "running"
    """Also what a killed night is left as; the next run with its id continues it."""
    DONE = "done"
    NOT_MEASURED = "not-measured"
    BUDGET_SPENT = "budget-spent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """One run of the pipeline for one scope and local date."""

    id: str
    scope: str
    """A project's folder, or `user`."""
    date: str
    """Local, ISO."""
    status: NightStatus
    started_at: datetime
    ended_at: datetime | None
    message: str
    """One line for a person."""
    report: Mapping[str, object]


def begin(connection: Connection, night: Night) -> None:
    """Enter a night, or take up again the one that is there: it keeps its start and is given this report."""
    row = {
        "id": night.id,
        "scope": night.scope,
        "date": night.date,
        "status": NightStatus.RUNNING.value,
        "started_at": night.started_at,
        "message": "",
        "report": json.dumps(night.report, sort_keys=True),
    }
    change = {"status": NightStatus.RUNNING.value, "report": row["report"]}
    connection.execute(upsert(t.nights).values(row).on_conflict_do_update(index_elements=["id"], set_=change))


def end(connection: Connection, night: Night) -> None:
    """Write down how a night ended."""
    values = {
        "status": night.status.value,
        "ended_at": night.ended_at,
        "message": night.message,
        "report": json.dumps(night.report, sort_keys=True),
    }
    connection.execute(update(t.nights).where(t.nights.c.id == night.id).values(values))


def annotate(connection: Connection, night: Night, facts: Mapping[str, object]) -> Night:
    """Add facts to the report of a night that ended; the night as it stands then."""
    noted = replace(night, report={**night.report, **facts})
    report = json.dumps(noted.report, sort_keys=True)
    connection.execute(update(t.nights).where(t.nights.c.id == night.id).values(report=report))
    return noted


def nights(connection: Connection, limit: int = 50) -> tuple[Night, ...]:
    """The newest nights, newest first."""
    query = select(t.nights).order_by(t.nights.c.started_at.desc(), t.nights.c.id.desc()).limit(limit)
    return tuple(_night(row) for row in connection.execute(query))


def night(connection: Connection, id_: str) -> Night | None:
    """The night with this id, or the newest whose id begins with it."""
    query = select(t.nights).where(t.nights.c.id.startswith(id_, autoescape=True))
    row = connection.execute(query.order_by(t.nights.c.id != id_, t.nights.c.started_at.desc())).first()
    return _night(row) if row is not None else None


def exactly(connection: Connection, id_: str) -> Night | None:
    """The night with this very id."""
    row = connection.execute(select(t.nights).where(t.nights.c.id == id_)).first()
    return _night(row) if row is not None else None


def _night(row: Row[tuple[object, ...]]) -> Night:
    return Night(
        id=row.id,
        scope=row.scope,
        date=row.date,
        status=NightStatus(row.status),
        started_at=row.started_at,
        ended_at=row.ended_at,
        message=row.message,
        report=json.loads(row.report),
    )
