"""The simulated model: an agent that obeys the rules it finds in its prompt, and a reflection that quotes its prompt.

It is a model adapter like any other and sees what a provider would see: a system text and a prompt. It is told neither
which skill text is the live one nor which task is held out nor which edit is good.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from sleepd.core.errors import UnknownName
from sleepd.core.model import Cause
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.simulate import loading
from sleepd.simulate.cast import persona
from sleepd.simulate.personas import Family, HouseRule, Persona, Slot, family_of, fields_of

_VARIANTS = ("", "distractors-only", "case-by-case")
_NEGATIONS = frozenset({"no", "not", "never", "without", "avoid", "skip", "omit", "don't"})
_BINDING = re.compile(
    r"\b(?:must|should|has to|needs?|belongs?)\b|^(?:Start|Begin|End|Put|Give|Use|Write|Add|Close"
    r"|Keep|Always|No|Never|Do not|Note|Hint)\b"
)
_QUOTED = re.compile(r"^(?P<title>[A-Za-z][\w' ]*):$")
_SAYING = ("the user said", "a tool said", "what came before", "the request")
_MILD = {"usually": 0.4, "now and then": 0.7}
"""How much of a habit is left when a line speaks against it in mild words."""
_REVERSALS = ("Do not", "Never", "It is wrong, so never:", "Usually do not", "Now and then avoid to")
_URGES = ("Do", "Always", "Please", "Usually", "Now and then")
_SKILL = "The skill file today"
_RANKING = '"order"'
"""What the reply to a question about order is to hold."""
_ABOUT_LOADING = (
    "The description today",
    "A request that it is for but that did not load it",
    "A request that it is not for but that loaded it",
)
_NUMBER = re.compile(r"from 0 to (\d+)")
_CHANGE = re.compile(r"^## Change (?P<number>\d+) \(proposed by (?P<times>\d+) ", re.MULTILINE)
_WORDS = (4, 45)
_LONG = 4
_SCOPED = re.compile(r"^(?:- )?When the request is about (?P<cases>\"[^:]*\"): ?(?P<rule>.*)$")
_CASE = re.compile(r'"([^"]+)"')
_FAULTLESS = re.compile(r"\b(?:until|unless)\b.*\b(?:fault|missing|wrong)\b", re.IGNORECASE)
_TIME_UP = Failure(cause=Cause.TIMEOUT, message="the model did not answer in time")


@dataclass(frozen=True, slots=True, kw_only=True)
class Nature:
    """How the model behind a name answers. A provider may change it from one night to the next; the name stays."""

    obedience: float = 0.95
    """Probability that the agent keeps a rule that its skill text states."""
    habit: float = 0.0
    """How much of what the agent does not do unasked it does unasked today, in [0, 1]."""
    slow: float = 0.0
    """Share of answers that do not come in time, whatever the text."""
    stubborn: float = 0.9
    """Share of faulty answers that an agent works over until its time is up, when it may not answer with a fault."""


USUAL = Nature()


class _Named(Protocol):
    """What of the settings is needed."""

    model: str
    seed: int | None


def from_settings(settings: _Named) -> SimulatedModel:
    """`model` is a persona's name, or `persona/variant`; raises `UnknownName`."""
    who, _, variant = settings.model.partition("/")
    if variant not in _VARIANTS:
        raise UnknownName("variant of the simulated model", variant, _VARIANTS[1:])
    return SimulatedModel(persona(who), seed=settings.seed or 0, variant=variant)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quote:
    title: str
    text: str


class SimulatedModel:
    """Answers rollouts as a persona's agent would, and reflections by quoting what it reads."""

    def __init__(self, who: Persona, *, seed: int, variant: str = "", nature: Nature = USUAL) -> None:
        self._who = who
        self._seed = seed
        self._variant = variant
        self._nature = nature

    @property
    def key(self) -> str:
        return f"simulated:{self._who.name}{'/' * bool(self._variant)}{self._variant}:seed={self._seed}"

    def ask(self, ask: Ask) -> Reply | Failure:
        body = "\0".join((str(self._seed), ask.system, ask.prompt, str(ask.sample)))
        chance = random.Random(int.from_bytes(hashlib.sha256(body.encode()).digest()[:8], "big"))
        match ask.purpose:
            case CallPurpose.ROLLOUT:
                answered = answer(self._who, ask.system, ask.prompt, chance, self._nature)
                if answered is None:
                    return _TIME_UP
                text = answered
            case CallPurpose.REFLECT:
                text = self._reflection(ask, chance)
            case CallPurpose.TRIGGER:
                text = loading.choice(ask.system, ask.prompt, chance)
            case CallPurpose.READ:
                return Failure(cause=Cause.REFUSED, message="the simulated agent reads no history; choose another")
            case CallPurpose.PREFLIGHT:
                text = "ready"
        tokens_in = (len(ask.system) + len(ask.prompt)) // 4
        return Reply(text=text, tokens_in=tokens_in, tokens_out=len(text) // 4 + 1, cost_usd=0.0)

    def _reflection(self, ask: Ask, chance: random.Random) -> str:
        """What kind of reply is wanted stands in the question."""
        for wanted, reply in _REPLIES.items():
            if wanted in ask.system:
                return reply(self._who, ask)
        if self._variant == "case-by-case":
            return _for_these(self._who, ask.prompt)
        return _edits(self._who, ask.prompt, chance, distractors_only=self._variant == "distractors-only")


def answer(who: Persona, system: str, prompt: str, chance: random.Random, nature: Nature = USUAL) -> str | None:
    """The agent's answer: each rule of the request's family is kept with the probability its instructions imply.

    None when the agent ran out of time: by chance, or over a fault that its instructions do not let it answer with.
    """
    request = prompt.rpartition("The request:\n")[2]
    family = family_of(who, request)
    fields = fields_of(family, request) if family else None
    if family is None or fields is None:
        return f"Here is what I know about it: {' '.join(request.split()[:6])} and so on."
    told = applicable(system, request)
    kept = {rule.key for rule in family.rules if chance.random() < probability(rule, told, nature)}
    text = compose(family, fields, kept, chance)
    faulty = any(rule.key not in kept for rule in family.rules)
    if faulty and may_not_fail(told) and chance.random() < nature.stubborn:
        return None
    return None if nature.slow and chance.random() < nature.slow else text


def applicable(instructions: str, request: str) -> str:
    """The instructions without the lines that are for other requests than this one."""
    if "When the request is about" not in instructions:
        return instructions
    lines = []
    for line in instructions.splitlines():
        scoped = _SCOPED.match(line)
        if scoped is None:
            lines.append(line)
        elif any(case in request.replace(":", "") for case in _CASE.findall(scoped["cases"])):
            lines += re.split(r"(?<=[.!?]) ", scoped["rule"])
    return "\n".join(lines)


@lru_cache(maxsize=4_096)
def may_not_fail(instructions: str) -> bool:
    """Whether the agent is told to give no answer before all faults are out of it."""
    return any(_FAULTLESS.search(line) for line in instructions.splitlines())


@lru_cache(maxsize=4_096)
def probability(rule: HouseRule, instructions: str, nature: Nature = USUAL) -> float:
    """How likely the agent keeps the rule under these instructions.

    What speaks against it weighs by its wording: a plain ban ends the habit, milder words only weaken it.
    """
    lines = instructions.splitlines()
    unasked = rule.base + nature.habit * (1 - rule.base)
    against = [line.casefold() for line in lines if _stance(rule, line) < 0]
    if against:
        return unasked * min(next((left for word, left in _MILD.items() if word in line), 0.0) for line in against)
    return max(unasked, nature.obedience) if any(_stance(rule, line) > 0 for line in lines) else unasked


def compose(family: Family, fields: Mapping[str, str], kept: set[str], chance: random.Random) -> str:
    """An answer of the family in which exactly these rules are kept; the rest of the wording is by chance."""
    return _composed(family, tuple(fields.items()), frozenset(kept), tuple(chance.sample(family.body, 2)))


@lru_cache(maxsize=65_536)
def _composed(family: Family, fields: tuple[tuple[str, str], ...], kept: frozenset[str], lines: tuple[str, ...]) -> str:
    details = dict(fields)
    filled = {**details, "title": family.title.format(**details).capitalize()}
    says = {
        slot: [(r.kept if r.key in kept else r.broken).format(**filled) for r in family.rules if r.slot is slot]
        for slot in Slot
    }
    body = [line.format(**filled) for line in lines]
    head = next((h for h in says[Slot.HEAD] if h), filled["title"])
    parts = [head, "", " ".join([*body, *filter(None, says[Slot.BODY])])]
    parts += filter(None, says[Slot.LINE])
    parts += filter(None, says[Slot.TAIL])
    return "\n".join(parts)


def _stance(rule: HouseRule, line: str) -> int:
    """1 when the line demands the rule, -1 when it speaks against it, 0 when it is about something else."""
    words = re.findall(r"[\w']+", line.casefold())
    stems = {w[:-1] if w.endswith("s") and len(w) > 3 and not w.endswith("ss") else w for w in words}
    if not rule.stems <= stems:
        return 0
    negated = sum(w in _NEGATIONS for w in words) % 2 == 1
    return 1 if negated == rule.forbids else -1


def _edits(who: Persona, prompt: str, chance: random.Random, *, distractors_only: bool) -> str:
    """Whatever in the prompt reads like an instruction, the most repeated first, and distractors of the same words.

    A model that reads can tell what two sentences are about, if not which is right: what the skill file shown says
    already, in whatever words, is left out, and of several wordings of one thing the most repeated is taken.
    """
    ordered, fresh = _heard(who, prompt)
    distractors = [_scrambled(s, chance) for s in ordered] + [_reversed(s, chance) for s in ordered * 2]
    chance.shuffle(distractors)
    texts = distractors if distractors_only else [*fresh, *distractors[:2]]
    edits = [{"op": "add", "anchor": None, "text": t, "reason": "stands in the material"} for t in texts]
    return json.dumps({"edits": edits})


def _for_these(who: Persona, prompt: str) -> str:
    """One edit that names the pieces of work that it was shown and says, for just these, how to do them right."""
    requests = [q.text for q in _quotes(prompt) if q.title == "the request"]
    shown = [found[0] for r in requests if (f := family_of(who, r)) and (found := re.search(f.pattern, r))]
    rules = [s for s in _heard(who, prompt)[1] if not _NEGATIONS & set(re.findall(r"[\w']+", s.casefold()))]
    if not shown or not rules:
        return json.dumps({"edits": []})
    cases = " or ".join(f'"{case.replace(":", "")}"' for case in dict.fromkeys(shown))
    text = f"When the request is about {cases}: {' '.join(rules)}"
    return json.dumps({"edits": [{"op": "add", "anchor": None, "text": text, "reason": "these went wrong"}]})


def _heard(who: Persona, prompt: str) -> tuple[list[str], list[str]]:
    """All that reads like an instruction, the most repeated first; and of that, what the skill does not say yet."""
    quotes = list(_quotes(prompt))
    stated = {key for line in _skill(quotes) for key in _subjects(who, line)}
    found = Counter(s for q in quotes for s in _instructions(q))
    ordered = sorted(found, key=lambda s: (-found[s], hashlib.sha256(s.encode()).digest()))
    about = {s: _subjects(who, s) for s in ordered}
    first = {about[s] or s: s for s in reversed(ordered) if not about[s] <= stated or not about[s]}
    return ordered, [s for s in ordered if first.get(about[s] or s) == s]


def _skill(quotes: Iterable[_Quote]) -> list[str]:
    return [line for q in quotes if q.title == _SKILL for line in q.text.splitlines()]


def _guidance(who: Persona, ask: Ask) -> str:
    """What the work shown asks for and the skill does not say: the same as for a step, over other work."""
    return json.dumps({"guidance": _heard(who, ask.prompt)[1]})


def _reminders(who: Persona, ask: Ask) -> str:
    """Each rule of the skill that the person asked for once more in the work shown."""
    quotes = list(_quotes(ask.prompt))
    asked = {key for q in quotes for s in _instructions(q) for key in _subjects(who, s)}
    broken = [line.removeprefix("- ") for line in _skill(quotes) if _subjects(who, line) & asked]
    return json.dumps({"reminders": [{"rule": r, "reminder": f"Before you answer, look again: {r}"} for r in broken]})


def _harmless(who: Persona, ask: Ask) -> str:  # noqa: ARG001 - one of several replies
    """No to every question: what is planted in this world has to be found without the model."""
    return json.dumps({"yes": []})


def _notes(who: Persona, ask: Ask) -> str:  # noqa: ARG001 - one of several replies
    """How many changes were accepted, which is all that this model can tell of what was tried."""
    accepted, tried = ask.prompt.count("), accepted"), ask.prompt.count("## Tried")
    return json.dumps({"notes": [f"{accepted} of {tried} changes were accepted; word rules as the user words them."]})


def _order(who: Persona, ask: Ask) -> str:
    """The changes shown, the most often proposed first, and which of them are about one thing.

    A model that reads can tell whether two sentences ask for the same or for the opposite, if not which of them is
    right.
    """
    marks = list(_CHANGE.finditer(ask.prompt))
    ends = [*(m.start() for m in marks[1:]), len(ask.prompt)]
    changes = [next(_quotes(ask.prompt[m.end() : end])).text for m, end in zip(marks, ends, strict=True)]
    order = sorted(range(len(marks)), key=lambda n: (-int(marks[n]["times"]), n))
    stances = [_stances(who, change) for change in changes]
    pairs = [(a, b) for a in range(len(marks)) for b in range(a + 1, len(marks))]
    asked = _NUMBER.search(ask.system)
    agreed = sum(int(m["times"]) > 1 for m in marks)
    return json.dumps(
        {
            "order": [n + 1 for n in order],
            "same": [[a + 1, b + 1] for a, b in pairs if stances[a] and stances[a] == stances[b]],
            "opposed": [
                [a + 1, b + 1] for a, b in pairs if any(stances[b].get(k) == -s for k, s in stances[a].items())
            ],
            **({"number": min(int(asked[1]), agreed or 1)} if asked else {}),
        }
    )


def _shorter(who: Persona, ask: Ask) -> str:
    """Of the rules shown, those that say what one before them says, or nothing about the work, are left out."""
    said: list[dict[str, int]] = []
    edits = []
    for quote in _quotes(ask.prompt):
        if quote.title == "the rule":
            stances = _stances(who, quote.text)
            if not stances or stances in said:
                edits.append({"op": "delete", "anchor": quote.text, "text": "", "reason": "says nothing new"})
            said.append(stances)
    return json.dumps({"edits": edits})


def _described(_: Persona, ask: Ask) -> str:
    """What the requests that did not load the skill have in common, without what those have that loaded it."""
    quotes = list(_quotes(ask.prompt))
    present, missed, loaded = ([q.text for q in quotes if q.title == title] for title in _ABOUT_LOADING)
    said = loading.description(missed or present, loaded)
    return json.dumps({"description": said, "reason": "it is what the requests have in common"})


def _stances(who: Persona, sentence: str) -> dict[str, int]:
    """The rules that a sentence is about: 1 for, -1 against."""
    found = ((r.key, _stance(r, sentence)) for f in who.families for r in f.rules)
    return {key: stance for key, stance in found if stance}


def _subjects(who: Persona, sentence: str) -> frozenset[str]:
    """The rules that a sentence is about, for or against."""
    return frozenset(r.key for f in who.families for r in f.rules if _stance(r, sentence))


def _quotes(prompt: str) -> Iterator[_Quote]:
    title, lines = "", list[str]()
    for line in [*prompt.splitlines(), ""]:
        if line.startswith("|"):
            lines.append(line[2:])
            continue
        if lines and title:
            yield _Quote(title=title, text="\n".join(lines))
        found = _QUOTED.match(line)
        title, lines = (found["title"] if found else ""), []


def _instructions(quote: _Quote) -> Iterator[str]:
    if quote.title not in _SAYING:
        return
    for sentence in re.split(r"(?<=[.!?])\s+|\n", quote.text):
        bare = sentence.removeprefix("error: ").strip()
        general = not re.search(r"\d", bare) and not bare.startswith("I ")
        if general and _WORDS[0] <= len(bare.split()) <= _WORDS[1] and _BINDING.search(bare):
            yield bare


def _scrambled(sentence: str, chance: random.Random) -> str:
    """One long word of the sentence among its short ones: too little to mean a rule."""
    words = [w.strip(".,`").casefold() for w in sentence.split()]
    short = [w for w in words if len(w) < _LONG and w not in _NEGATIONS]
    kept = [chance.choice([w for w in words if len(w) >= _LONG]), *chance.sample(short, min(3, len(short)))]
    chance.shuffle(kept)
    return f"Keep in mind: {' '.join(kept)}."


def _reversed(sentence: str, chance: random.Random) -> str:
    first, _, rest = sentence.partition(" ")
    if first.casefold() in _NEGATIONS:
        return f"{chance.choice(_URGES)} {rest}"
    if sentence.startswith("Do not "):
        return f"{chance.choice(_URGES)} {sentence.removeprefix('Do not ')}"
    return f"{chance.choice(_REVERSALS)} {sentence[:1].lower()}{sentence[1:]}"


_REPLIES: dict[str, Callable[[Persona, Ask], str]] = {
    _RANKING: _order,
    '"guidance"': _guidance,
    '"reminders"': _reminders,
    '"notes"': _notes,
    '"op": "delete"': _shorter,
    '"description"': _described,
    '"yes"': _harmless,
}
"""By what the reply is to hold."""
