"""What each reply used. Of sessions that were read before it is unknown."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("tokens_input", "tokens_output", "tokens_cache_read", "tokens_cache_write"):
        op.add_column("turns", sa.Column(name, sa.Integer()))
