"""Combined vectors of texts; kinds and names of clusters; indexes that list them without reading a request or an answer.

Clusters were joined by centres that had lost their length. They are found anew by the next mining; sides stay.
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "vectors",
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("space", sa.Text(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("text", "space"),
    )
    op.create_table(
        "clusters",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    listed = ["cluster_id", "dropped", "session_id", "retired", "split", "at", "id"]
    op.create_index("tasks_of_clusters", "tasks", listed)
    op.create_index("attempts_by_outcome", "attempts", ["outcome", "task_id"])
    op.execute("UPDATE tasks SET cluster_id = NULL WHERE agent != 'task-set'")
