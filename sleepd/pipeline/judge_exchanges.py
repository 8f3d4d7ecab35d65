"""Let a model say of past exchanges whether a rule was kept, ten to a call; its verdicts are kept by content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict

from sleepd.core.behaviour import Keeping, RubricCheck
from sleepd.core.model import Digest, digest
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.core.rubric import ExchangeVerdict, ShownExchange, rubric_id
from sleepd.pipeline.read_acts import Reader
from sleepd.pipeline.replies import ask_all, found
from sleepd.replayers.prompt import part, quoted, template, version
from sleepd.store import rubrics

PROMPT = "rubric"
BATCH = 10
"""Exchanges in one call."""
_TOKENS = 80
"""Of the reply, for each exchange."""
_WHY = 200


class _Entry(BaseModel):
    """One entry of a reply: untrusted."""

    model_config = ConfigDict(extra="ignore")

    n: int
    rule: str
    why: str = ""


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    outcomes: list[object]


def judge_asks(
    rubric: RubricCheck, exchanges: Sequence[ShownExchange], known: Mapping[Digest, ExchangeVerdict]
) -> dict[Ask, tuple[ShownExchange, ...]]:
    """The prompts for the exchanges that were not judged yet, each with its exchanges."""
    fresh = [one for one in exchanges if one.key not in known]
    batches = [tuple(fresh[start : start + BATCH]) for start in range(0, len(fresh), BATCH)]
    return {
        Ask(
            purpose=CallPurpose.READ,
            system=template(PROMPT),
            prompt="\n\n".join(
                [f"The rule:\n{quoted(rubric.question)}", *(_shown(n, one) for n, one in enumerate(batch, start=1))]
            ),
            max_tokens=200 + _TOKENS * len(batch),
        ): batch
        for batch in batches
    }


def judge_exchanges(reader: Reader, rubric: RubricCheck, exchanges: Sequence[ShownExchange]) -> tuple[str, ...]:
    """Have the exchanges judged that this model has not judged before; returns why calls gave no answer.

    Raises `NotMeasured` or `BudgetSpent` when the model cannot be reached, waits for somebody's answer, or the budget
    is spent; what was answered is kept.
    """
    asks = judge_asks(rubric, exchanges, known_verdicts(reader, rubric))
    by_address = {digest(ask.system, ask.prompt): ask for ask in asks}
    troubles: list[str] = []

    def keep(address: Digest, outcome: Reply | Failure) -> None:
        if isinstance(outcome, Failure):
            troubles.append(outcome.message)
            return
        said = parsed(outcome.text, asks[by_address[address]])
        with reader.database.writing() as connection:
            rubrics.keep_verdicts(connection, rubric_id(rubric), said, version(PROMPT), reader.model.key, reader.now)

    ask_all(reader.model, by_address, reader.workers, keep)
    return tuple(troubles)


def known_verdicts(reader: Reader, rubric: RubricCheck) -> dict[Digest, ExchangeVerdict]:
    """What this model said before, by this prompt."""
    with reader.database.reading() as connection:
        return rubrics.verdicts(connection, rubric_id(rubric), version(PROMPT), reader.model.key)


def parsed(text: str, batch: Sequence[ShownExchange]) -> dict[Digest, ExchangeVerdict]:
    """What a reply says of each exchange of its batch. One that it leaves out or misnames has no verdict."""
    reply = found(text, _Reply)
    if reply is None:
        return {one.key: ExchangeVerdict(keeping=None, why="the reply holds no JSON of this shape") for one in batch}
    said: dict[int, ExchangeVerdict] = {}
    for entry in reply.outcomes:
        try:
            one = _Entry.model_validate(entry)
        except ValueError:
            continue
        word = one.rule.strip().casefold()
        if word in set(Keeping):
            # A lone surrogate can be written in JSON, but kept in no database.
            why = " ".join(one.why.encode(errors="ignore").decode().split())[:_WHY]
            read = ExchangeVerdict(keeping=Keeping(word), why=why)
        else:
            read = ExchangeVerdict(keeping=None, why="the reply names no verdict")
        if one.n in said and said[one.n].keeping is not read.keeping:
            read = ExchangeVerdict(keeping=None, why="the reply names two verdicts for it")
        said[one.n] = read
    left_out = ExchangeVerdict(keeping=None, why="the reply leaves it out")
    return {one.key: said.get(number, left_out) for number, one in enumerate(batch, start=1)}


def _shown(number: int, one: ShownExchange) -> str:
    return "\n".join(
        filter(None, (f"## {number}", part("The person asked", one.request), part("What the agent did", one.done)))
    )
