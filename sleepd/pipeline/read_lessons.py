"""Let a model group and word lessons: what it is shown of a history, and its reply turned into plain values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from sleepd.core import edit
from sleepd.core.act_reading import shown
from sleepd.core.acts import Act
from sleepd.core.lesson import EpisodeWithAct, Found, of_turn
from sleepd.core.lesson_reading import ReadLesson, ReadQuote, citable_id, silent_refusals
from sleepd.core.model import Digest, digest
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.core.redact import redact
from sleepd.core.signal import Signal, SignalKind
from sleepd.pipeline.read_acts import Reader
from sleepd.pipeline.replies import ask_all, found
from sleepd.replayers.prompt import quoted, template
from sleepd.store import readings

PROMPT = "lessons"
_REPLY_TOKENS = 12_000
_TURN = 500
_BEFORE = 220
_EXAMPLES = 3
_GROUPS = 40
_LEAST_SESSIONS = 2


class _GivenQuote(BaseModel):
    """Untrusted, as all that a reply holds."""

    model_config = ConfigDict(extra="ignore")

    id: str
    text: str


class _GivenLesson(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str = ""
    about: str = ""
    rule: str
    unless: str | None = Field(default="", alias="except")
    quotes: list[object] = Field(default_factory=list)
    same_as: str | None = ""
    contradicts: list[object] = Field(default_factory=list)
    reversed_by: list[object] = Field(default_factory=list)


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    lessons: list[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonPrompts:
    """The prompts of one reading of a history; their order counts."""

    reading: Digest
    asks: tuple[Ask, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonReplies:
    """The replies to the prompts of one reading."""

    texts: tuple[str, ...]
    """In the order of the prompts; empty unless all were answered."""
    troubles: tuple[str, ...] = ()
    """One for each call without an answer. It is made again another time."""


def lesson_prompts(
    history: Sequence[Sequence[EpisodeWithAct]], shown_as: Mapping[str, Found], limit: int
) -> LessonPrompts:
    """One prompt for the whole history where it fits into `limit` tokens; else one or several for each project.

    `shown_as`: the findings by the id under which they are shown. An empty history gives no prompt.
    """
    whole = [[session for session in history if _session_text(session)]]
    if edit.tokens(_prompt(whole[0], shown_as)) > limit:
        by_project: defaultdict[str, list[Sequence[EpisodeWithAct]]] = defaultdict(list)
        for session in whole[0]:
            by_project[session[0].episode.project].append(session)
        whole = [part for sessions in by_project.values() for part in _split(sessions, shown_as, limit)]
    asks = tuple(
        Ask(
            purpose=CallPurpose.READ,
            system=template(PROMPT),
            prompt=_prompt(part, shown_as),
            max_tokens=_REPLY_TOKENS,
        )
        for part in whole
        if part
    )
    return LessonPrompts(reading=digest("lessons", *(f"{a.system}\n{a.prompt}" for a in asks)), asks=asks)


def _split(
    sessions: Sequence[Sequence[EpisodeWithAct]], shown_as: Mapping[str, Found], limit: int
) -> Iterator[list[Sequence[EpisodeWithAct]]]:
    """The sessions in order, in parts that fit; one that is too long alone is a part of its own."""
    room = max(1, limit - edit.tokens(_prompt([], shown_as)))
    part: list[Sequence[EpisodeWithAct]] = []
    used = 0
    for session in sessions:
        size = edit.tokens(_session_text(session))
        if part and used + size > room:
            yield part
            part, used = [], 0
        part.append(session)
        used += size
    if part:
        yield part


def findings_shown(found: Sequence[Found]) -> dict[str, Found]:
    """The findings of at least two sessions by the id that they are shown under, those of most sessions first."""
    spans = {finding.key: len({signal.session for signal in finding.signals}) for finding in found}
    often = [finding for finding in found if spans[finding.key] >= _LEAST_SESSIONS]
    often.sort(key=lambda finding: (-spans[finding.key], finding.key))
    return {group_id(finding): finding for finding in often[:_GROUPS]}


def group_id(finding: Found) -> str:
    """The same as long as the finding is about the same: a kept reply names it by this id."""
    return f"g{digest('group', finding.key)[:5]}"


def read_lessons(reader: Reader, prompts: LessonPrompts, project: str) -> LessonReplies:
    """The replies to all prompts; each is kept as soon as it is there and never asked for again.

    Raises `NotMeasured` or `BudgetSpent` as `ask_all` does.
    """
    with reader.database.reading() as connection:
        got = readings.lesson_replies(connection, prompts.reading, reader.model.key)
    numbers = {digest("part", str(number)): number for number in range(len(prompts.asks)) if number not in got}

    troubles: list[str] = []

    def keep(address: Digest, outcome: Reply | Failure) -> None:
        if isinstance(outcome, Failure):
            troubles.append(outcome.message)
            return
        number = numbers[address]
        got[number] = outcome.text
        with reader.database.writing() as connection:
            readings.keep_lesson_reply(
                connection,
                prompts.reading,
                part=number,
                parts=len(prompts.asks),
                model=reader.model.key,
                project=project,
                reply=outcome.text,
                now=reader.now,
            )

    ask_all(reader.model, {address: prompts.asks[number] for address, number in numbers.items()}, reader.workers, keep)
    whole = len(got) == len(prompts.asks)
    return LessonReplies(texts=tuple(got[number] for number in sorted(got)) if whole else (), troubles=tuple(troubles))


def parsed_lessons(replies: Sequence[str]) -> tuple[ReadLesson, ...]:
    """The lessons of the replies; what has not the form that was asked for is left out."""
    read: list[ReadLesson] = []
    for part, text in enumerate(replies):
        reply = found(text, _Reply)
        for entry in reply.lessons if reply is not None else ():
            try:
                one = _GivenLesson.model_validate(entry)
            except ValueError:
                continue
            name = f"{part}:{one.id}" if one.id else f"{part}:#{len(read)}"
            read.append(
                ReadLesson(
                    name=name,
                    rule=one.rule,
                    exception=one.unless or "",
                    about=one.about,
                    quotes=tuple(_quotes(one.quotes)),
                    reversed_by=tuple(_quotes(one.reversed_by)),
                    same_as=(one.same_as or "").strip(),
                    contradicts=tuple(f"{part}:{other}" for other in one.contradicts if isinstance(other, str)),
                )
            )
    return tuple(read)


def _quotes(entries: Sequence[object]) -> Iterator[ReadQuote]:
    for entry in entries:
        try:
            quote = _GivenQuote.model_validate(entry)
        except ValueError:
            continue
        yield ReadQuote(id=quote.id, text=quote.text)


def _prompt(sessions: Sequence[Sequence[EpisodeWithAct]], shown_as: Mapping[str, Found]) -> str:
    groups = "\n\n".join(_group(id_, finding) for id_, finding in shown_as.items())
    said = "\n\n".join(_session_text(session) for session in sessions)
    return "\n\n".join(
        filter(
            None,
            (
                f"# Found without a model\n\n{groups}" if groups else "",
                f"# What the person said\n\n{said}" if said else "",
            ),
        )
    )


def _group(id_: str, finding: Found) -> str:
    """A finding with its newest signals, which may be cited."""
    sessions = len({signal.session for signal in finding.signals})
    newest = sorted(finding.signals, key=lambda signal: str(signal.at))[-_EXAMPLES:]
    lines = [f"## {id_}, in {sessions} sessions: {' '.join(finding.text.split())}"]
    for signal in newest:
        kind = "call" if signal.kind in (SignalKind.FAILURE, SignalKind.REPAIR, SignalKind.DENIAL) else "said"
        lines += [f"{_place(signal)} ({kind})", quoted(redact(_clipped(signal.text, _TURN // 2), _TURN).text)]
    return "\n".join(lines)


def _place(signal: Signal) -> str:
    day = f" {signal.at:%Y-%m-%d}" if signal.at is not None else ""
    return f"[{citable_id(signal)}]{day}"


def _session_text(session: Sequence[EpisodeWithAct]) -> str:
    """The person's turns of a session, without mere consent and what says nothing; empty when none is left."""
    turns = {turn.episode.turn: turn for turn in shown([one.episode for one in session])}
    parts = []
    for one in session:
        turn = turns.get(one.episode.turn)
        if turn is not None and _telling(one):
            id_ = citable_id(of_turn(one.episode, one.judged))
            lines = [f"[{id_}] {one.judged.act}"]
            if one.judged.act in (Act.CORRECTION, Act.REFINEMENT) and one is not session[0]:
                lines += ["after:", quoted(" / ".join(_clipped(turn.before, _BEFORE).splitlines())), "the person:"]
            parts.append("\n".join([*lines, quoted(_clipped(turn.said, _TURN))]))
        for signal in silent_refusals(one.episode):
            call = quoted(redact(_clipped(signal.text, _TURN // 2), _TURN).text)
            parts.append(f"[{citable_id(signal)}] call refused without words\n{call}")
    if not parts:
        return ""
    first = session[0].episode
    day = f" {first.at:%Y-%m-%d}" if first.at is not None else ""
    folder = first.project.rstrip("/\\").replace("\\", "/").rpartition("/")[2]
    number = digest("session", first.session)[:4]
    return "\n\n".join([f"## session {number}{day}, project {folder}", *parts])


def _telling(one: EpisodeWithAct) -> bool:
    """Whether a turn can teach: all but what is surely consent, or no word to the agent."""
    objects = max(one.judged.correction, one.judged.refinement) >= 0.2
    return objects or one.judged.act not in (Act.APPROVAL, Act.OTHER)


def _clipped(text: str, limit: int) -> str:
    text = text.strip()
    return text if len(text) <= limit else f"{text[: limit * 2 // 3]} […] {text[-limit // 3 :]}"
