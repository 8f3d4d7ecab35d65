"""Tasks that were dropped are counted without reading all tasks: `sleepd status` answers in a blink after years."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("tasks_dropped", "tasks", ["dropped"], sqlite_where=sa.text("dropped"))
