"""What a harvest writes without SQLAlchemy is what the schema asks for."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Table

from sleepd.core.errors import DatabaseDamaged
from sleepd.store import schema as t
from sleepd.store import schema_parts as p
from sleepd.store import session_rows
from sleepd.store.database import Database
from tests.harvesters import test_pieces
from tests.store.test_rows import ASKED, FULL, column, file, stored

WRITTEN_BY_OTHERS = {"sessions": {"mined_revision"}, "turns": {"vote"}}
"""Columns that mining and the votes of a person fill in."""


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        (t.files, session_rows.CURSOR_COLUMNS),
        (t.sessions, session_rows.SESSION_COLUMNS),
        (t.turns, session_rows.TURN_COLUMNS),
        (t.tool_calls, session_rows.CALL_COLUMNS),
        (t.skill_uses, session_rows.SKILL_COLUMNS),
        (p.file_changes, session_rows.CHANGE_COLUMNS),
        (p.session_events, session_rows.EVENT_COLUMNS),
    ],
    ids=lambda given: getattr(given, "name", ""),
)
def test_every_column_of_the_schema_is_written(table: Table, columns: tuple[str, ...]) -> None:
    """A column that is new in the schema is not forgotten here."""
    expected = {column.name for column in table.columns} - WRITTEN_BY_OTHERS.get(table.name, set())
    assert expected == set(columns)


def test_an_error_in_the_middle_stores_nothing(database: Database) -> None:
    """A `storing` block is one transaction; foreign keys hold in it."""
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), database.storing() as connection:
        session_rows.save(connection, [file(ASKED, FULL)])
        connection.execute("INSERT INTO skill_uses VALUES ('nobody', 1, 's', NULL, 'agent')")
    assert 0 == column(database, "SELECT count(*) FROM turns")
    with database.storing() as connection:
        session_rows.save(connection, [file(ASKED, FULL)])
    assert [ASKED, FULL] == stored(database)


def test_damage_met_while_storing_is_named(database: Database) -> None:
    """As by every other door: one error that says what to do."""
    with database.storing() as connection:
        session_rows.save(connection, [file(ASKED)])
    database.close()
    data = database.path.read_bytes()
    database.path.write_bytes(data[:100] + b"\xff" * (len(data) - 100))
    with pytest.raises(DatabaseDamaged, match="cannot be used"), database.storing() as connection:
        session_rows.save(connection, [file(ASKED)])


@pytest.mark.slow
def test_a_harvest_into_a_database_that_is_there_needs_no_sqlalchemy(tmp_path: Path) -> None:
    """Its import takes longer than reading a day's transcripts."""
    program = """
import sys
from pathlib import Path
from harvesters.claude_code import ClaudeCode
from sleepd.pipeline.ingest import ingest
from sleepd.pipeline.unread import Sources
from sleepd.settings.sections import HarvestConfig
from sleepd.store.database import open_database
home = Path(sys.argv[1])
database = open_database(home / "sleepd.db")
done = ingest(database, Sources(harvesters=[ClaudeCode()], env={}, home=home), HarvestConfig())
database.close()
print(done.read, "sqlalchemy" in sys.modules)
"""
    said = []
    for name in ("one", "two"):
        test_pieces.claude(tmp_path / ".claude" / "projects" / name)
        command = [sys.executable, "-c", program, str(tmp_path)]
        said.append(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert ["1 True\n", "1 False\n"] == said
