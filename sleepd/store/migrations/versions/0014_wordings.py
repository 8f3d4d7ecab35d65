"""What the search for text checks found in each kind of work, beside the same search in shuffled labels."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "wordings",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("corrected_sessions", sa.Integer(), nullable=False),
        sa.Column("wordings", sa.Integer(), nullable=False),
        sa.Column("found", sa.Integer(), nullable=False),
        sa.Column("by_chance", sa.Float(), nullable=False),
        sa.Column("proven", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("kind"),
    )
