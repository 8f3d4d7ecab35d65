"""`python -m benchmarks.recall --date 2026-11-22 [--tasks 10000 100000]` measures recall and the list of tasks.

A database is filled with made-up tasks, each request in other words, and with vectors of the size that `hashed-tfidf`
makes. Measured are one `sleepd recall` and one `sleepd tasks list` with process start, by the clock and in processor
time, with the largest memory of `recall`; and 20 neighbours from a database that is open. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.clusters import made_up
from benchmarks.prose import NOUNS, VERBS
from sleepd.core import ngrams
from sleepd.core.model import digest
from sleepd.core.ports import HalfVectors
from sleepd.models.hashed import DIMENSIONS, HashedTfidf
from sleepd.store.database import open_database
from sleepd.usecases import recurring_work

SLEEPD = Path(sys.executable).with_name("sleepd")
QUESTION = "Write the release notes for the parser, and mention the cursor"
WORDS = (*NOUNS, *VERBS)
_K = 20
_ROUNDS = 7


def main() -> None:
    """Print a row for each size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date", required=True)
    parser.add_argument("--tasks", type=int, nargs="*", default=[10_000, 100_000])
    given = parser.parse_args()
    print("| tasks | `recall`, s | CPU s | MB | `tasks list`, s | CPU s | `--help`, s | 20 of an open database, ms |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    for count in given.tasks:
        with tempfile.TemporaryDirectory() as home:
            print(row(Path(home), count), flush=True)
    print(f"\n{given.date}, {platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores")


def row(home: Path, count: int) -> str:
    """One size: the figures of a table's row."""
    environment = {"SLEEPD_HOME": str(home), "PATH": os.environ["PATH"], "HOME": str(home)}  # noqa: TID251  for a child
    environment["SLEEPD_EMBEDDER__NAME"] = "hashed-tfidf"
    run([str(SLEEPD), "init", "--yes"], environment)
    path = next(home.rglob("sleepd.db"))
    vectors = made_up(count, 2 * DIMENSIONS).astype("float16")
    fill(path, vectors)
    asked = measured([str(SLEEPD), "recall", QUESTION, "-k", str(_K)], environment)
    listed = measured([str(SLEEPD), "tasks", "list"], environment)
    shown = measured([str(SLEEPD), "--help"], environment)
    with closing(open_database(path)) as database:
        within = seconds(lambda: recurring_work.nearest(database, HashedTfidf(), QUESTION, _K))
    figures = (asked.wall, asked.cpu, asked.peak_mb, listed.wall, listed.cpu, shown.wall, 1_000 * within)
    return f"| {count:,} | {' | '.join(f'{figure:.2f}' for figure in figures)} |"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The best of several runs of a command."""

    wall: float
    cpu: float
    """Seconds of the processor, of the command and its children."""
    peak_mb: float


def measured(command: list[str], environment: dict[str, str]) -> Cost:
    """The command's cost, each figure the least of several runs: what it takes when nothing else is in the way."""
    costs = []
    for _ in range(_ROUNDS):
        begun = time.perf_counter()
        child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, command)
        wall = time.perf_counter() - begun
        costs.append(Cost(wall=wall, cpu=used.ru_utime + used.ru_stime, peak_mb=used.ru_maxrss / 1024))
    return Cost(wall=min(c.wall for c in costs), cpu=min(c.cpu for c in costs), peak_mb=min(c.peak_mb for c in costs))


def fill(path: Path, vectors: HalfVectors) -> None:
    """Tasks in 60 kinds of work and 2,000 sessions, each with a context, two answers, a check and its vector."""
    space = ngrams.space(HashedTfidf().key, english_only=False)
    rng = random.Random(0)
    kinds = [" ".join(rng.sample(WORDS, 6)) for _ in range(60)]
    context, answer = " ".join(rng.choices(WORDS, k=400)), " ".join(rng.choices(WORDS, k=200))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executemany(
            "INSERT INTO sessions (id, agent, kind, models, redacted, revision, mined_revision) VALUES (?, 'a', "
            "'interactive', '[]', 0, 1, 1)",
            [(f"s{n}",) for n in range(2_000)],
        )
        for n, vector in enumerate(vectors):
            kind = n % len(kinds)
            request = f"{kinds[kind]}: {' '.join(rng.choices(WORDS, k=8))} {n}"
            connection.execute(
                "INSERT INTO tasks (id, session_id, agent, project, at, request, context, group_id, split, retired, "
                "cluster_id, dropped) VALUES (?, ?, 'a', '/p', ?, ?, ?, ?, 'train', 0, ?, 0)",
                (f"t{n}", f"s{n % 2_000}", f"2026-01-01T00:00:00.{n:06}+00:00", request, context, f"t{n}", f"t{kind}"),
            )
            connection.execute("INSERT INTO vectors VALUES (?, ?, ?)", (digest(request), space, vector.tobytes()))
            connection.executemany(
                "INSERT INTO attempts (task_id, number, answer, outcome, evidence) VALUES (?, ?, ?, ?, '[]')",
                [(f"t{n}", 0, answer, "rejected"), (f"t{n}", 1, answer, "accepted")],
            )
            connection.execute("INSERT INTO checks VALUES (?, 'contains', ?)", (f"t{n}", WORDS[kind % len(WORDS)]))
        connection.executemany(
            "INSERT INTO clusters VALUES (?, ?, ?)", [(f"t{n}", f"t{n}", kind) for n, kind in enumerate(kinds)]
        )


def seconds(work: Callable[[], object]) -> float:
    """The best of several rounds: what the work takes when nothing else is in the way."""
    taken = []
    for _ in range(_ROUNDS):
        begun = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begun)
    return min(taken)


def run(command: list[str], environment: dict[str, str]) -> None:
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
