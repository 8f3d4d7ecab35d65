"""Let a model read the acts of turns, twenty to a call; what it said is kept by content and never asked again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from sleepd.core.act_reading import ReadAct, ShownTurn
from sleepd.core.acts import Act
from sleepd.core.model import Digest, digest
from sleepd.core.ports import Ask, CallPurpose, Failure, Model, Reply
from sleepd.pipeline.replies import ask_all, found
from sleepd.replayers.prompt import part, template, version
from sleepd.store import readings
from sleepd.store.database import Database

PROMPT = "acts"
BATCH = 20
"""Turns in one call."""
_TOKENS = 60
"""Of the reply, for each turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Who reads, and where the replies are kept."""

    database: Database
    model: Model
    workers: int
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ActsRead:
    """What a model takes turns for, and why some were not read."""

    acts: Mapping[Digest, ReadAct]
    """By the key of the turn shown; turns of calls without an answer are missing."""
    troubles: tuple[str, ...]
    """One for each call without an answer. It is made again another time."""


class _Turn(BaseModel):
    """One entry of a reply: untrusted."""

    model_config = ConfigDict(extra="ignore")

    n: int
    act: str
    sure: float | None = None


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    turns: list[object]


def act_asks(turns: Sequence[ShownTurn], known: Mapping[Digest, ReadAct]) -> dict[Ask, tuple[ShownTurn, ...]]:
    """The prompts for the turns that were not read yet, each with its turns. Equal turns are asked about once."""
    fresh = list({turn.key: turn for turn in turns if turn.key not in known}.values())
    batches = [tuple(fresh[start : start + BATCH]) for start in range(0, len(fresh), BATCH)]
    return {
        Ask(
            purpose=CallPurpose.READ,
            system=template(PROMPT),
            prompt="\n\n".join(_shown(number, turn) for number, turn in enumerate(batch, start=1)),
            max_tokens=200 + _TOKENS * len(batch),
        ): batch
        for batch in batches
    }


def read_acts(reader: Reader, turns: Sequence[ShownTurn]) -> ActsRead:
    """What the model takes each of these turns for, read now or before.

    A reply that cannot be used, whole or for one turn, is kept as such. Raises `NotMeasured` or `BudgetSpent` when the
    model cannot be reached, waits for somebody's answer, or the budget is spent; what was answered is kept.
    """
    known = kept_acts(reader)
    asks = act_asks(turns, known)
    by_address = {digest(ask.system, ask.prompt): ask for ask in asks}

    troubles: list[str] = []

    def keep(address: Digest, outcome: Reply | Failure) -> None:
        if isinstance(outcome, Failure):
            troubles.append(outcome.message)
            return
        read = parsed(outcome.text, asks[by_address[address]])
        known.update(read)
        with reader.database.writing() as connection:
            readings.keep_acts(connection, read, version(PROMPT), reader.model.key, reader.now)

    ask_all(reader.model, by_address, reader.workers, keep)
    acts = {turn.key: known[turn.key] for turn in turns if turn.key in known}
    return ActsRead(acts=acts, troubles=tuple(troubles))


def kept_acts(reader: Reader) -> dict[Digest, ReadAct]:
    """What this model was read to say before, by this prompt."""
    with reader.database.reading() as connection:
        return readings.acts(connection, version(PROMPT), reader.model.key)


def parsed(text: str, batch: Sequence[ShownTurn]) -> dict[Digest, ReadAct]:
    """What a reply says of each turn of its batch. A turn that it leaves out or misnames is read as nothing."""
    reply = found(text, _Reply)
    if reply is None:
        return {turn.key: ReadAct(act=None, why="the reply holds no JSON of this shape") for turn in batch}
    said: dict[int, ReadAct] = {}
    for entry in reply.turns:
        try:
            one = _Turn.model_validate(entry)
        except ValueError:
            continue
        word = one.act.strip().casefold()
        if word in set(Act):
            sure = one.sure if one.sure is not None and math.isfinite(one.sure) and 0 <= one.sure <= 1 else None
            read = ReadAct(act=Act(word), sure=sure)
        else:
            read = ReadAct(act=None, why=f"the reply calls it {word[:40]!r}, which is no act")
        # Of two entries for one turn neither can be believed, unless they agree.
        if one.n in said and said[one.n].act is not read.act:
            read = ReadAct(act=None, why="the reply names two acts for it")
        said[one.n] = read
    left_out = ReadAct(act=None, why="the reply leaves it out")
    return {turn.key: said.get(number, left_out) for number, turn in enumerate(batch, start=1)}


def _shown(number: int, turn: ShownTurn) -> str:
    after = part("The agent's next words", turn.after)
    return "\n".join(
        filter(
            None,
            (
                f"## {number}",
                part("What the agent had just done", turn.before),
                part("The person", turn.said),
                after,
            ),
        )
    )
