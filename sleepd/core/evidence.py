"""Evidence as the wealth of a bet, and the account that bounds false adoptions over a user's life.

An e-process (Ramdas et al. 2023, "Game-theoretic statistics and safe anytime-valid inference"): whoever bets that a
candidate helps cannot expect to gain where it does not, so the wealth passes 1/α with a chance of at most α (Ville),
whatever the number of looks, nights and restarts. The bets are those of Waudby-Smith & Ramdas (2024), "Estimating means
of bounded random variables by betting".

The levels α_t are e-LOND's (Xu & Ramdas 2024, "Online multiple testing with e-values"): over all candidates of one
user, the false discovery rate stays below α, under any dependence between them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Bets:
    """Fixed bets in (0, 1), and the share of the starting capital that each is given."""

    sizes: tuple[float, ...]
    shares: tuple[int, ...]


# Small effects need small bets; a house rule (a difference near 1) needs one close to 1.
BETS = Bets((0.1, 0.2, 0.35, 0.55, 0.75, 0.97), (1, 1, 1, 1, 1, 2))
# A candidate without effect lies a few points below the smallest one: small bets against it would only cost capital.
COUNTER_BETS = Bets((0.35, 0.6, 0.97), (1, 1, 1))

# Riemann zeta(1.1): makes the sum of all γ_t equal to 1.
_ZETA = 10.584448464950800
_GRID = np.linspace(-1, 1, 201)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scores:
    """Pairs as columns, shape (pairs,) each: scores in [0, 1], NaN for an unscored one."""

    candidate: Floats
    baseline: Floats
    own: Flags | None = None
    """For descriptions: whether the pair's request is one that the skill is for."""

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
        own = None if self.own is None else self.own[:count]
        return Scores(candidate=self.candidate[:count], baseline=self.baseline[:count], own=own)

    @property
    def cautious(self) -> Floats:
        """Differences as a bet for the candidate sees them: a missing score is never a gift (promise 3)."""
        return np.nan_to_num(self.candidate, nan=0.0) - np.nan_to_num(self.baseline, nan=1.0)

    @property
    def hopeful(self) -> Floats:
        """Differences as a bet against the candidate sees them."""
        return np.nan_to_num(self.candidate, nan=1.0) - np.nan_to_num(self.baseline, nan=0.0)

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


def level(index: int, adoptions: int, alpha: float) -> float:
    """α_t of the candidate with this index (from 1), after `adoptions` accepted ones: α · γ_t · (adoptions + 1)."""
    return min(alpha, alpha * math.pow(index, -1.1) / _ZETA * (adoptions + 1))


def _floats(scores: Sequence[float | None]) -> Floats:
    return np.array([np.nan if score is None else score for score in scores], dtype=np.float64)
