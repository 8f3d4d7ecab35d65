"""What living on a machine costs: `python -m benchmarks.daemon [--minutes 10] [--date YYYY-MM-DD] [--peer CACHE]`.

(a) An idle daemon beside 10,000 transcripts: share of a core, memory, transcripts opened. (b) Eight projects in one
minute. (c) `sleepd status` over bare Python with 100,000 sessions in the database. The peer does (b) in its own way,
has nothing resident for (a), and keeps another state for (c). Linux only: /proc is read.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks import cold_start
from benchmarks.peer import Peer, install
from sleepd.store.database import open_database

FILES = 10_000
PROJECTS = 8
SESSIONS = 100_000
SETTLED_S = 5.0
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
SETTINGS = """\
[harvest]
since = "all"
[embedder]
name = "hashed-tfidf"
[model]
name = "simulated"
model = "programmer"
seed = 3
[conditions]
agent_quiet_minutes = 0
[night]
max_calls = 2000
at = "00:00"
jitter_minutes = 0
"""


def main() -> None:
    """Print one table for each figure."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=10.0)
    options.add_argument("--files", type=int, default=FILES)
    options.add_argument("--sessions", type=int, default=SESSIONS)
    options.add_argument("--date", default=None, help="Of the measurement, for the printed line.")
    options.add_argument("--peer", type=Path, default=None, help="A folder to keep the installed peer in.")
    options.add_argument("--no-peer", action="store_true")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="sleepd-status-") as home:
        status(Path(home), given.sessions)
    with tempfile.TemporaryDirectory(prefix="sleepd-eight-") as home:
        eight(Path(home))
    if not given.no_peer:
        with tempfile.TemporaryDirectory(prefix="peer-eight-") as home:
            eight_of_the_peer(install(given.peer), Path(home))
    with tempfile.TemporaryDirectory(prefix="sleepd-idle-") as home:
        idle(Path(home), given.files, given.minutes)
    print(f"\n{given.date or ''} {platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores")


def surroundings(home: Path) -> dict[str, str]:
    """The environment of somebody who lives in this folder."""
    foreign = ("SLEEPD_", "XDG_", "CLAUDE", "CODEX", "COPILOT", "VSCODE")
    own = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}  # noqa: TID251
    own.pop("PYTHONDONTWRITEBYTECODE", None)  # as installed: compiled once
    return {**own, "HOME": str(home), "SLEEPD_HOME": str(home / ".sleepd"), "HF_HUB_OFFLINE": "1"}


def settled(home: Path, text: str = SETTINGS) -> dict[str, str]:
    """A home with settings; its environment."""
    (home / ".sleepd").mkdir(mode=0o700)
    (home / ".sleepd" / "config.toml").write_text(text)
    return surroundings(home)


def sleepd(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "sleepd", *arguments]


# (a) Idle -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What a process used up to now."""

    cpu_s: float
    read: int
    """Bytes it asked the system for, of any file."""
    from_disk: int
    peak_mb: float


def idle(home: Path, files: int, minutes: float) -> None:
    environment = settled(home)
    for number in range(files):
        transcript(home, number)
    subprocess.run(sleepd("harvest", "--quiet"), env=environment, check=True)
    for number in range(files):
        unread(path_of(home, number))
    before = accessed(home)
    with subprocess.Popen(sleepd("daemon"), env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        process.stderr.readline()  # "watching"
        # The first harvest is a child; when it has ended, the daemon is idle.
        while accounted(process.pid) == 0 or children(process.pid):
            time.sleep(0.2)
        time.sleep(SETTLED_S)
        start, begun = used(process.pid), time.monotonic()
        time.sleep(minutes * 60)
        end, seconds = used(process.pid), time.monotonic() - begun
        started = children(process.pid)
        process.send_signal(signal.SIGTERM)
        process.wait(60)
    log = (home / ".sleepd" / "state" / "sleepd.log").read_text().splitlines()
    harvests = [event for line in log if (event := json.loads(line))["event"] == "harvest.ended"]
    opened = sum(before[path] != now for path, now in accessed(home).items())
    print(f"\n| idle beside {files:,} transcripts for {seconds / 60:.1f} min | measured | target |\n|---|---:|---:|")
    share = 100 * (end.cpu_s - start.cpu_s) / seconds
    print(f"| CPU, share of one core | {share:.3f} % ({end.cpu_s - start.cpu_s:.2f} s) | < 0.1 % |")
    print(f"| largest resident set | {end.peak_mb:.0f} MB | < 90 MB |")
    print(f"| transcripts opened, by their access times | {opened} | 0 |")
    print(f"| harvests, with the first two | {len(harvests)} | 2 |")
    print(f"| bytes of other files read (calendar, kernel's tables) | {end.read - start.read:,} | |")
    print(f"| bytes from the disk | {end.from_disk - start.from_disk:,} | |")
    print(f"| children left | {len(started)} | 0 |")


def transcript(home: Path, number: int) -> None:
    """One small session of yesterday, in the place of one of four agents."""
    file = path_of(home, number)
    line = {"type": "user", "sessionId": file.stem, "uuid": file.stem, "timestamp": "2026-11-01T00:00:00Z"}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({**line, "message": {"role": "user", "content": "hello"}}) + "\n")
    unread(file)


def unread(file: Path) -> None:
    """Set it back to yesterday, and to before its last writing: else the system notes a reading only once a day."""
    yesterday = time.time() - 86_400  # noqa: TID251  a benchmark may look at the clock
    written = min(yesterday, file.stat().st_mtime)
    os.utime(file, (written - 60, written))


def path_of(home: Path, number: int) -> Path:
    name = str(uuid.UUID(int=number + 1))
    match number % 10:
        case 6 | 7:
            day = f"2026/{1 + number % 12:02}/{1 + number % 28:02}"
            file = home / f".codex/sessions/{day}/rollout-2026-01-01T00-00-00-{name}.jsonl"
        case 8:
            file = home / f".copilot/session-state/{name}/events.jsonl"
        case 9:
            file = home / f".config/Code/User/workspaceStorage/w{number % 30}/chatSessions/{name}.json"
        case _:
            file = home / f".claude/projects/-home-p{number % 40}/{name}.jsonl"
    return file


def worked_in(home: Path, project: Path) -> None:
    """Three sessions of Claude Code in a project."""
    for number in range(3):
        name = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{project.name}:{number}"))
        line = {"sessionId": name, "cwd": str(project), "timestamp": "2026-11-01T00:00:00Z", "version": "2.0.1"}
        asked = {"role": "user", "content": f"write the commit message of change {number}"}
        said = {"role": "assistant", "content": [{"type": "text", "text": "Add a retry to the upload"}]}
        lines = [
            {**line, "type": "user", "uuid": f"{name}-1", "parentUuid": None, "message": asked},
            {**line, "type": "assistant", "uuid": f"{name}-2", "parentUuid": f"{name}-1", "message": said},
        ]
        folder = home / ".claude/projects" / str(project).replace("/", "-")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in lines))


def accessed(home: Path) -> dict[str, int]:
    """When each transcript was last read, where the file system keeps that."""
    files = (file for top in (".claude", ".codex", ".copilot", ".config") for file in (home / top).rglob("*.json*"))
    return {str(file): file.stat().st_atime_ns for file in files}


def used(pid: int) -> Used:
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    io = dict(line.split(": ") for line in Path(f"/proc/{pid}/io").read_text().splitlines())
    return Used(
        cpu_s=(int(stat[11]) + int(stat[12])) / TICKS_PER_S,
        read=int(io["rchar"]),
        from_disk=int(io["read_bytes"]),
        peak_mb=int(status["VmHWM"].split()[0]) * 1024 / 1e6,
    )


def accounted(pid: int) -> int:
    """CPU ticks of children that ended."""
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(stat[13]) + int(stat[14])


def children(pid: int) -> list[str]:
    return [c for task in Path(f"/proc/{pid}/task").iterdir() for c in (task / "children").read_text().split()]


# (b) Eight projects -------------------------------------------------------------------------------------------------


def eight(home: Path) -> None:
    environment = settled(home)
    projects = [home / f"project-{number}" for number in range(PROJECTS)]
    for project in projects:
        project.mkdir()
        worked_in(home, project)
    begun = time.monotonic()
    running = [
        subprocess.Popen(sleepd("run", "--scheduled", "--project", str(p)), env=environment, stderr=subprocess.DEVNULL)
        for p in projects
    ]
    statuses = [process.wait() for process in running]
    seconds = time.monotonic() - begun
    with closing(sqlite3.connect(home / ".sleepd" / "sleepd.db")) as connection:
        nights = connection.execute("SELECT count(DISTINCT scope) FROM nights WHERE status = 'done'").fetchone()[0]
    print(f"\n| {PROJECTS} projects in the same minute | nights | failed | s |\n|---|---:|---:|---:|")
    print(f"| **sleepd** | **{nights}** | {sum(s != 0 for s in statuses)} | {seconds:.1f} |")


def eight_of_the_peer(peer: Peer, home: Path) -> None:
    """Its command, in eight projects at once, with its own mock backend; then what its state file remembers."""
    told = [peer.python, "-m", "skillopt_sleep", "run", "--backend", "mock", "--project"]
    environment = surroundings(home)
    projects = [home / f"project-{number}" for number in range(PROJECTS)]
    for project in projects:
        project.mkdir()
        worked_in(home, project)
    begun = time.monotonic()
    quiet = {"env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    running = [subprocess.Popen([*map(str, told), str(project)], **quiet) for project in projects]  # type: ignore[call-overload]
    statuses = [process.wait() for process in running]
    seconds = time.monotonic() - begun
    states = [json.loads(file.read_text()) for file in home.rglob("state.json")]
    counted = sum(len(state["history"]) for state in states)
    print(f"| skillopt {peer.version} | {counted} | {sum(s != 0 for s in statuses)} | {seconds:.1f} |")


# (c) Status ---------------------------------------------------------------------------------------------------------


def status(home: Path, sessions: int) -> None:
    environment = settled(home)
    open_database(home / ".sleepd" / "sleepd.db").close()
    fill(home / ".sleepd" / "sleepd.db", sessions)
    bare, ours = cold_start.measured([sys.executable, "-c", "pass"], sleepd("status"), environment)
    size = (home / ".sleepd" / "sleepd.db").stat().st_size / 1e6
    print(
        f"\n| `sleepd status` with {sessions:,} sessions ({size:.0f} MB) | over bare Python | target |\n|---|---:|---:|"
    )
    print(f"| median of {cold_start.ROUNDS} | {ours - bare:.0f} ms | ≤ 350 ms |")


def fill(file: Path, sessions: int) -> None:
    """Rows as years of harvests leave them: each session has a task, each third task a check."""
    at, folder = "2026-11-01T00:00:00.000000+00:00", "/home/somebody/work/project"
    title, request = "a title of the usual length", "please do again what you did yesterday, and mind the rules. " * 5
    numbers = range(sessions)
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.executemany(
            "INSERT INTO sessions (id, agent, kind, project, title, started_at, ended_at, models, redacted, revision, "
            "mined_revision) VALUES (?, 'claude-code', 'interactive', ?, ?, ?, ?, '[]', 0, 1, 1)",
            ((f"claude-code:{n}", folder, title, at, at) for n in numbers),
        )
        connection.executemany(
            "INSERT INTO tasks (id, session_id, agent, project, at, request, context, retired, dropped, reviewed) "
            "VALUES (?, ?, 'claude-code', ?, ?, ?, ?, 0, 0, 0)",
            ((f"task-{n}", f"claude-code:{n}", folder, at, request, request * 7) for n in numbers),
        )
        connection.executemany(
            "INSERT INTO checks (task_id, kind, value) VALUES (?, 'contains', 'Tested')",
            ((f"task-{n}",) for n in numbers if n % 3 == 0),
        )


if __name__ == "__main__":
    main()
