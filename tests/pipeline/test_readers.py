"""Reading in several processes gives what reading in one gives."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from harvesters import wire
from harvesters.__main__ import harvester
from harvesters.claude_code import ClaudeCode
from harvesters.records import Cursor, Defect, Reading
from sleepd.pipeline import readers
from sleepd.pipeline.jobs import Job, Lengths
from sleepd.pipeline.readers import WORTH_PROCESSES, apart, readings
from sleepd.store.stored_file import StoredFile
from tests.harvesters import golden, test_pieces
from tests.pipeline.world import make

T = TypeVar("T")
LENGTHS = Lengths(text=16_000, tool_text=4_000)
TABLES = ("sessions", "turns", "tool_calls", "skill_uses", "defects", "file_changes", "session_events", "record_counts")


def jobs() -> list[Job]:
    return [Job(harvester=harvester(path.parts[-3]), path=path, cursor=None) for path in golden.cases()]


class HereOnly:
    """A harvester that no other process can have, and that notes where it reads."""

    agent = "here-only"

    def __init__(self) -> None:
        self.processes: list[int] = []
        self.kept = lambda: None

    def find(self, env: Mapping[str, str], home: Path) -> Iterable[Path]:
        return ()

    def read(self, path: Path, cursor: Cursor | None = None, *, clip: int = 0) -> Reading:
        self.processes.append(os.getpid())
        return Reading(session=None, bytes_read=1)


class Held:
    """Something in a circle with itself."""

    def __init__(self) -> None:
        self.me = self


class InCircles:
    """A harvester each of whose readings leaves a circle behind."""

    agent = "in-circles"

    def __init__(self) -> None:
        self.left: list[weakref.ref[Held]] = []
        self.kept = lambda: None
        self.most = 0

    def find(self, env: Mapping[str, str], home: Path) -> Iterable[Path]:
        return ()

    def read(self, path: Path, cursor: Cursor | None = None, *, clip: int = 0) -> Reading:
        self.left.append(weakref.ref(Held()))
        self.most = max(self.most, sum(one() is not None for one in self.left))
        return Reading(
            session=None, defects=(Defect(path=str(path), offset=0, reason="binary"),), bytes_read=16_000_000
        )


class AtOnce(Executor):
    """Does in this process, and at once, what it is given."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        future: Future[T] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def files(found: Iterable[StoredFile | None]) -> list[tuple[str, str]]:
    return [(one.path, one.reading.session.id if one.reading.session else "") for one in found if one is not None]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_give_the_same_in_the_same_order(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All cases of the golden corpus: equal readings, secrets out, in the order of the jobs."""
    if method == "fork" and sys.platform != "linux":
        pytest.skip("elsewhere no process is forked")
    monkeypatch.setattr(readers, "start_method", lambda: method)
    alone = list(readings(jobs(), LENGTHS, 0))
    together = list(readings(jobs(), LENGTHS, WORTH_PROCESSES))
    assert alone == together


@pytest.mark.slow
def test_a_harvest_in_processes_stores_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a simulated person's transcripts of every agent."""
    one, several = (make(tmp_path / name, "analyst", sessions=12) for name in ("alone", "apart"))
    one.ingest()
    monkeypatch.setattr(readers, "WORTH_PROCESSES", 0)
    several.ingest()

    told = [str([several.rows(table) for table in TABLES]), str([one.rows(table) for table in TABLES])]
    assert told[0].replace("apart", "alone") == told[1]


@pytest.mark.slow
def test_a_long_file_is_read_in_order_beside_others(tmp_path: Path) -> None:
    """Its pieces follow each other; the other files keep their places."""
    claude = ClaudeCode()
    paths = [test_pieces.claude(tmp_path / name) for name in "ab"]
    found = files(readings([Job(harvester=claude, path=p, cursor=None) for p in paths], LENGTHS, WORTH_PROCESSES))
    assert [str(path) for path in paths] == [path for path, _ in found]


@pytest.mark.slow
def test_nothing_new_needs_no_redactor(tmp_path: Path) -> None:
    """A second harvest imports neither the redactor nor what starts processes, and opens no transcript."""
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
print(done.read, done.bytes_read, [name for name in ("sleepd.core.redact", "concurrent.futures.process") if name in sys.modules])
"""
    test_pieces.claude(tmp_path / ".claude" / "projects" / "-p")
    command = [sys.executable, "-c", program, str(tmp_path)]
    said = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert said[0].startswith("1 ") and "sleepd.core.redact" in said[0]
    assert "0 0 []\n" == said[1]


@pytest.mark.parametrize(("size", "begun"), [(10_000_000, 4), (100, 64), (90_000_000, 1)])
def test_processes_are_ahead_by_bytes(tmp_path: Path, size: int, begun: int) -> None:
    """So that they have work while one of them reads a long file, and what waits for its turn is bounded."""
    mine = HereOnly()
    todo = deque(Job(harvester=mine, path=tmp_path / str(n), cursor=None, size=size) for n in range(100))
    found = apart(AtOnce(), todo, LENGTHS)
    next(found)
    assert begun == len(mine.processes)
    assert 99 == len(list(found))


def test_little_to_read_starts_no_process(tmp_path: Path) -> None:
    """A harvester of another package that cannot be sent is used in this process, however much there is to read."""
    mine = HereOnly()
    todo = [Job(harvester=mine, path=tmp_path / name, cursor=None) for name in "ab"]
    list(readings(todo, LENGTHS, 10 * WORTH_PROCESSES))
    assert [os.getpid()] * 2 == mine.processes


def test_what_a_harvester_leaves_in_circles_is_freed(tmp_path: Path) -> None:
    """However few objects that are: each may hold the texts of a whole piece."""
    mine = InCircles()
    list(readings([Job(harvester=mine, path=tmp_path / str(n), cursor=None) for n in range(12)], LENGTHS, 0))
    assert (12, 2) == (len(mine.left), mine.most)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process is forked")
def test_a_second_thread_keeps_processes_from_being_forked() -> None:
    """Its locks would stay locked for ever in the fork."""
    program = "from sleepd.pipeline import readers; print(readers.start_method())"
    alone = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "fork\n" == alone.stdout
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert "spawn" == readers.start_method()
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("case", golden.cases(), ids=lambda path: "/".join(path.parts[-3:-1]))
def test_a_reading_survives_the_way_to_another_process(case: Path) -> None:
    """Packed and unpacked, every golden reading is equal to itself."""
    file = StoredFile(
        path=str(case), agent="a", reading=harvester(case.parts[-3]).read(case), kind="interactive", redacted=1
    )
    assert file == wire.unpacked(wire.packed(file), StoredFile)
    assert file != wire.unpacked(wire.packed(replace(file, redacted=2)), StoredFile)
