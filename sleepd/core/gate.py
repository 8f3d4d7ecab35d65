"""The one place that decides whether a candidate is better than the live text.

Evidence is the wealth of a bet against "the candidate does not help" (Waudby-Smith & Ramdas 2024, "Estimating means of
bounded random variables by betting"; Ramdas et al. 2023, "Game-theoretic statistics and safe anytime-valid inference").
Every pair is one validation task drawn at random, one fresh rollout of the candidate and fresh baseline rollouts; its
difference d lies in [-1, 1]. If the candidate does not help, each factor 1 + λ·d has expectation at most 1, so the
chance that the wealth ever passes 1/α is at most α (Ville), whatever the number of looks, nights and restarts.

The levels α_t are e-LOND's (Xu & Ramdas 2024, "Online multiple testing with e-values"): over all candidates of one
user, the expected share of false adoptions stays below α, under any dependence between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from sleepd.core.model import Pair, Verdict

Floats = npt.NDArray[np.float64]
Bets = tuple[tuple[float, int], ...]
"""Fixed bets in (0, 1), each with its share of the starting capital."""

# λ and its share of the starting capital. Small effects need small bets; a house rule (d near 1) needs one close to 1.
_BETS: Bets = ((0.1, 1), (0.2, 1), (0.35, 1), (0.55, 1), (0.75, 1), (0.97, 2))
# A candidate without effect lies a few points below the smallest one: small bets against it would only cost capital.
_COUNTER_BETS: Bets = ((0.35, 1), (0.6, 1), (0.97, 1))

# Riemann zeta(1.1): makes the sum of all γ_t equal to 1.
_ZETA = 10.584448464950800
_MIN_VALIDATION_TASKS = 5
_MIN_TEST_GROUPS = 3


class Rule(StrEnum):
    """How a verdict is reached. The last two are the paper's, kept for comparison."""

    EVIDENCE = "evidence"
    STRICT = "strict"
    """One rollout of both texts per validation task; accepted when the mean is strictly higher."""
    OFF = "off"
    """Everything is accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a candidate must show."""

    alpha: float
    """The level α_t in force: accepted when the evidence reaches 1/alpha."""
    beta: float = 0.10
    """Rejected when the evidence that the effect is below `smallest_effect` reaches 1/beta."""
    smallest_effect: float = 0.10
    margin: float = 0.0
    """0: it must be better. Above: it may be worse by less than this (promise 8), and is rejected when it is not."""
    coverage: float = 0.8
    """Least share of pairs, of the candidate and of the baseline, that must have been scored."""
    max_pairs: int = 400
    rule: Rule = Rule.EVIDENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A verdict with what it rests on."""

    verdict: Verdict
    reason: str
    pairs: int
    """Pairs used: later ones, if any, were not looked at."""
    evidence: float
    """Wealth of the accepting bet, as a natural logarithm."""
    counter_evidence: float
    """Wealth of the rejecting bet, as a natural logarithm."""
    effect: float | None
    """Mean difference over the scored pairs, in [-1, 1]; None without any."""
    coverage_candidate: float
    coverage_baseline: float


def level(index: int, adoptions: int, alpha: float) -> float:
    """α_t of the candidate with this index (from 1), after `adoptions` accepted ones: α · γ_t · (adoptions + 1)."""
    return min(alpha, alpha * math.pow(index, -1.1) / _ZETA * (adoptions + 1))


def enough(validation_tasks: int, test_groups: int) -> str | None:
    """None when there is enough to judge by; else the sentence that says what is missing."""
    if validation_tasks >= _MIN_VALIDATION_TASKS and test_groups >= _MIN_TEST_GROUPS:
        return None
    return (
        f"not enough checkable tasks: {validation_tasks} to validate with (at least {_MIN_VALIDATION_TASKS} needed) "
        f"and {test_groups} sealed (at least {_MIN_TEST_GROUPS} needed)"
    )


def decide(pairs: Sequence[Pair], terms: Terms) -> Decision:
    """The verdict over the pairs drawn so far, in the order of their draws.

    Looks after every pair, so that the result does not depend on how many were drawn at once. Pairs beyond
    `terms.max_pairs` are not looked at.
    """
    return weigh(*columns(pairs), terms)


def columns(pairs: Sequence[Pair]) -> tuple[Floats, Floats]:
    """The scores of the candidate and of the baseline, shape (len(pairs),) each; NaN where there is none."""
    return _floats([p.candidate for p in pairs]), _floats([p.baseline for p in pairs])


def weigh(candidate: Floats, baseline: Floats, terms: Terms) -> Decision:
    """`decide` on columns of scores in [0, 1], NaN for an unscored one."""
    if terms.rule is not Rule.EVIDENCE:
        return _paper(candidate, baseline, terms.rule)
    candidate, baseline = candidate[: terms.max_pairs], baseline[: terms.max_pairs]
    evidence = path(candidate, baseline, terms.margin)
    counter = counter_path(candidate, baseline, terms)
    scored_c, scored_b = np.cumsum(~np.isnan(candidate)), np.cumsum(~np.isnan(baseline))
    floor = terms.coverage * np.arange(1, len(candidate) + 1)
    crossed = (evidence >= -np.log(terms.alpha)) & (scored_c >= floor) & (scored_b >= floor)
    refuted = counter >= -np.log(terms.beta)
    stop = _first(crossed | refuted)
    used = len(candidate) if stop is None else stop + 1
    if stop is not None:
        verdict = Verdict.ACCEPTED if crossed[stop] else Verdict.REJECTED
    else:
        verdict = Verdict.CLOSED if used >= terms.max_pairs else Verdict.UNDECIDED
    return Decision(
        verdict=verdict,
        reason=_reason(verdict, terms, used),
        pairs=used,
        evidence=float(evidence[used - 1]) if used else 0.0,
        counter_evidence=float(counter[used - 1]) if used else 0.0,
        effect=_effect(candidate[:used], baseline[:used]),
        coverage_candidate=float(scored_c[used - 1] / used) if used else 1.0,
        coverage_baseline=float(scored_b[used - 1] / used) if used else 1.0,
    )


def path(candidate: Floats, baseline: Floats, margin: float = 0.0) -> Floats:
    """The evidence after each pair, as a natural logarithm: what `weigh` holds against 1/alpha."""
    return log_wealth((cautious(candidate, baseline) + margin) / (1 + margin))


def counter_path(candidate: Floats, baseline: Floats, terms: Terms) -> Floats:
    """The evidence against it after each pair, as a natural logarithm: what `weigh` holds against 1/beta."""
    # The mirror bet's factor is 1 + λ(δ - d)/s >= 1 - λ(1 - δ)/s, so with s >= 1 - δ λ may go up to 1 as well.
    target = -terms.margin if terms.margin else terms.smallest_effect
    return log_wealth((target - hopeful(candidate, baseline)) / max(1.0, 1.0 - target), _COUNTER_BETS)


def cautious(candidate: Floats, baseline: Floats) -> Floats:
    """Differences as a bet for the candidate sees them: a missing score is never a gift (promise 3)."""
    return np.nan_to_num(candidate, nan=0.0) - np.nan_to_num(baseline, nan=1.0)


def hopeful(candidate: Floats, baseline: Floats) -> Floats:
    """Differences as a bet against the candidate sees them."""
    return np.nan_to_num(candidate, nan=1.0) - np.nan_to_num(baseline, nan=0.0)


def log_wealth(gains: Floats, bets: Bets = _BETS) -> Floats:
    """Natural logarithm of the wealth after each gain, the capital being spread over all bets; shape (len(gains),).

    Each gain lies in [-1, 1]. If none has a positive expectation given those before it, the chance that the wealth ever
    reaches 1/α is at most α (Ville).
    """
    if not len(gains):
        return np.zeros(0)
    shares = np.array([share for _, share in bets])
    sizes = np.array([size for size, _ in bets])
    growth = np.cumsum(np.log1p(np.outer(gains, sizes)), axis=0) + np.log(shares / shares.sum())
    top = growth.max(axis=1)
    total: Floats = top + np.log(np.exp(growth - top[:, None]).sum(axis=1))
    return total


def _first(flags: npt.NDArray[np.bool_]) -> int | None:
    return int(np.argmax(flags)) if flags.any() else None


def _effect(candidate: Floats, baseline: Floats) -> float | None:
    known = (candidate - baseline)[~np.isnan(candidate - baseline)]
    return float(known.mean()) if len(known) else None


def _floats(scores: Sequence[float | None]) -> Floats:
    return np.array([np.nan if score is None else score for score in scores], dtype=np.float64)


def _reason(verdict: Verdict, terms: Terms, used: int) -> str:
    match verdict:
        case Verdict.ACCEPTED:
            return f"evidence passed 1/{terms.alpha:.2g} after {used} pairs"
        case Verdict.REJECTED:
            target = -terms.margin if terms.margin else terms.smallest_effect
            return f"effect below {target:+.2f} after {used} pairs (error at most {terms.beta:.2g})"
        case Verdict.CLOSED:
            return f"{used} pairs used up without a decision"
        case _:
            return f"{used} pairs so far; goes on in a later night"


def _paper(candidate: Floats, baseline: Floats, rule: Rule) -> Decision:
    """The reference's rules: a strictly higher mean over one pass, or nothing at all."""
    effect = _effect(candidate, baseline)
    higher = effect is not None and effect > 0
    scored = int((~np.isnan(candidate - baseline)).sum())
    verdict = Verdict.ACCEPTED if rule is Rule.OFF or higher else Verdict.REJECTED
    return Decision(
        verdict=verdict,
        reason=f"rule {rule}: mean difference {effect:+.3f}" if effect is not None else f"rule {rule}: nothing scored",
        pairs=len(candidate),
        evidence=0.0,
        counter_evidence=0.0,
        effect=effect,
        coverage_candidate=scored / len(candidate) if len(candidate) else 1.0,
        coverage_baseline=scored / len(candidate) if len(candidate) else 1.0,
    )
