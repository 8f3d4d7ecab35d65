"""What each reply used, unknown for sessions that were read before; and checks of lessons that a person edited."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("tokens_input", "tokens_output", "tokens_cache_read", "tokens_cache_write"):
        op.add_column("turns", sa.Column(name, sa.Integer()))
    op.create_table(
        "lesson_checks",
        sa.Column("lesson_id", sa.Text(), primary_key=True),
        sa.Column("checks", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
    )
