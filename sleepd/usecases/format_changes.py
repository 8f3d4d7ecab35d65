"""Clients that write what the harvesters do not know: a change of format, seen by the share of unknown records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sleepd.store.session_parts import FileCount

_LEAST_RECORDS = 20
"""With fewer records of a version a share says nothing."""
_LEAST_SHARE = 0.01
_JUMP = 3.0
"""How many times the share of before makes a warning."""
_SHARE_WITHOUT_BEFORE = 0.1
"""What makes a warning where there is nothing to compare with."""
_RECENT = timedelta(days=30)
_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatChange:
    """One version of a client of whose records unusually many are unknown."""

    agent: str
    version: str | None
    records: int
    share: float
    """Of its records that are unknown, in [0, 1]."""
    share_before: float | None
    """The same for the agent's other versions; None: too few of their records were read."""
    unknown: tuple[tuple[str, int], ...]
    """The commonest unknown types and shapes with their number."""


def format_changes(counts: Sequence[FileCount]) -> tuple[FormatChange, ...]:
    """The versions in use lately whose unknown share jumped, by agent and version.

    A version was in use lately when a file of it was written within 30 days of the agent's newest. Its share is held
    against that of all other versions of the agent: a warning needs one unknown record in a hundred and three times
    the share of before, or one in ten where fewer than 20 other records were read.
    """
    found = []
    for agent in sorted({one.agent for one in counts}):
        mine = [one for one in counts if one.agent == agent]
        newest = max(one.written_at for one in mine)
        for version in sorted({one.version or "" for one in mine}):
            change = _change(agent, version or None, mine, newest)
            if change is not None:
                found.append(change)
    return tuple(found)


def in_words(change: FormatChange) -> str:
    """What a person is told."""
    names = ", ".join(f"{name} {count}" for name, count in change.unknown[:_SHOWN])
    before = "nothing to compare with" if change.share_before is None else f"{change.share_before:.1%} before"
    version = change.version or "of an unnamed version"
    return f"{change.agent} {version}: {change.share:.1%} of {change.records} records are unknown ({names}); {before}"


def _change(agent: str, version: str | None, mine: Sequence[FileCount], newest: datetime) -> FormatChange | None:
    ours = [one for one in mine if one.version == version]
    records, unknown = _sums(ours)
    before_records, before_unknown = _sums(one for one in mine if one.version != version)
    lately = max(one.written_at for one in ours) >= newest - _RECENT
    if records < _LEAST_RECORDS or not lately:
        return None
    share = unknown / records
    before = before_unknown / before_records if before_records >= _LEAST_RECORDS else None
    jumped = share >= _SHARE_WITHOUT_BEFORE if before is None else share >= max(_LEAST_SHARE, _JUMP * before)
    if not jumped:
        return None
    names: Counter[str] = Counter()
    for one in ours:
        if one.unknown is not None:
            names[one.unknown] += one.count
    ordered = tuple(sorted(names.items(), key=lambda item: (-item[1], item[0])))
    return FormatChange(
        agent=agent, version=version, records=records, share=share, share_before=before, unknown=ordered
    )


def _sums(counts: Iterable[FileCount]) -> tuple[int, int]:
    """All records and the unknown ones among them."""
    listed = list(counts)
    return sum(one.count for one in listed), sum(one.count for one in listed if one.unknown is not None)
