"""Counting what a harvester knows and what it does not: a client that changes its format shows here first."""

from __future__ import annotations

from collections import Counter

from harvesters.records import RecordCount

MAX_UNKNOWN = 32
"""Kinds of unknown records that one reading tells apart; all others are counted as `other`."""
MAX_NAME = 60


class RecordTally:
    """The records of one reading by client version."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str | None, str | None]] = Counter()

    def note(self, version: str | None, unknown: str | None) -> None:
        """Count one record: known, which is read or passed over on purpose, or of a type or shape never seen.

        `unknown` is the name of a type or a shape and holds no text of a person.
        """
        key = (version, unknown and unknown[:MAX_NAME])
        if unknown is not None and key not in self._counts and len(self._counts) >= MAX_UNKNOWN:
            key = (version, "other")
        self._counts[key] += 1

    def counts(self) -> tuple[RecordCount, ...]:
        """What was counted, by version and name."""
        rows = sorted(self._counts.items(), key=lambda row: (row[0][0] or "", row[0][1] or ""))
        return tuple(RecordCount(version=key[0], unknown=key[1], count=count) for key, count in rows)
