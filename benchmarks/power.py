"""What the same error buys, one measure after the other: pairs for each find, and what four nights find.

    python -m benchmarks.power --date 2026-11-22 [--lives 400] [--seed 1]

13 tasks that all pass half the time; candidates that gain ten points, and candidates that do nothing. Prints a Markdown
table: the gate as it was, then with each measure added, the last row being what is shipped. Races, levels, bets and
limits are the shipped ones; `sleepd gate-lab` prints the last row. Deterministic for a seed.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from sleepd.core.experiment import Superiority, VerdictRule
from sleepd.lab.gate import apart, printed
from sleepd.lab.gate.figures import Figure, mean, ratio, share
from sleepd.lab.gate.power import CANDIDATES, NIGHTS, PAIRS, PowerTerms, found_within, life
from sleepd.lab.gate.trials import Setup
from sleepd.settings import config

_FORMER_PAIRS = 400
_RIVALS = 7
_PARTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """The gate with what was added until then."""

    words: str
    terms: PowerTerms
    adaptive: bool = True
    max_pairs: int | None = None
    """None: as set."""

    def setup(self, shipped: Setup) -> Setup:
        """The shipped gate with these bets and limits."""
        asked = shipped.experiment
        statistic = (
            replace(asked.statistic, adaptive=self.adaptive) if isinstance(asked.statistic, Superiority) else None
        )
        most = self.max_pairs or asked.max_pairs
        return replace(shipped, experiment=replace(asked, statistic=statistic or asked.statistic, max_pairs=most))


_ALONE = PowerTerms(runners=0, leftover=False)
MEASURES = (
    Measure(
        words="as it was: fixed bets, at most 400 pairs, half of a later night",
        terms=replace(_ALONE, stated=None), adaptive=False, max_pairs=_FORMER_PAIRS,
    ),
    Measure(words="+ a share for the person's words", terms=_ALONE, adaptive=False, max_pairs=_FORMER_PAIRS),
    Measure(words="+ a bet that learns", terms=_ALONE, max_pairs=_FORMER_PAIRS),
    Measure(words="+ up to 1,000 pairs, and what new ones leave", terms=PowerTerms(runners=0)),
    Measure(words="**+ races: as shipped**", terms=PowerTerms()),
    Measure(words="as shipped, not in the person's words", terms=PowerTerms(stated=False)),
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Some lives: sums over each, and whether the rule was found alone and among rivals."""

    pairs: list[int]
    calls: list[int]
    found: list[int]
    helpful: list[int]
    false: list[float]
    alone: list[bool]
    beside: list[bool]


def part(number: int, some: int, shipped: Setup, alpha: float, at: tuple[int, int]) -> Part:
    """So many lives with the measure of this number."""
    measure, rng = MEASURES[number], np.random.default_rng([*at, number])
    setup = measure.setup(shipped)
    seen = [life(rng, setup, alpha, measure.terms) for _ in range(some)]
    within = [
        [found_within(rng, setup, alpha, measure.terms, rivals=rivals) for _ in range(some)] for rivals in (0, _RIVALS)
    ]
    return Part(
        pairs=[one.pairs for one in seen],
        calls=[one.calls for one in seen],
        found=[one.found for one in seen],
        helpful=[one.helpful for one in seen],
        false=[one.false_share for one in seen],
        alone=within[0],
        beside=within[1],
    )


def cells(parts: list[Part]) -> list[str]:
    """The figures of one row."""
    pairs = [x for one in parts for x in one.pairs]
    calls = [x for one in parts for x in one.calls]
    found = [x for one in parts for x in one.found]
    helpful = sum(sum(one.helpful) for one in parts)
    return [
        _number(ratio(pairs, found)),
        f"{sum(calls) / max(1, sum(found)):,.0f}",
        f"{sum(found) / helpful:.0%}",
        _percent(share([x for one in parts for x in one.alone])),
        _percent(share([x for one in parts for x in one.beside])),
        _percent(mean([x for one in parts for x in one.false])),
    ]


def _number(one: Figure) -> str:
    return f"{one.value:,.0f} [{one.low:,.0f}, {one.high:,.0f}]"


def _percent(one: Figure) -> str:
    return f"{one.value:.1%} [{one.low:.1%}, {one.high:.1%}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--date", required=True)
    parser.add_argument("--lives", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    setup, alpha = printed.setup(config.load(), VerdictRule.EVIDENCE, tasks=13, pairs=PAIRS)
    some = max(1, chosen.lives // _PARTS)
    places = [(number, piece) for number in range(len(MEASURES)) for piece in range(_PARTS)]
    jobs = [partial(part, number, some, setup, alpha, (chosen.seed, piece)) for number, piece in places]
    done = apart.each(jobs, lambda ready, of: print(ready, of, file=sys.stderr))
    print(
        f"{chosen.date}, {some * _PARTS} lives of {CANDIDATES} candidates, a fifth of which gain 10 points, and as many"
    )
    print(f"of {NIGHTS} nights of {PAIRS} pairs, for each figure; seed {chosen.seed}\n")
    print(
        f"| the gate | pairs for each find | calls | helpful ones found | in {NIGHTS} nights: alone ",
        end=f"| among {_RIVALS} that do",
    )
    print(" nothing, each night | false discovery rate |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for number, measure in enumerate(MEASURES):
        mine = [one for (at, _), one in zip(places, done, strict=True) if at == number]
        print(f"| {measure.words} | {' | '.join(cells(mine))} |")


if __name__ == "__main__":
    main()
