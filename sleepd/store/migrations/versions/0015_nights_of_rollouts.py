"""Rollouts that are compared with others name the night whose rollouts alone they are compared with.

Until now baseline rollouts of one night judged the candidates of later ones. What is there belongs to no night, so that
it is kept and judges nothing any more.
"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

COLUMNS = "task_id, text, model, judge, replay, purpose, series, ordinal"
REST = "invalidated_by, run_id, step, answer, score, cause, reason, tokens_in, tokens_out, cost_usd"


def upgrade() -> None:
    op.drop_index("ix_rollouts_run_id", "rollouts")
    op.rename_table("rollouts", "old_rollouts")
    op.create_table(
        "rollouts",
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("judge", sa.Text(), nullable=False),
        sa.Column("replay", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("series", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("night", sa.Text(), nullable=False),
        sa.Column("invalidated_by", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Text()),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("score", sa.Float()),
        sa.Column("cause", sa.Text()),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("tokens_in", sa.Integer()),
        sa.Column("tokens_out", sa.Integer()),
        sa.Column("cost_usd", sa.Float()),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint(
            "task_id", "text", "model", "judge", "replay", "purpose", "series", "ordinal", "night", "invalidated_by"
        ),
    )
    op.execute(f"INSERT INTO rollouts ({COLUMNS}, night, {REST}) SELECT {COLUMNS}, '', {REST} FROM old_rollouts")
    op.drop_table("old_rollouts")
    op.create_index("ix_rollouts_run_id", "rollouts", ["run_id"])
