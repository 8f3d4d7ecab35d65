"""How long commands that somebody waits for take over bare Python: `python -m benchmarks.cold_start`.

Each is run in turns with `python -c pass`, 15 times, in a home with an empty database; the medians of processor time,
which other jobs disturb less than the clock, and their difference are printed as rows of docs/reference/benchmarks.md.
The installed packages should be compiled.
"""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROUNDS = 15
LIMITS_MS = {
    "--help": 100,
    "status": 250,
    "proposals": 250,
    "notice": 250,
    "tasks list": 500,
    "lessons": 1_000,
    "episodes": 1_000,
}
SLEEPD = Path(sys.executable).with_name("sleepd")


def main() -> None:
    """Print one row for each command."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "SLEEPD_HOME": home}  # noqa: TID251  handed to a child process
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # as installed: compiled once
        run([str(SLEEPD), "init"], environment)
        print("| command | bare Python, ms | command, ms | over bare, ms | limit, ms |\n|---|---|---|---|---|")
        for command, limit in LIMITS_MS.items():
            bare, ours = measured([sys.executable, "-c", "pass"], [str(SLEEPD), *command.split()], environment)
            print(f"| `sleepd {command}` | {bare:.0f} | {ours:.0f} | {ours - bare:.0f} | {limit} |")
    print(
        f"\n{platform.platform()}, Python {platform.python_version()}, {os.cpu_count()} cores, {ROUNDS} rounds, median"
    )


def measured(bare: Sequence[str], ours: Sequence[str], environment: dict[str, str]) -> tuple[float, float]:
    """Medians in milliseconds, taken in turns so that a busy moment meets both; one run of each goes before."""
    rounds = [(run(bare, environment), run(ours, environment)) for _ in range(ROUNDS + 1)][1:]
    first, second = zip(*rounds, strict=True)
    return statistics.median(first), statistics.median(second)


def run(command: Sequence[str], environment: dict[str, str]) -> float:
    """Milliseconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


if __name__ == "__main__":
    main()
