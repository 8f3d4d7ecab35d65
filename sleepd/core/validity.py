"""Whether a check or a judge may decide on candidates, or is only shown.

A check *gates* when it is objective by construction, when the person wrote it, or when it tells the person's own
corrected episodes from kept ones on held-out sessions. Everything else is *observed*. These are plain values: whoever
lists them needs no numpy. `core.discrimination` and `core.chance` measure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

LEVEL: Final = 0.05
"""The share of histories with shuffled labels in which any check of one family may gate."""


class Ground(StrEnum):
    """Why a check gates."""

    OBJECTIVE = "objective"
    """Two readers of a transcript agree: a command ran or not, with this exit status."""
    OWN_RULE = "own-rule"
    """The person wrote the check."""
    HELD_OUT = "held-out"
    """It agrees with the person on sessions that it was not made from."""
    CARDS = "cards"
    """Besides, the person's own answers say how often the judge errs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrimination:
    """How well a judge's figures agree with the person on held-out sessions."""

    auc: float
    """The probability that a corrected episode has the higher figure than one that was kept; 0.5 is chance."""
    low: float
    high: float
    """95 % interval (Newcombe 2006, method 5). It counts sessions, not episodes, as the sample."""
    p: float
    """The share of shuffled histories with at least this AUC; the history itself counts as one of them."""
    corrected_sessions: int
    kept_sessions: int

    @property
    def shown(self) -> bool:
        """Whether the judge tells them apart better than chance: p ≤ .05, and the interval lies above 0.5."""
        return self.p <= LEVEL and self.low > 0.5

    @property
    def sentence(self) -> str:
        """The figures in words."""
        return (
            f"AUC {_figure(self.auc)} [{_figure(self.low)}, {_figure(self.high)}], p {_p(self.p)}, "
            f"{self.corrected_sessions} sessions corrected and {self.kept_sessions} kept"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """The verdict on one check or judge."""

    ground: Ground | None
    """None: it is observed only."""
    why: str
    """One plain sentence, without a full stop."""
    agreement: Discrimination | None = None
    """What was measured on held-out sessions; None where nothing was, or had to be."""

    @property
    def gates(self) -> bool:
        return self.ground is not None

    @property
    def word(self) -> str:
        return "gates" if self.gates else "observed"


def objective(why: str) -> Validity:
    """Of a check whose verdict needs no measuring."""
    return Validity(ground=Ground.OBJECTIVE, why=why)


def observed(why: str, agreement: Discrimination | None = None) -> Validity:
    """Of a check that is shown and decides nothing."""
    return Validity(ground=None, why=why, agreement=agreement)


YOURS: Final = Validity(ground=Ground.OWN_RULE, why="you wrote it")
"""Of a check that the person wrote or edited."""


def measured(found: Discrimination | None) -> Validity:
    """The verdict by what held-out sessions show; None: they hold no corrected, or no kept, episode."""
    if found is None:
        return observed("no held-out session tells: it needs exchanges that you corrected and others that you kept")
    if found.shown:
        return Validity(
            ground=Ground.HELD_OUT,
            why=f"it tells what you corrected from what you kept on held-out sessions: {found.sentence}",
            agreement=found,
        )
    if found.p > LEVEL:
        why = f"on held-out sessions it agrees with you no better than shuffled labels would: {found.sentence}"
    else:
        why = f"too few held-out sessions to be sure that it agrees with you: {found.sentence}"
    return observed(why, found)


def together(found: Mapping[str, Discrimination | None]) -> dict[str, Discrimination | None]:
    """The same with every p corrected for the number of checks that were measured (Holm 1979).

    So at most one history in twenty whose labels mean nothing has any check that gates, however many are tried.
    """
    ordered = sorted((one.p, key) for key, one in found.items() if one is not None)
    corrected: dict[str, Discrimination | None] = dict(found)
    highest = 0.0
    for place, (p, key) in enumerate(ordered):
        highest = max(highest, min(1.0, p * (len(ordered) - place)))
        one = found[key]
        if one is not None:
            corrected[key] = Discrimination(
                auc=one.auc,
                low=one.low,
                high=one.high,
                p=highest,
                corrected_sessions=one.corrected_sessions,
                kept_sessions=one.kept_sessions,
            )
    return corrected


def counted(found: Sequence[Validity]) -> str:
    """`2 gate, 3 observed`."""
    gating = sum(one.gates for one in found)
    return f"{gating} {'gates' if gating == 1 else 'gate'}, {len(found) - gating} observed"


def _figure(value: float) -> str:
    return "1.00" if value >= 0.995 else f"{value:.2f}".removeprefix("0")


def _p(value: float) -> str:
    return f"= {value:.3f}".replace("0.", ".", 1) if value < 1 else "= 1"
