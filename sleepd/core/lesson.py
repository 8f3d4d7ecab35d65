"""Lessons: standing rules that would have prevented signals of several sessions.

A lesson is made of a person's own words, of refused calls and of failed calls; nothing else authorises one. Its id is
made of what it is about, so that it stays the same while its signals grow.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise

from sleepd.core import behaviour
from sleepd.core.act_words import whole_words
from sleepd.core.acts import Act, JudgedAct
from sleepd.core.backtest import Backtest, Floors, Place, backtest, verdict
from sleepd.core.behaviour import LessonCheck, NotJudged
from sleepd.core.command import check, commands
from sleepd.core.episode import Call, Episode, Source
from sleepd.core.fault import all_faults, failures
from sleepd.core.follow_up import DOCS, TESTS, follow_ups
from sleepd.core.model import ClusterId, SessionId, digest
from sleepd.core.ngrams import vectors
from sleepd.core.recurrence import recurring_failures, recurring_follow_ups, recurring_repairs
from sleepd.core.repair import repairs
from sleepd.core.signal import Signal, SignalKind, known_sum
from sleepd.core.themes import INSTEAD, THEMES, Proof, Theme
from sleepd.core.tools import DOCUMENT, TEST_FILE
from sleepd.core.validity import Validity, measured, together

_HEAD = 600
_ID = 6
_PAGE = 2_000
_FENCED = re.compile(r"```.*?(?:```|\Z)|\"\"\".*?(?:\"\"\"|\Z)", re.DOTALL)
_QUOTE = 300
_SHORT = 8
_SAME_WORDS = 60
_LONG = 40
"""Characters from which nobody types the same words twice by chance."""
_AT_ONCE = timedelta(hours=1)
_LEAST_WORDS = 3
_SAYING = 200
_STEM = 6
_ABOUT = 40
_TOLD = 20
"""Characters from which a line that stands elsewhere was taken over from there."""
_LEAST_SAID = 6
"""Shorter objections (`no`, `hm`) name no rule."""
_NEARLY_THE_SAME = 0.6
"""Cosine of the character runs of two objections from which they are the same, said twice."""
_TELLING = 3
_SAID = 0.5
"""A line states a rule when it holds this share of the rule's telling words."""
_FORBIDS = whole_words(
    r"(?:do not|don['’]?t|never|stop|no need to|without) (?:\w+ )?(?:run|running|worry|test|testing|lint|"
    r"writ\w*|add\w*|bother\w*)|"
    r"keine? tests?|nicht (?:testen|laufen)|pas de tests?|no (?:ejecutes|corras)|n[aã]o (?:rode|execute)|"
    r"не (?:запускай|пиши|надо)",
    r"不要(?:运行|跑|写|加)|别(?:跑|写|加)|実行しない|書かない|실행하지|쓰지",
)
"""Forbids a step instead of asking for it."""
_UNSURE = 0.4
"""A turn counts as an objection for a theme from this probability on: the theme's own words are a further sign."""


class LessonState(StrEnum):
    """Where a lesson stands in its life."""

    NEW = "new"
    UPDATED = "updated"
    """Further signals came since the lesson was first listed."""
    SUPERSEDED = "superseded"
    """The person said the opposite later: the newer word holds."""
    CONFLICTING = "conflicting"
    """Another lesson of the same person says the opposite: the person has to say which holds."""
    SPLIT = "split"
    """Its occurrences parted into groups with rules of their own, which are listed in its place."""
    RETIRED = "retired"
    """Not needed in so many sessions that this is no chance; it returns when it is needed again."""
    PINNED = "pinned"
    REJECTED = "rejected"
    WRITTEN = "written"
    """Adopted on the person's own word: unproven, on probation."""


PAST = (LessonState.SUPERSEDED, LessonState.SPLIT, LessonState.RETIRED)
"""States of a lesson that asks for nothing any more."""


class Scope(StrEnum):
    """Where a lesson holds."""

    USER = "user"
    """Seen in several projects."""
    PROJECT = "project"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What was said or what failed, word for word."""

    session: SessionId
    turn: str
    """The transcript's own id of the line."""
    at: datetime | None
    text: str
    """At most 300 characters."""
    own: bool
    """The person's own words; False for a failed call."""


class Author(StrEnum):
    """Whose words a text for a rule is in."""

    MODEL = "model"
    PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Another text for a lesson's rule, to be tried beside it."""

    text: str
    exception: str
    """When the rule does not hold, as a sentence; empty for never."""
    by: Author


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What the signals of a lesson cost."""

    turns: int = 0
    """Turns of the person."""
    calls: int = 0
    minutes: float = 0.0
    tokens: int | None = None
    """What the model read anew and wrote (`Tokens.fresh`), of the signals that state it; None where none does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A standing rule with the signals it rests on."""

    id: str
    text: str
    """An exact instruction."""
    about: str
    """What the lesson is about, in two or three words."""
    kinds: tuple[SignalKind, ...]
    scope: Scope
    project: str
    """The repository's folder, where the lesson belongs to one project; else empty."""
    sessions: tuple[SessionId, ...]
    """In which it was needed, oldest first."""
    cost: Cost
    quotes: tuple[Quote, ...]
    """One for each session and incident, oldest first."""
    signals: tuple[Signal, ...]
    state: LessonState = LessonState.NEW
    why: str = ""
    """Of a conflict: the other lesson. Of a superseded one: the newer word. Of a rejected one: the person's reason.
    Of a split one: its parts. Of a retired one: how long it was not needed."""
    parent: str = ""
    """The id of the lesson that this one is a part of; empty for a whole one."""
    demands: str = ""
    """The command that the rule wants to be run; empty for none."""
    forbids: str = ""
    seen: str = ""
    """How often, where more is known than the number of sessions."""
    checks: tuple[LessonCheck, ...] = ()
    """Conditions on what an agent does that tell whether the rule was kept."""
    written_down: str = ""
    """The line of the project's own file that says so already; `path:line: text`."""
    wordings: tuple[Wording, ...] = ()
    """Other texts for the rule: a model's, and the person's own words."""

    @property
    def needed_again(self) -> int:
        """Sessions in which the lesson was needed after it was first taught."""
        return max(0, len(self.sessions) - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Signals that belong together, with the rule they teach."""

    key: str
    """Tells findings apart; part of the lesson's id."""
    about: str
    text: str
    signals: tuple[Signal, ...]
    demands: str = ""
    """The command that the rule wants to be run; empty for none."""
    forbids: str = ""
    """The command that the rule forbids."""
    seen: str = ""
    """How often, where more is known than the number of sessions."""
    general: bool = False
    """Advice that fits every project: it needs as many sessions as a step."""
    wordings: tuple[Wording, ...] = ()
    state: LessonState = LessonState.NEW
    why: str = ""
    """Of a state other than new."""
    parent: str = ""
    """The id of the lesson of which this is a part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeWithAct:
    """An episode with its act and its kind of work."""

    episode: Episode
    judged: JudgedAct
    cluster: ClusterId | None
    """None before `sleepd mine`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All interactive sessions of a person, oldest first."""

    sessions: tuple[tuple[EpisodeWithAct, ...], ...]
    repositories: Mapping[str, str] = field(default_factory=dict)
    """Folder of a session -> the folder that stands for its repository; without those that stand for themselves."""

    def repository(self, folder: str) -> str:
        """The folder that stands for the repository of this one."""
        return self.repositories.get(folder, folder)

    @property
    def turns(self) -> int:
        """How many turns are the person's own."""
        return sum(one.episode.source.own for session in self.sessions for one in session)


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonBook:
    """The lessons there are, worth most first, and how far the nearest other finding is."""

    lessons: tuple[Lesson, ...]
    sessions: int
    turns: int
    """The person's own."""
    nearest: Found | None
    """Of the findings that too few sessions support, the one with the most sessions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedCheck:
    """A check with what the history says of it."""

    check: LessonCheck
    result: Backtest | NotJudged
    short_of: tuple[str, ...]
    """Why the check is not worth a model call, one sentence each; empty when it is."""
    validity: Validity
    """Whether it gates or is only observed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedLesson:
    """A lesson with its checks, each held against the history."""

    lesson: Lesson
    checks: tuple[TriedCheck, ...]
    rubric: Validity | None = None
    """The verdict on a judge model that reads whether the rule was kept; None: none was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedLine:
    """A line of a file of instructions."""

    number: int
    """From 1."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonFloors:
    """How many sessions a lesson needs."""

    words: int = 2
    """Corrections, refinements, refusals, repairs."""
    steps: int = 3
    """Failures and follow-ups."""


def originals(history: Sequence[Sequence[Episode]]) -> tuple[tuple[Episode, ...], ...]:
    """The sessions without the exchanges that a fork or a resumed copy repeats: the same words at the same moment."""
    seen: set[tuple[datetime, str]] = set()
    kept = []
    for session in history:
        fresh = tuple(e for e in session if e.at is None or (e.at, e.text) not in seen)
        seen.update((e.at, e.text) for e in session if e.at is not None)
        if fresh:
            kept.append(fresh)
    return tuple(kept)


def of_refusals(history: Iterable[Sequence[Episode]]) -> tuple[Found, ...]:
    """Commands that the person refused at least as often as they were let pass, with or without words."""
    refused: defaultdict[str, list[Signal]] = defaultdict(list)
    passed: Counter[str] = Counter()
    for session in history:
        for episode in session:
            for call in episode.calls:
                if not call.command:
                    continue
                names = dict.fromkeys(c.name for c in commands(call.command) if not c.reads)
                if call.denied:
                    for name in names:
                        refused[name].append(refusal(episode, call))
                else:
                    passed.update(names.keys())
    return tuple(
        Found(
            key=f"refused {name}",
            about=f"{name} refused",
            text=f"Do not run `{name}` unless you are asked to.",
            signals=tuple(signals),
            forbids=name,
        )
        for name, signals in sorted(refused.items())
        if len(signals) >= passed[name]
    )


def of_calls(found: Sequence[Episode]) -> tuple[Found, ...]:
    """What recurs without words: failures, repairs, and the steps asked for after finished work."""
    known = all_faults(found)
    failed, mended, asked = failures(found, known), repairs(found, known), follow_ups(found)
    recurring = (
        *recurring_repairs(mended, found, sessions=1),
        *recurring_failures(failed, repaired=mended, sessions=1),
        *recurring_follow_ups(asked, found, sessions=1),
    )
    return _each_failure_once(
        [
            Found(key=f"{one.kind} {one.key}", about=one.key, text=one.rule, signals=one.signals, seen=one.seen)
            for one in recurring
        ]
    )


def _each_failure_once(found: Sequence[Found]) -> tuple[Found, ...]:
    """The findings, with a repair and a failure that rest on the same calls as one: the one of more sessions, with the
    signals of both. Of two equal ones the repair says more.
    """
    kept = list(found)
    for repair in (one for one in found if one.key.startswith(SignalKind.REPAIR)):
        calls = {(s.session, s.turn) for s in repair.signals}
        for failure in (one for one in kept if one.key.startswith(SignalKind.FAILURE)):
            shared = calls & {(s.session, s.turn) for s in failure.signals}
            if 2 * len(shared) < len(calls):
                continue
            several = len({s.session for s in failure.signals}) > len({session for session, _ in calls})
            stays, goes = (failure, repair) if several and "; use `" in failure.text else (repair, failure)
            known = {(s.session, s.turn) for s in stays.signals}
            more = tuple(s for s in goes.signals if (s.session, s.turn) not in known)
            kept = [replace(one, signals=one.signals + more) if one.key == stays.key else one for one in kept]
            kept = [one for one in kept if one.key != goes.key]
            break
    return tuple(kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parted:
    """Findings, those of several commands cut into one for each command."""

    found: tuple[Found, ...]
    whole: tuple[Found, ...]
    """Those that were cut, as they were."""


def parted(found: Iterable[Found], projects: Mapping[SessionId, str], floors: LessonFloors) -> Parted:
    """The findings, those of several commands cut into one for each command.

    A rule that names the linter of one project is wrong in another one. A repository's command is the one that the
    agent ran there most often when it was told; a part has to have as many sessions as a lesson needs, and what no
    part holds goes to the largest. `projects` holds each session's repository.
    """
    kept: list[Found] = []
    whole: list[Found] = []
    for finding in found:
        parts = _by_command(finding, projects) if finding.demands else {}
        least = floors.steps if finding.general else floors.words
        enough = {name: part for name, part in parts.items() if len({s.session for s in part}) >= least}
        if len(enough) < 2:
            kept.append(finding)
            continue
        largest = max(enough, key=lambda name: (len({s.session for s in enough[name]}), name))
        taken = {(s.session, s.turn) for part in enough.values() for s in part}
        rest = [s for s in finding.signals if (s.session, s.turn) not in taken]
        whole.append(finding)
        kept += [
            replace(
                finding,
                key=f"{finding.key} [{name}]",
                text=finding.text.replace(f"`{finding.demands}`", f"`{name}`"),
                signals=tuple([*part, *rest] if name == largest else part),
                demands=name,
                parent=lesson_id(finding),
            )
            for name, part in sorted(enough.items())
        ]
    return Parted(found=tuple(kept), whole=tuple(whole))


def _by_command(finding: Found, projects: Mapping[SessionId, str]) -> dict[str, list[Signal]]:
    """The signals by the command that their repository answers the demand with."""
    ran: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for signal in finding.signals:
        if signal.remedy and check(signal.remedy) == finding.about:
            ran[projects.get(signal.session, "")][signal.remedy] += 1
    parts: defaultdict[str, list[Signal]] = defaultdict(list)
    for signal in finding.signals:
        common = ran[projects.get(signal.session, "")].most_common(1)
        if common:
            parts[common[0][0]].append(signal)
    return dict(parts)


_SAME = {TESTS: "tests with the change", DOCS: "docs with the change"}
"""A step asked for after finished work -> the theme of objections that says the same."""


def joined(found: Sequence[Found]) -> tuple[Found, ...]:
    """The findings, with a step and a theme that say the same as one: the theme's rule, the signals of both."""
    steps = {_SAME.get(one.about, one.about): one for one in found if one.key.startswith(SignalKind.FOLLOW_UP)}
    themes = {one.about for one in found if one.key.startswith("theme ")}
    kept = []
    for one in found:
        step = steps.get(one.about) if one.key.startswith("theme ") else None
        if step is not None:
            turns = {signal.turn for signal in one.signals}
            more = tuple(signal for signal in step.signals if signal.turn not in turns)
            kept.append(replace(one, signals=one.signals + more, seen=step.seen))
        elif one.key.startswith(SignalKind.FOLLOW_UP) and _SAME.get(one.about, one.about) in themes:
            continue
        else:
            kept.append(one)
    return tuple(kept)


def refusal(episode: Episode, call: Call) -> Signal:
    """What a refused call is a signal of: with words a correction, else a denial."""
    return Signal(
        kind=SignalKind.CORRECTION if call.denial else SignalKind.DENIAL,
        session=episode.session,
        turn=call.result_id,
        episode=episode.number,
        at=episode.at,
        key="",
        text=call.denial or (call.command or ""),
        calls=1,
        turns=1,
        tokens=call.tokens,
    )


@dataclass(slots=True, kw_only=True)
class _Theme:
    signals: list[Signal] = field(default_factory=list)
    commands: Counter[str] = field(default_factory=Counter)
    paths: Counter[str] = field(default_factory=Counter)


def of_words(history: Sequence[tuple[Sequence[Episode], Sequence[JudgedAct]]]) -> tuple[Found, ...]:
    """What the person says again and again, by theme. `history` holds each session's episodes with their acts."""
    themes: defaultdict[str, _Theme] = defaultdict(_Theme)
    instead: defaultdict[str, list[Signal]] = defaultdict(list)
    others: list[Signal] = []
    shown: dict[str, str] = {}
    for session, acts in history:
        for number, (episode, judged) in enumerate(zip(session, acts, strict=True)):
            if not episode.source.own or judged.act in (Act.APPROVAL, Act.QUESTION, Act.OTHER):
                continue
            text = _demand(episode.text)
            objects = judged.act in (Act.CORRECTION, Act.REFINEMENT) or (
                judged.act is not Act.EVIDENCE and max(judged.correction, judged.refinement) >= _UNSURE
            )
            # Consent to a proposal looks like an unsure objection. With no work before it the answer has to agree.
            surely = objects and (judged.act in (Act.CORRECTION, Act.REFINEMENT) or not _follows_words(session, number))
            signal = of_turn(episode, judged)
            speaks = [
                theme
                for theme in THEMES
                if (
                    surely
                    or (objects and theme.proof is not Proof.NONE)
                    or (theme.asked and _after_work(session, number))
                )
                and _speaks(theme, text, episode)
            ]
            if objects and _WAIT not in speaks and _takes_back(session, acts, number):
                speaks.append(_WAIT)
            if surely and not speaks and not INSTEAD.search(text) and not _handed_on(episode, session[:number]):
                others.append(signal)
            for theme in speaks:
                found = themes[theme.name]
                ran = _checked(episode, theme.name)
                found.signals.append(replace(signal, remedy=ran[0]) if ran else signal)
                found.commands.update(ran)
                found.paths.update({e.path for e in episode.edits if DOCUMENT.search(e.path)})
            if surely and (match := INSTEAD.search(text)):
                good, bad = match["good"] or match["good2"], match["bad"] or match["bad2"]
                key = f"{good.casefold()} not {bad.casefold()}"
                instead[key].append(signal)
                shown[key] = f"Use {good} instead of {bad}."
    named = [
        Found(
            key=f"theme {theme.name}",
            about=theme.name,
            text=_worded(theme, themes[theme.name]),
            signals=tuple(themes[theme.name].signals),
            demands=next((name for name, _ in themes[theme.name].commands.most_common(1)), ""),
            general=theme.general,
        )
        for theme in THEMES
        if theme.name in themes
    ]
    choices = [Found(key=k, about=k, text=shown[k], signals=tuple(signals)) for k, signals in sorted(instead.items())]
    return (*named, *choices, *_repeated(others))


_WAIT = next(theme for theme in THEMES if theme.name == "wait for the word")


def _follows_words(session: Sequence[Episode], number: int) -> bool:
    """Whether the turn follows an exchange in which the agent only read and spoke: there is no work to object to."""
    if not number:
        return False
    calls = session[number - 1].calls
    acts = any(call.command and any(not command.reads for command in commands(call.command)) for call in calls)
    return not acts and not any(call.edits for call in calls)


def _takes_back(session: Sequence[Episode], acts: Sequence[JudgedAct], number: int) -> bool:
    """Whether the agent edited on a question, and takes out again most of what it wrote then: in any language."""
    if not number or acts[number - 1].act is not Act.QUESTION:
        return False
    written = {line for edit in session[number - 1].edits for line in edit.added if len(line) >= _LEAST_SAID}
    taken = {line for edit in session[number].edits for line in edit.removed} & written
    return bool(taken) and 2 * len(taken) >= len(written)


def _handed_on(episode: Episode, before: Sequence[Episode]) -> bool:
    """Whether a line of the turn stands in what a tool or the agent said earlier: these are not the person's words."""
    lines = [line for raw in episode.text.splitlines() if len(line := raw.strip(" \t>\"'`“”*-")) >= _TOLD]
    told = [text for one in before for text in (one.answer, *(call.output for call in one.calls))]
    return any(line in text for line in lines for text in told)


def _repeated(objections: Sequence[Signal]) -> Iterable[Found]:
    """Objections of nearly the same words, in any language: the person's own words are the rule."""
    said = {signal: " ".join(signal.text.split()) for signal in objections}
    some = [signal for signal in objections if _LEAST_SAID <= len(said[signal]) <= _QUOTE]
    rows = vectors([said[signal].casefold() for signal in some])
    firsts = rows.copy()  # of each group's first objection; the first len(groups) rows count
    groups: list[list[Signal]] = []
    for signal, row in zip(some, rows, strict=True):
        near = firsts[: len(groups)] @ row
        nearest = int(near.argmax()) if len(near) else 0
        if len(near) and near[nearest] >= _NEARLY_THE_SAME:
            groups[nearest].append(signal)
        else:
            firsts[len(groups)] = row
            groups.append([signal])
    for group in groups:
        words = said[group[0]]
        yield Found(
            key=f"said {words.casefold()}",
            about=words[:_ABOUT],
            text=f"Keep to this from the start: “{min((said[signal] for signal in group), key=len)}”",
            signals=tuple(group),
        )


def _demand(text: str) -> str:
    """What a person asks for: of a long text, most of it pasted, the beginning and the end; of a page nothing."""
    own = _FENCED.sub(" ", text).strip()
    if len(own) > _PAGE:
        return ""
    return own if len(own) <= _HEAD else f"{own[: _HEAD // 3]}\n{own[-_HEAD // 3 :]}"


def of_turn(episode: Episode, judged: JudgedAct) -> Signal:
    """What a person's turn is a signal of. A request is a step that was left out: a follow-up."""
    kinds = {
        Act.CORRECTION: SignalKind.CORRECTION,
        Act.REFINEMENT: SignalKind.REFINEMENT,
        Act.EVIDENCE: SignalKind.EVIDENCE,
    }
    return Signal(
        kind=kinds.get(judged.act, SignalKind.FOLLOW_UP),
        session=episode.session,
        turn=episode.turn,
        episode=episode.number,
        at=episode.at,
        key="",
        text=episode.text,
        probability=judged.probability,
        calls=len(episode.calls),
        minutes=episode.minutes or 0.0,
        turns=1,
        tokens=episode.tokens.fresh,
    )


def _after_work(session: Sequence[Episode], number: int) -> bool:
    """Whether the turn comes after work of an earlier exchange, or opens a session with a short demand."""
    if number == 0:
        return len(session[0].text) <= 200
    return any(episode.edits for episode in session[:number])


def _speaks(theme: Theme, text: str, episode: Episode) -> bool:
    if not theme.words.search(text) or (theme.also is not None and not theme.also.search(text)):
        return False
    if theme.proof is not Proof.NONE and (episode.source is Source.DENIAL or _FORBIDS.search(text)):
        return False
    if theme.proof is Proof.CHECK:
        return bool(_checked(episode, theme.name)) or (not episode.calls and len(text.split()) <= _SHORT)
    if theme.proof is Proof.TESTS:
        return any(TEST_FILE.search(edit.path) for edit in episode.edits)
    if theme.proof is Proof.DOCS:
        return any(DOCUMENT.search(edit.path) for edit in episode.edits)
    return True


def _checked(episode: Episode, kind: str) -> list[str]:
    """The commands of this kind that the episode ran, as a person would write them down; each once."""
    ran = [c for call in episode.calls if call.command for c in commands(call.command)]
    return list(dict.fromkeys(command.name for command in ran if check(command.name) == kind))


def _worded(theme: Theme, found: _Theme) -> str:
    ran = [name for name, _ in found.commands.most_common(1)]
    paths = [path for path, count in found.paths.most_common(2) if count > 1]
    rule = theme.rule.replace("{command}", ran[0] if ran else f"the project's {theme.name}")
    return rule.replace(" ({paths})", f" ({', '.join(paths)})" if paths else "")


def lessons(found: Iterable[Found], projects: Mapping[SessionId, str], floors: LessonFloors) -> tuple[Lesson, ...]:
    """The findings that enough sessions support, worth most first. `projects` holds each session's repository.

    A lesson that was split comes with its parts, and says which they are.
    """
    cut = parted(found, projects, floors)
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for finding in cut.found:
        if finding.parent:
            parts[finding.parent].append(lesson_id(finding)[:_ID])
    split = [
        replace(one, state=LessonState.SPLIT, why=f"split into {' and '.join(parts[lesson_id(one)])}")
        for one in cut.whole
    ]
    made = []
    for finding in (*cut.found, *split):
        signals = _once(sorted(finding.signals, key=lambda s: (s.at is None, s.at, s.session, s.turn)))
        sessions = tuple(dict.fromkeys(s.session for s in signals))
        kinds = tuple(sorted({s.kind for s in signals}))
        if len(sessions) < needs(finding, floors):
            continue
        folders = {projects.get(session, "") for session in sessions} - {""}
        one = len(folders) == 1
        made.append(
            Lesson(
                id=lesson_id(finding),
                text=finding.text,
                about=finding.about,
                kinds=kinds,
                scope=Scope.PROJECT if one else Scope.USER,
                project=next(iter(folders)) if one else "",
                sessions=sessions,
                cost=Cost(
                    turns=sum(s.turns for s in signals),
                    calls=sum(s.calls for s in signals),
                    minutes=round(sum(s.minutes for s in signals), 1),
                    tokens=known_sum(s.tokens for s in signals),
                ),
                quotes=tuple(_quote(s) for s in signals),
                signals=tuple(signals),
                demands=finding.demands,
                forbids=finding.forbids,
                seen=finding.seen,
                checks=checks_of(finding),
                wordings=(*finding.wordings, *_in_own_words(signals, finding.text)),
                state=finding.state,
                why=finding.why,
                parent=finding.parent,
            )
        )
    return tuple(sorted(made, key=worth, reverse=True))


def needs(finding: Found, floors: LessonFloors) -> int:
    """The sessions that make a lesson of a finding: more for mere steps and failures, and for general advice."""
    steps = {s.kind for s in finding.signals} <= {SignalKind.FAILURE, SignalKind.FOLLOW_UP, SignalKind.EVIDENCE}
    return floors.steps if finding.general or steps else floors.words


def _in_own_words(signals: Sequence[Signal], rule: str) -> tuple[Wording, ...]:
    """The newest of the person's own sayings that is short enough for a rule and long enough to say one.

    Sayings that share a word with the rule go before reports of what is wrong.
    """
    said = [" ".join(s.text.split()) for s in signals if s.kind in _OWN and s.kind is not SignalKind.EVIDENCE]
    fit = [text for text in said if len(text.split()) >= _LEAST_WORDS and len(text) <= _SAYING]
    about = _stems(rule)
    best = [text for text in fit if about & _stems(text)] or fit
    return (Wording(text=best[-1], exception="", by=Author.PERSON),) if best else ()


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"[^\W\d_]{4,}", text.casefold())}


def _once(signals: Sequence[Signal]) -> list[Signal]:
    """The signals without what a person says twice for one reason: a prompt that is sent again within a session, and a
    long one that is put to several agents within an hour. `signals` are in order of time.
    """
    first: dict[tuple[SessionId, str], Signal] = {}
    put: dict[str, Signal] = {}
    for signal in signals:
        whole = " ".join(signal.text.split()).casefold()
        if signal.kind in _OWN and len(whole) >= _LONG:
            before = put.setdefault(whole, signal)
            if before.session != signal.session and before.at and signal.at and signal.at - before.at <= _AT_ONCE:
                continue
        first.setdefault((signal.session, whole[:_SAME_WORDS] if signal.kind in _OWN else signal.turn), signal)
    return list(first.values())


TEST_FILES = "tests/|test/|test_*|*_test.*|*.test.*|*.spec.*|*Test.*|*Tests.*"
CODE_FILES = "*.go|*.py|*.ts|*.tsx|*.js|*.jsx|*.rs|*.java|*.kt|*.rb|*.php|*.cs|*.swift|*.c|*.cc|*.cpp|*.h|*.scala|*.ex"


def checks_of(finding: Found) -> tuple[LessonCheck, ...]:
    """The checks of behaviour that a finding's rule can be held to; none where only a reader could tell."""
    if finding.forbids:
        return (behaviour.NeverRan(command=finding.forbids),)
    if finding.demands:
        return (behaviour.RanAfterLastEdit(command=finding.demands, edited=CODE_FILES),)
    if finding.about == "tests with the change":
        return (behaviour.TestWithCode(code=CODE_FILES, tests=TEST_FILES),)
    return (behaviour.NoEditsOnQuestion(),) if finding.about == "wait for the word" else ()


def tried_checks(lesson: Lesson, known: History, floors: Floors) -> tuple[TriedCheck, ...]:
    """Each check of a lesson, frozen, over the whole history."""
    corrected = corrected_places(lesson, known)
    questions = {
        (one.episode.session, one.episode.turn): one.judged.act is Act.QUESTION
        for session in known.sessions
        for one in session
    }
    cut = originals([[one.episode for one in session] for session in known.sessions])
    results = [backtest(check, cut, corrected, questions) for check in lesson.checks]
    return tuple(
        TriedCheck(
            check=check,
            result=result,
            short_of=(result.reason,) if isinstance(result, NotJudged) else result.short_of(floors),
            validity=verdict(check, result),
        )
        for check, result in zip(lesson.checks, results, strict=True)
    )


def corrected_places(lesson: Lesson, known: History) -> dict[Place, float]:
    """Which exchanges the person corrected for a lesson: 1.0, else 0.0.

    They are the exchanges before the turns that the lesson rests on, and those in which a command was refused; a moment
    that the person went on from was let pass. The last exchange of a session is unknown and left out.
    """
    taught = {(signal.session, signal.turn) for signal in lesson.signals}
    corrected: dict[Place, float] = {}
    for session in known.sessions:
        for one, following in pairwise(session):
            refused = any((one.episode.session, call.result_id) in taught for call in one.episode.calls)
            after = (following.episode.session, following.episode.turn) in taught
            corrected[(one.episode.session, one.episode.turn)] = float(after or refused)
    return corrected


def tried_together(found: Sequence[TriedLesson]) -> tuple[TriedLesson, ...]:
    """The same with the verdicts corrected for how many checks were measured on the person's sessions."""
    agreements = {
        f"{one.lesson.id}:{tested.check.kind}": tested.result.agreement
        for one in found
        for tested in one.checks
        if isinstance(tested.result, Backtest) and tested.result.agreement is not None
    }
    corrected = {key: measured(agreement) for key, agreement in together(agreements).items()}
    return tuple(
        replace(
            one,
            checks=tuple(
                replace(tested, validity=corrected.get(f"{one.lesson.id}:{tested.check.kind}", tested.validity))
                for tested in one.checks
            ),
        )
        for one in found
    )


def lesson_id(finding: Found) -> str:
    """12 hex digits, the same as long as the finding is about the same."""
    return digest("lesson", finding.key)[:12]


def conflicts(found: Sequence[Lesson]) -> tuple[Lesson, ...]:
    """The lessons, with those marked of which one demands what another forbids: the person has to say which holds."""
    living = [lesson for lesson in found if lesson.state is not LessonState.SPLIT]
    demanded = {lesson.demands: lesson for lesson in living if lesson.demands}
    forbidden = {lesson.forbids: lesson for lesson in living if lesson.forbids}
    marked = []
    for lesson in found:
        if lesson.state is LessonState.SPLIT:
            marked.append(lesson)
            continue
        other = forbidden.get(lesson.demands) if lesson.demands else demanded.get(lesson.forbids)
        why = f"{other.id} says: {other.text}" if other is not None else ""
        marked.append(replace(lesson, state=LessonState.CONFLICTING, why=why) if why else lesson)
    return tuple(marked)


def stated(lesson: Lesson, text: str) -> StatedLine | None:
    """The line of a file that says what the lesson says: its command, or most of the telling words of its rule."""
    telling = _telling(lesson.text)
    for number, line in enumerate(text.splitlines(), start=1):
        command = lesson.demands or lesson.forbids
        if command and re.search(rf"(?<![\w:-]){re.escape(command)}(?![\w:-])", line):
            return StatedLine(number=number, text=line.strip()[:_QUOTE])
        if len(telling) >= _TELLING and len(telling & _telling(line)) >= _SAID * len(telling):
            return StatedLine(number=number, text=line.strip()[:_QUOTE])
    return None


def _telling(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"[^\W\d_]{5,}", text.casefold())}


_OWN = (SignalKind.CORRECTION, SignalKind.REFINEMENT, SignalKind.FOLLOW_UP, SignalKind.EVIDENCE)


def _quote(signal: Signal) -> Quote:
    text = " ".join(signal.text.split())
    return Quote(
        session=signal.session,
        turn=signal.turn,
        at=signal.at,
        text=text if len(text) <= _QUOTE else text[: _QUOTE - 1] + "…",
        own=signal.kind in _OWN,
    )


def worth(lesson: Lesson) -> tuple[float, int, str]:
    """What orders lessons: sessions in which it was needed again, each weighed by what the person had "
    "to do for it."""
    again = len(lesson.sessions) - 1
    each = 1.0 + min(2.0, lesson.cost.turns / len(lesson.sessions))
    return (again * each, lesson.cost.calls, lesson.id)
