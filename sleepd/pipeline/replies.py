"""What the reflection model replies: paid for once, and read out of whatever stands around it."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from sleepd.core.model import Digest, digest
from sleepd.core.ports import Ask, Failure, Reply
from sleepd.pipeline.rollout import RunContext, guarded, outage
from sleepd.store import rollouts

Shape = TypeVar("Shape", bound=BaseModel)

_OPENINGS_TRIED = 200
"""Braces at which JSON is looked for; each may cost a scan of the whole reply."""


@dataclass(frozen=True, slots=True)
class ReplyText:
    """A reply."""

    text: str


def reply_to(ctx: RunContext, ask: Ask) -> ReplyText | str:
    """The reply, or the sentence that says why there is none. One that was paid for once is not paid for again.

    Raises `NotMeasured` or `BudgetSpent` when the model cannot be reached or the budget is spent.
    """
    return replies_to(ctx, [ask])[0]


def replies_to(ctx: RunContext, asks: Sequence[Ask]) -> list[ReplyText | str]:
    """What `reply_to` gives for each, in the order asked, however many were under way at a time.

    Each reply is kept as soon as it is there. After the first outage nothing more is asked.
    """
    addresses = [digest(ask.system, ask.prompt) for ask in asks]
    with ctx.database.reading() as connection:
        known = {a: rollouts.reflection(connection, a, ctx.reflector.key) for a in addresses}
    got: dict[Digest, ReplyText | str] = {a: ReplyText(text) for a, text in known.items() if text is not None}
    outages: list[Failure] = []
    todo = {a: ask for a, ask in zip(addresses, asks, strict=True) if a not in got}
    with _asking(ctx, todo, outages) as pending:
        for future in as_completed(pending):
            address, outcome = pending[future], future.result()
            if isinstance(outcome, Reply):
                with ctx.database.writing() as connection:
                    rollouts.save_reflection(connection, address, ctx.reflector.key, outcome, ctx.run)
                got[address] = ReplyText(outcome.text)
            else:
                got[address] = f"the reflection model gave no answer ({outcome.cause}): {outcome.message}"
    if outages:
        raise outage(outages[0])
    return [got[a] for a in addresses]


@contextmanager
def _asking(
    ctx: RunContext, todo: Mapping[Digest, Ask], outages: list[Failure]
) -> Iterator[dict[Future[Reply | Failure], Digest]]:
    """The calls under way, with the reply each is for."""

    def one(ask: Ask) -> Reply | Failure:
        if outages:
            return outages[0]
        outcome = guarded(ctx.reflector.ask, ask)
        if isinstance(outcome, Failure) and outcome.cause.outside:
            outages.append(outcome)
        return outcome

    with ThreadPoolExecutor(max_workers=ctx.workers) as executor:
        pending = {executor.submit(one, ask): address for address, ask in todo.items()}
        try:
            yield pending
        finally:
            # When the night is ended in the middle, calls that were not begun are not paid for.
            for future in pending:
                future.cancel()


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
