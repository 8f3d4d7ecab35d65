"""Transcripts to rows: what grew is read, secrets stay outside."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType

import pytest

from harvesters import jsonl
from sleepd.core.mark import OWN_MARK
from sleepd.pipeline.ingest import ingest
from sleepd.pipeline.unread import IngestReport
from sleepd.settings.sections import HarvestConfig
from sleepd.store import sessions
from sleepd.store.cursors import cursors
from tests.pipeline.world import World, make

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SESSION = "11111111-2222-3333-4444-555555555555"


def line(n: int, kind: str, content: object, **more: object) -> str:
    stamp = (datetime(2026, 9, 1, tzinfo=UTC) + timedelta(minutes=n)).isoformat().replace("+00:00", "Z")
    record = {
        "type": kind, "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "sessionId": SESSION, "timestamp": stamp,
        "cwd": "/p", "version": "2.1.0", "isSidechain": False, "userType": "external",
        "message": {"role": kind, "content": content}, **more,
    }  # fmt: skip
    return json.dumps(record, ensure_ascii=False) + "\n"


def reply(n: int, text: str) -> str:
    return line(n, "assistant", [{"type": "text", "text": text}])


def transcript(world: World, *lines: str) -> Path:
    path = world.home / ".claude" / "projects" / "-p" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def empty(folder: Path) -> World:
    return make(folder, sessions=0)


class TestTwice:
    def test_reading_again_reads_nothing_and_changes_nothing(self, tmp_path: Path) -> None:
        """Every agent's files: 0 bytes, and the very same rows."""
        world = make(tmp_path, "analyst", sessions=12)
        first = world.ingest()
        before = {t: world.rows(t) for t in ("files", "sessions", "turns", "tool_calls", "defects")}
        second = world.ingest()
        assert (12, 12, True) == (first.files, first.read, first.bytes_read > 10_000)
        assert {"claude-code", "copilot-cli", "copilot-vscode"} == set(first.by_agent)
        assert (12, 0, 0, 0, 0) == (second.files, second.read, second.bytes_read, second.sessions, second.turns)
        assert before == {t: world.rows(t) for t in before}

    def test_what_is_known_is_asked_for_once_an_agent(self, tmp_path: Path) -> None:
        """Once for each file, a second harvest of ten thousand files would take minutes."""
        world = make(tmp_path, "analyst", sessions=12)
        world.ingest()
        asked: list[str] = []

        def told(frame: FrameType, event: str, _: object) -> None:
            if event == "call" and frame.f_code is cursors.__code__:
                asked.append(frame.f_locals["agent"])

        sys.setprofile(told)
        again = world.ingest()
        sys.setprofile(None)
        assert len(asked) == len(set(asked)) < 12 and set(again.by_agent) <= set(asked)

    def test_what_grew_is_added(self, tmp_path: Path) -> None:
        """Only the new turns are read, and the session is the one that a single reading gives."""
        lines = [
            line(0, "user", "Write it"),
            reply(1, "It is written"),
            line(2, "user", "Shorter"),
            reply(3, "Written"),
        ]
        world, whole = (empty(tmp_path / name) for name in ("grown", "whole"))
        path = transcript(world, *lines[:2])
        assert 2 == world.ingest().turns
        with path.open("a", encoding="utf-8") as file:
            file.write("".join(lines[2:]))
        assert 2 == world.ingest().turns
        transcript(whole, *lines)
        whole.ingest()
        assert whole.rows("turns") == world.rows("turns")

    def test_a_rewritten_file_replaces_its_session(self, tmp_path: Path) -> None:
        """Turns that are gone from the file are gone from the database."""
        world = empty(tmp_path)
        transcript(world, line(0, "user", "Write it"), reply(1, "It is written"), line(2, "user", "Shorter"))
        world.ingest()
        transcript(world, line(0, "user", "Something else now"))
        world.ingest()
        assert ["Something else now"] == [t["text"] for t in world.rows("turns")]


class TestLongFiles:
    def test_a_long_file_is_stored_piece_by_piece(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The rows are those of one reading; each piece is a transaction of its own, and the file counts once."""
        talk = [line(n, "user", f"Ask {n}") if n % 2 == 0 else reply(n, f"Answer {n} " * 20) for n in range(80)]
        whole, pieces = (empty(tmp_path / name) for name in ("whole", "pieces"))
        transcript(whole, *talk)
        transcript(pieces, *talk)
        whole.ingest()
        monkeypatch.setattr(jsonl, "PIECE_BYTES", 2_000)
        monkeypatch.setattr("sleepd.pipeline.ingest._BYTES_AT_ONCE", 2_000)
        told: list[tuple[int, int]] = []
        committed: set[int] = set()

        def noted(done: int, files: int) -> None:
            told.append((done, files))
            committed.add(len(pieces.rows("turns")))  # what another connection sees

        done = ingest(pieces.database, pieces.sources, HarvestConfig(), noted)
        assert whole.rows("turns") == pieces.rows("turns")
        assert (1, 1, 1, 80) == (done.files, done.read, done.sessions, done.turns)
        assert len(committed) > 5
        assert ((0, 1), (1, 1)) == (told[0], told[-1])
        assert 0 == pieces.ingest().bytes_read


class TestSecrets:
    def test_no_byte_of_a_secret_reaches_the_database(self, tmp_path: Path) -> None:
        """Prompts, answers, arguments, results and titles; the files of the database are searched whole."""
        world = empty(tmp_path)
        call = [
            {
                "type": "tool_use",
                "id": "t1",
                "name": "Bash",
                "input": {"command": f"curl -H 'Authorization: Bearer {SECRET}'"},
            }
        ]
        result = [{"type": "tool_result", "tool_use_id": "t1", "content": f"token={SECRET}", "is_error": False}]
        transcript(
            world,
            json.dumps({"type": "summary", "summary": f"About {SECRET}", "leafUuid": "u3"}) + "\n",
            line(0, "user", f"Use {SECRET} for it"),
            line(1, "assistant", call),
            line(2, "user", result),
            reply(3, f"I used {SECRET} as you said"),
        )
        report = world.ingest()
        world.database.close()
        held = b"".join(p.read_bytes() for p in tmp_path.glob("sleepd.db*"))
        assert SECRET.encode() in b"".join(p.read_bytes() for p in world.home.rglob("*.jsonl"))
        assert SECRET.encode() not in held
        assert SECRET[4:20].encode() not in held
        assert b"I used" in held
        assert report.redacted >= 4

    def test_no_secret_of_an_edit_an_answer_or_an_event_reaches_the_database(self, tmp_path: Path) -> None:
        """What is kept beside the words is redacted like the words."""
        world = empty(tmp_path)
        hunk = {"oldStart": 1, "oldLines": 0, "newStart": 1, "newLines": 1, "lines": [f"+KEY = '{SECRET}'"]}
        edit = {"filePath": f"/p/{SECRET}.py", "structuredPatch": [hunk], "answers": {f"Is {SECRET} it?": SECRET}}
        call = [{"type": "tool_use", "id": "t1", "name": "Edit", "input": {}}]
        result = [{"type": "tool_result", "tool_use_id": "t1", "content": "done"}]
        hook = {"type": "hook_success", "hookName": f"Stop:{SECRET}", "stdout": f"token {SECRET}", "exitCode": 0}
        transcript(
            world,
            line(0, "user", "Go."),
            line(1, "assistant", call),
            line(2, "user", result, toolUseResult=edit),
            line(3, "attachment", None, attachment=hook),
        )
        world.ingest()
        rows = str([world.rows(table) for table in ("file_changes", "session_events", "tool_calls")])
        world.database.close()
        held = b"".join(p.read_bytes() for p in tmp_path.glob("sleepd.db*"))
        assert (True, True, True) == ("+KEY" in rows, "Stop:" in rows, "Is " in rows)
        assert SECRET[4:20].encode() not in held

    def test_a_secret_at_the_cut_of_a_long_text_is_seen_whole(self, tmp_path: Path) -> None:
        """The harvester hands over more than is kept, so that half a secret never is."""
        world = empty(tmp_path)
        transcript(world, line(0, "user", "x " * 30 + SECRET + " tail" * 10))
        ingest(world.database, world.sources, HarvestConfig(max_text=75, max_tool_text=75))
        (turn,) = world.rows("turns")
        assert SECRET[:10] not in str(turn["text"])
        assert len(str(turn["text"])) <= 75


class TestWhatIsLeftAlone:
    def test_our_own_runs_are_not_work(self, tmp_path: Path) -> None:
        """A session whose first prompt bears our mark is stored as our own, and never mined."""
        world = empty(tmp_path)
        transcript(world, line(0, "user", f"{OWN_MARK} You are a coding agent. Write it"), reply(1, "It is written"))
        world.ingest()
        assert ["own"] == [s["kind"] for s in world.rows("sessions")]
        with world.database.reading() as connection:
            assert () == sessions.unmined(connection, ("interactive", "headless", "subagent"))

    def test_a_mark_further_down_is_somebodys_words(self, tmp_path: Path) -> None:
        """Only the first prompt tells who drove the session."""
        world = empty(tmp_path)
        transcript(
            world, line(0, "user", "What does [sleepd] mean?"), reply(1, "A mark"), line(2, "user", f"{OWN_MARK} x")
        )
        world.ingest()
        assert ["interactive"] == [s["kind"] for s in world.rows("sessions")]

    def test_files_from_before_the_window_wait_until_they_grow(self, tmp_path: Path) -> None:
        """The first run does not take in months of history."""
        world = make(tmp_path, sessions=3)
        later = replace(world.sources, since=datetime(2100, 1, 1, tzinfo=UTC))
        report = ingest(world.database, later, HarvestConfig())
        assert (3, 0, 0) == (report.files, report.read, len(world.rows("sessions")))
        assert 3 == world.ingest().sessions

    def test_named_files_are_the_only_ones_read(self, tmp_path: Path) -> None:
        """`--from` looks for nothing else."""
        world = make(tmp_path, sessions=5)
        some = sorted((world.home / ".claude").rglob("*.jsonl"))[:1]
        report = ingest(world.database, replace(world.sources, only={"claude-code": some}), HarvestConfig())
        assert (1, {"claude-code": 1}) == (report.files, dict(report.by_agent))


class TestDamage:
    def test_broken_lines_are_rows_of_their_own(self, tmp_path: Path) -> None:
        """With file, offset and reason; the rest of the file is stored."""
        world = empty(tmp_path)
        first = line(0, "user", "Write it")
        path = transcript(world, first, '{"type": "user", \n', reply(1, "It is written"))
        report = world.ingest()
        assert (1, 2) == (report.defects, report.turns)
        assert [{"path": str(path), "offset": len(first), "reason": "bad-json"}] == world.rows("defects")

    def test_a_file_that_vanishes_does_not_stop_the_harvest(self, tmp_path: Path) -> None:
        """Agents delete old transcripts whenever they like."""
        world = make(tmp_path, sessions=4)
        gone = sorted((world.home / ".claude").rglob("*.jsonl"))[0]
        named = replace(world.sources, only={"claude-code": [gone.with_name("gone.jsonl"), gone]})
        assert 1 == ingest(world.database, named, HarvestConfig()).sessions

    def test_progress_counts_every_file(self, tmp_path: Path) -> None:
        """(done, in all), whether there was something new or not."""
        world = make(tmp_path, sessions=3)
        told: list[tuple[int, int]] = []
        report = ingest(world.database, world.sources, HarvestConfig(), lambda done, total: told.append((done, total)))
        assert isinstance(report, IngestReport)
        assert [(1, 3), (2, 3), (3, 3)] == told


class TestNames:
    def test_names_and_ids_are_stored_without_their_secrets(self, tmp_path: Path) -> None:
        """A branch, a folder, a tool, a title: whatever a table holds has no secret in it; two ids stay two."""
        world = empty(tmp_path)
        other = SECRET[:-4] + "Zz99"
        calls = [
            {"type": "tool_use", "id": secret, "name": f"mcp__{SECRET}", "input": {}} for secret in (SECRET, other)
        ]
        transcript(
            world,
            line(0, "user", "Fix it", gitBranch=f"fix/{SECRET}", cwd=f"/p/{SECRET}"),
            line(1, "assistant", calls, gitBranch=f"fix/{SECRET}"),
        )
        report = world.ingest()
        tables = {t: world.rows(t) for t in ("files", "sessions", "turns", "tool_calls", "defects")}
        assert report.redacted >= 4
        assert "fix/[redacted:github-token]" in str(tables["sessions"])
        assert [] == [name for name, rows in tables.items() if SECRET in str(rows) or other in str(rows)]
        assert 2 == len(tables["tool_calls"])
