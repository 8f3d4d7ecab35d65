"""What `sleepd doctor` found."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DoctorState(StrEnum):
    """What a row says."""

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
    """What to do; "" when there is nothing to do."""
