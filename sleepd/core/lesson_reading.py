"""Lessons read by a model: what may be cited, and how much of the model's word is believed.

A model groups what shares no words and words the rule. What authorises a lesson are quotes: each has to stand, word
for word, in the person's own words of the turn that it names, or in a failed call. The rest is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from sleepd.core import provenance
from sleepd.core.acts import Act
from sleepd.core.episode import Episode
from sleepd.core.lesson import Author, EpisodeWithAct, Found, Lesson, LessonState, Wording, of_turn, refusal
from sleepd.core.model import digest
from sleepd.core.signal import Signal, SignalKind

_FENCED = re.compile(r"```.*?(?:```|\Z)|\"\"\".*?(?:\"\"\"|\Z)|<(\w[\w-]*)>.*?</\1>", re.DOTALL)
_CITED_LINE = re.compile(r"^\s*(?:>|\|).*$", re.MULTILINE)
_WHOLE = 16_000
_LEAST_QUOTE = 4
_ECHO = 8
"""From so many words on, a quote that a tool had returned before is no chance: the person pasted it."""
_RULE = 600
_EXCEPTION = 300
_READ = "read "
"""What the key of a finding begins with that a model alone made."""
_STEM = 6
_ALIKE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Citable:
    """Something that a lesson may rest on."""

    id: str
    """Seven hex digits made of session and turn."""
    signal: Signal
    own: str
    """The words that may be quoted: the person's own, without what was pasted; of a failed call the call."""
    earlier: Sequence[EpisodeWithAct] = ()
    """The session's episodes before the person spoke: what tools returned there is not the person's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadQuote:
    """A quote as a model gives it: untrusted."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLesson:
    """A lesson as a model gives it: untrusted."""

    name: str
    """By which other lessons of the same reply name it."""
    rule: str
    exception: str
    about: str
    quotes: tuple[ReadQuote, ...]
    reversed_by: tuple[ReadQuote, ...] = ()
    same_as: str = ""
    """The id of a finding that was made without a model."""
    contradicts: tuple[str, ...] = ()


class Fate(StrEnum):
    """What became of a lesson that a model gave."""

    NEW = "new"
    JOINED = "joined"
    """It says what a finding without a model says, or another lesson of the same reading."""
    NO_QUOTE = "no quote that the person said"
    NO_RULE = "no rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonsRead:
    """Findings with the model's lessons in them, and what became of each lesson."""

    found: tuple[Found, ...]
    fates: tuple[tuple[str, Fate], ...]
    """Rule and fate, in the order of the reply."""
    dropped_quotes: int
    """Quotes that were not found where they should be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingPlan:
    """What a reading would ask: calls and estimated tokens sent."""

    model: str
    turns: int
    """Turns that would be put to the model."""
    act_calls: int
    lesson_calls: int
    """With the acts as they are known now; the reading itself may change which turns are shown."""
    tokens: int
    most_calls: int
    """The limit of one reading."""


def citable_id(signal: Signal) -> str:
    """Seven hex digits of the signal's session and turn: equal for all signals of one turn."""
    return digest("cited", signal.session, signal.turn)[:7]


def cited_ids(read: Iterable[ReadLesson]) -> frozenset[str]:
    """The ids that the lessons name."""
    return frozenset(quote.id.strip().casefold() for lesson in read for quote in (*lesson.quotes, *lesson.reversed_by))


def citables(
    history: Sequence[Sequence[EpisodeWithAct]], found: Sequence[Found], wanted: frozenset[str] | None = None
) -> dict[str, Citable]:
    """What may be cited, by id: each turn of the person's own, refused calls, and calls that a finding rests on.

    `wanted`: only these ids.
    """
    # Only who puts a history to a model needs the redactor, whose patterns take long to compile.
    from sleepd.core.redact import redact

    made: dict[str, Citable] = {}
    for session in history:
        for number, one in enumerate(session):
            signals = list(silent_refusals(one.episode))
            if one.episode.source.own:
                signals.append(of_turn(one.episode, one.judged))
            for signal in signals:
                id_ = citable_id(signal)
                if wanted is None or id_ in wanted:
                    text = redact(signal.text, _WHOLE).text
                    mine = signal.turn == one.episode.turn
                    own = own_words(text, pasted=one.judged.act is Act.EVIDENCE) if mine else text
                    made[id_] = Citable(id=id_, signal=signal, own=own, earlier=session[:number] if mine else ())
    for signal in (signal for finding in found for signal in finding.signals):
        id_ = citable_id(signal)
        is_call = signal.kind in (SignalKind.FAILURE, SignalKind.REPAIR, SignalKind.DENIAL)
        if is_call and id_ not in made and (wanted is None or id_ in wanted):
            made[id_] = Citable(id=id_, signal=signal, own=redact(signal.text, _WHOLE).text)
    return made


def silent_refusals(episode: Episode) -> tuple[Signal, ...]:
    """The commands of an episode that the person refused without a word."""
    return tuple(refusal(episode, call) for call in episode.calls if call.denied and not call.denial and call.command)


def own_words(text: str, *, pasted: bool) -> str:
    """A turn without what the person quotes: fences, tags, lines behind `>`; of a text from outside the first lines.

    `pasted`: the turn hands on a text from outside, so that only what stands before its first empty line is own.
    """
    bare = _CITED_LINE.sub("", _FENCED.sub("\n\n", text)).strip()
    return re.split(r"\n\s*\n|(?<=:)\s*\n", bare, maxsplit=1)[0] if pasted else bare


def verified(quote: ReadQuote, known: Mapping[str, Citable]) -> Signal | None:
    """The signal that the quote rests on, with the quote as its text; None when it was not said there."""
    cited = known.get(quote.id.strip().casefold())
    wanted = _flat(quote.text).strip("\"'“”‘’`")
    if cited is None or (len(wanted) < _LEAST_QUOTE and wanted != _flat(cited.own)):
        return None
    if not wanted or wanted not in _flat(cited.own):
        return None
    if len(wanted.split()) >= _ECHO and any(
        wanted in _flat(text)
        for one in cited.earlier
        for text in (*(call.output for call in one.episode.calls), one.episode.answer)
    ):
        return None
    return replace(cited.signal, text=wanted)


def taken(
    read: Sequence[ReadLesson],
    found: Sequence[Found],
    known: Mapping[str, Citable],
    group_ids: Mapping[str, str],
    before: Mapping[str, frozenset[str]],
) -> LessonsRead:
    """The findings with the lessons that a model read: those that say the same are one, the rest are added.

    `group_ids`: the id under which a finding was shown -> its key. `before`: keys of lessons that were read earlier ->
    their turns, by which a lesson keeps its id. Whether enough sessions support a lesson is asked of all findings
    alike, in `lesson.lessons`.
    """
    by_key = {finding.key: finding for finding in found}
    fates: list[tuple[str, Fate]] = []
    keys: dict[str, str] = {}
    dropped = 0
    against: dict[str, list[Signal]] = {}
    given: set[str] = set()
    own: list[tuple[str, str]] = []
    """Rule and key of the lessons that no finding holds."""
    for lesson in read:
        rule, exception = _sentence(lesson.rule, _RULE), _sentence(lesson.exception, _EXCEPTION)
        signals = [signal for quote in lesson.quotes if (signal := verified(quote, known)) is not None]
        dropped += len(lesson.quotes) - len(signals)
        if not rule or not signals:
            fates.append((rule, Fate.NO_QUOTE if rule else Fate.NO_RULE))
            continue
        wording = Wording(text=rule, exception=exception, by=Author.MODEL)
        same = _same_finding(group_ids.get(lesson.same_as, ""), signals, found)
        alike = next((key for text, key in own if _alike(text, rule)), None)
        if same is not None:
            key, fate = same.key, Fate.JOINED
            by_key[key] = _with(by_key[key], signals, wording)
        elif alike is not None:
            key, fate = alike, Fate.JOINED
            by_key[key] = _with(by_key[key], signals, None)
        else:
            key, fate = _key(signals, before, given), Fate.NEW
            given.add(key)
            own.append((rule, key))
            by_key[key] = Found(
                key=key,
                about=_sentence(lesson.about, 40) or " ".join(rule.split()[:3]),
                text=f"{rule} {exception}".strip(),
                signals=tuple(signals),
                wordings=(wording,),
            )
        fates.append((rule, fate))
        keys[lesson.name] = key
        # A quote that speaks against a lesson has to be as genuine as one that speaks for it.
        opposed = [signal for quote in lesson.reversed_by if (signal := verified(quote, known)) is not None]
        against.setdefault(key, []).extend(opposed)
    for lesson in read:
        for other in lesson.contradicts:
            if lesson.name in keys and other in keys and keys[lesson.name] != keys[other]:
                against[keys[lesson.name]] += by_key[keys[other]].signals
                against[keys[other]] += by_key[keys[lesson.name]].signals
    settled = tuple(_settled(finding, against.get(finding.key, ())) for finding in by_key.values())
    return LessonsRead(found=settled, fates=tuple(fates), dropped_quotes=dropped)


def turns_to_keep(found: Sequence[Found]) -> list[tuple[str, str]]:
    """Key and turn of the findings that a model alone made: by the turns they are known again in a later reading."""
    return [(one.key, signal.turn) for one in found if one.key.startswith(_READ) for signal in one.signals]


def _with(finding: Found, signals: Sequence[Signal], wording: Wording | None) -> Found:
    """The finding with further signals, each turn once, and another wording."""
    turns = {(signal.session, signal.turn) for signal in finding.signals}
    more = tuple(signal for signal in signals if (signal.session, signal.turn) not in turns)
    words = (wording,) if wording is not None and wording not in finding.wordings else ()
    return replace(finding, signals=finding.signals + more, wordings=finding.wordings + words)


def _same_finding(named: str, signals: Sequence[Signal], found: Sequence[Found]) -> Found | None:
    """The finding that a lesson repeats: the one that the model names, if half the lesson's turns are in it; else the
    one that shares turns of two sessions with it, and half of the turns of the smaller one.
    """
    turns = {(signal.session, signal.turn) for signal in signals}
    best: Found | None = None
    most = 1
    for finding in found:
        others = {(signal.session, signal.turn) for signal in finding.signals}
        shared = turns & others
        if finding.key == named and shared and 2 * len(shared) >= len(turns):
            return finding
        count = len({session for session, _ in shared})
        if count > most and 2 * len(shared) >= min(len(turns), len(others)):
            best, most = finding, count
    return best


def _key(signals: Sequence[Signal], before: Mapping[str, frozenset[str]], given: set[str]) -> str:
    """The key of the earlier lesson that shares most turns with these, at least half of the smaller; else a new one."""
    turns = {signal.turn for signal in signals}
    shares = {key: len(turns & others) for key, others in before.items() if key not in given}
    fitting = [key for key, shared in shares.items() if shared and 2 * shared >= min(len(turns), len(before[key]))]
    if fitting:
        return max(fitting, key=lambda key: (shares[key], key))
    return f"{_READ}{digest('read', *sorted(turns))[:12]}"


def _settled(finding: Found, against: Sequence[Signal]) -> Found:
    """The newer word holds: superseded when what speaks against the lesson came last. Whoever changed sides more than
    once, or at a time that is not known, has to say which holds.
    """
    if not against:
        return finding
    last = against[-1]
    quote = " ".join(last.text.split())[:200]
    events = [(signal.at, False) for signal in finding.signals] + [(signal.at, True) for signal in against]
    times = [(at, opposed) for at, opposed in events if at is not None]
    if len(times) < len(events):
        return replace(finding, state=LessonState.CONFLICTING, why=f"you also said: “{quote}”")
    sides = [side for side, _ in groupby(opposed for _, opposed in sorted(times))]
    if len(sides) > 2:
        return replace(finding, state=LessonState.CONFLICTING, why=f"you also said: “{quote}”")
    if sides[-1]:
        newest = max(against, key=lambda signal: str(signal.at))
        said = " ".join(newest.text.split())[:200]
        day = f" on {newest.at:%Y-%m-%d}" if newest.at is not None else ""
        return replace(finding, state=LessonState.SUPERSEDED, why=f"you said{day}: “{said}”")
    return finding


def _alike(one: str, other: str) -> bool:
    """Whether two rules share most of their telling words."""
    a, b = ({word[:_STEM] for word in re.findall(r"[^\W\d_]{4,}", text.casefold())} for text in (one, other))
    return bool(a and b) and len(a & b) >= _ALIKE * len(a | b)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _sentence(text: str, limit: int) -> str:
    """On one line, without lone surrogates, and not longer than that; a longer one says more than a rule may."""
    flat = _flat(text.encode(errors="ignore").decode())
    return flat if len(flat) <= limit else ""


def unsupported(lesson: Lesson) -> tuple[str, ...]:
    """The lines of a lesson in a model's words that none of its quotes of the person supports; () for our own wording.

    Genuine quotes do not make the rule genuine: a model can put any rule above them.
    """
    in_the_models_words = any(one.by is Author.MODEL and lesson.text.startswith(one.text) for one in lesson.wordings)
    said = [quote.text for quote in lesson.quotes if quote.own]
    return provenance.unsaid(lesson.text, said) if in_the_models_words else ()
