"""The tables of what belongs to a session beside its turns and calls; see `sleepd.store.schema`."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, Table, Text

from sleepd.store.schema import Moment, metadata


def _session() -> Column[str]:
    return Column("session_id", Text, ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True)


file_changes = Table(
    "file_changes",
    metadata,
    _session(),
    Column("call_id", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("path", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("patch", Text),
)

session_events = Table(
    "session_events",
    metadata,
    _session(),
    Column("position", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("at", Moment),
    Column("name", Text),
    Column("text", Text),
    Column("failed", Boolean),
    Column("exit_code", Integer),
    Column("duration_ms", Integer),
    Column("tokens", Integer),
)

record_counts = Table(
    "record_counts",
    metadata,
    Column("path", Text, primary_key=True),
    Column("version", Text, primary_key=True),
    Column("unknown", Text, primary_key=True),
    Column("agent", Text, nullable=False),
    Column("count", Integer, nullable=False),
)

complete = metadata
"""The metadata once the tables of both modules are in it."""
