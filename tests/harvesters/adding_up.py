"""What several readings of one growing file say about its session when they are put together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from harvesters.records import Reading, SkillUse, Tokens, Turn
from tests.harvesters.merging import merged_turns


class Total(NamedTuple):
    turns: tuple[Turn, ...] = ()
    skills: tuple[SkillUse, ...] = ()
    models: tuple[str, ...] = ()
    tokens: Tokens = Tokens()
    place: tuple[str | None, str | None] = (None, None)


def added_up(readings: Sequence[Reading]) -> Total:
    """Turns and skills of all readings since the last whole one; models, tokens and place of the latest."""
    total = Total()
    for reading in readings:
        before = Total() if reading.whole else total
        session = reading.session
        if session is not None:
            place = (session.cwd, session.branch)
            skills = tuple({(use.position, use.name): use for use in before.skills + session.skills}.values())
            total = Total(skills=skills, models=session.models, tokens=session.tokens, place=place)
    return total._replace(turns=merged_turns(readings))
