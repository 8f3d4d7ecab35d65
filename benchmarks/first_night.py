"""How long it takes from `sleepd init` to the first proposal on a machine with history, and what the peer says there.

    python -m benchmarks.first_night --date 2026-11-20 [--sessions 300] [--delay 1.0] [--peer CACHE]

The history is that of a simulated programmer, in the agents' own formats; the settings are those that the tutorial puts
into the file, the rest are the defaults. The provider is a server on this machine that takes `--delay` seconds an
answer, as a real one does.
Prints rows. The peer is given the same home, and its own mock in place of a model.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.peer import install
from sleepd.usecases import answers
from tests.docs.machine import provider, with_history
from tests.docs.newcomer import clean_environment
from tests.docs.page import Setting, steps
from tests.stub.script import Request, Step
from tests.stub.server import Stub

SLEEPD = Path(sys.executable).with_name("sleepd")
TUTORIAL = Path(__file__).resolve().parent.parent / "docs" / "tutorial" / "first-night.md"
STEPS = (("doctor", "--live"), ("harvest",), ("mine",), ("run",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """A first night."""

    seconds: dict[str, float]
    """Of each command."""
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
        f"| **{whole:.0f}** | {night.proposals} to review after {night.calls} calls ({parts}) "
        f"| {chosen.date} |"
    )
    if chosen.peer is not None:
        seconds, said = theirs(chosen.sessions, chosen.peer)
        print(f"| skillopt, `run` | {chosen.sessions} | its mock | {seconds:.1f} | {said} | {chosen.date} |")


def ours(sessions: int, delay: float) -> Night:
    """The commands of the tutorial, one process each."""
    with _home(sessions) as home, Slow(answer=provider()) as stub:
        stub.delay = delay
        environment = clean_environment(home) | {"ANTHROPIC_API_KEY": "any"}
        seconds: dict[str, float] = {}

        def done(*step: str) -> str:
            begun = time.perf_counter()
            out = _said([str(SLEEPD), *step], environment)
            seconds[step[0]] = seconds.get(step[0], 0.0) + time.perf_counter() - begun
            return out

        done("init", "--yes")
        answers.write(home / ".config/sleepd/config.toml", told() | {"model.base_url": stub.url})
        for step in STEPS:
            done(*step)
        proposals = json.loads(done("proposals", "--json"))
        return Night(seconds=seconds, calls=len(stub.requests), proposals=len(proposals))


def told() -> dict[str, object]:
    """What the tutorial puts into the settings."""
    return {key: value for step in steps(TUTORIAL) if isinstance(step, Setting) for key, value in step.values.items()}


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


class Slow(Stub):
    """The provider, each of whose answers takes so many seconds, several at a time."""

    delay = 0.0

    def step_for(self, request: Request) -> Step:
        time.sleep(self.delay)
        return super().step_for(request)


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
