"""For how many requests a skill's description loads it: of its own work, and of other work."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "loads",
        sa.Column("candidate_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("wanted", sa.Integer(), nullable=False),
        sa.Column("loaded_wanted", sa.Integer(), nullable=False),
        sa.Column("others", sa.Integer(), nullable=False),
        sa.Column("loaded_others", sa.Integer(), nullable=False),
        sa.Column("unscored", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["candidate_id"], ["candidates.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("candidate_id", "text"),
    )
