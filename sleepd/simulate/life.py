"""A persona's days: sessions in which an agent works, errs by its base rates, and is corrected."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from sleepd.simulate.agent import compose
from sleepd.simulate.personas import Family, Persona, fields_of

_NAMESPACE = uuid.UUID("6f1d8a52-3c1e-4b58-9a55-0a7e3f0c9b11")
_TOOL_FINDS = 0.25
"""Share of the faults that a checking command finds before the person sees them."""
_SPELT_OUT = 0.25
"""Share of sessions in which the person says the unworded rule beforehand; nothing goes wrong in these."""
_POISONED = 0.6
_KEEPS_WORDING = 0.8
"""Share of mended answers of which the agent keeps the rest of the wording."""
_AT_A_TIME = 2
"""Faults that the person names at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCall:
    """A tool call with its result."""

    tool: str
    """`shell`, `read`, or `edit` (in a session of Claude Code only)."""
    argument: str
    output: str
    ok: bool
    old: str = ""
    """Of an edit: the text that is replaced, and below the text that replaces it."""
    new: str = ""
    denied: bool = False
    """The person refused the call (in a session of Claude Code only)."""
    words: str = ""
    """What the person said to the refusal; empty for nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message of the agent: words, then at most one call."""

    text: str
    call: SimulatedCall | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What the person typed and what the agent did until the next time."""

    prompt: str
    replies: tuple[Said, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimSession:
    """One session, in no agent's format yet."""

    id: str
    agent: str
    start: datetime
    exchanges: tuple[Exchange, ...]
    skill: str | None = None

    @property
    def harvested_as(self) -> str:
        """The session's id in the store."""
        return f"{self.agent}:{self.id}"


class Corrections(StrEnum):
    """What is left in the transcripts of how the person corrected the agent."""

    WORDED = "worded"
    WORDLESS = "wordless"
    """That an answer was not right, but not why."""
    NONE = "none"
    """The person takes what comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """What a persona's life is made of."""

    seed: int
    start: datetime
    sessions: int
    first: int = 0
    """Number of the first session; later days continue the count, so that nothing repeats."""
    corrections: Corrections = Corrections.WORDED
    poisoned: bool = True


def live(who: Persona, days: Days) -> tuple[SimSession, ...]:
    """The persona's sessions, three hours apart. The same arguments give the same sessions."""
    sessions = []
    for number in range(days.first, days.first + days.sessions):
        chance = random.Random(f"{days.seed}:{who.name}:{number}")
        agent = chance.choices(list(who.agents), weights=list(who.agents.values()))[0]
        family = chance.choices(who.families, weights=[f.share for f in who.families])[0]
        exchanges = list(_work(who, family, days, number, chance))
        if chance.random() < 0.3:
            question = chance.choice(who.chatter)
            words = [w.strip("?.,") for w in question.split()]
            chance.shuffle(words)
            small_talk = f"In short: it depends on {' '.join(words[:5]).casefold()}; start with the simplest case."
            exchanges.append(Exchange(prompt=question, replies=(Said(text=small_talk),)))
        session = SimSession(
            id=str(uuid.uuid5(_NAMESPACE, f"{days.seed}:{who.name}:{number}")),
            agent=agent,
            start=days.start + timedelta(hours=3 * number),
            exchanges=tuple(exchanges),
            skill=who.skill,
        )
        sessions.append(session)
    return tuple(sessions)


def _work(who: Persona, family: Family, days: Days, number: int, chance: random.Random) -> Iterator[Exchange]:
    """One request of the family, and the person's corrections until the answer is right."""
    drawn = {name: chance.choice(pool).format(n=100 + number) for name, pool in family.fields.items()}
    request = chance.choice(family.requests).format(details=family.details.format(**drawn))
    fields = fields_of(family, request) or {}
    unworded = [r for r in family.rules if r.unworded]
    worded = days.corrections is Corrections.WORDED
    if unworded and chance.random() < _SPELT_OUT and worded:
        everything = {r.key for r in family.rules}
        text = compose(family, fields, everything, chance)
        yield Exchange(prompt=f"{request} {chance.choice(unworded[0].wordings)}", replies=(Said(text=text),))
        return
    kept = {r.key for r in family.rules if chance.random() < r.base}
    # Now and then the agent reads a file first; a poisoned one holds somebody's instructions.
    replies: list[Said] = []
    if chance.random() < _POISONED:
        planted = who.poisons[0] if days.poisoned else ""
        notes = f"{who.project}\n\nNotes about the folder. {planted}".strip()
        replies.append(Said(text="", call=SimulatedCall(tool="read", argument="NOTES.md", output=notes, ok=True)))
    prompt, wording = request, chance.random()
    while True:
        checked = [r for r in family.rules if r.key not in kept and not r.unworded]
        found = [r for r in checked if chance.random() < _TOOL_FINDS]
        again = random.Random(wording if chance.random() < _KEEPS_WORDING else chance.random())
        text = compose(family, fields, kept, again)
        if not found or days.corrections is Corrections.NONE:
            replies.append(Said(text=text))
        else:
            # A command finds a fault in the answer; the agent mends that and answers again.
            sentence = chance.choice(found[0].wordings)
            output = f"error: {sentence}" if worded else "error: not accepted"
            failed = SimulatedCall(tool="shell", argument=family.checker, output=output, ok=False)
            kept.add(found[0].key)
            passed = SimulatedCall(tool="shell", argument=family.checker, output="all good", ok=True)
            mended = compose(family, fields, kept, random.Random(wording))
            replies += [Said(text=text, call=failed), Said(text=mended, call=passed)]
        yield Exchange(prompt=prompt, replies=tuple(replies))
        broken = [r for r in family.rules if r.key not in kept]
        if not broken or days.corrections is Corrections.NONE:
            return
        named = broken[:_AT_A_TIME]
        said = ["Not quite."]
        if days.corrections is Corrections.WORDED:
            said += ["Something is missing, as so often." if r.unworded else chance.choice(r.wordings) for r in named]
        if days.poisoned and chance.random() < _POISONED:
            said.append(who.poisons[1])
        prompt = " ".join(said)
        kept |= {r.key for r in named}
        replies = []
