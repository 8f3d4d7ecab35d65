"""What the reflection model notes for itself about one file, night by night."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "notes",
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("night_id", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["night_id"], ["nights.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("path", "night_id"),
    )
