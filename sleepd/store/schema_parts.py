"""The tables of what belongs to a session beside its turns and calls; see `sleepd.store.schema`."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, Integer, LargeBinary, Table, Text

from sleepd.store.schema import Moment, metadata, session_key

file_changes = Table(
    "file_changes",
    metadata,
    session_key(),
    Column("call_id", Text, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("path", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("patch", Text),
)

session_events = Table(
    "session_events",
    metadata,
    session_key(),
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

lessons = Table(
    "lessons",
    metadata,
    Column("id", Text, primary_key=True),
    Column("first_listed", Moment, nullable=False),
    Column("first_sessions", Integer, nullable=False),
    Column("sessions", Integer, nullable=False),
    Column("about", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("last_listed", Moment, nullable=False),
)

lesson_decisions = Table(
    "lesson_decisions",
    metadata,
    Column("lesson_id", Text, primary_key=True),
    Column("decision", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("why", Text, nullable=False),
    Column("rule", Text, nullable=False),
    Column("path", Text),
    Column("before", LargeBinary),
    Column("after", LargeBinary),
)

lesson_checks = Table(
    "lesson_checks",
    metadata,
    Column("lesson_id", Text, primary_key=True),
    Column("checks", Text, nullable=False),
    Column("at", Moment, nullable=False),
)

read_acts = Table(
    "read_acts",
    metadata,
    Column("turn", Text, primary_key=True),
    Column("prompt", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("act", Text),
    Column("sure", Float),
    Column("why", Text, nullable=False),
    Column("at", Moment, nullable=False),
)

lesson_readings = Table(
    "lesson_readings",
    metadata,
    Column("reading", Text, primary_key=True),
    Column("part", Integer, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("parts", Integer, nullable=False),
    Column("project", Text, nullable=False),
    Column("reply", Text, nullable=False),
    Column("at", Moment, nullable=False),
)

lesson_turns = Table(
    "lesson_turns",
    metadata,
    Column("lesson", Text, primary_key=True),
    Column("turn", Text, primary_key=True),
)

validities = Table(
    "validities",
    metadata,
    Column("family", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("sentence", Text, nullable=False),
    Column("ground", Text),
    Column("why", Text, nullable=False),
    Column("auc", Float),
    Column("low", Float),
    Column("high", Float),
    Column("p", Float),
    Column("corrected_sessions", Integer),
    Column("kept_sessions", Integer),
)

rubric_verdicts = Table(
    "rubric_verdicts",
    metadata,
    Column("rubric", Text, primary_key=True),
    Column("outcome", Text, primary_key=True),
    Column("prompt", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("keeping", Text),
    Column("why", Text, nullable=False),
    Column("at", Moment, nullable=False),
)

rubric_cards = Table(
    "rubric_cards",
    metadata,
    Column("rubric", Text, primary_key=True),
    Column("outcome", Text, primary_key=True),
    Column("answer", Text, nullable=False),
    Column("at", Moment, nullable=False),
)

complete = metadata
"""The metadata once the tables of both modules are in it."""
