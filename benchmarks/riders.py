"""How many useless edits ride along in bundles that cross, over personas, seeds and agents.

    python -m benchmarks.riders --date 2026-11-22 [--seeds 3]

Each bundle holds one or two edits that help and one that does exactly nothing beside them. It goes through the shipped
gate and is taken apart, as in the proof-run. The agents obey a rule in all, most or two thirds of the cases: where it
forgets, scores vary, and an edit that does nothing can look as if it helped. Prints Markdown rows; ends with status 1
when 31 of 100 or more ride.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from sleepd.lab.gate import apart
from sleepd.lab.gate.figures import share
from sleepd.lab.proof.bundles import Mixed, mixed
from sleepd.lab.proof.truth import Truth
from sleepd.lab.proof.world import HISTORY, Terms, Variant, World
from sleepd.models.hashed import HashedTfidf
from sleepd.models.memoized import Memoized
from sleepd.pipeline.trial import GateTerms
from sleepd.simulate.agent import Nature
from sleepd.simulate.cast import persona

PERSONAS = ("researcher", "programmer", "analyst")
OBEDIENCE = (0.95, 0.8, 0.65)
COMPANY = (1, 2)
IDLE = (
    "Keep a calm tone.",
    "Think of the reader first.",
    "Prefer plain words.",
    "Stay close to what was asked.",
    "Be kind and be clear.",
    "Leave out what nobody needs.",
)
MOST = 0.31
"""Share of riders from which on the rate is a defect: at a true rate of .20, 31 of 100 come up in one run of 150."""


def bundles(name: str, seed: int, obedience: float, company: int) -> tuple[Mixed, ...]:
    """The bundles of one person, seed and agent, as many as there are idle edits."""
    who = persona(name)
    good = [rule.wordings[0] for family in who.families for rule in family.rules]
    with tempfile.TemporaryDirectory() as folder:
        terms = Terms(
            who=who,
            seed=seed,
            nights=1,
            gate=GateTerms(),
            workers=1,
            embedder=Memoized(HashedTfidf()),
            folder=Path(folder),
        )
        base = World(terms, Variant(name="the same days"))
        base.live(0, HISTORY)
        base.harvest()
        base.mine()
        found = mixed(base, Truth(who, Nature(obedience=obedience)), good, IDLE, company)
        base.close()
        return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--date", required=True)
    parser.add_argument("--seeds", type=int, default=3)
    chosen = parser.parse_args()
    cells = [(obedience, company) for obedience in OBEDIENCE for company in COMPANY]
    lives = [(name, seed) for name in PERSONAS for seed in range(1, chosen.seeds + 1)]
    jobs = [partial(bundles, *life, *cell) for cell in cells for life in lives]
    made = apart.each(jobs, lambda done, of: print(done, of, file=sys.stderr))
    print("| rules are obeyed | edits that help | bundles that crossed | useless edit rode along | date |")
    print("|---:|---:|---:|---:|---|")
    for number, (obedience, company) in enumerate(cells):
        row(f"{obedience:.0%} | {company}", made[number * len(lives) : (number + 1) * len(lives)], chosen.date)
    rate = row("*all* | 1 or 2", made, chosen.date)
    raise SystemExit(rate >= MOST)


def row(words: str, made: list[tuple[Mixed, ...]], date: str) -> float:
    """Print one row; the share of riders among the bundles that crossed."""
    found = [one for some in made for one in some]
    crossed = [one for one in found if one.crossed]
    rides = share([one.rides for one in crossed])
    print(
        f"| {words} | {len(crossed)} of {len(found)} | {rides.value:.1%} [{rides.low:.1%}, {rides.high:.1%}] | {date} |"
    )
    return rides.value


if __name__ == "__main__":
    main()
