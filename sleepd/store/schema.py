"""The tables, one per arrow of the data flow. A change here needs a migration; a test compares the two.

Texts that are compared or replayed are kept once, by digest, in `texts`. Times are ISO-8601 texts in UTC.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import (
    Boolean,
    Column,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    false,
    text,
    true,
)

from sleepd.store.session_rows import moment

metadata = MetaData()


class Moment(TypeDecorator[datetime]):
    """An aware time; a naive one is refused, so that no local time ever enters the database."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return moment(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else datetime.fromisoformat(value)


def session_key() -> Column[str]:
    return Column("session_id", Text, ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True)


def _task() -> Column[str]:
    return Column("task_id", Text, ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True)


files = Table(
    "files",
    metadata,
    Column("path", Text, primary_key=True),
    Column("agent", Text, nullable=False),
    Column("session_id", Text),
    Column("inode", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("mtime_ns", Integer, nullable=False),
    Column("offset", Integer, nullable=False),
    Column("head", Text, nullable=False),
    Column("head_length", Integer, nullable=False),
    Column("tail", Text, nullable=False),
    Column("state", Text, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("agent", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("parent_id", Text),
    Column("project", Text),
    Column("branch", Text),
    Column("commit", Text),
    Column("title", Text),
    Column("version", Text),
    Column("started_at", Moment),
    Column("ended_at", Moment),
    Column("models", Text, nullable=False),
    Column("tokens_input", Integer),
    Column("tokens_output", Integer),
    Column("tokens_cache_read", Integer),
    Column("tokens_cache_write", Integer),
    Column("redacted", Integer, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("mined_revision", Integer),
)

turns = Table(
    "turns",
    metadata,
    session_key(),
    Column("id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("role", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Moment),
    Column("model", Text),
    Column("skill", Text),
    Column("cwd", Text),
    Column("branch", Text),
    Column("abandoned", Boolean, nullable=False),
    Column("vote", Integer),
    Column("queued", Boolean, nullable=False, server_default=false()),
    Column("source_id", Text),
    Column("tokens_input", Integer),
    Column("tokens_output", Integer),
    Column("tokens_cache_read", Integer),
    Column("tokens_cache_write", Integer),
)

tool_calls = Table(
    "tool_calls",
    metadata,
    session_key(),
    Column("id", Text, primary_key=True),
    Column("turn_id", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("input", Text, nullable=False),
    Column("output", Text),
    Column("status", Text, nullable=False),
    Column("exit_code", Integer),
    Column("feedback", Text),
    Column("answers", Text),
    Column("duration_ms", Integer),
    Column("subagent", Text),
    Column("subagent_tokens", Integer),
    Column("result_id", Text),
)

skill_uses = Table(
    "skill_uses",
    metadata,
    session_key(),
    Column("position", Integer, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("path", Text),
    Column("trigger", Text, nullable=False),
)

defects = Table(
    "defects",
    metadata,
    Column("path", Text, primary_key=True),
    Column("offset", Integer, primary_key=True),
    Column("reason", Text, nullable=False),
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("session_id", Text, ForeignKey("sessions.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("agent", Text, nullable=False),
    Column("project", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("request", Text, nullable=False),
    Column("context", Text, nullable=False),
    Column("skill", Text),
    Column("group_id", Text),
    Column("split", Text),
    Column("retired", Boolean, nullable=False),
    Column("cluster_id", Text, index=True),
    Column("dropped", Boolean, nullable=False),
    Column("reviewed", Boolean, nullable=False, server_default=false()),
)

attempts = Table(
    "attempts",
    metadata,
    _task(),
    Column("number", Integer, primary_key=True),
    Column("answer", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("evidence", Text, nullable=False),
    Column("reaction", Text),
    Column("tool_output", Text),
)

checks = Table(
    "checks",
    metadata,
    _task(),
    Column("kind", Text, primary_key=True),
    Column("value", Text, primary_key=True),
    Column("gates", Boolean, nullable=False, server_default=true()),
)

embeddings = Table(
    "embeddings",
    metadata,
    Column("text", Text, primary_key=True),
    Column("embedder", Text, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)

vectors = Table(
    "vectors",
    metadata,
    Column("text", Text, primary_key=True),
    Column("space", Text, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)

clusters = Table(
    "clusters",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
)

wordings = Table(
    "wordings",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("corrected_sessions", Integer, nullable=False),
    Column("wordings", Integer, nullable=False),
    Column("found", Integer, nullable=False),
    Column("by_chance", Float, nullable=False),
    Column("proven", Integer, nullable=False),
)

texts = Table(
    "texts",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("body", Text, nullable=False),
)

runs = Table(
    "runs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
)

model_changes = Table(
    "model_changes",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("model", Text, nullable=False),
    Column("run_id", Text, nullable=False),
)

rollouts = Table(
    "rollouts",
    metadata,
    _task(),
    Column("text", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("judge", Text, primary_key=True),
    Column("replay", Text, primary_key=True),
    Column("purpose", Text, primary_key=True),
    Column("series", Integer, primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("night", Text, primary_key=True),
    Column("invalidated_by", Integer, primary_key=True),
    Column("run_id", Text, index=True),
    Column("step", Integer, nullable=False),
    Column("answer", Text, nullable=False),
    Column("score", Float),
    Column("cause", Text),
    Column("reason", Text, nullable=False),
    Column("tokens_in", Integer),
    Column("tokens_out", Integer),
    Column("cost_usd", Float),
)

reflections = Table(
    "reflections",
    metadata,
    Column("prompt", Text, primary_key=True),
    Column("model", Text, primary_key=True),
    Column("run_id", Text),
    Column("step", Integer, nullable=False, server_default="0"),
    Column("reply", Text, nullable=False),
    Column("tokens_in", Integer),
    Column("tokens_out", Integer),
    Column("cost_usd", Float),
)

candidates = Table(
    "candidates",
    metadata,
    Column("id", Text, primary_key=True),
    Column("number", Integer, nullable=False, unique=True),
    Column("alpha", Float, nullable=False),
    Column("agent", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("project", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("base", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("edits", Text, nullable=False),
    Column("tasks", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("step", Integer, nullable=False, server_default="0"),
    Column("invalidated_by", Integer, nullable=False, server_default="0"),
    Column("nights", Integer, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("evidence", Float),
    Column("counter_evidence", Float),
    Column("effect", Float),
    Column("sessions", Text, nullable=False, server_default="[]"),
    Column("origin", Text, nullable=False, server_default="reflection"),
    Column("margin", Float, nullable=False, server_default="0"),
    Column("stated", Integer),
)

candidate_checks = Table(
    "candidate_checks",
    metadata,
    Column("candidate_id", Text, ForeignKey("candidates.id", ondelete="CASCADE"), primary_key=True),
    Column("task_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("value", Text, primary_key=True),
)

attributions = Table(
    "attributions",
    metadata,
    Column("candidate_id", Text, ForeignKey("candidates.id", ondelete="CASCADE"), primary_key=True),
    Column("edit_id", Text, primary_key=True),
    Column("round", Integer, nullable=False),
    Column("kept", Boolean, nullable=False),
    Column("effect", Float),
    Column("low", Float, nullable=False),
    Column("high", Float, nullable=False),
    Column("pairs", Integer, nullable=False),
    Column("tokens", Integer, nullable=False),
)

loads = Table(
    "loads",
    metadata,
    Column("candidate_id", Text, ForeignKey("candidates.id", ondelete="CASCADE"), primary_key=True),
    Column("text", Text, primary_key=True),
    Column("wanted", Integer, nullable=False),
    Column("loaded_wanted", Integer, nullable=False),
    Column("others", Integer, nullable=False),
    Column("loaded_others", Integer, nullable=False),
    Column("unscored", Integer, nullable=False),
)

notes = Table(
    "notes",
    metadata,
    Column("path", Text, primary_key=True),
    Column("night_id", Text, ForeignKey("nights.id", ondelete="CASCADE"), primary_key=True),
    Column("body", Text, nullable=False),
)

pairs = Table(
    "pairs",
    metadata,
    Column("candidate_id", Text, ForeignKey("candidates.id", ondelete="CASCADE"), primary_key=True),
    Column("purpose", Text, primary_key=True),
    Column("ordinal", Integer, primary_key=True),
    Column("replay", Text, nullable=False),
    Column("run_id", Text, nullable=False, index=True),
    Column("step", Integer, nullable=False),
    Column("task_id", Text, nullable=False),
    Column("own", Boolean),
    Column("candidate", Float),
    Column("baseline", Float),
    Column("baseline_low", Float),
    Column("baseline_high", Float),
)

proposals = Table(
    "proposals",
    metadata,
    Column("id", Text, ForeignKey("candidates.id"), primary_key=True),
    Column("night_id", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("findings", Text, nullable=False),
    Column("diff", Text, nullable=False),
    Column("sessions", Text, nullable=False),
    Column("sealed_count", Integer, nullable=False),
    Column("sealed_before", Float),
    Column("sealed_after", Float),
    Column("why", Text),
)

edit_decisions = Table(
    "edit_decisions",
    metadata,
    Column("proposal_id", Text, ForeignKey("proposals.id", ondelete="CASCADE"), primary_key=True),
    Column("edit_id", Text, primary_key=True),
    Column("decision", Text, nullable=False),
    Column("text", Text),
    Column("why", Text),
    Column("at", Moment, nullable=False),
)

branches = Table(
    "branches",
    metadata,
    Column("proposal_id", Text, ForeignKey("proposals.id", ondelete="CASCADE"), primary_key=True),
    Column("repository", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("commit", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("at", Moment, nullable=False),
)

adoptions = Table(
    "adoptions",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("proposal_id", Text, ForeignKey("proposals.id"), nullable=False),
    Column("path", Text, nullable=False),
    Column("before", LargeBinary),
    Column("after", LargeBinary, nullable=False),
    Column("proven", Boolean, nullable=False),
    Column("folders", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Column("reverted_at", Moment),
)

nights = Table(
    "nights",
    metadata,
    Column("id", Text, primary_key=True),
    Column("scope", Text, nullable=False),
    Column("date", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("started_at", Moment, nullable=False),
    Column("ended_at", Moment),
    Column("message", Text, nullable=False),
    Column("report", Text, nullable=False),
)

Index("turns_in_order", turns.c.session_id, turns.c.position)
Index("sessions_to_mine", sessions.c.kind, sessions.c.mined_revision)
Index("files_by_session", files.c.session_id)
Index("tasks_dropped", tasks.c.dropped, sqlite_where=text("dropped"))
Index(
    "tasks_of_clusters",
    tasks.c.cluster_id,
    tasks.c.dropped,
    tasks.c.session_id,
    tasks.c.retired,
    tasks.c.split,
    tasks.c.at,
    tasks.c.id,
)
Index("attempts_by_outcome", attempts.c.outcome, attempts.c.task_id)
