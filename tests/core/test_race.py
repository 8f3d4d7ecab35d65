"""A race says which candidates go on to the gate, and nothing about whether they help."""

from __future__ import annotations

import numpy as np
import pytest

from sleepd.core.evidence import Scores
from sleepd.core.race import HEATS, Heat, leaders, rollouts


def seen(own: list[float | None], live: list[float | None] | None = None) -> Scores:
    return Scores.of(own, live or [0.5] * len(own))


def test_the_best_go_on_and_of_equal_ones_the_first() -> None:
    """Best first; as many as the heat lets on."""
    scores = {"a": seen([0, 1]), "b": seen([1, 1]), "c": seen([1, 0]), "d": seen([0, 0])}
    assert ("b", "a") == leaders(scores, Heat(pairs=2, most=2), last=False)
    assert ("b", "a", "c", "d") == leaders(scores, Heat(pairs=2, most=9), last=False)


def test_in_the_end_only_the_best_may_look_worse_than_the_live_text() -> None:
    """So that something is always tried, and work on which everything was tried comes to its end."""
    scores = {"a": seen([0.2]), "b": seen([0.4])}
    assert ("b", "a") == leaders(scores, Heat(pairs=1, most=2), last=False)
    assert ("b",) == leaders(scores, Heat(pairs=1, most=2), last=True)
    assert ("b", "a") == leaders({"a": seen([0.5]), "b": seen([0.6])}, Heat(pairs=1, most=2), last=True)


def test_a_missing_score_is_no_gift() -> None:
    """A runner that gives no answer is behind one that fails half the time."""
    assert ("half",) == leaders({"silent": seen([None, None]), "half": seen([1, 0])}, Heat(pairs=2, most=1), last=True)


@pytest.mark.parametrize(("count", "expected"), [(8, 9 * 8 + 5 * 16), (3, 4 * 8 + 4 * 16), (4, 5 * 24)])
def test_what_it_costs_is_known_before(count: int, expected: int) -> None:
    """One rollout of each runner and one of the live text for each task that is drawn."""
    assert expected == rollouts(count)


def test_it_finds_the_candidate_that_helps() -> None:
    """One of eight gains thirty points at a pass rate of one half: it goes on in nine of ten races."""
    chance, found = np.random.default_rng(1), 0
    for _ in range(200):
        rates = dict.fromkeys(range(8), 0.5) | {5: 0.8}
        own: dict[int, list[float]] = {runner: [] for runner in rates}
        live: list[float] = []
        left = tuple(rates)
        for heat in HEATS:
            live += list((chance.random(heat.pairs) < 0.5).astype(float))
            for runner in left:
                own[runner] += list((chance.random(heat.pairs) < rates[runner]).astype(float))
            left = leaders({r: Scores.of(own[r], live) for r in left}, heat, last=heat is HEATS[-1])
        found += 5 in left
    assert found >= 180
