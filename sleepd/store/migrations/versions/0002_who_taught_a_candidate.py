"""Candidates remember the sessions that taught them, so that one that waits a night still knows where it came from."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("candidates") as candidates:
        candidates.add_column(sa.Column("sessions", sa.Text(), nullable=False, server_default="[]"))
