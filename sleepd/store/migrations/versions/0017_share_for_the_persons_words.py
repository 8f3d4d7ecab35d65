"""Candidates whose rules the person put into words have a share of the error level, and a place of their own in it.

Candidates entered until now had no such share: the column is empty for them, and they go on with the bets they began
with.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("candidates", sa.Column("stated", sa.Integer(), nullable=True))
