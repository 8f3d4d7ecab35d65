"""What learners need beside words: edits, durations, events, answers; and how much of each file is known.

What a harvester reads has changed, so every transcript that is still there is read anew by the next harvest.
"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("sessions", sa.Column("commit", sa.Text()))
    op.add_column("turns", sa.Column("queued", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("turns", sa.Column("source_id", sa.Text()))
    for name in ("answers", "subagent", "result_id"):
        op.add_column("tool_calls", sa.Column(name, sa.Text()))
    for name in ("duration_ms", "subagent_tokens"):
        op.add_column("tool_calls", sa.Column(name, sa.Integer()))
    op.create_table(
        "file_changes",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("call_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("patch", sa.Text()),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("session_id", "call_id", "number"),
    )
    op.create_table(
        "session_events",
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", sa.Text()),
        sa.Column("name", sa.Text()),
        sa.Column("text", sa.Text()),
        sa.Column("failed", sa.Boolean()),
        sa.Column("exit_code", sa.Integer()),
        sa.Column("duration_ms", sa.Integer()),
        sa.Column("tokens", sa.Integer()),
        sa.ForeignKeyConstraint(["session_id"], ["sessions.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("session_id", "position", "number"),
    )
    op.create_table(
        "record_counts",
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("unknown", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("path", "version", "unknown"),
    )
    # No file is so old and so short: a cursor like this fits none, and its file is read whole.
    op.execute(sa.text('UPDATE files SET "offset" = 0, mtime_ns = 0'))
