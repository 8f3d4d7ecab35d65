"""Columns instead of codes: purpose, series, ordinal and replay of rollouts and pairs, runs with their kinds, and changes
of a model as rows.

Until now the number of a sample told what a rollout was made for, pairs from 1,000,000 on confirmed, the steps of a
training run stood in the names of nights, and rollouts of a model that changed were put under another model's name.
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

UNTIL = " until night "
TRAINED = "{c} LIKE 'train-%:%'"
RUN_ID = f"CASE WHEN {TRAINED} THEN substr({{c}}, 1, instr({{c}}, ':') - 1) ELSE {{c}} END"
STEP = f"CASE WHEN {TRAINED} THEN CAST(substr({{c}}, instr({{c}}, ':') + 1) AS INTEGER) ELSE 0 END"
MODEL = f"CASE WHEN instr(model, '{UNTIL}') THEN substr(model, 1, instr(model, '{UNTIL}') - 1) ELSE model END"
CHANGE = (
    f"coalesce((SELECT number FROM model_changes m WHERE m.model || '{UNTIL}' || m.run_id = {{table}}.model), 0)"
)
LATER = 10_000_000_000
# First sample of each purpose, from the last to the first, with what the rest of the number is.
SAMPLES = (
    (LATER, "candidate", "(sample - 10000000000) / 1000000", "sample % 1000000"),
    (2_000_000_000, "drift", "0", "sample - 2000000000"),
    (980_000_000, "calibration", "0", "sample - 980000000"),
    (970_000_000, "attribution", "0", "sample - 970000000"),
    (960_000_000, "proof", "0", "sample - 960000000"),
    (950_000_000, "sealed", "sample - 950000000", "0"),
    (940_000_000, "evaluation", "0", "sample - 940000000"),
    (930_000_000, "comparison", "sample - 930000000", "0"),
    (900_000_000, "learning", "(sample - 900000000) % 1000000", "(sample - 900000000) / 1000000"),
    (1_000_000, "candidate", "sample / 1000000", "sample % 1000000"),
    (500_000, "confirmation", "0", "sample - 500000"),
    (0, "baseline", "0", "sample"),
)


def _case(column: int) -> str:
    """The purpose (1), series (2) or ordinal (3) that a sample's number stands for."""
    values = (f"'{row[column]}'" if column == 1 else row[column] for row in SAMPLES)
    return "CASE " + " ".join(f"WHEN sample >= {row[0]} THEN {value}" for row, value in zip(SAMPLES, values)) + " END"


def upgrade() -> None:
    op.create_table(
        "runs", sa.Column("id", sa.Text(), nullable=False), sa.Column("kind", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    everywhere = " UNION ".join(
        f"SELECT night_id FROM {table}" for table in ("rollouts", "reflections", "candidates", "pairs")
    )
    op.execute(
        f"INSERT INTO runs SELECT DISTINCT {RUN_ID.format(c='night_id')}, CASE WHEN night_id LIKE 'train-%' THEN "
        "'training' WHEN night_id LIKE 'eval-%' THEN 'evaluation' WHEN night_id LIKE 'calibration-%' THEN 'calibration' "
        f"ELSE 'night' END FROM ({everywhere}) WHERE night_id IS NOT NULL"
    )
    op.create_table(
        "model_changes", sa.Column("number", sa.Integer(), nullable=False), sa.Column("model", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False), sa.PrimaryKeyConstraint("number"),
    )
    named = f"SELECT model FROM rollouts WHERE instr(model, '{UNTIL}') UNION SELECT model FROM candidates WHERE instr(model, '{UNTIL}')"
    op.execute(
        f"INSERT INTO model_changes (model, run_id) SELECT {MODEL}, substr(model, instr(model, '{UNTIL}') + {len(UNTIL)}) "
        f"FROM ({named}) ORDER BY 2, 1"
    )
    _rollouts()
    _pairs()
    for table in ("reflections", "candidates"):
        op.execute(f"ALTER TABLE {table} RENAME COLUMN night_id TO run_id")
        op.execute(f"ALTER TABLE {table} ADD COLUMN step INTEGER DEFAULT '0' NOT NULL")
        op.execute(
            f"UPDATE {table} SET step = {STEP.format(c='run_id')}, run_id = {RUN_ID.format(c='run_id')}"
        )
    op.execute("ALTER TABLE candidates ADD COLUMN invalidated_by INTEGER DEFAULT '0' NOT NULL")
    op.execute(f"UPDATE candidates SET invalidated_by = {CHANGE.format(table='candidates')}, model = {MODEL}")


def _rollouts() -> None:
    op.rename_table("rollouts", "old_rollouts")
    op.create_table(
        "rollouts",
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("judge", sa.Text(), nullable=False),
        sa.Column("replay", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("series", sa.Integer(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("invalidated_by", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Text()),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("score", sa.Float()),
        sa.Column("cause", sa.Text()),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("tokens_in", sa.Integer()),
        sa.Column("tokens_out", sa.Integer()),
        sa.Column("cost_usd", sa.Float()),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint(
            "task_id", "text", "model", "judge", "replay", "purpose", "series", "ordinal", "invalidated_by"
        ),
    )
    op.execute(
        f"INSERT INTO rollouts SELECT task_id, text, {MODEL}, judge, "
        "CASE WHEN judge LIKE 'trigger:%' THEN 'trigger' ELSE 'text' END, "
        f"{_case(1)}, {_case(2)}, {_case(3)}, {CHANGE.format(table='old_rollouts')}, "
        f"{RUN_ID.format(c='night_id')}, {STEP.format(c='night_id')}, "
        "answer, score, cause, reason, tokens_in, tokens_out, cost_usd FROM old_rollouts"
    )
    op.drop_table("old_rollouts")
    op.create_index("ix_rollouts_run_id", "rollouts", ["run_id"])


def _pairs() -> None:
    op.drop_index("ix_pairs_night_id", "pairs")
    op.rename_table("pairs", "old_pairs")
    op.create_table(
        "pairs",
        sa.Column("candidate_id", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("replay", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("own", sa.Boolean()),
        sa.Column("candidate", sa.Float()),
        sa.Column("baseline", sa.Float()),
        sa.ForeignKeyConstraint(["candidate_id"], ["candidates.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("candidate_id", "purpose", "ordinal"),
    )
    op.execute(
        "INSERT INTO pairs SELECT p.candidate_id, CASE WHEN p.draw >= 1000000 THEN 'confirmation' ELSE 'candidate' END, "
        "p.draw % 1000000, CASE WHEN c.origin = 'description' THEN 'trigger' ELSE 'text' END, "
        f"{RUN_ID.format(c='p.night_id')}, {STEP.format(c='p.night_id')}, p.task_id, "
        "CASE WHEN c.origin = 'description' THEN EXISTS (SELECT 1 FROM rollouts r WHERE r.task_id = p.task_id AND "
        "r.purpose = 'candidate' AND r.series = c.number AND r.judge LIKE 'trigger:wanted:%') END, "
        "p.candidate, p.baseline "
        "FROM old_pairs p LEFT JOIN candidates c ON c.id = p.candidate_id"
    )
    op.drop_table("old_pairs")
    op.create_index("ix_pairs_run_id", "pairs", ["run_id"])
