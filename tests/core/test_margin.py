"""Shortening has its own question (promise 8): worse by less than the margin, or not."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core import evidence, experiment
from sleepd.core.evidence import Place
from sleepd.core.evidence import Scores as Columns
from sleepd.core.experiment import Decision, Experiment, NonInferiority, OnePass, VerdictRule
from sleepd.core.model import Verdict

MARGIN = 0.03
PAIRS = 600
LIVES = 1_000
MOST_FALSE = 71
"""Of 1,000 texts that lose the margin, at a level of 0.05: 99.9 % of the time at most so many are accepted."""
TERMS = Experiment(alpha=0.05, statistic=NonInferiority(margin=MARGIN), max_pairs=PAIRS)
Scores = np.ndarray


def weigh(candidate: Scores, baseline: Scores, asked: Experiment) -> Decision:
    return experiment.decide(asked, Columns(candidate=candidate, baseline=baseline))


def drawn(chance: np.random.Generator, before: Scores, after: Scores) -> tuple[Scores, Scores]:
    """Pairs: one rollout of the candidate against the mean of four of the live text."""
    task = chance.integers(0, len(before), PAIRS)
    return (chance.random(PAIRS) < after[task]).astype(float), chance.binomial(4, before[task]) / 4


def worse_everywhere(chance: np.random.Generator) -> tuple[Scores, Scores]:
    before = chance.uniform(MARGIN, 1, 13)
    return before, before - MARGIN


def worse_in_one(chance: np.random.Generator) -> tuple[Scores, Scores]:
    before = np.where(np.arange(13) == 0, 0.9, chance.beta(0.8, 0.6, 13))
    return before, before - np.where(np.arange(13) == 0, 13 * MARGIN, 0)


def nearly_sure(chance: np.random.Generator) -> tuple[Scores, Scores]:
    before = chance.uniform(MARGIN, 0.06, 13)
    return before, before - MARGIN


@pytest.mark.slow
@pytest.mark.parametrize("world", [worse_everywhere, worse_in_one, nearly_sure])
def test_a_text_that_loses_the_margin_is_accepted_at_most_at_its_level(world) -> None:  # type: ignore[no-untyped-def]
    """Whatever the number of looks: everywhere, in one task alone, or where tasks are nearly never done."""
    chance = np.random.default_rng(1)
    accepted = sum(
        Verdict.ACCEPTED is weigh(*drawn(chance, *world(chance)), TERMS).verdict for _ in range(LIVES)
    )  # fmt: skip
    assert accepted <= MOST_FALSE


@pytest.mark.parametrize(
    ("loss", "alpha", "verdict"),
    [
        (0.0, 0.05, Verdict.ACCEPTED),
        (0.0, evidence.level(Place(index=1), 0, 0.05), Verdict.ACCEPTED),
        (-0.02, 0.05, Verdict.ACCEPTED),
        (0.03, 0.05, Verdict.CLOSED),
        (0.06, 0.05, Verdict.REJECTED),
        (0.5, 0.05, Verdict.REJECTED),
    ],
)
def test_where_scores_hardly_vary(loss: float, alpha: float, verdict: Verdict) -> None:
    """An equal text is accepted, one that loses 6 points rejected; one that loses the margin itself stays open."""
    assert verdict is weigh(np.full(PAIRS, 0.9 - loss), np.full(PAIRS, 0.9), Experiment(
        alpha=alpha, statistic=NonInferiority(margin=MARGIN), max_pairs=PAIRS
    )).verdict  # fmt: skip


def test_what_the_page_says_an_equal_text_takes() -> None:
    """258 pairs for the first candidate of an account, at best: without any noise."""
    decision = weigh(
        np.ones(PAIRS),
        np.ones(PAIRS),
        Experiment(alpha=evidence.level(Place(index=1), 0, 0.05), statistic=NonInferiority(margin=MARGIN)),
    )
    assert (Verdict.ACCEPTED, 258) == (decision.verdict, decision.pairs)


def test_a_wider_margin_takes_fewer_pairs() -> None:
    """About in proportion, where nothing varies."""
    pairs = [
        weigh(np.ones(PAIRS), np.ones(PAIRS), Experiment(alpha=0.05, statistic=NonInferiority(margin=m))).pairs
        for m in (0.03, 0.06, 0.1)
    ]
    assert sorted(pairs, reverse=True) == pairs
    assert pairs[0] > 1.8 * pairs[1]


def test_rejected_names_the_margin() -> None:
    """And not the smallest gain worth having, which nobody asked for."""
    decision = weigh(np.zeros(PAIRS), np.ones(PAIRS), TERMS)
    assert "effect below -0.03" in decision.reason


def test_a_missing_score_is_no_gift_here_either() -> None:
    """A shorter text under which nothing is answered loses everything."""
    unscored = np.where(np.arange(PAIRS) % 2 == 0, np.nan, 1.0)
    assert Verdict.ACCEPTED is not weigh(unscored, np.ones(PAIRS), TERMS).verdict


@given(
    scores=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=60),
    margin=st.floats(0.001, 0.5),
)
def test_no_bet_can_lose_more_than_it_has(scores: list[tuple[float, float]], margin: float) -> None:
    """Both bets stay finite for every score, and a margin never makes the evidence smaller."""
    candidate, baseline = np.array(scores).T
    decision = weigh(candidate, baseline, Experiment(alpha=0.05, statistic=NonInferiority(margin=margin)))
    assert math.isfinite(decision.evidence)
    assert math.isfinite(decision.counter_evidence)


@pytest.mark.slow
@settings(max_examples=200)
@given(
    values=st.lists(st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.5, 1.0]), min_size=2, max_size=6),
    margin=st.sampled_from([0.01, 0.03, 0.1]),
)
def test_in_expectation_the_evidence_against_a_lost_margin_never_grows(values: list[float], margin: float) -> None:
    """For any law of a pair whose mean is the margin or worse, the next factor has a mean of at most 1: Ville holds."""
    weights = np.ones(len(values))
    differences = np.array(values)
    mean = float(np.average(differences, weights=weights))
    shift = max(0.0, mean + margin)
    lowest = -1.0
    # Mixed with the worst pair until the mean is the margin or worse.
    share = shift / (mean - lowest) if shift else 0.0
    law = np.append(weights / len(values) * (1 - share), share)
    growth = [math.exp(evidence.log_wealth((np.array([d]) + margin) / (1 + margin))[0]) for d in (*differences, lowest)]
    assert float(np.dot(law, growth)) <= 1 + 1e-9


def test_the_papers_rule_knows_no_margin() -> None:
    """It asks for a strictly higher mean, so an equal text is turned down there."""
    strict = Experiment(alpha=0.05, statistic=OnePass(rule=VerdictRule.STRICT))
    assert Verdict.REJECTED is weigh(np.ones(13), np.ones(13), strict).verdict
