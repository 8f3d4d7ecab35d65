"""`python -m benchmarks.harvest --date 2026-11-20 [--mb 300] [--cache DIR]` measures a harvest beside the peer's.

With `--history DIR ...`, folders of real transcripts of Claude Code, copies of these are harvested instead of made-up
ones, `--mb` in all: on all processors, on one, and with nothing changed. Nothing of them is kept.

Both read equal made-up home folders (`benchmarks.corpus`), each in fresh processes with warm files: a first run, a
second one with nothing changed, and a third after one file grew. The timed homes hold no damaged file; one more run
shows what a few damaged lines do. sleepd decodes, redacts and stores all four agents; the peer makes digests in
memory, stores nothing and redacts nothing. Prints the rows of a Markdown table.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import corpus
from benchmarks.peer import Measured, Peer, install, measured

AFTER_ALL = "2027-01-01T00:00:00Z"
"""Later than every line of a fresh corpus: what a nightly run that has seen everything asks for."""
RUNS = ("first", "nothing changed", "one file grew")
DAMAGED = "first, a few damaged lines"
HEAD = "| who | run | MB below the folder | s | CPU s | MB/s | peak MB | said |\n|---|---|---:|---:|---:|---:|---:|---|"

PEER_CLAUDE = """
import json, sys
from skillopt_sleep.harvest import harvest
found = harvest(sys.argv[1], since_iso=sys.argv[2] or None)
print(json.dumps({"sessions": len(found), "prompts": sum(d.n_user_turns for d in found)}))
"""
PEER_CODEX = PEER_CLAUDE.replace(
    "skillopt_sleep.harvest import harvest", "skillopt_sleep.harvest_codex import harvest_codex as harvest"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Homes:
    """Two generated home folders."""

    clean: Path
    damaged: Path
    prompts: dict[str, int] = field(default_factory=dict)
    """Generation -> requests in `clean`: what a harvester should find."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measured run."""

    who: str
    run: str
    megabytes: float
    """What lies below the folders that were to be read."""
    result: Measured
    said: str
    all_read: bool = True
    """False: the run failed or skipped files, so that a rate would say nothing."""

    def markdown(self) -> str:
        rate = f"{self.megabytes / self.result.seconds:.0f}" if self.all_read else "-"
        cells = (
            self.who,
            self.run,
            f"{self.megabytes:.0f}",
            f"{self.result.seconds:.2f}",
            f"{self.result.cpu:.2f}",
            rate,
        )
        return "| " + " | ".join([*cells, f"{self.result.peak_mb:.0f}", self.said]) + " |"


def megabytes(folder: Path) -> float:
    """Size of all transcripts below the folder, in 10^6 bytes."""
    return sum(path.stat().st_size for path in folder.rglob("*.jsonl")) / 1e6


def grow(home: Path) -> None:
    """Appends its last 100 lines to the largest Claude file, with new ids and as if written after `AFTER_ALL`."""
    path = max((home / ".claude").rglob("*.jsonl"), key=lambda p: (p.stat().st_size, p.name))
    lines = path.read_bytes().split(b"\n")[-101:-1]
    with path.open("ab") as file:
        for line in lines:
            file.write(
                line.replace(b'"uuid":"', b'"uuid":"f').replace(b'"timestamp":"2026', b'"timestamp":"2027') + b"\n"
            )


def sleepd_rows(homes: Homes, work: Path) -> Iterator[Row]:
    """sleepd over all agents; its state goes below `work`."""
    command = [str(Path(sys.executable).with_name("sleepd")), "harvest"]
    env = own_environment(homes.clean) | {"SLEEPD_HOME": str(work / "state")}
    command += ["--json", "--since", "all"]
    for run in RUNS:
        if run == RUNS[2]:
            grow(homes.clean)
        result = measured(command, env=env)
        yield _row("sleepd, four agents", run, homes.clean, result, all_read=run == RUNS[0])
    env = own_environment(homes.damaged) | {"SLEEPD_HOME": str(work / "other-state")}
    yield _row("sleepd, four agents", DAMAGED, homes.damaged, measured(command, env=env))


def history_rows(folders: Sequence[Path], size: float, work: Path) -> Iterator[Row]:
    """sleepd over copies of real transcripts, each copy a session of its own; home and state go below `work`.

    The database is there before, as `sleepd init` makes it.
    """
    home = work / "home"
    files = sorted(path for folder in folders for path in folder.rglob("*.jsonl") if "projects" in path.parts)
    copied, number = 0.0, 0
    (work / "nothing").mkdir()
    while files and copied < size * 1e6:
        for path in files:
            target = home / ".claude/projects" / path.parent.name / f"{path.stem}-{number}.jsonl"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            copied += path.stat().st_size
        number += 1
    command = [str(Path(sys.executable).with_name("sleepd")), "harvest", "--json", "--since", "all"]
    one = ["taskset", "-c", "0"]
    for run, before, state in (
        ("first", [], "all"),
        ("nothing changed", [], "all"),
        ("first, one processor", one, "one"),
    ):
        env = {"SLEEPD_HOME": str(work / state)}
        if run != "nothing changed":
            measured(command, env=own_environment(work / "nothing") | env)
        result = measured([*before, *command], env=own_environment(home) | env)
        yield _row("sleepd, real transcripts", run, home, result, all_read=run != "nothing changed")


def peer_rows(homes: Homes, peer: Peer, linked: Path) -> Iterator[Row]:
    """The peer over the agents that it knows. `linked` is an empty folder for links to the Codex files.

    From the second run on it gets the time of the first, as its own scheduler passes it.
    """
    env = own_environment(homes.clean)
    claude, codex = homes.clean / ".claude/projects", homes.clean / ".codex"
    who = f"skillopt {peer.version}, Claude Code"
    for run in RUNS:
        since = "" if run == RUNS[0] else AFTER_ALL
        if run == RUNS[2]:
            grow(homes.clean)
        yield _row(who, run, claude, peer.run(PEER_CLAUDE, str(claude), since, env=env))
    bad = homes.damaged / ".claude/projects"
    yield _row(who, DAMAGED, bad, peer.run(PEER_CLAUDE, str(bad), "", env=env))
    who = f"skillopt {peer.version}, Codex"
    archive = str(codex / "archived_sessions")
    yield _row(
        who, "first, the folder it reads by itself", codex, peer.run(PEER_CODEX, archive, "", env=env), all_read=False
    )
    for path in codex.rglob("*.jsonl"):
        (linked / path.name).symlink_to(path)
    for run, since in ((RUNS[0], ""), (RUNS[1], AFTER_ALL)):
        result = peer.run(PEER_CODEX, str(linked), since, env=env)
        yield _row(who, f"{run}, all files linked into that folder", codex, result)


def _row(who: str, run: str, folder: Path, result: Measured, *, all_read: bool = True) -> Row:
    whole = all_read and result.status == 0
    return Row(who=who, run=run, megabytes=megabytes(folder), result=result, said=_said(result), all_read=whole)


def _said(result: Measured) -> str:
    return _short(result.stdout) if result.status == 0 else f"**failed**, exit status {result.status}"


def _short(stdout: str) -> str:
    """The counts out of a JSON answer, one level deep."""
    try:
        answer = json.loads(stdout)
    except ValueError:
        return ""
    flat = answer.items() if isinstance(answer, dict) else ()
    return ", ".join(
        f"{name} {value}" for name, value in flat if isinstance(value, int) and not isinstance(value, bool)
    )


def own_environment(home: Path) -> dict[str, str]:
    """This process's environment without the variables that would lead an agent's files elsewhere."""
    foreign = ("SLEEPD_", "XDG_", "CLAUDE", "CODEX", "COPILOT", "VSCODE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}  # noqa: TID251
    return kept | {"HOME": str(home)}


def machine(date: str) -> str:
    """One line on where the figures come from."""
    model = next(
        (line.split(":", 1)[1].strip() for line in _cpu_lines() if line.startswith("model name")),
        platform.processor() or "unknown",
    )
    return f"{date}, {model}, {os.cpu_count()} cores, CPython {platform.python_version()}, {platform.system()}"


def _cpu_lines() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.harvest", description=__doc__)
    parser.add_argument("--date", required=True, help="printed with the figures")
    parser.add_argument("--mb", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", type=Path, help="where the peer's environment is kept")
    parser.add_argument("--only", choices=("sleepd", "peer"))
    parser.add_argument("--history", type=Path, nargs="+", help="folders of real transcripts of Claude Code")
    given = parser.parse_args(argv)
    if given.history:
        with tempfile.TemporaryDirectory(prefix="harvest-") as name:
            print(HEAD)
            good = _print(history_rows(given.history, given.mb, Path(name)))
            print(f"\n{machine(given.date)}; copies of real transcripts, {given.mb:g} MB")
        return 0 if good else 1
    peer = install(given.cache) if given.only != "sleepd" else None
    good = True
    with tempfile.TemporaryDirectory(prefix="harvest-") as name:
        place = Path(name)
        print(HEAD)
        if given.only != "peer":
            homes = _homes(place / "ours", given.mb, given.seed)
            good = _print(sleepd_rows(homes, place))
        if peer:
            (place / "linked").mkdir()
            homes = _homes(place / "theirs", given.mb, given.seed)
            _print(peer_rows(homes, peer, place / "linked"))
        print(f"\n{machine(given.date)}; corpus of {given.mb:g} MB, seed {given.seed}")
        print("prompts in it: " + ", ".join(f"{name} {count}" for name, count in homes.prompts.items()))
    return 0 if good else 1


def _homes(place: Path, size: float, seed: int) -> Homes:
    """Fresh homes, written just now, so that the files are in the page cache."""
    homes = Homes(clean=place / "clean", damaged=place / "damaged")
    homes.prompts.update(corpus.write(homes.clean, megabytes=size, seed=seed, damaged=False).prompts_of)
    corpus.write(homes.damaged, megabytes=size, seed=seed)
    return homes


def _print(rows: Iterator[Row]) -> bool:
    """Whether every run succeeded."""
    good = True
    for row in rows:
        print(row.markdown(), flush=True)
        good = good and row.result.status == 0
    return good


if __name__ == "__main__":
    sys.exit(main())
