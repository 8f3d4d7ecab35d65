"""Where a candidate comes from and what it is asked, and what each edit of a bundle carries."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("candidates", sa.Column("origin", sa.Text(), nullable=False, server_default="reflection"))
    op.add_column("candidates", sa.Column("margin", sa.Float(), nullable=False, server_default="0"))
    op.create_table(
        "attributions",
        sa.Column("candidate_id", sa.Text(), nullable=False),
        sa.Column("edit_id", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("kept", sa.Boolean(), nullable=False),
        sa.Column("effect", sa.Float()),
        sa.Column("low", sa.Float(), nullable=False),
        sa.Column("high", sa.Float(), nullable=False),
        sa.Column("pairs", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["candidate_id"], ["candidates.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("candidate_id", "edit_id"),
    )
