"""Verdicts on checks as their rows hold them. Without SQLAlchemy: `sleepd status` and lists read them too."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Protocol

from sleepd.core.validity import Discrimination, Ground, Validity


class VerdictRow(Protocol):
    """A row of `validities`, whichever library read it."""

    def __getitem__(self, column: str, /) -> Any: ...


class CheckFamily(StrEnum):
    """What a verdict is about."""

    WORK = "work"
    """The text checks of a kind of work; the subject is the kind."""
    LESSON = "lesson"
    """A check of a lesson; the subject is the lesson's id and the check's kind."""
    RUBRIC = "rubric"
    """A judge model that reads whether a lesson's rule was kept; the subject is the lesson's id."""


def validity_of(row: VerdictRow) -> Validity:
    """The verdict in a row of `validities`."""
    agreement = None
    if row["auc"] is not None:
        agreement = Discrimination(
            auc=row["auc"],
            low=row["low"],
            high=row["high"],
            p=row["p"],
            corrected_sessions=row["corrected_sessions"],
            kept_sessions=row["kept_sessions"],
        )
    return Validity(
        ground=Ground(row["ground"]) if row["ground"] is not None else None, why=row["why"], agreement=agreement
    )


def columns_of(found: Validity) -> dict[str, object]:
    """The columns of a verdict but for what it is about."""
    one = found.agreement
    return {
        "ground": found.ground.value if found.ground is not None else None,
        "why": found.why,
        "auc": one.auc if one is not None else None,
        "low": one.low if one is not None else None,
        "high": one.high if one is not None else None,
        "p": one.p if one is not None else None,
        "corrected_sessions": one.corrected_sessions if one is not None else None,
        "kept_sessions": one.kept_sessions if one is not None else None,
    }
