"""`python -m benchmarks.recall --date 2026-11-22 [--tasks 10000 100000]` measures recall and the list of tasks.

A database is filled with made-up tasks, each request in other words, and with vectors of the size that `hashed-tfidf`
makes. Measured are one `sleepd recall` and one `sleepd tasks list` with process start, and 20 neighbours out of rows in
memory: of all rows, and by the index with the share of the true ones that it finds. Prints a Markdown table.
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
from pathlib import Path

from benchmarks.clusters import made_up
from benchmarks.prose import NOUNS, VERBS
from sleepd.core import ngrams
from sleepd.core.model import digest
from sleepd.core.ports import HalfVectors
from sleepd.core.recall import Index, nearest
from sleepd.models.hashed import DIMENSIONS, HashedTfidf

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
    print("| tasks | `recall`, s | `tasks list`, s | `--help`, s | 20 of all, ms | by the index, ms | found |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
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
    names = [f"t{n}" for n in range(count)]
    index = Index(names, vectors)
    queries = [vectors[n].astype("float32") for n in range(0, count, count // 20)]
    query = queries[0]
    same = [
        {id_ for id_, _ in nearest(q, names, vectors, _K)} & {id_ for id_, _ in index.nearest(q, _K)} for q in queries
    ]
    found = sum(map(len, same)) / (_K * len(queries))
    cells = [
        seconds(lambda: run([str(SLEEPD), "recall", QUESTION, "-k", str(_K)], environment)),
        seconds(lambda: run([str(SLEEPD), "tasks", "list"], environment)),
        seconds(lambda: run([str(SLEEPD), "--help"], environment)),
        1_000 * seconds(lambda: nearest(query, names, vectors, _K)),
        1_000 * seconds(lambda: index.nearest(query, _K)),
    ]
    return f"| {count:,} | {' | '.join(f'{cell:.2f}' for cell in cells)} | {found:.0%} |"


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
