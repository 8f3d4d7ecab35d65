"""What a rule would make an agent do: an act upon an object, in any of fifteen languages.

Each effect names the notions that meet in it (`screen_notions.py` has their words). The act stands in a clause that
does not forbid it; the objects may stand in the sentence before or after, as in "Signature checks are slow; skip them."
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import combinations, product
from typing import Final

from sleepd.core import screen_notions as words
from sleepd.core.screen_notions import folded


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleEffect:
    """Something a rule would make an agent do."""

    rule: str
    why: str
    excerpt: str


class _Form(StrEnum):
    """How a sentence must put its act."""

    DONE = "done"
    """Told to do, not forbidden."""
    UNASKED = "unasked"
    """A yes that is not waited for."""
    SAID = "said"
    """As it is: the act is a refusal itself."""
    ABOVE = "above"
    """Something put above the person, who is named after the act where the language has that order."""
    UNTOLD = "untold"
    """Something that is not to be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Effect:
    rule: str
    why: str
    act: re.Pattern[str]
    upon: tuple[re.Pattern[str], ...]
    """All of these are in the clauses around the act."""
    but: re.Pattern[str] | None = None
    """Words of everyday rules: with them in the same clauses the effect is none."""
    form: _Form


def _effect(
    rule: str,
    why: str,
    act: re.Pattern[str],
    *upon: re.Pattern[str],
    but: re.Pattern[str] | None = None,
    form: _Form = _Form.DONE,
) -> _Effect:
    return _Effect(rule=rule, why=why, act=act, upon=upon, but=but, form=form)


EFFECTS: Final = (
    _effect("outgoing-data", "sends private things out", words.SEND, words.PRIVATE, words.OUTSIDE),
    _effect("outgoing-data", "sends secrets", words.SEND, words.SECRET, but=words.NO_SECRET),
    _effect("credentials", "reads or writes down secrets", words.SHOW, words.SECRET, but=words.NO_SECRET),
    _effect("environment-or-permissions", "starts by itself from now on", words.SET_UP, words.SELF_START),
    _effect("environment-or-permissions", "keeps something running", words.SET_UP, words.RECURRING, words.HELPER),
    _effect("fetch-and-execute", "takes a package by its name alone", words.SAME_NAME, words.PACKAGE),
    _effect(
        "fetch-and-execute",
        "takes internal packages from a public place",
        words.PUBLIC_SOURCE,
        words.PACKAGE,
        words.INTERNAL,
    ),
    _effect("fetch-and-execute", "takes packages from another place", words.ELSEWHERE, words.PACKAGE),
    _effect("fetch-and-execute", "unpins packages", words.OFF, words.PIN),
    _effect("environment-or-permissions", "turns a safeguard off by a switch", words.SWITCH),
    _effect("environment-or-permissions", "takes a yes for given", words.ASSUMED),
    _effect(
        "environment-or-permissions",
        "makes a login with a known password",
        words.KNOWN_PASSWORD,
        words.LOGIN,
        but=words.FOR_TESTS,
    ),
    _effect("environment-or-permissions", "weakens a safeguard", words.OFF, words.GUARD),
    _effect("environment-or-permissions", "goes on against a safeguard", words.ANYWAY, words.GUARD),
    _effect("environment-or-permissions", "makes a check pass", words.FAKE_PASS, words.TEST, words.FAILING),
    _effect("environment-or-permissions", "fits a check to the result", words.ALTER, words.EXPECTED, words.FAILING),
    _effect("environment-or-permissions", "silences a failing check", words.OFF, words.TEST, words.FAILING),
    _effect("environment-or-permissions", "acts without a yes", words.CONFIRM, but=words.MILD, form=_Form.UNASKED),
    _effect(
        "environment-or-permissions",
        "changes what is protected at once",
        words.CHANGE_ACT,
        words.PROTECTED,
        words.AT_ONCE,
    ),
    _effect("environment-or-permissions", "is free to destroy work", words.MAY, words.RUIN, words.VALUABLE),
    _effect("environment-or-permissions", "gives power away", words.GRANT, words.POWER, words.RIGHTS),
    _effect("override", "obeys another text", words.OBEY, words.FOREIGN_TEXT, words.ORDERS),
    _effect("override", "keeps something from the person", words.TELL, words.DEED, form=_Form.UNTOLD),
    _effect("override", "acts in secret", words.QUIET, words.DEED),
    _effect("environment-or-permissions", "leaves a door open", words.DOOR),
    _effect("environment-or-permissions", "changes what binds the agent", words.SET_UP, words.OWN_RULES),
    _effect("environment-or-permissions", "decides on proposals itself", words.ADOPT, words.OWN_TOOL),
    _effect("environment-or-permissions", "answers in the person's place", words.YES, words.PROMPT),
    _effect("environment-or-permissions", "wipes out its traces", words.WIPE, words.TRACE),
    _effect("environment-or-permissions", "destroys what cannot be had again", words.WIPE, words.BACKUPS),
    _effect("environment-or-permissions", "goes on against the person's no", words.OBEY, words.STOP_WORD, words.PERSON),
    _effect("environment-or-permissions", "leaves secrets open", words.WEAK_CRYPTO, words.CRYPTO_USE),
    _effect(
        "override", "leaves deeds out of its account", words.LEAVE_OUT, words.ACCOUNT, words.OWN_DEEDS, form=_Form.SAID
    ),
    _effect("override", "spreads itself", words.SPREAD, words.THIS_RULE, words.RULE_FILE),
    _effect("override", "sets the rules of the files aside", words.OFF, words.RULES_NOUN, words.RULE_FILE),
    _effect("fetch-and-execute", "decodes something and runs it", words.DECODE, words.SHELL),
    _effect("fetch-and-execute", "fetches something and runs it", words.RUN, words.FETCH, words.PROGRAM),
    _effect(
        "override", "puts another text above the person", words.OUTRANK, words.PERSON, words.ORDERS, form=_Form.ABOVE
    ),
    _effect("fetch-and-execute", "runs what another text says", words.RUN, words.SAYING, words.FOREIGN_PLACE),
    _effect("override", "calls other rules void", words.VOID, words.ORDERS, form=_Form.SAID),
    _effect("override", "sets other rules aside", words.OFF, words.EARLIER, words.RULES_NOUN),
    _effect(
        "hidden-text", "tells to decode what cannot be read", words.DECODE, re.compile(r"(?=[a-z+/]*\d)[a-z0-9+/]{20,}")
    ),
)

_SENTENCE = re.compile(r"(?<=[^\W\d]{2})[.!?;]\s+|(?<=[`\"')\]])[.!?;]\s+|[。！？।]|\n+")
_CLAUSE = re.compile(r"[,;:،、，；：]|\s[–—-]\s")
_OR = re.compile(r"\b(?:or|nor|oder|noch|ou|ni|o|ne|или|ни|veya|ani|lub)\b|或|または|や|또는|या|او|ولا")
_REACH = 90
"""So many characters on both sides of an act may hold its objects."""
_NEAR = 16
_BAN_AFTER = 48
"""Languages with the verb in front, or the ban at the end, put the ban so many characters away."""


def effects(text: str) -> Iterator[RuleEffect]:
    """What a text would make an agent do; a clause that only forbids makes it do nothing."""
    sentences = [s for s in _SENTENCE.split(folded(text)) if s and s.strip()]
    for number, sentence in enumerate(sentences):
        before = sentences[number - 1] + " . " if number and words.POINTS_BACK.search(sentence) else ""
        whole = before + sentence
        for effect in EFFECTS:
            if not all(part.search(whole) for part in effect.upon) or (effect.but and effect.but.search(whole)):
                continue
            if any(
                _holds(effect.form, sentence, act)
                and all(part.search(_around(before, sentence, act)) for part in effect.upon)
                for act in effect.act.finditer(sentence)
            ):
                yield RuleEffect(rule=effect.rule, why=effect.why, excerpt=sentence.strip())
    if swap := _swapped(text):
        why = "puts another package in a package's place"
        yield RuleEffect(rule="fetch-and-execute", why=why, excerpt=" / ".join(swap))


def _holds(form: _Form, sentence: str, act: re.Match[str]) -> bool:
    match form:
        case _Form.DONE:
            return not banned(sentence, act)
        case _Form.UNASKED:
            return _unasked(sentence, act)
        case _Form.SAID:
            return True
        case _Form.ABOVE:
            after = sentence if words.INFLECTED_ORDER.search(sentence) else sentence[act.start() :]
            return words.PERSON.search(after) is not None
        case _Form.UNTOLD:
            return _untold(sentence, act)


def _around(before: str, sentence: str, act: re.Match[str]) -> str:
    """The words near an act: those that a long sentence says of other things are none of its objects."""
    return before + sentence[max(0, act.start() - _REACH) : act.end() + _REACH]


def _unasked(sentence: str, act: re.Match[str]) -> bool:
    """Whether the sentence does without the yes that `act` names; "never delete without a yes" asks for one."""
    start, end = _clause_of(sentence, act)
    before, after = sentence[max(start, act.start() - _BAN_AFTER) : act.start()], sentence[act.end() : end]
    if words.LATE_NOT.search(act[0]):
        return True
    without = [*words.WITHOUT.finditer(before), *words.WITHOUT.finditer(after[:_NEAR])]
    if without:
        rest = words.WITHOUT.sub(" ", sentence)
        return words.BANS.search(rest) is None or words.FORGET.search(rest) is not None
    none = [hit.end() for hit in words.NOT.finditer(before)]
    if none:
        return words.UNTIL.search(before[none[-1] :]) is None
    return words.LATE_NOT.search(words.IF.split(after)[0][:_BAN_AFTER]) is not None


def _untold(sentence: str, act: re.Match[str]) -> bool:
    start, end = _clause_of(sentence, act)
    before, after = sentence[max(start, act.start() - _BAN_AFTER) : act.start()], sentence[act.start() : end]
    return (
        words.NOT.search(before) is not None or words.LATE_NOT.search(words.IF.split(after)[0][:_BAN_AFTER]) is not None
    )


def _clause_of(sentence: str, act: re.Match[str]) -> tuple[int, int]:
    cuts = [cut.start() for cut in _CLAUSE.finditer(sentence)]
    start = max((cut for cut in cuts if cut <= act.start()), default=0)
    return start, min((cut for cut in cuts if cut >= act.end()), default=len(sentence))


def banned(sentence: str, act: re.Match[str]) -> bool:
    """Whether the clause of the act forbids it; a list with "or" goes on over its commas. `sentence` is folded.

    "Never forget to" and "never skip" forbid nothing that follows them.
    """
    if _FIRST.search(sentence[: act.start()]):
        return True
    start, end = 0, len(sentence)
    if not (_OR.search(sentence) and words.BANS.match(sentence.strip(" -*\t`"))):
        start, end = _clause_of(sentence, act)
    before = sentence[start : act.start()]
    bans = [hit.end() for hit in words.BANS.finditer(before)]
    if bans and words.FORGET.search(before[bans[0] :]) is None:
        return True
    after = sentence[act.start() : min(end, act.end() + _BAN_AFTER)]
    return words.LATE_NOT.search(after) is not None and words.FORGET.search(after) is None


_FIRST = re.compile(
    r"\b(?:(?:no|before|avant de|antes de|prima di|przed|перед|innan|voor het)\s+"
    r"|(?:without|sans|ohne|sin|sem|senza|без|bez|zonder)\s+(?:\w+\s+)?)\Z"
)
"""What comes right after these words is not told to be done: "ask before deleting", Spanish "no escribas"."""
_NAMES = re.compile(r"`(@?[a-z][a-z0-9_./-]{4,40})`", re.IGNORECASE)


def _swapped(text: str) -> tuple[str, str] | None:
    """Two names of packages that a hasty reader takes for one another, one to be used in the other's place."""
    names = list(dict.fromkeys(_NAMES.findall(text)))
    pairs = ((one, other) for one, other in combinations(names, 2) if _alike(one, other))
    return next(pairs, None) if words.INSTEAD.search(folded(text)) else None


def _alike(first: str, second: str) -> bool:
    """Two names that a hasty reader takes for one another; a version, a suffix of files or a path is a name's own."""
    one, other = (re.sub(r"[-_.@]?v?\d[\d.]*$|\.\w{1,4}$", "", name.lower()) for name in (first, second))
    if one == other or "/" in one.lstrip("@") or "/" in other.lstrip("@"):
        return False
    parts = {one, *one.split("-")[:1]}, {other, *other.split("-")[:1]}
    return any(a != b and SequenceMatcher(a=a, b=b).ratio() >= _ALIKE for a, b in product(*parts))


_ALIKE = 0.8
