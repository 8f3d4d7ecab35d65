"""Lessons as they were last listed, and what the person decided on them."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "lessons",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("first_listed", sa.Text(), nullable=False),
        sa.Column("first_sessions", sa.Integer(), nullable=False),
        sa.Column("sessions", sa.Integer(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("last_listed", sa.Text(), nullable=False),
    )
    op.create_table(
        "lesson_decisions",
        sa.Column("lesson_id", sa.Text(), primary_key=True),
        sa.Column("decision", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("path", sa.Text()),
        sa.Column("before", sa.LargeBinary()),
        sa.Column("after", sa.LargeBinary()),
    )
