"""`python -m benchmarks.long_file --date 2026-11-22 [--mb 600]` measures the memory of harvesting one long transcript.

Two made-up Codex rollouts of that size: one of few turns with long outputs, one of many short turns; and a Claude Code
session of many turns. Each is harvested by the command in a process of its own. Prints the rows of a Markdown table.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harvest import machine, own_environment
from benchmarks.peer import measured

WORDS = ("total", "cent", "tax", "order", "module", "test", "fix", "rename", "loop", "merge", "draft", "price", "label")
THREAD = "01a2b3c4-0000-7000-8000-00000000000a"


def codex(path: Path, megabytes: float, *, output_characters: int, seed: int = 1) -> int:
    """Write a rollout of turns with one call each; gives the number of turns."""
    chance = random.Random(seed)
    turns = 0
    with path.open("w", encoding="utf-8") as file:
        head = {"id": THREAD, "timestamp": "2026-05-01T10:00:00Z", "cwd": "/home/dev/shop", "source": "cli"}
        written = file.write(_line("session_meta", 0, originator="codex-tui", cli_version="0.150.0", **head))
        while written < megabytes * 1e6:
            for line in _turn(chance, turns, output_characters):
                written += file.write(line)
            turns += 1
    return turns


def claude(path: Path, megabytes: float, *, output_characters: int, seed: int = 1) -> int:
    """Write a session of turns with one call each; gives the number of turns."""
    chance = random.Random(seed)
    turns, parent = 0, None
    with path.open("w", encoding="utf-8") as file:
        written = 0
        while written < megabytes * 1e6:
            call = {"type": "tool_use", "id": f"t{turns}", "name": "Bash", "input": {"command": f"make {turns}"}}
            output = _words(chance, output_characters)
            result = [{"type": "tool_result", "tool_use_id": f"t{turns}", "content": output}]
            for kind, content in (
                ("user", _words(chance, 200)),
                ("assistant", [call]),
                ("user", result),
                ("assistant", [{"type": "text", "text": _words(chance, 400)}]),
            ):
                number = written
                record = {
                    "type": kind,
                    "uuid": f"u{number}",
                    "parentUuid": parent,
                    "sessionId": path.stem,
                    "timestamp": "2026-05-01T10:00:00.000Z",
                    "cwd": "/home/dev/shop",
                    "version": "2.1.197",
                    "isSidechain": False,
                    "message": {"role": kind, "id": f"m{number}", "model": "made-up-1", "content": content},
                }
                written += file.write(json.dumps(record) + "\n")
                parent = f"u{number}"
            turns += 1
    return turns


def _turn(chance: random.Random, number: int, output_characters: int) -> Iterator[str]:
    asked, said = _words(chance, 200), _words(chance, 400)
    yield _line("event_msg", number, type="task_started", turn_id=f"01a2b3c5-0000-7000-8000-{number:012}")
    yield _line("event_msg", number, type="user_message", message=asked)
    arguments = json.dumps({"command": f"make {number}"})
    call = f"c{number}"
    yield _line("response_item", number, type="function_call", name="shell", arguments=arguments, call_id=call)
    output = "Exit code: 0\nWall time: 0.1 seconds\nOutput:\n" + _words(chance, output_characters)
    yield _line("response_item", number, type="function_call_output", call_id=call, output=output)
    yield _line("event_msg", number, type="agent_message", message=said)


def _line(kind: str, number: int, **payload: object) -> str:
    stamp = f"2026-05-01T{10 + number // 3600 % 10:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
    return json.dumps({"timestamp": stamp, "type": kind, "payload": payload}) + "\n"


def _words(chance: random.Random, characters: int) -> str:
    sentence = " ".join(chance.choices(WORDS, k=60))
    return (sentence * (characters // len(sentence) + 1))[:characters]


CASES = (
    ("Codex, long outputs", codex, 100_000, f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl"),
    ("Codex, many turns", codex, 1_000, f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl"),
    ("Claude Code, many turns", claude, 1_000, "0b1f6a52-0000-4000-8000-000000000001.jsonl"),
)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.long_file", description=__doc__)
    parser.add_argument("--date", required=True, help="printed with the figures")
    parser.add_argument("--mb", type=float, default=600)
    given = parser.parse_args(argv)
    print("| file | MB | turns | s | peak MB |\n|---|---:|---:|---:|---:|")
    status = 0
    for name, write, characters, file in CASES:
        with tempfile.TemporaryDirectory(prefix="long-file-") as folder:
            path = Path(folder, file)
            turns = write(path, given.mb, output_characters=characters)
            env = own_environment(Path(folder)) | {"SLEEPD_HOME": str(Path(folder, "state"))}
            command = [str(Path(sys.executable).with_name("sleepd")), "harvest", str(path), "--json"]
            result = measured(command, env=env)
            status = status or result.status
            print(f"| {name} | {given.mb:g} | {turns} | {result.seconds:.1f} | {result.peak_mb:.0f} |", flush=True)
    print(f"\n{machine(given.date)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
