"""Every error that a user can meet.

SleepdError
├── UsageError            2   the command line or the settings are wrong
│   ├── UnknownName       2   a model, embedder, harvester or persona that is not registered
│   ├── BadSettings       2   the settings file cannot be used as it is
│   └── MissingPart       2   an optional part is not installed
├── DatabaseDamaged       2   the database cannot be trusted; it is never replaced silently
├── AssertionFailed       1   something the user asked to be asserted did not hold
├── NotMeasured           3   login, network or backend: nothing was consumed
├── Unwritable            3   a full or read-only disk: tried again
├── BudgetSpent           4   resumable
├── Conflict              5   the user's own edit is in the way
└── Busy                 75   another night holds the lock

A message is one line that says what is wrong and what to do about it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar


class SleepdError(Exception):
    """Something sleepd can explain. `code` is stable, `exit_status` is what the command returns."""

    code: ClassVar[str] = "error"
    exit_status: ClassVar[int] = 2


class UsageError(SleepdError):
    """The command line or the settings are wrong."""

    code = "usage"


class UnknownName(UsageError):
    """A name that nothing is registered under; the message lists the known ones and the nearest."""

    code = "unknown-name"

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        known_ones = ", ".join(names) or "none; the installation is older than its code: install sleepd again"
        super().__init__(f"unknown {what} {name!r}{nearest(name, names)}; known: {known_ones}")


class BadSettings(UsageError):
    """The settings file cannot be used as it is."""

    code = "bad-settings"


class MissingPart(UsageError):
    """An optional part is not installed."""

    code = "missing-part"


class DatabaseDamaged(SleepdError):
    """The database file is not usable; the message names it and the last backup."""

    code = "database-damaged"


class AssertionFailed(SleepdError):
    """Something the user asked to be asserted did not hold."""

    code = "assertion-failed"
    exit_status = 1


class NotMeasured(SleepdError):
    """A login, the network or the backend failed; nothing was consumed and the next run tries again."""

    code = "not-measured"
    exit_status = 3

    def __init__(self, message: str, retry_at: datetime | None = None) -> None:
        super().__init__(message)
        self.retry_at = retry_at
        """When the provider's limit resets, as it states it."""


class Unwritable(SleepdError):
    """A disk is full or read-only; what was stored before is kept, and the next run tries again."""

    code = "unwritable"
    exit_status = 3

    @classmethod
    def of(cls, file: object, error: OSError) -> Unwritable:
        """From what the system says about a file."""
        why = (error.strerror or str(error)).lower()
        return cls(f"{file} cannot be written: {why}; make room there, or make it writable for you, and try again")


class BudgetSpent(SleepdError):
    """The stated budget is used up; the same command continues where it stopped."""

    code = "budget-spent"
    exit_status = 4


class Conflict(SleepdError):
    """The live file was changed by someone else since the proposal was made."""

    code = "conflict"
    exit_status = 5


class Busy(SleepdError):
    """Another night holds the lock."""

    code = "busy"
    exit_status = 75


def nearest(name: str, known: Iterable[str]) -> str:
    """A parenthesis that names the closest known word, or nothing."""
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    return f" (did you mean {close[0]!r}?)" if close else ""
