"""Evidence as the wealth of a bet, and the account that bounds false adoptions over a user's life.

An e-process (Ramdas et al. 2023, "Game-theoretic statistics and safe anytime-valid inference"): whoever bets that a
candidate helps cannot expect to gain where it does not, so the wealth passes 1/α with a chance of at most α (Ville),
whatever the number of looks, nights and restarts. The bets are those of Waudby-Smith & Ramdas (2024), "Estimating means
of bounded random variables by betting".

The levels α_t are e-LOND's (Xu & Ramdas 2024, "Online multiple testing with e-values"): over all candidates of one
user, the false discovery rate stays below α, under any dependence between them. Here the weights γ_t are not fixed
beforehand: a candidate whose rules the person put into words has a larger one. The proof holds for them as well.

Let candidate t have the weight w_t and the level α_t = α · w_t · (D_t + 1), where D_t counts the acceptances when it
was entered. Let D be the number of all acceptances in the end. When t is accepted, its evidence E_t was at least 1/α_t,
and D >= D_t + 1, since t is one more than those before it. So the share of all acceptances that t makes up is

    1{t accepted} / max(D, 1)  <=  E_t · α_t / (D_t + 1)  =  α · w_t · E_t.

For a candidate without effect the expectation of E_t, given all that was known when it was entered, is at most 1
(E_t is the wealth at a stopping time). w_t was known then. So the false discovery rate, the expectation of the sum
over all candidates without effect, is at most α · E[Σ w_t]. It is at most α if the weights of every life add up to at
most 1, whatever decides which candidate gets which: `level` shows that they do.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sleepd.core.model import Pair

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Bets:
    """Fixed bets in (0, 1), and the share of the starting capital that each is given."""

    sizes: tuple[float, ...]
    shares: tuple[int, ...]


# Small effects need small bets; a house rule (a difference near 1) needs one close to 1.
BETS = Bets((0.1, 0.2, 0.35, 0.55, 0.75, 0.97), (1, 1, 1, 1, 1, 2))
# The other half of the capital where half of it learns: most for a gain of ten points, which takes the most pairs.
_BESIDE = Bets(BETS.sizes, (1, 1, 4, 1, 1, 2))
# What learns begins here: a gain of 0.15 whose differences vary by 0.3, as if it had been seen in 80 pairs.
_GAIN_BEFORE, _VARIANCE_BEFORE, _PAIRS_BEFORE = 0.15, 0.3, 80
_LARGEST_BET = 0.97
# A candidate without effect lies a few points below the smallest one: small bets against it would only cost capital.
COUNTER_BETS = Bets((0.35, 0.6, 0.97), (1, 1, 1))
# The same beside a bet that learns: 8 % fewer pairs for a candidate without effect on tasks that pass half the time.
SMALLER_COUNTER_BETS = Bets((0.3, 0.45, 0.7), (1, 1, 1))

WORDS_SHARE = 0.5
"""Share of α that is kept for rules that the person put into words. No setting: were it changed in the midst of a life,
the weights would add up to more than 1."""
# Riemann zeta(1.1) and zeta(1.5): they make the sum of all γ_t, and of all δ_j, equal to 1.
_ZETA = 10.584448464950800
_ZETA_OF_STATED = 2.6123753486854883
_GRID = np.linspace(-1, 1, 201)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Pairs as columns, shape (pairs,) each: scores in [0, 1], NaN for an unscored one."""

    candidate: Floats
    baseline: Floats
    own: Flags | None = None
    """For descriptions: whether the pair's request is one that the skill is for."""
    baseline_low: Floats | None = None
    """Where a part of a baseline's rollouts is unscored, its mean were they all 0; None: 0 for each unscored one."""
    baseline_high: Floats | None = None
    """The same were they all 1; None: 1 for each unscored one."""

    @classmethod
    def of(
        cls, candidate: Sequence[float | None], baseline: Sequence[float | None], own: Sequence[bool] | None = None
    ) -> Scores:
        """From values with None for an unscored one."""
        return cls(
            candidate=_floats(candidate),
            baseline=_floats(baseline),
            own=None if own is None else np.array(own, dtype=bool),
        )

    def __len__(self) -> int:
        return len(self.candidate)

    def first(self, count: int) -> Scores:
        """The first pairs, at most `count`."""
        return Scores(
            candidate=self.candidate[:count],
            baseline=self.baseline[:count],
            own=None if self.own is None else self.own[:count],
            baseline_low=None if self.baseline_low is None else self.baseline_low[:count],
            baseline_high=None if self.baseline_high is None else self.baseline_high[:count],
        )

    @property
    def cautious(self) -> Floats:
        """Differences as a bet for the candidate sees them: a missing score is never a gift (promise 3).

        Each rollout without a score is taken at its worst, by itself: of a baseline with four rollouts, one of which
        is missing, a quarter is in doubt. Whatever the missing one would have scored, the difference is no larger.
        """
        return np.nan_to_num(self.candidate, nan=0.0) - self._live(1.0)

    @property
    def hopeful(self) -> Floats:
        """Differences as a bet against the candidate sees them."""
        return np.nan_to_num(self.candidate, nan=1.0) - self._live(0.0)

    @property
    def candidate_missing(self) -> Floats:
        """1 where the candidate's rollout is unscored, else 0."""
        return np.isnan(self.candidate).astype(np.float64)

    @property
    def baseline_missing(self) -> Floats:
        """The share of each pair's baseline rollouts that is unscored."""
        return self._live(1.0) - self._live(0.0)

    def _live(self, missing: float) -> Floats:
        """The baseline's mean, an unscored rollout counted as this."""
        bound = self.baseline_high if missing else self.baseline_low
        return np.nan_to_num(self.baseline, nan=missing) if bound is None else bound

    @property
    def known(self) -> Floats:
        """Differences of the pairs with both scores."""
        differences = self.candidate - self.baseline
        return differences[~np.isnan(differences)]

    @property
    def effect(self) -> float | None:
        """Mean difference over the pairs with both scores; None without any."""
        known = self.known
        return float(known.mean()) if len(known) else None


def scores_of(pairs: Sequence[Pair]) -> Scores:
    """Pairs as columns, in their order."""
    own = None if any(p.own is None for p in pairs) else [bool(p.own) for p in pairs]
    scores = Scores.of([p.candidate for p in pairs], [p.baseline for p in pairs], own)
    if all(p.baseline_low is None and p.baseline_high is None for p in pairs):
        return scores
    low, high = _floats([p.baseline_low for p in pairs]), _floats([p.baseline_high for p in pairs])
    return replace(
        scores,
        baseline_low=np.where(np.isnan(low), np.nan_to_num(scores.baseline, nan=0.0), low),
        baseline_high=np.where(np.isnan(high), np.nan_to_num(scores.baseline, nan=1.0), high),
    )


def log_wealth(gains: Floats, bets: Bets = BETS) -> Floats:
    """Natural logarithm of the wealth after each gain, the capital being spread over all bets; shape (len(gains),).

    Each gain lies in [-1, 1]. If none has a positive expectation given those before it, the chance that the wealth ever
    reaches 1/α is at most α (Ville).
    """
    if not len(gains):
        return np.zeros(0)
    shares = np.array(bets.shares)
    growth = np.cumsum(np.log1p(np.outer(gains, np.array(bets.sizes))), axis=0) + np.log(shares / shares.sum())
    top = growth.max(axis=1)
    total: Floats = top + np.log(np.exp(growth - top[:, None]).sum(axis=1))
    return total


def adaptive_wealth(gains: Floats) -> Floats:
    """As `log_wealth`, half of the capital being on one bet that learns its size from the gains before.

    The size before pair n is the mean of the earlier gains over their mean square, which maximises the growth to second
    order (aGRAPA of Waudby-Smith & Ramdas 2024), some pairs of a middling candidate being taken as seen. It rests on
    earlier pairs alone and lies in [0, 0.97]. So each factor 1 + λ·d has an expectation of at most 1, given the pairs
    before it, whenever d has one of at most 0; also where d takes a missing score at its worst, which only lowers
    it. The product is a supermartingale, and so is its mean with the fixed bets: Ville holds as there.
    """
    if not len(gains):
        return np.zeros(0)
    before = np.concatenate([[0.0], gains[:-1]])
    seen, square = np.cumsum(before), np.cumsum(before**2)
    expected = _GAIN_BEFORE * _PAIRS_BEFORE, (_VARIANCE_BEFORE + _GAIN_BEFORE**2) * _PAIRS_BEFORE
    size = np.clip((expected[0] + seen) / (expected[1] + square), 0.0, _LARGEST_BET)
    learnt = np.cumsum(np.log1p(size * gains))
    both: Floats = np.logaddexp(learnt, log_wealth(gains, _BESIDE)) - math.log(2)
    return both


def two_sided(differences: Floats) -> Floats:
    """The wealth after each difference, as a natural logarithm, half of the capital being bet in either direction."""
    both: Floats = np.logaddexp(log_wealth(differences), log_wealth(-differences)) - math.log(2)
    return both


def interval(scores: Scores, level: float = 0.05) -> tuple[float, float]:
    """The effects that no bet has ruled out: a confidence sequence at 1 - `level`, so it holds at every look.

    Waudby-Smith & Ramdas (2024), hedged capital over a grid of hundredths; unscored pairs are left out.
    """
    known = scores.known
    if not len(known):
        return -1.0, 1.0

    def most(mean: float) -> float:
        scale = 1 + abs(mean)
        up, down = log_wealth((known - mean) / scale), log_wealth((mean - known) / scale)
        return float(np.maximum(up, down).max()) - math.log(2)

    left = [float(mean) for mean in _GRID if most(float(mean)) < -math.log(level)]
    return (left[0], left[-1]) if left else (float(known.mean()), float(known.mean()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A candidate's place in the account of a user, given before its first pair and never changed."""

    index: int
    """t, from 1, among all candidates there ever were."""
    stated: int | None = 0
    """From 1, among those whose rules the person put into words; 0: it is none of them. None: an earlier version
    entered it, before there was a share for those."""
    unshared: int = 0
    """So many first candidates were entered before there was that share: they had the whole of γ_t."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The places that an account has given away, of all databases together."""

    candidates: int = 0
    stated: int = 0
    """How many of them were put into words by the person."""
    unshared: int = 0
    """See `Place`."""

    def or_more(self, other: Given) -> Given:
        """What was given away by two accounts of the same life: no place that either knows of is given again."""
        return Given(
            candidates=max(self.candidates, other.candidates),
            stated=max(self.stated, other.stated),
            unshared=max(self.unshared, other.unshared),
        )

    def next(self, *, stated: bool = False) -> Place:
        """The place of the next candidate; `stated`: the person put its rules into words."""
        return Place(index=self.candidates + 1, stated=self.stated + 1 if stated else 0, unshared=self.unshared)

    def after(self, place: Place) -> Given:
        """What is given away once this place is."""
        return Given(
            candidates=max(self.candidates, place.index),
            stated=max(self.stated, place.stated or 0),
            unshared=place.unshared,
        )


def weight(place: Place) -> float:
    """w_t, the candidate's part of α; the weights of all places of a life add up to at most 1.

    Half of γ_t goes to each candidate. The other half is the share of rules that the person put into words, shared out
    among them as δ_j = j^-1.5 / ζ(1.5) for the j-th of them. It is laid down before any candidate, and it does not
    depend on how many are put into words. Where `unshared` candidates of earlier versions had the whole of γ_t, only
    what they left is shared. With u of them the sum is at most

        Σ_{t<=u} γ_t  +  (1 - s) · Σ_{t>u} γ_t  +  s · (1 - Σ_{t<=u} γ_t) · Σ_j δ_j  =  1,  as Σ γ_t = Σ δ_j = 1.
    """
    own = _gamma(place.index)
    if place.stated is None or place.index <= place.unshared:
        return own
    if not place.stated:
        return (1 - WORDS_SHARE) * own
    left = 1.0 - math.fsum(_gamma(t) for t in range(1, place.unshared + 1))
    return (1 - WORDS_SHARE) * own + WORDS_SHARE * left * math.pow(place.stated, -1.5) / _ZETA_OF_STATED


def level(place: Place, adoptions: int, alpha: float) -> float:
    """α_t of the candidate at this place, after `adoptions` accepted ones: α · w_t · (adoptions + 1)."""
    return min(alpha, alpha * weight(place) * (adoptions + 1))


def _gamma(index: int) -> float:
    return math.pow(index, -1.1) / _ZETA


def _floats(scores: Sequence[float | None]) -> Floats:
    return np.array([np.nan if score is None else score for score in scores], dtype=np.float64)
