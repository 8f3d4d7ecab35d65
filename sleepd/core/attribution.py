"""What one edit of a bundle carries: the bundle against the bundle without it, bet by bet.

An edit stays when a bet on its help, at the stated level, wins; it goes when a bet against the smallest effect worth
having wins. One whose pairs are used up before that stays only if it looks worth its rent and a bet at the same level
has ruled out that it does the harm that is never to ride along. So in each round, whatever the number of looks, an edit
with that harm stays with a chance of at most the level (Ville); one in doubt after a round is asked anew. How often
edits without effect stay, and useful ones go, `sleepd gate-lab` states.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sleepd.core import gate
from sleepd.core.gate import Floats

_GRID = np.linspace(-1, 1, 201)
_LOG_2 = float(np.log(2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attributing:
    """How a bundle is taken apart. With `most` 0 it is not."""

    level: float = 0.05
    """The chance that an edit which does `harm` stays."""
    harm: float = 0.15
    """The loss of mean score that never rides along."""
    beta: float = 0.10
    """The chance that an edit worth `smallest_effect` goes before its pairs are used up."""
    smallest_effect: float = 0.10
    worth: float = 0.075
    """The mean that an edit must show at least when its pairs are used up."""
    most: int = 64
    """Pairs for each edit of one round."""


def stays(full: Floats, without: Floats, how: Attributing) -> bool | None:
    """Whether an edit stays, over the scores (NaN for an unscored one) of the bundle and of the bundle without it.

    None while neither bet has won and pairs are left. The first bet to win decides.
    """
    helps = gate.log_wealth(gate.cautious(full, without)) >= -np.log(how.level)
    useless = gate.log_wealth(how.smallest_effect - gate.hopeful(full, without)) >= -np.log(how.beta)
    decided = np.flatnonzero(helps | useless)
    if len(decided):
        return bool(helps[decided[0]])
    if len(full) < how.most:
        return None
    harmless = gate.log_wealth((gate.cautious(full, without) + how.harm) / (1 + how.harm)) >= -np.log(how.level)
    return bool(harmless.any() and gate.cautious(full, without).mean() >= how.worth)


def interval(full: Floats, without: Floats, level: float = 0.05) -> tuple[float, float]:
    """The effects that no bet has ruled out: a confidence interval at 1 - `level` that holds at every look.

    Waudby-Smith & Ramdas (2024), hedged capital over a grid of hundredths; unscored pairs are left out.
    """
    known = (full - without)[~np.isnan(full - without)]
    if not len(known):
        return -1.0, 1.0
    left = [m for m in _GRID if _two_sided(known, float(m)) < -np.log(level)]
    return (float(left[0]), float(left[-1])) if left else (float(known.mean()), float(known.mean()))


def _two_sided(differences: Floats, mean: float) -> float:
    """The largest logarithm that half the capital on either side of `mean` came to."""
    up = gate.log_wealth((differences - mean) / (1 + abs(mean)))
    down = gate.log_wealth((mean - differences) / (1 + abs(mean)))
    return float(np.maximum(up, down).max()) - _LOG_2
