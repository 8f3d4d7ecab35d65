"""How often a candidate without effect is adopted while the model varies, and what comparing within one hour costs.

    python -m benchmarks.drifting --date 2026-11-22 [--lives 200] [--seed 1]

Prints a Markdown table: the shipped schedule, one whose baseline rollouts all candidates of a night share, and one
whose baseline rollouts every later night uses again, as versions before 2026-11-22 did.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from sleepd.core.experiment import VerdictRule
from sleepd.core.model import Sample
from sleepd.lab.gate import apart, printed
from sleepd.lab.gate.drifting import NIGHTS, PAIRS, WORLDS, NullLife, null_life
from sleepd.lab.gate.figures import share
from sleepd.lab.gate.trials import Setup
from sleepd.settings import config


def as_made(sample: Sample) -> Sample:
    """Each for its own pair."""
    return sample


def of_the_night(sample: Sample) -> Sample:
    """All candidates of a night share them."""
    return replace(sample, series=0)


def of_all_nights(sample: Sample) -> Sample:
    """So do those of later nights."""
    return replace(sample, series=0, night="")


SHARED: tuple[Callable[[Sample], Sample], ...] = (as_made, of_the_night, of_all_nights)


def lives(world: int, shared: int, setup: Setup, alpha: float, count: int, seed: int) -> list[NullLife]:
    """So many lives in one world."""
    rng = np.random.default_rng([seed, world, shared])
    return [null_life(rng, WORLDS[world], setup, alpha, SHARED[shared]) for _ in range(count)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--date", required=True)
    parser.add_argument("--lives", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    setup, alpha = printed.setup(config.load(), VerdictRule.EVIDENCE, tasks=13, pairs=PAIRS)
    cells = [(world, shared) for world in range(len(WORLDS)) for shared in range(len(SHARED))]
    jobs = [partial(lives, world, shared, setup, alpha, chosen.lives, chosen.seed) for world, shared in cells]
    found = dict(zip(cells, apart.each(jobs, lambda done, of: print(done, of, file=sys.stderr)), strict=True))
    print(f"{chosen.date}, {chosen.lives} lives of {NIGHTS} nights of {PAIRS} pairs, seed {chosen.seed}\n")
    print("| the model | adopted, **as shipped** | shared in a night | shared by all nights | met by the bound |")
    print("|---|---:|---:|---:|---|")
    for number, world in enumerate(WORLDS):
        adopted = [share([life.adopted > 0 for life in found[number, shared]]) for shared in range(len(SHARED))]
        words = [f"{one.value:.1%} [{one.low:.1%}, {one.high:.1%}]" for one in adopted]
        met = "yes" if adopted[0].high <= alpha else "**no**"
        print(f"| {world.words} | **{words[0]}** | {words[1]} | {words[2]} | {met} |")
    calls = []
    for shared in range(len(SHARED)):
        every = [life for number in range(len(WORLDS)) for life in found[number, shared]]
        calls.append(f"{sum(life.calls for life in every) / sum(life.pairs for life in every):.2f}")
    print(f"| *model calls a pair* | **{calls[0]}** | {calls[1]} | {calls[2]} | |")


if __name__ == "__main__":
    main()
