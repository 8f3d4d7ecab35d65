"""How many useless edits ride along in bundles that cross, over personas and seeds.

    python -m benchmarks.riders --date 2026-11-22 [--seeds 6]

Each bundle holds two edits that help most and one that does exactly nothing beside them. It goes through the shipped
gate and is taken apart, as in the proof-run. Prints a Markdown row; ends with status 1 when more than 30 of 100 ride.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path

from sleepd.core.experiment import Rule
from sleepd.lab.gate import apart
from sleepd.lab.gate.figures import share
from sleepd.lab.proof.bundles import Mixed, mixed
from sleepd.lab.proof.truth import Truth
from sleepd.lab.proof.world import Terms
from sleepd.models.hashed import HashedTfidf
from sleepd.models.memoized import Memoized
from sleepd.pipeline.trial import GateTerms
from sleepd.simulate.cast import persona

PERSONAS = ("researcher", "programmer", "analyst")
IDLE = (
    "Keep a calm tone.",
    "Think of the reader first.",
    "Prefer plain words.",
    "Stay close to what was asked.",
    "Be kind and be clear.",
    "Leave out what nobody needs.",
)
MOST = 0.30
"""Share of riders above which the rate is a defect."""


def bundles(name: str, seed: int) -> tuple[Mixed, ...]:
    """The bundles of one person and seed, as many as there are idle edits."""
    who = persona(name)
    good = [rule.wordings[0] for family in who.families for rule in family.rules]
    with tempfile.TemporaryDirectory() as folder:
        terms = Terms(
            who=who,
            seed=seed,
            nights=1,
            alpha=GateTerms().alpha,
            rule=Rule.EVIDENCE,
            workers=1,
            embedder=Memoized(HashedTfidf()),
            folder=Path(folder),
        )
        return mixed(terms, Truth(who), good, IDLE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--date", required=True)
    parser.add_argument("--seeds", type=int, default=6)
    chosen = parser.parse_args()
    jobs = [partial(bundles, name, seed) for name in PERSONAS for seed in range(1, chosen.seeds + 1)]
    found = [one for some in apart.each(jobs, lambda done, of: print(done, of, file=sys.stderr)) for one in some]
    crossed = [one for one in found if one.crossed]
    rides = share([one.rides for one in crossed])
    whole = share([one.whole for one in crossed])
    print("| bundles that crossed | useless edit rode along | all that helps stayed | date |\n|---:|---:|---:|---|")
    print(
        f"| {len(crossed)} of {len(found)} | {rides.value:.1%} [{rides.low:.1%}, {rides.high:.1%}] "
        f"| {whole.value:.1%} [{whole.low:.1%}, {whole.high:.1%}] | {chosen.date} |"
    )
    raise SystemExit(rides.value > MOST)


if __name__ == "__main__":
    main()
