"""How many planted secrets redaction finds, what it takes out of real texts, and how fast it reads.

`python -m benchmarks.redaction --date DAY [--texts FOLDER]`; FOLDER holds transcripts (JSON lines) or other text files.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks import secret_shapes
from sleepd.core.redact import OVERLAP, redact

LIMIT = 16_000
LEAST_CHARS = 20
"""Shorter texts are words, states and numbers: they would make the rate of false alarms look better than it is."""


def texts(folder: Path) -> Iterator[str]:
    """Every text of at least 20 characters in the transcripts below `folder`."""
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                yield from _strings(json.loads(line))
            except ValueError:
                continue


def _strings(value: object) -> Iterator[str]:
    match value:
        case str():
            if len(value) >= LEAST_CHARS:
                yield value
        case dict():
            for each in value.values():
                yield from _strings(each)
        case list():
            for each in value:
                yield from _strings(each)


def found(seeds: range, *, kept: bool | None) -> tuple[int, int]:
    """Planted secrets, and those of which nothing is left."""
    cases = [case for seed in seeds for case in secret_shapes.planted(seed=seed, kept=kept)]
    return len(cases), sum(not secret_shapes.left(case, redact(case.text, LIMIT).text) for case in cases)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--date", required=True)
    parser.add_argument("--texts", type=Path)
    asked = parser.parse_args()
    print(f"measured {asked.date}\n\n| planted | instances | found |\n|---|---:|---:|")
    for name, kept in (("shapes tried while the rules were written", False), ("shapes kept back", True)):
        cases, gone = found(range(1, 4), kept=kept)
        print(f"| {name} | {cases} | {gone} ({100 * gone / cases:.1f} %) |")
    if asked.texts:
        real = list(texts(asked.texts))
        started = time.process_time()
        taken = Counter(rule for text in real for rule in redact(text[: LIMIT + OVERLAP], LIMIT).found)
        seconds = time.process_time() - started
        size = sum(min(len(text), LIMIT + OVERLAP) for text in real) / 1e6
        print(f"\n{len(real)} real texts, {size:.0f} MB, {size / seconds:.0f} MB/s of one core")
        print(f"taken out of them: {sum(taken.values())} {dict(taken)}")


if __name__ == "__main__":
    main()
