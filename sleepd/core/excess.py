"""The figures of a search for text checks. `core.chance` makes them; whoever only lists them needs no numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MIN_SESSIONS: Final = 6
"""Sessions in which a wording must differ between rejected and kept answers: five coins agree once in 16 histories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excess:
    """What a search for text checks found in the person's labels of one work, and in labels that mean nothing."""

    corrected_sessions: int
    """Sessions in which an answer was rejected and a later one kept."""
    wordings: int
    """Traits of answers that differ between rejected and kept ones in at least `MIN_SESSIONS` sessions."""
    found: int
    """Of these wordings those that go with being kept at p ≤ .05, each looked at alone."""
    by_chance: float
    """The mean of the same count over shuffled labels, to three places; 0 without wordings."""
    proven: int
    """Of these wordings those that beat the best one of 95 % of the shuffled histories."""


NO_EXCESS: Final = Excess(corrected_sessions=0, wordings=0, found=0, by_chance=0.0, proven=0)
"""Of a work in which nothing was looked for yet."""
