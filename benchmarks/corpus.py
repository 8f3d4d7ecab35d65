"""`python -m benchmarks.corpus OUT --mb 300 --seed 1` writes a home folder full of made-up transcripts.

The layouts and the shapes of the lines are those of the real clients; the texts are invented. Equal seeds and sizes
give equal bytes. `SHARES` says how the bytes are divided among the generations of the clients, `agents.CLASSIC`
and `agents.V328` how those of Claude Code are divided among kinds of lines.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import agents
from benchmarks.prose import Mill

SHARES: Mapping[str, float] = {
    "claude-classic": 0.30,
    "claude-328": 0.30,
    "codex-legacy": 0.12,
    "codex-paginated": 0.08,
    "copilot-cli": 0.10,
    "copilot-vscode": 0.10,
}
"""Of all bytes. `classic` is like Claude Code 2.1.197, `328` like 2.1.328."""

FILE_BYTES = 1_300_000
"""An average session; the real sizes lie between a quarter and seven quarters of it."""
GIANT_BYTES = 5_500_000
MB_A_GIANT = 100
"""One giant line for so many megabytes of corpus."""
FILES_A_DEFECT = 25
DEFECTS: Mapping[str, Callable[[bytes], bytes]] = {
    "truncated": lambda line: line[: len(line) // 2],
    "glued": lambda line: line.rstrip(b"\n") + line,
    "nul-tail": lambda line: line + b"\0" * 64,
    "garbage": lambda line: line + b"Segmentation fault (core dumped)\n",
    "not-utf8": lambda line: line.replace(b" ", b"\xff", 1),
}
"""What is done to the last line of a file that gets a defect."""

LAYOUT: Mapping[str, str] = {
    "claude-classic": ".claude/projects/-home-u-work-{project}/{id}.jsonl",
    "claude-328": ".claude/projects/-home-u-work-{project}/{id}.jsonl",
    "codex-legacy": ".codex/sessions/{day:%Y/%m/%d}/rollout-{day:%Y-%m-%dT%H-%M-%S}-{id}.jsonl",
    "codex-paginated": ".codex/sessions/{day:%Y/%m/%d}/rollout-{day:%Y-%m-%dT%H-%M-%S}-{id}.jsonl",
    "copilot-cli": ".copilot/session-state/{id}/events.jsonl",
    "copilot-vscode": ".config/Code/User/workspaceStorage/{hash}/chatSessions/{id}.jsonl",
}
LINES: Mapping[str, Callable[[Mill, str, str], Iterator[agents.Line]]] = {
    "claude-classic": agents.claude_classic,
    "claude-328": agents.claude_328,
    "codex-legacy": agents.codex_legacy,
    "codex-paginated": agents.codex_paginated,
    "copilot-cli": agents.copilot_cli,
    "copilot-vscode": agents.copilot_vscode,
}
PROJECTS = ("alpha", "ledger", "site", "tools", "notes")


@dataclass(slots=True, kw_only=True)
class Tally:
    """What was written."""

    damaged: bool = True
    """Whether some files get a defect."""
    files: int = 0
    lines: int = 0
    secrets: int = 0
    giants: int = 0
    defects: dict[str, int] = field(default_factory=dict)
    bytes_of: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SHARES, 0))
    """Generation -> bytes."""
    prompts_of: dict[str, int] = field(default_factory=dict)
    """Generation -> requests of the person."""
    kinds: dict[str, dict[str, int]] = field(default_factory=lambda: {name: {} for name in SHARES})
    """Generation -> kind of line -> bytes. Giants are not counted here."""


def write(out: Path, *, megabytes: float, seed: int, damaged: bool = True) -> Tally:
    """A home folder of about `megabytes` (10^6 bytes) below `out`, which must be new or empty."""
    mill = Mill(seed)
    tally = Tally(damaged=damaged)
    giants_left = int(megabytes // MB_A_GIANT)
    for generation, share in SHARES.items():
        before = mill.prompts
        budget = int(megabytes * 1_000_000 * share)
        while tally.bytes_of[generation] < budget:
            left = budget - tally.bytes_of[generation]
            giant = generation == "claude-classic" and tally.giants < giants_left and left > GIANT_BYTES
            size = min(left, int(FILE_BYTES * mill.rng.uniform(0.25, 1.75)))
            _session(out, generation, mill, tally, size=size, giant=giant)
        tally.prompts_of[generation] = mill.prompts - before
    tally.secrets = mill.secrets
    return tally


def _session(out: Path, generation: str, mill: Mill, tally: Tally, *, size: int, giant: bool) -> None:
    session, project = mill.uuid(), mill.rng.choice(PROJECTS)
    names = {"id": session, "project": project, "day": mill.now, "hash": f"{mill.rng.getrandbits(128):032x}"}
    path = out / LAYOUT[generation].format(**names)
    path.parent.mkdir(parents=True, exist_ok=True)
    if generation == "copilot-vscode":
        (path.parent.parent / "workspace.json").write_text(json.dumps({"folder": f"file:///home/u/work/{project}"}))
    tally.files += 1
    written, last, kinds = 0, b"", tally.kinds[generation]
    with path.open("wb", buffering=1 << 20) as file:
        for kind, text in LINES[generation](mill, session, project):
            last = text.encode()
            file.write(last)
            written += len(last)
            tally.lines += 1
            kinds[kind] = kinds.get(kind, 0) + len(last)
            if written >= size:
                break
        written += file.write(_extras(mill, tally, session, last, giant=giant))
    tally.bytes_of[generation] += written


def _extras(mill: Mill, tally: Tally, session: str, last: bytes, *, giant: bool) -> bytes:
    """A giant line, or a second and damaged copy of the last line, or nothing."""
    if giant:
        tally.giants += 1
        return agents.claude_giant(mill, session, GIANT_BYTES).encode()
    if not tally.damaged or tally.files % FILES_A_DEFECT:
        return b""
    name = list(DEFECTS)[tally.files // FILES_A_DEFECT % len(DEFECTS)]
    tally.defects[name] = tally.defects.get(name, 0) + 1
    return DEFECTS[name](last)


def report(tally: Tally) -> str:
    """What was written, for a person."""
    total = sum(tally.bytes_of.values())
    rows = [f"{total / 1e6:.1f} MB, {tally.files} files, {tally.lines} lines"]
    for name, size in tally.bytes_of.items():
        kinds = sorted(tally.kinds[name].items(), key=lambda item: -item[1])
        inside = ", ".join(f"{kind} {part / sum(tally.kinds[name].values()):.1%}" for kind, part in kinds)
        rows.append(
            f"  {name:16} {size / total:6.1%} (stated {SHARES[name]:.0%})  {tally.prompts_of[name]} prompts; {inside}"
        )
    rows.append(f"planted secrets {tally.secrets}, giant lines {tally.giants}, defects {tally.defects or 'none'}")
    return "\n".join(rows)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.corpus", description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--mb", type=float, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clean", action="store_true", help="no damaged files")
    given = parser.parse_args(argv)
    if given.out.exists() and any(given.out.iterdir()):
        parser.error(f"{given.out} is not empty")
    print(report(write(given.out, megabytes=given.mb, seed=given.seed, damaged=not given.clean)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
