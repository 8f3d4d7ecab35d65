"""Which checks gate and which are only observed; what a judge said of outcomes, and the person's cards on them."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("checks", sa.Column("gates", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.create_table(
        "validities",
        sa.Column("family", sa.Text(), primary_key=True),
        sa.Column("subject", sa.Text(), primary_key=True),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("ground", sa.Text()),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("auc", sa.Float()),
        sa.Column("low", sa.Float()),
        sa.Column("high", sa.Float()),
        sa.Column("p", sa.Float()),
        sa.Column("corrected_sessions", sa.Integer()),
        sa.Column("kept_sessions", sa.Integer()),
    )
    op.create_table(
        "rubric_verdicts",
        sa.Column("rubric", sa.Text(), primary_key=True),
        sa.Column("outcome", sa.Text(), primary_key=True),
        sa.Column("prompt", sa.Text(), primary_key=True),
        sa.Column("model", sa.Text(), primary_key=True),
        sa.Column("keeping", sa.Text()),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
    )
    op.create_table(
        "rubric_cards",
        sa.Column("rubric", sa.Text(), primary_key=True),
        sa.Column("outcome", sa.Text(), primary_key=True),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
    )
