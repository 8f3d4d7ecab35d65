"""Acts and lessons as a model read them, and the turns by which a lesson is known again."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "read_acts",
        sa.Column("turn", sa.Text(), primary_key=True),
        sa.Column("prompt", sa.Text(), primary_key=True),
        sa.Column("model", sa.Text(), primary_key=True),
        sa.Column("act", sa.Text()),
        sa.Column("sure", sa.Float()),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
    )
    op.create_table(
        "lesson_readings",
        sa.Column("reading", sa.Text(), primary_key=True),
        sa.Column("part", sa.Integer(), primary_key=True),
        sa.Column("model", sa.Text(), primary_key=True),
        sa.Column("parts", sa.Integer(), nullable=False),
        sa.Column("project", sa.Text(), nullable=False),
        sa.Column("reply", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
    )
    op.create_table(
        "lesson_turns",
        sa.Column("lesson", sa.Text(), primary_key=True),
        sa.Column("turn", sa.Text(), primary_key=True),
    )
