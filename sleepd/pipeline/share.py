"""Share a night out among the work that is worth it, by expected gain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sleepd.pipeline.work import Work

LEAST_PAIRS = 24
"""With fewer pairs a night a candidate would wait for weeks: then fewer skills are worked on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One skill's part of a night."""

    work: Work
    pairs: int


def shares(work: Sequence[Work], pairs: int, most: int) -> tuple[Share, ...]:
    """The parts of at most `most` skills, the most promising first; together they are `pairs`.

    What a skill may gain is what it cost the user: how often its work came up times how often it had to be asked for
    again (`Work.priority`). Parts are in proportion to that, and none is smaller than `LEAST_PAIRS` unless there is
    only one. Work that was never corrected takes part only when there is no other.
    """
    ranked = [one for one in work if one.priority > 0] or list(work[:1])
    chosen = ranked[: max(1, min(most, pairs // LEAST_PAIRS))]
    total = sum(one.priority for one in chosen)
    if not chosen or not total:
        return tuple(Share(work=one, pairs=pairs) for one in chosen)
    extra = max(0, pairs - LEAST_PAIRS * len(chosen))
    floor = LEAST_PAIRS if len(chosen) > 1 else 0
    parts = [floor + int(extra * one.priority / total) for one in chosen]
    # Rounding leaves a few pairs over, and a single skill has no floor: the most promising one gets them.
    parts[0] += pairs - sum(parts)
    return tuple(Share(work=one, pairs=part) for one, part in zip(chosen, parts, strict=True))
