"""How long `make demo` and the proof-run take, once everything is installed.

    python -m benchmarks.proof_run --date 2026-11-20 [--runs 3]

Prints Markdown rows. The proof-run counts its own seconds and leaves out the loading of the embedding model.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PERSONAS = ("researcher", "programmer", "analyst")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--date", required=True)
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args()
    print("| what | target | median | runs | date |\n|---|---|---|---|---|")
    demos = [demo() for _ in range(chosen.runs)]
    figure = statistics.median(demos)
    print(f"| `make demo` after installation | < 60 s | {figure:.1f} s | {listed(demos)} | {chosen.date} |")
    for persona in PERSONAS:
        seconds = [proof(persona, seed) for seed in range(1, chosen.runs + 1)]
        figure = statistics.median(seconds)
        print(
            f"| proof-run, {persona}, without loading | < 10 s | {figure:.1f} s | {listed(seconds)} | {chosen.date} |"
        )


def demo() -> float:
    """Seconds that the whole command takes."""
    started = time.monotonic()
    subprocess.run(["make", "demo"], cwd=ROOT, check=True, capture_output=True)
    return time.monotonic() - started


def proof(persona: str, seed: int) -> float:
    """Seconds of one proof-run, as it states them itself."""
    command = [sys.executable, "-m", "sleepd", "proof-run", "--persona", persona, "--seed", str(seed), "--json"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout)["meta"]["seconds"]["proving"])


def listed(seconds: list[float]) -> str:
    return ", ".join(f"{s:.1f}" for s in seconds)


if __name__ == "__main__":
    main()
