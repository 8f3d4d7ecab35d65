"""A pair keeps what its unscored baseline rollouts leave open: a part of its baseline, not the whole of it.

The columns are empty for pairs drawn until now: where one of their baseline rollouts failed, all of it is in doubt.
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("pairs", sa.Column("baseline_low", sa.Float(), nullable=True))
    op.add_column("pairs", sa.Column("baseline_high", sa.Float(), nullable=True))
