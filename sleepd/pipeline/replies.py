"""What the reflection model replies: paid for once, and read out of whatever stands around it."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from sleepd.core.model import digest
from sleepd.core.ports import Ask, Failure
from sleepd.pipeline.rollout import Bench, outage
from sleepd.store import rollouts

Shape = TypeVar("Shape", bound=BaseModel)

_OPENINGS_TRIED = 200
"""Braces at which JSON is looked for; each may cost a scan of the whole reply."""


@dataclass(frozen=True, slots=True)
class Said:
    """A reply."""

    text: str


def said(bench: Bench, ask: Ask) -> Said | str:
    """The reply, or the sentence that says why there is none. One that was paid for once is not paid for again.

    Raises `NotMeasured` or `BudgetSpent` when the model cannot be reached or the budget is spent.
    """
    address = digest(ask.system, ask.prompt)
    with bench.database.reading() as connection:
        known = rollouts.reflection(connection, address, bench.reflector.key)
    if known is not None:
        return Said(known)
    outcome = bench.reflector.ask(ask)
    if isinstance(outcome, Failure):
        if outcome.cause.outside:
            raise outage(outcome)
        return f"the reflection model gave no answer ({outcome.cause}): {outcome.message}"
    with bench.database.writing() as connection:
        rollouts.save_reflection(connection, address, bench.reflector.key, outcome, bench.night_id)
    return Said(outcome.text)


def found(text: str, shape: type[Shape]) -> Shape | None:
    """The first JSON object of this shape in a reply, also inside a fence or prose; None when there is none."""
    for opening in itertools.islice(re.finditer(r"\{", text), _OPENINGS_TRIED):
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(text, opening.start())
            return shape.model_validate(value)
        except (ValueError, RecursionError):
            continue
    return None


def sentences(lines: Iterable[str]) -> Iterator[str]:
    """The lines that say something, on one line each. JSON can hold lone surrogates, which no file can: they go."""
    for line in lines:
        flat = " ".join(line.encode(errors="ignore").decode().split())
        if flat:
            yield flat
