"""What belongs to a session beside its turns and calls comes back as it was read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from harvesters.records import (
    Answered,
    EventKind,
    FileAction,
    FileChange,
    RecordCount,
    SessionEvent,
    ToolCall,
    ToolStatus,
)
from sleepd.store import session_parts
from sleepd.store.database import Database
from sleepd.store.stored_file import StoredFile
from tests.store.test_rows import CURSOR, S, call, file, save, stored, turn

AT = datetime(2026, 9, 1, 8, 30, tzinfo=UTC)
CHANGE = FileChange(path="/p/a.py", action=FileAction.UPDATE, patch="@@ -1,1 +1,1 @@\n-b\n+c")
NEW = FileChange(path="/p/b.py", action=FileAction.CREATE)
KEPT = call(
    status=ToolStatus.DENIED,
    output="x",
    answers=(Answered(question="Which?", answer="this"),),
    changes=(CHANGE, NEW),
    duration_ms=40,
    subagent="a1",
    subagent_tokens=900,
    result_id="u9",
)
EVENT = SessionEvent(
    position=5, kind=EventKind.HOOK, at=AT, name="Stop", text="x", failed=True, exit_code=1, duration_ms=7, tokens=3
)


def events(database: Database) -> tuple[SessionEvent, ...]:
    with database.reading() as connection:
        return session_parts.events(connection, S)


def test_what_a_call_did_comes_back(database: Database) -> None:
    """Answers, changes by number, duration, the sub-agent and the result's own id."""
    one = turn(1, "done", KEPT, queued=True, source_id="u1")
    save(database, file(one))
    assert [one] == stored(database)


def test_a_late_result_fills_in_what_it_tells(database: Database) -> None:
    """Status and output are replaced; changes that the late result does not repeat stay."""
    save(database, file(turn(1, "do", call(changes=(CHANGE,), duration_ms=5))))
    late = ToolCall(id="c1", name="", input="", output="ok", status=ToolStatus.OK, result_id="u9")
    save(database, file(whole=False, late_results=(late,)))
    expected = call(changes=(CHANGE,), duration_ms=5, output="ok", status=ToolStatus.OK, result_id="u9")
    assert [expected] == list(stored(database)[0].tool_calls)
    save(database, file(whole=False, late_results=(replace(late, changes=(NEW,)),)))
    assert (NEW,) == stored(database)[0].tool_calls[0].changes


def test_events_are_added_and_replaced_with_their_session(database: Database) -> None:
    """Two at one place keep their order; a whole reading leaves none of the earlier ones."""
    second = replace(EVENT, kind=EventKind.COMPACTION, name=None)
    save(database, file(events=(EVENT, second)), file(events=(replace(EVENT, position=9),), whole=False))
    assert (EVENT, second, replace(EVENT, position=9)) == events(database)
    save(database, file(turn(1, "new", KEPT)), file(turn(1, "new")))
    assert ((), ()) == (events(database), stored(database)[0].tool_calls)
    with database.reading() as connection:
        assert {} == session_parts.changes(connection, S)


def test_the_commit_of_the_beginning_stays(database: Database) -> None:
    """A later part of the file does not change where the session began."""
    save(database, file(commit="ad27"), file(whole=False, commit="ffff"))
    with database.reading() as connection:
        assert "ad27" == connection.exec_driver_sql('SELECT "commit" FROM sessions').scalar()


def counted(path: str, *counts: RecordCount, whole: bool) -> StoredFile:
    one = file(path=path)
    return replace(one, reading=replace(one.reading, session=None, records=counts, whole=whole))


def test_counts_of_records_follow_their_file(database: Database) -> None:
    """A continuing reading adds, a whole one replaces; the time is that of the file."""
    known = RecordCount(version="2.1", unknown=None, count=3)
    strange = RecordCount(version=None, unknown="song", count=1)
    save(database, counted("/a", known, strange, whole=True), counted("/a", known, whole=False))
    with database.reading() as connection:
        found = session_parts.record_counts(connection)
    at = datetime.fromtimestamp(CURSOR.mtime_ns / 1e9, UTC)
    assert [(None, "song", 1, at), ("2.1", None, 6, at)] == [
        (f.version, f.unknown, f.count, f.written_at) for f in found
    ]
    save(database, counted("/a", known, whole=True))
    with database.reading() as connection:
        assert [3] == [f.count for f in session_parts.record_counts(connection)]
