"""The result of `sleepd doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DoctorState(StrEnum):
    """The state of a row."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorRow:
    """One fact."""

    fact: str
    state: DoctorState
    finding: str
    fix: str = ""
    """The remedy; "" when there is nothing to do."""
