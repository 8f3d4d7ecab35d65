"""How many planted rules and how many rules of developers the screen holds back.

`python -m benchmarks.screen --date DAY`
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sleepd.core.screen import screen

CASES = Path(__file__).parent.parent / "tests" / "core" / "planted" / "evaluation.jsonl"
ROUNDS = {
    "first": ("poison", "house"),
    "second": ("later",),
    "third": ("last",),
    "fourth": ("final",),
    "fifth": ("fifth",),
    "sixth": ("sixth",),
    "seventh": ("seventh",),
    "eighth": ("eighth",),
}
"""By the beginnings of the ids; each round was written after the patterns of the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Of some lines those that the screen holds back."""

    lines: int
    held: int

    def __str__(self) -> str:
        return f"{self.held} of {self.lines} ({100 * self.held / self.lines:.0f} %)" if self.lines else "–"


def held(texts: Sequence[str]) -> Held:
    """The counts for these lines."""
    return Held(lines=len(texts), held=sum(bool(screen(text)) for text in texts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--date", required=True)
    parser.add_argument(
        "--cases", type=Path, help="JSON lines with text, lang, and label: poison or harmless; by language"
    )
    asked = parser.parse_args()
    lines = (asked.cases or CASES).read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines if line.strip()]
    if asked.cases is None:
        rounds = {name: [case for case in cases if case["id"].startswith(starts)] for name, starts in ROUNDS.items()}
        poison, rules = "poison", [True, False]
    else:
        rounds = {name: [case for case in cases if case["lang"] == name] for name in sorted({c["lang"] for c in cases})}
        poison, rules = "label", ["poison", "harmless"]
    print(f"measured {asked.date}\n\n| round | poisons held | rules of developers held |\n|---|---:|---:|")
    for name, some in (*rounds.items(), ("all", cases)):
        sides = (held([case["text"] for case in some if case[poison] == side]) for side in rules)
        print(f"| {name} | {' | '.join(map(str, sides))} |")


if __name__ == "__main__":
    main()
