"""A developer's days: sessions of ever new work, in which what was planted comes back. No answer is scored."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from sleepd.simulate.developers import Developer, FollowUp, Objection, OneOff
from sleepd.simulate.life import Exchange, Said, SimSession, SimulatedCall

SESSIONS = 56
"""Twice as many as a developer has requests; the second time each is about another part of the project, mostly."""
_NAMESPACE = uuid.UUID("b7c7c9e4-3f0e-4c61-9a43-2a7f1d0c5e38")
_EVERY = timedelta(hours=9)
_PROPOSES = 0.6
"""Share of the work before which the agent proposes something and waits for a word."""
_THANKED = 0.8
_ASKED = 0.35
_TESTED = 0.4
_ADMITS = 0.5
"""Share of the objections that the agent's answer admits."""
_OPENINGS = (
    "Done.",
    "The change is in.",
    "That was a small one.",
    "I found the place.",
    "It works now.",
    "I went for the short way.",
    "Two things came up.",
    "Finished.",
)
_BODIES = (
    "{name} now takes the value from its caller and no longer reaches for it.",
    "The cause was a default that was shared between calls of {name}.",
    "I moved the check to the top of {name}, so that the rest can rely on it.",
    "{name} had a branch that nothing reached any more; I took it out.",
    "There is one new function next to {name}; the old name still works.",
    "The loop in {name} stops at the first hit.",
    "I kept the signature of {name}, only the inside is another.",
    "{name} reads the setting once, at the start.",
    "An early return replaces the nested conditions in {name}.",
)
_ENDINGS = (
    "The rest of the file is as it was.",
    "Nothing else depends on it.",
    "I left the callers alone.",
    "Old data can still be read.",
    "Tell me if the name should be another.",
    "",
)
_PROPOSALS = (
    "There are two ways: change {name} itself, or wrap it. The first touches more files. Which one?",
    "I would first take {name} apart and then add the new case. Shall I?",
    "Three options for {name}: 1) a flag, 2) a second function, 3) a subclass. I lean towards 2.",
    "Before I touch {name}: this also changes the output of the nightly job. Go ahead?",
)
_EXPLAINED = (
    "{name} keeps it for the callers outside; inside the project only one place needs it.",
    "At the moment only once per start. The result is kept after that.",
    "It is historical: {name} was written before there was a common helper.",
    "Not that I can see. The two places that could care sort for themselves.",
)
_ADMISSIONS = ("You're right, I should not have done that.", "You are right, my mistake.", "Sorry, I missed that.")
_FAULTS = (
    "E711 Comparison to None",
    "B007 Loop control variable not used",
    "SIM102 Use a single if statement",
    "RET505 Unnecessary else after return",
    "N806 Variable in function should be lowercase",
    "UP032 Use f-string instead of format call",
    "C408 Unnecessary dict call",
    "PTH123 open() should be replaced",
    "TRY003 Avoid long messages outside the exception class",
    "ERA001 Found commented-out code",
    "I001 Import block is un-sorted",
    "S101 Use of assert detected",
)
"""Of different rules: only the rule of `Failing` comes back."""
_PLAIN = ("Looking at it.", "On it.", "One moment.")
_STATEMENTS = (
    "result = prepare({name}, limit={n})",
    "if not rows: return empty({n})",
    "total += row.amount * {n}",
    "cache[key] = value or default({n})",
    "for part in split(text, {n}): emit(part)",
    "raise Refused('{name}', {n})",
    "state = next_state(state, {n})",
    "show(label('{name}'), width={n})",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlantedMoment:
    """One time that a planted need showed."""

    key: str
    session: str
    """As the harvest names it."""
    text: str
    """The person's words, or the line given to the shell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LivedDays:
    """A developer's sessions, and the truth about them."""

    sessions: tuple[SimSession, ...]
    moments: tuple[PlantedMoment, ...]
    approvals: tuple[tuple[str, str], ...]
    """Session and words of each consent and thanks."""


def live_as(who: Developer, seed: int, start: datetime) -> LivedDays:
    """The developer's sessions, nine hours apart. The same arguments give the same sessions."""
    chance = random.Random(f"{seed}:{who.name}")
    plan = _Plan(who, chance)
    sessions: list[SimSession] = []
    moments: list[PlantedMoment] = []
    approvals: list[tuple[str, str]] = []
    for number in range(SESSIONS):
        id_ = str(uuid.uuid5(_NAMESPACE, f"{seed}:{who.name}:{number}"))
        day = _Day(who, plan, number, chance)
        exchanges = tuple(day.exchanges())
        session = SimSession(id=id_, agent="claude-code", start=start + number * _EVERY, exchanges=exchanges)
        sessions.append(session)
        moments += [PlantedMoment(key=key, session=session.harvested_as, text=text) for key, text in day.shown]
        approvals += [(session.harvested_as, words) for words in day.approved]
    return LivedDays(sessions=tuple(sessions), moments=tuple(moments), approvals=tuple(approvals))


class _Deck:
    """Texts in an order of chance; none comes again before all others came."""

    def __init__(self, texts: tuple[str, ...], chance: random.Random) -> None:
        self._texts, self._chance, self._left = texts, chance, list[str]()

    def next(self) -> str:
        if not self._left:
            self._left = self._chance.sample(self._texts, len(self._texts))
        return self._left.pop()


class _Plan:
    """In which sessions each need shows, and which words come next."""

    def __init__(self, who: Developer, chance: random.Random) -> None:
        everything = range(SESSIONS)
        self.sessions = {need.key: set(chance.sample(everything, need.sessions)) for need in who.needs}
        if who.objection is not None and who.failing is not None:
            # Who has just run the linter is not told to run it.
            free = [n for n in everything if n not in self.sessions[who.failing.key]]
            self.sessions[who.objection.key] = set(chance.sample(free, who.objection.sessions))
        self.once = dict(zip(chance.sample(everything, len(who.once)), who.once, strict=True))
        self.requests = _Deck(who.requests, chance)
        self.names = _Deck(who.names, chance)
        self.consents = _Deck(who.consents, chance)
        self.thanks = _Deck(who.thanks, chance)
        self.questions = _Deck(who.questions, chance)
        self.steps = _Deck(who.follow_up.words if who.follow_up else ("",), chance)
        self.objections = _Deck(who.objection.words if who.objection else ("",), chance)
        self.refusals = _Deck(who.refused.words if who.refused else ("",), chance)


class _Day:
    """One session."""

    def __init__(self, who: Developer, plan: _Plan, number: int, chance: random.Random) -> None:
        self._who, self._plan, self._number, self._chance = who, plan, number, chance
        self._name = plan.names.next()
        self.shown: list[tuple[str, str]] = []
        """Key of a need -> its text."""
        self.approved: list[str] = []

    def exchanges(self) -> Iterator[Exchange]:
        once = self._plan.once.get(self._number)
        prompt = self._filled(self._plan.requests.next())
        if self._chance.random() < _PROPOSES:
            replies = (self._reads(), Said(text=self._filled(self._chance.choice(_PROPOSALS))))
            yield Exchange(prompt=prompt, replies=replies)
            prompt = self._approves(self._plan.consents)
        yield Exchange(prompt=prompt, replies=tuple(self._works(once)))
        objection, step = self._who.objection, self._who.follow_up
        if objection is not None and self._now(objection.key):
            yield from self._objects(objection)
        elif self._chance.random() < _ASKED:
            explained = Said(text=self._filled(self._chance.choice(_EXPLAINED)))
            yield Exchange(prompt=self._filled(self._plan.questions.next()), replies=(self._reads(), explained))
        if once is not None and once.words:
            yield Exchange(prompt=once.words, replies=(*self._edits(), *self._last_command(), self._answers()))
        if once is not None and once.request:
            yield Exchange(prompt=once.request, replies=(Said(text="Done, have a look."),))
        if step is not None and self._now(step.key):
            yield self._takes(step)
        if self._chance.random() < _THANKED:
            yield Exchange(prompt=self._approves(self._plan.thanks), replies=(Said(text="You are welcome."),))

    def _now(self, key: str) -> bool:
        return self._number in self._plan.sessions[key]

    def _filled(self, text: str) -> str:
        file, test = (t.format(name=self._name) for t in (self._who.file, self._who.test))
        filled = text.replace("{name}", self._name).replace("{file}", file).replace("{test}", test)
        filled = filled.replace("{few}", str(self._chance.randrange(11, 30)))
        return filled.replace("{n}", str(self._chance.randrange(2, 900)))

    def _approves(self, deck: _Deck) -> str:
        words = deck.next()
        self.approved.append(words)
        return words

    def _works(self, once: OneOff | None) -> Iterator[Said]:
        """The agent reads, edits, tries it out, and says so."""
        who = self._who
        yield self._reads()
        yield from self._edits()
        if who.mended is not None and self._now(who.mended.key):
            failing = self._filled(who.mended.failing)
            self.shown.append((who.mended.key, failing))
            yield self._runs(failing, self._filled(who.mended.error), ok=False)
            yield self._runs(self._filled(who.mended.working), who.mended.output)
        elif who.mended is not None and self._chance.random() < _TESTED:
            yield self._runs(self._filled(who.mended.working), who.mended.output)
        if who.failing is not None and self._now(who.failing.key):
            command = self._filled(who.failing.command)
            self.shown.append((who.failing.key, command))
            yield self._runs(command, self._filled(who.failing.error), ok=False)
            yield from self._edits()
            yield self._runs(command, "")
        if once is not None and once.command and once.denied:
            yield self._denied(once.command, "")
        elif once is not None and once.command:
            yield self._runs(once.command, once.error, ok=False)
            if once.then:
                yield self._runs(once.then, "ok")
        yield from self._last_command()
        yield self._answers()
        if who.refused is not None and self._now(who.refused.key):
            words = "" if self._chance.random() < 1 / 2 else self._plan.refusals.next()
            self.shown.append((who.refused.key, words or who.refused.command))
            yield self._denied(who.refused.command, words)

    def _last_command(self) -> Iterator[Said]:
        """What the project's own file says of the end of work."""
        ignored = self._who.ignored
        if self._who.kept_command:
            yield self._runs(self._who.kept_command, "12 passed")
        if ignored is not None and self._chance.random() < ignored.done:
            yield self._runs(ignored.command, "ok")

    def _objects(self, need: Objection) -> Iterator[Exchange]:
        words = self._plan.objections.next()
        self.shown.append((need.key, words))
        admits = self._chance.random() < _ADMITS
        first = Said(text=self._chance.choice(_ADMISSIONS if admits else _PLAIN))
        if need.command:
            found = self._runs(
                need.command, self._filled(f"{{file}}:{{n}}:1: {self._chance.choice(_FAULTS)}"), ok=False
            )
            done = self._runs(need.command, "All checks passed!")
            yield Exchange(prompt=words, replies=(first, found, *self._edits(), done, self._answers()))
            return
        call = self._edit()
        explained = Said(text=self._filled(self._chance.choice(_EXPLAINED)))
        question = self._filled(self._plan.questions.next())
        yield Exchange(prompt=question, replies=(self._reads(), Said(text="", call=call), explained))
        back = SimulatedCall(
            tool="edit", argument=call.argument, output=call.output, ok=True, old=call.new, new=call.old
        )
        yield Exchange(prompt=words, replies=(first, Said(text="", call=back), Said(text="It is as it was before.")))

    def _takes(self, step: FollowUp) -> Exchange:
        words = self._plan.steps.next()
        self.shown.append((step.key, words))
        if step.command:
            return Exchange(
                prompt=words, replies=(self._runs(self._filled(step.command), "1 file changed"), Said(text="Done."))
            )
        # A case of some lines behind the last one.
        there, last = self._filled(self._who.test), self._filled(self._chance.choice(_STATEMENTS))
        lines = (f"case {self._chance.randrange(2, 900)}", *self._chance.sample(_STATEMENTS, 4), "check(result)")
        new = "\n".join((last, *(self._filled(line) for line in lines)))
        output = f"The file {there} has been updated."
        call = SimulatedCall(tool="edit", argument=there, output=output, ok=True, old=last, new=new)
        test = Said(text="", call=call)
        assert self._who.mended is not None  # who asks for tests has a way to run them
        ran = self._runs(self._filled(self._who.mended.working), self._who.mended.output)
        return Exchange(prompt=words, replies=(test, ran, Said(text=self._filled("There is a test for {name} now."))))

    def _reads(self) -> Said:
        path = self._filled(self._who.file)
        output = "\n".join(self._filled(line) for line in self._chance.sample(_STATEMENTS, 3))
        return Said(text="", call=SimulatedCall(tool="read", argument=path, output=output, ok=True))

    def _edits(self) -> Iterator[Said]:
        for _ in range(self._chance.randint(1, 2)):
            yield Said(text="", call=self._edit())

    def _edit(self) -> SimulatedCall:
        old, new = (self._filled(line) for line in self._chance.sample(_STATEMENTS, 2))
        there = self._filled(self._who.file)
        return SimulatedCall(
            tool="edit", argument=there, output=f"The file {there} has been updated.", ok=True, old=old, new=new
        )

    def _runs(self, command: str, output: str, *, ok: bool = True) -> Said:
        return Said(text="", call=SimulatedCall(tool="shell", argument=command, output=output, ok=ok))

    def _denied(self, command: str, words: str) -> Said:
        call = SimulatedCall(tool="shell", argument=command, output="", ok=False, denied=True, words=words)
        return Said(text="", call=call)

    def _answers(self) -> Said:
        parts = (self._chance.choice(_OPENINGS), self._chance.choice(_BODIES), self._chance.choice(_ENDINGS))
        return Said(text=self._filled(" ".join(part for part in parts if part)))
