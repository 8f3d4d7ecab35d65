"""Strategy notes of the reflection model, by skill file and night."""

from __future__ import annotations

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.store import schema as t


def save(connection: Connection, path: str, night_id: str, body: str) -> None:
    """Keep the notes that a night came to; a rerun's take their place."""
    statement = upsert(t.notes).values(path=path, night_id=night_id, body=body)
    connection.execute(statement.on_conflict_do_update(index_elements=["path", "night_id"], set_={"body": body}))


def latest(connection: Connection, path: str, *, but_of: str) -> str:
    """The newest notes on a file, without those of one night; "" when there are none."""
    c = t.notes.c
    query = select(c.body).join(t.nights, t.nights.c.id == c.night_id).where(c.path == path, c.night_id != but_of)
    return connection.execute(query.order_by(t.nights.c.started_at.desc(), c.night_id.desc())).scalars().first() or ""


def of_night(connection: Connection, night_id: str) -> dict[str, str]:
    """The notes that a night came to, by the path of the skill file."""
    c = t.notes.c
    rows = connection.execute(select(c.path, c.body).where(c.night_id == night_id).order_by(c.path))
    return {row.path: row.body for row in rows}
