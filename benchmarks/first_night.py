"""How long it takes from `sleepd init` to the first proposal on a machine with history, and what the peer says there.

    python -m benchmarks.first_night --date 2026-11-20 [--sessions 300] [--delay 1.0] [--peer CACHE]

The history is that of a simulated programmer, in the agents' own formats. The provider is a server on this machine that
takes `--delay` seconds for each answer, as a real one does. `sleepd run` is repeated until something is proposed, three
times at most. Prints Markdown rows. The peer is given the same home, and its own mock in place of a model.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.peer import install
from sleepd.app import answers
from tests.docs.machine import provider, with_history
from tests.docs.newcomer import clean_environment
from tests.stub.server import Stub

SLEEPD = Path(sys.executable).with_name("sleepd")
MODEL = {"model.name": "anthropic", "model.model": "claude-haiku-4-5"}
BEFORE = (("doctor", "--live"), ("harvest",), ("mine",))
MOST_RUNS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """A first night."""

    seconds: dict[str, float]
    """Of each command."""
    runs: int
    calls: int
    proposals: int


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--date", required=True)
    parser.add_argument("--sessions", type=int, default=300)
    parser.add_argument("--delay", type=float, default=1.0, help="seconds that the provider takes for an answer")
    parser.add_argument("--peer", type=Path, help="where the peer is, or is to be, installed; without it: not run")
    chosen = parser.parse_args()
    print("| who | sessions | provider | s | what came | date |\n|---|---:|---|---:|---|---|")
    night = ours(chosen.sessions, chosen.delay)
    whole = sum(night.seconds.values())
    parts = ", ".join(f"{name} {seconds:.1f}" for name, seconds in night.seconds.items())
    print(
        f"| sleepd, `init` to proposal (target: < 300 s) | {chosen.sessions} | {chosen.delay:g} s an answer "
        f"| **{whole:.0f}** | {night.proposals} to review after {night.calls} calls in {night.runs} runs ({parts}) "
        f"| {chosen.date} |"
    )
    if chosen.peer is not None:
        seconds, said = theirs(chosen.sessions, chosen.peer)
        print(f"| skillopt, `run` | {chosen.sessions} | its mock | {seconds:.1f} | {said} | {chosen.date} |")


def ours(sessions: int, delay: float) -> Night:
    """The commands of the tutorial, one process each."""
    with _home(sessions) as home, Stub(answer=slow(provider(), delay)) as stub:
        environment = clean_environment(home) | {"ANTHROPIC_API_KEY": "any"}
        seconds: dict[str, float] = {}

        def done(*step: str) -> str:
            begun = time.perf_counter()
            out = _said([str(SLEEPD), *step], environment)
            seconds[step[0]] = seconds.get(step[0], 0.0) + time.perf_counter() - begun
            return out

        done("init", "--yes")
        answers.write(home / ".config/sleepd/config.toml", {**MODEL, "model.base_url": stub.url})
        for step in BEFORE:
            done(*step)
        proposals, runs = [], 0
        while not proposals and runs < MOST_RUNS:
            done("run")
            proposals, runs = json.loads(done("proposals", "--json")), runs + 1
        return Night(seconds=seconds, runs=runs, calls=len(stub.requests), proposals=len(proposals))


def theirs(sessions: int, cache: Path) -> tuple[float, str]:
    """The peer's one command, over everything it finds."""
    peer = install(cache)
    with _home(sessions) as home:
        command = [str(peer.python), "-m", "skillopt_sleep", "run", "--project", str(home / "uploader")]
        options = ["--backend", "mock", "--source", "auto", "--lookback-hours", "0", "--json"]
        begun = time.perf_counter()
        out = _said([*command, *options], clean_environment(home))
        said = json.loads(out)
        seconds = time.perf_counter() - begun
    told = ("n_sessions", "n_tasks", "gate_action", "baseline", "candidate")
    return seconds, ", ".join(f"{name} {said.get(name)}" for name in told)


def slow(answer: Callable[[str, str], str], delay: float) -> Callable[[str, str], str]:
    """The same, after so many seconds."""

    def answered(system: str, prompt: str) -> str:
        time.sleep(delay)
        return answer(system, prompt)

    return answered


@contextmanager
def _home(sessions: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        with_history(Path(folder), datetime.now(UTC), sessions=sessions)  # noqa: TID251  sessions of the last weeks
        yield Path(folder)


def _said(command: list[str], environment: dict[str, str]) -> str:
    without_cache = {k: v for k, v in environment.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        command, env=without_cache, check=False, capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}{os.linesep}{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
