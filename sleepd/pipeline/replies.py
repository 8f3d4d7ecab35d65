"""What the reflection model replies: paid for once, and read out of whatever stands around it."""

from __future__ import annotations

import itertools
import json
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from sleepd.core.model import Cause, Digest, digest
from sleepd.core.ports import Ask, Failure, Model, Reply
from sleepd.pipeline.rollout import RunContext, broken, outage
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

    Each reply is kept as soon as it is there. After the first outage nothing more is asked; prompts that somebody has
    to answer are all handed over.
    """
    addresses = [digest(ask.system, ask.prompt) for ask in asks]
    with ctx.database.reading() as connection:
        known = {a: rollouts.reflection(connection, a, ctx.reflector.key) for a in addresses}
    got: dict[Digest, ReplyText | str] = {a: ReplyText(text) for a, text in known.items() if text is not None}

    def keep(address: Digest, outcome: Reply | Failure) -> None:
        if isinstance(outcome, Reply):
            with ctx.database.writing() as connection:
                rollouts.save_reflection(connection, address, ctx.reflector.key, outcome, ctx.run)
            got[address] = ReplyText(outcome.text)
        else:
            got[address] = f"the reflection model gave no answer ({outcome.cause}): {outcome.message}"

    ask_all(ctx.reflector, {a: ask for a, ask in zip(addresses, asks, strict=True) if a not in got}, ctx.workers, keep)
    return [got[a] for a in addresses]


def ask_all(
    model: Model, asks: Mapping[Digest, Ask], workers: int, keep: Callable[[Digest, Reply | Failure], None]
) -> None:
    """Ask for all; `keep` is told each outcome as soon as it is there, in this thread.

    After the first outage nothing more is asked, but prompts that somebody has to answer are all handed over. Raises
    `NotMeasured` or `BudgetSpent` then, with everything kept that was answered.
    """
    outages: list[Failure] = []
    pending: dict[Future[Reply | Failure], Digest] = {}
    lock = threading.Lock()

    def end_at_outage(future: Future[Reply | Failure]) -> None:
        # Called before a thread takes its next call.
        if future.cancelled():
            return
        outcome = _outcome(future)
        if isinstance(outcome, Failure) and outcome.cause.outside:
            with lock:
                outages.append(outcome)
            # Nothing speaks against handing over the other prompts as well.
            if outcome.cause is not Cause.WAITING:
                for other in tuple(pending):
                    other.cancel()

    with ThreadPoolExecutor(max_workers=workers) as executor:
        try:
            for address, ask in asks.items():
                with lock:
                    if any(failure.cause is not Cause.WAITING for failure in outages):
                        break
                    future = executor.submit(model.ask, ask)
                    pending[future] = address
                future.add_done_callback(end_at_outage)
            for future in as_completed(pending):
                if not future.cancelled():
                    keep(pending[future], _outcome(future))
        finally:
            # When the night is ended in the middle, calls that were not begun are not paid for.
            for future in pending:
                future.cancel()
    if outages:
        raise outage(max(outages, key=lambda failure: failure.waiting))


def _outcome(future: Future[Reply | Failure]) -> Reply | Failure:
    """What a call came to; an adapter that breaks is one failure."""
    error = future.exception()
    return broken(error) if isinstance(error, Exception) else future.result()


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
