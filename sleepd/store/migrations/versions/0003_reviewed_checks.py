"""Checks that a person edited are kept when the others are mined anew."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("tasks") as tasks:
        tasks.add_column(sa.Column("reviewed", sa.Boolean(), nullable=False, server_default=sa.false()))
