"""Candidates without effect while the model varies: the shipped schedule adopts none, one that shares baselines does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import accumulate, chain

import numpy as np
import pytest

from sleepd.core.experiment import Experiment
from sleepd.core.model import Sample
from sleepd.lab.gate.drifting import NIGHTS, PAIRS, WORLDS, Drifting, null_life
from sleepd.lab.gate.trials import Setup

SETUP = Setup(experiment=Experiment(alpha=0.05), pairs_per_night=PAIRS)
LIVES = 20
VARYING = WORLDS[1:]


def alone(sample: Sample) -> Sample:
    """A baseline rollout is its own candidate's and night's: as shipped."""
    return sample


def adopting(world: Drifting, shared: Callable[[Sample], Sample] = alone) -> Iterator[bool]:
    """Of so many lives, one by one, whether a candidate without effect was adopted."""
    return (null_life(np.random.default_rng([3, n]), world, SETUP, 0.05, shared).adopted > 0 for n in range(LIVES))


def is_more_than(count: float, lives: Iterable[bool]) -> bool:
    """Whether more of these lives than `count` adopt one. Looks at no more lives than are needed to say so."""
    return any(adopted > count for adopted in accumulate(lives))


@pytest.mark.slow(4)
@pytest.mark.parametrize("world", WORLDS, ids=[world.key for world in WORLDS])
def test_a_candidate_without_effect_is_hardly_ever_adopted(world: Drifting) -> None:
    """In at most .05 of lives; more than 4 of 20 would come in one of 390 runs, were the promise only just kept."""
    assert sum(adopting(world)) <= 4


@pytest.mark.slow
def test_baselines_of_other_nights_would_adopt_it() -> None:
    """As earlier versions shared them: over the worlds that vary from night to night, in more than a tenth of lives."""
    lives = [adopting(world, lambda s: replace(s, series=0, night="")) for world in VARYING[:-1]]
    assert is_more_than(0.1 * LIVES * len(lives), chain(*lives))


@pytest.mark.slow
def test_baselines_of_other_candidates_of_the_night_would_adopt_it_too() -> None:
    """Where the model varies within a night, they are those of another hour."""
    (piece,) = (world for world in WORLDS if world.key == "piece")
    assert is_more_than(0.2 * LIVES, adopting(piece, lambda s: replace(s, series=0)))


def test_calls_are_counted() -> None:
    """Five a pair, since no rollout serves two pairs; every night uses up its pairs."""
    life = null_life(np.random.default_rng(1), WORLDS[0], replace(SETUP, pairs_per_night=40), 0.05)
    assert (40 * NIGHTS, 5 * 40 * NIGHTS) == (life.pairs, life.calls)


def test_a_world_varies_as_it_says() -> None:
    """Shocks from night to night, changes that stay, and a quarter of each night in one piece."""
    rates = {world.key: world.make(np.random.default_rng(2)) for world in WORLDS}
    nights = range(NIGHTS)
    assert [0.5] * NIGHTS == [rates["steady"](n, 0.0, 0.5) for n in nights]
    assert NIGHTS == len({rates["shock .05"](n, 0.0, 0.5) for n in nights})
    assert [0.5, 0.6] == sorted({rates["better"](n, 0.0, 0.5) for n in nights})
    mixed = [rates["mixture"](n, 0.0, 0.5) for n in nights]
    assert (mixed, [0.5, 0.75 * 0.5 + 0.25 * 0.95]) == (sorted(mixed), sorted(set(mixed)))
    piece = [rates["piece"](0, n / 1_000, 0.5) for n in range(1_000)]
    assert 250 == pytest.approx(sum(rate > 0.5 for rate in piece), abs=1)
