"""How busy the workers of a night are: `python -m benchmarks.night --date 2026-11-22 [--latency 1.0] [--workers 16]`.

A night of the simulated programmer runs in this process through the use case behind `sleepd run`, in a home of its own.
Each call of the simulated model first sleeps `--latency` seconds, as a provider would. Time counts from the first call
to the last one, so harvest and mining before it are left out. Prints one row a run: calls, wall, calls x latency /
workers, the quotient of the two, the share of the time with fewer calls in flight than workers, the share of the
workers' time without a call, and the time with nothing in flight. With `--gaps`, also the purposes of the calls between
which nothing was in flight for longest.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from sleepd.simulate import agent


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a model, in seconds of the process's clock."""

    purpose: str
    begun: float
    ended: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """How many calls were in flight over a night."""

    calls: int
    wall: float
    """Seconds from the beginning of the first call to the end of the last one."""
    partly: float
    """Seconds with fewer calls in flight than workers, those with none included."""
    none: float
    """Seconds with nothing in flight."""
    idle: float
    """Seconds that workers had no call, added up over them."""

    @classmethod
    def of(cls, calls: Sequence[Call], workers: int) -> Load:
        """The load of some calls, at least one."""
        changes = sorted([(c.begun, 1) for c in calls] + [(c.ended, -1) for c in calls])
        flying, partly, none, idle = 0, 0.0, 0.0, 0.0
        for (at, change), (until, _) in pairwise(changes):
            flying += change
            partly += (until - at) * (flying < workers)
            none += (until - at) * (flying == 0)
            idle += (until - at) * (workers - flying)
        return cls(calls=len(calls), wall=changes[-1][0] - changes[0][0], partly=partly, none=none, idle=idle)


@dataclass(slots=True, kw_only=True)
class Slow:
    """A model each of whose answers takes a while; keeps when each call was made."""

    inner: Any
    latency: float
    spread: float
    calls: list[Call] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def key(self) -> str:
        return str(self.inner.key)

    def ask(self, ask: Any) -> Any:
        begun = time.perf_counter()
        share = int.from_bytes(hashlib.sha256(f"{ask.prompt}{ask.sample}".encode()).digest()[:4], "big") / 2**32
        time.sleep(self.latency * (1 + self.spread * (2 * share - 1)))
        try:
            return self.inner.ask(ask)
        finally:
            with self.lock:
                self.calls.append(Call(purpose=str(ask.purpose), begun=begun, ended=time.perf_counter()))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """The night that is run."""

    latency: float
    spread: float
    """A call takes from `1 - spread` to `1 + spread` times the latency, by a hash of the prompt."""
    workers: int
    pairs: int
    sessions: int


def night(terms: Terms) -> list[Call]:
    """The calls of one night. Ends the process where the night does not end as asked."""
    from sleepd.cli import main as sleepd
    from tests.docs.machine import with_history

    made: list[Call] = []
    plain = agent.from_settings

    def slow(settings: Any) -> Slow:
        return Slow(inner=plain(settings), latency=terms.latency, spread=terms.spread, calls=made)

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with_history(home, datetime.now(UTC), sessions=terms.sessions)  # noqa: TID251  sessions of the last weeks
        config = home / ".config" / "sleepd" / "config.toml"
        config.parent.mkdir(parents=True)
        config.write_text(
            '[model]\nname = "simulated"\nmodel = "programmer"\n[embedder]\nname = "hashed-tfidf"\n'
            f'[harvest]\nsince = "90d"\n[gate]\npairs_per_night = {terms.pairs}\n'
            f"[night]\nmax_calls = 20000\nworkers = {terms.workers}\n",
            encoding="utf-8",
        )
        os.environ.update(HOME=str(home), USERPROFILE=str(home))  # noqa: TID251  for this process alone
        agent.from_settings = slow  # type: ignore[assignment]
        try:
            sys.argv = ["sleepd", "run"]
            with redirect_stdout(sys.stderr):
                sleepd()
        except SystemExit as ended:
            if ended.code not in (None, 0, 4):
                sys.exit(f"the night ended with exit status {ended.code}")
        finally:
            agent.from_settings = plain
    return made


def gaps(calls: Sequence[Call]) -> Counter[str]:
    """Seconds with nothing in flight, by the purposes of the calls before and after."""
    found: Counter[str] = Counter()
    latest: Call | None = None
    for call in sorted(calls, key=lambda c: c.begun):
        if latest is not None and call.begun > latest.ended:
            found[f"{latest.purpose} > {call.purpose}"] += call.begun - latest.ended  # type: ignore[assignment]
        if latest is None or call.ended > latest.ended:
            latest = call
    return found


def main() -> None:
    """Print the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--date", required=True)
    parser.add_argument("--latency", type=float, default=1.0, help="seconds that each call takes")
    parser.add_argument("--spread", type=float, default=0.0, help="part of the latency by which a call differs at most")
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--pairs", type=int, default=60, help="gate.pairs_per_night")
    parser.add_argument("--sessions", type=int, default=60)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--gaps", action="store_true")
    chosen = parser.parse_args()
    terms = Terms(
        latency=chosen.latency,
        spread=chosen.spread,
        workers=chosen.workers,
        pairs=chosen.pairs,
        sessions=chosen.sessions,
    )
    print(
        "| s a call | workers | calls | wall s | bound s | wall / bound | not full | idle | nothing in flight | date |"
    )
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|")
    for _ in range(chosen.runs):
        calls = night(terms)
        load = Load.of(calls, terms.workers)
        bound = load.calls * terms.latency / terms.workers
        took = f"{load.calls} | {load.wall:.1f} | {bound:.1f} | {load.wall / bound:.2f}"
        idle = f"{load.partly / load.wall:.0%} | {load.idle / load.wall / terms.workers:.0%}"
        none = f"{load.none:.1f} s, {load.none / load.wall:.0%}"
        print(
            f"| {terms.latency:g} ± {terms.spread:.0%} | {terms.workers} | {took} | {idle} | {none} | {chosen.date} |"
        )
        if chosen.gaps:
            for what, seconds in gaps(calls).most_common(8):
                print(f"    {seconds:6.2f} s  {what}")


if __name__ == "__main__":
    main()
