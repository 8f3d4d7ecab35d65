"""The log file."""

from __future__ import annotations

import json
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from sleepd.host import log


@pytest.fixture(autouse=True)
def structlog_as_found() -> Iterator[None]:
    """The process-wide arrangement is put back."""
    yield
    log.silence()
    structlog.reset_defaults()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "sleepd.log"


def lines(file: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_an_event_is_one_line_of_json(file: Path) -> None:
    """Time in UTC, level, event and the facts; text of any language and kind survives."""
    log.configure(file)
    structlog.get_logger().info("night.started", project="naïve\n%s ☾")
    (line,) = lines(file)
    assert ("night.started", "info", "naïve\n%s ☾") == (line["event"], line["level"], line["project"])
    assert line["timestamp"].endswith("Z")


def test_the_terminal_stays_empty(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Output belongs to the command; the log does not mix into it."""
    log.configure(file)
    structlog.get_logger().error("night.failed")
    assert ("", "") == capfd.readouterr()


def test_verbose_shows_the_same_events_on_stderr(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Standard output is left to the command even then."""
    log.configure(file, verbose=True)
    structlog.get_logger().info("night.started", project="p")
    out, err = capfd.readouterr()
    assert "" == out
    assert "event='night.started' project='p'" in err
    assert 1 == len(lines(file))


def test_silence_drops_everything(capfd: pytest.CaptureFixture[str]) -> None:
    """A command without a log writes none, not even to standard output, which is structlog's habit."""
    log.silence()
    structlog.get_logger().critical("night.failed")
    assert ("", "") == capfd.readouterr()


def test_events_below_the_level_are_not_written(file: Path) -> None:
    """`warning` leaves out `info`."""
    log.configure(file, level="warning")
    structlog.get_logger().info("night.started")
    structlog.get_logger().warning("budget.exceeded")
    assert ["budget.exceeded"] == [line["event"] for line in lines(file)]


def test_a_night_marks_its_events(file: Path) -> None:
    """Everything logged within a night carries its id, and nothing after it."""
    log.configure(file)
    with log.in_night("n-7"):
        structlog.get_logger().info("task.mined")
    structlog.get_logger().info("daemon.stopped")
    assert ["n-7", None] == [line.get("night_id") for line in lines(file)]


def test_the_log_is_the_owners_alone(file: Path) -> None:
    """File 0600, folder 0700, also after a new file was begun."""
    log.configure(file, max_bytes=200)
    for _ in range(9):
        structlog.get_logger().info("night.started", filler="x" * 50)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()}
    assert {0o600} == modes
    assert 0o700 == stat.S_IMODE(file.parent.stat().st_mode)


def test_the_log_cannot_fill_the_disk(file: Path) -> None:
    """A stated number of files of a stated size is kept."""
    log.configure(file, max_bytes=300)
    for _ in range(50):
        structlog.get_logger().info("night.started", filler="x" * 50)
    sizes = {path.name: path.stat().st_size for path in file.parent.iterdir()}
    assert {"sleepd.log", "sleepd.log.1", "sleepd.log.2", "sleepd.log.3"} == set(sizes)
    assert max(sizes.values()) <= 300


def test_a_traceback_keeps_values_to_itself(file: Path) -> None:
    """Local variables may hold a prompt or a key; only the lines of code are written."""
    log.configure(file)
    secret = "".join(["sk", "-live"])
    try:
        _ = {}[len(secret)]
    except KeyError:
        structlog.get_logger().exception("night.failed")
    (line,) = lines(file)
    assert "KeyError" in line["exception"]
    assert secret not in json.dumps(line)


def test_arranging_it_again_replaces_the_first(file: Path, tmp_path: Path) -> None:
    """No event is written twice."""
    log.configure(tmp_path / "first.log")
    log.configure(file)
    structlog.get_logger().info("night.started")
    assert 1 == len(lines(file))
    assert "" == (tmp_path / "first.log").read_text()


def test_a_log_that_another_process_rotated_goes_on_in_the_live_file(file: Path) -> None:
    """The daemon writes for months beside its nights; its lines must not end in the file that is deleted next."""
    log.configure(file)
    structlog.get_logger().info("daemon.started")
    file.rename(file.with_name("sleepd.log.1"))
    file.write_text("")
    structlog.get_logger().info("daemon.stopped")
    assert "daemon.stopped" in file.read_text() and "daemon.stopped" not in file.with_name("sleepd.log.1").read_text()


def test_a_log_that_cannot_be_written_is_one_line(file: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """And never a trace: the night goes on."""
    log.configure(file)
    shutil.rmtree(file.parent)
    file.parent.write_text("a file where the folder was")
    for _ in range(3):
        structlog.get_logger().info("daemon.started")
    said = capfd.readouterr().err
    assert 1 == said.count("\n") and str(file) in said


def test_no_secret_and_no_prompt_is_logged(tmp_path: Path) -> None:
    """Neither as a fact nor in the words of an error, of which the first 300 characters are kept."""
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    file = tmp_path / "state" / "sleepd.log"
    log.configure(file)
    prompt = "please rewrite the chapter about my grandmother " * 20
    try:
        raise ValueError(f"{token} {prompt}")
    except ValueError as error:
        structlog.get_logger().error("command.failed", exc_info=error, branch=f"fix/{token}")
    line = file.read_text()
    assert "fix/[redacted:github-token]" in line
    assert "ValueError" in line and token not in line
    assert 400 > len(line) - len(line.replace("please rewrite the chapter about my grandmother ", ""))
