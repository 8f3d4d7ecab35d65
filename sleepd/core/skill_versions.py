"""The versions of each skill that was loaded, with what went wrong in the exchanges that loaded it.

An exchange counts together with what followed until the person's next request. Whether a version made things better is
seen beside the version before it; nothing is proven by that.
"""

from __future__ import annotations

import difflib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from sleepd.core.acts import Act
from sleepd.core.lesson import EpisodeWithAct, History, Lesson, Quote
from sleepd.core.model import Digest, SessionId
from sleepd.core.signal import SignalKind
from sleepd.core.skill_text import SkillText

_OBJECTIONS = (Act.CORRECTION, Act.REFINEMENT)
_OF_THE_EXCHANGE = (SignalKind.FAILURE, SignalKind.REPAIR, SignalKind.DENIAL)
_QUOTE = 300
_QUOTES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillVersion:
    """One text of a skill, with what happened where it was loaded."""

    version: Digest
    text: str
    first: datetime | None
    last: datetime | None
    exchanges: int
    """In which it was loaded."""
    sessions: int
    corrected: int
    """Of the exchanges: those after which the person objected before the next request."""
    calls: int
    failed: int
    """Of the calls."""
    lessons: tuple[tuple[str, int], ...]
    """Lesson and number of exchanges that needed it, most often first."""
    quotes: tuple[Quote, ...]
    """What the person objected, newest first, at most three."""
    added: int
    """Lines that the version before did not have; of the first version 0."""
    removed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillHistory:
    """A skill with its versions, oldest first."""

    name: str
    project: str
    """The repository's folder where all sessions that loaded it belong to one; else empty."""
    versions: tuple[SkillVersion, ...]

    @property
    def exchanges(self) -> int:
        """In which any version was loaded."""
        return sum(one.exchanges for one in self.versions)


@dataclass(slots=True)
class _VersionSoFar:
    """What is known of one version while the history is read."""

    text: str
    times: list[datetime] = field(default_factory=list)
    sessions: set[SessionId] = field(default_factory=set)
    exchanges: int = 0
    corrected: int = 0
    calls: int = 0
    failed: int = 0
    lessons: Counter[str] = field(default_factory=Counter)
    quotes: list[Quote] = field(default_factory=list)


def skill_versions(known: History, lessons: Sequence[Lesson]) -> tuple[SkillHistory, ...]:
    """The skills that were loaded, those of most exchanges first.

    Two projects may have skills of one name: they are one skill when a text of it was loaded in both.
    """
    needed = _needed(lessons)
    seen: dict[str, dict[Digest, _VersionSoFar]] = defaultdict(dict)
    folders: dict[str, dict[Digest, set[str]]] = defaultdict(lambda: defaultdict(set))
    copies: set[tuple[datetime, str]] = set()
    for session in known.sessions:
        for number, one in enumerate(session):
            mark = (one.episode.at, one.episode.text) if one.episode.at is not None else None
            if not one.episode.loaded or mark in copies:
                continue  # a fork repeats the exchanges of its session
            if mark is not None:
                copies.add(mark)
            span = _until_the_next_request(session, number)
            for skill in {loaded.version: loaded for loaded in one.episode.loaded}.values():
                version = seen[skill.name].setdefault(skill.version, _VersionSoFar(text=skill.text))
                _note(version, span, needed)
                folders[skill.name][skill.version].add(known.repository(one.episode.project))
    found = [
        SkillHistory(name=name, project=where, versions=_in_order([seen[name][version] for version in group]))
        for name in seen
        for where, group in _apart(folders[name])
    ]
    return tuple(sorted(found, key=lambda one: (-one.exchanges, one.name, one.project)))


def _needed(lessons: Sequence[Lesson]) -> Mapping[tuple[SessionId, int], set[str]]:
    """Session and number of an exchange -> the lessons that it broke: words are said in the exchange after it."""
    found: dict[tuple[SessionId, int], set[str]] = defaultdict(set)
    for lesson in lessons:
        for signal in lesson.signals:
            number = signal.episode if signal.kind in _OF_THE_EXCHANGE else signal.episode - 1
            found[(signal.session, number)].add(lesson.id)
    return found


def _until_the_next_request(session: Sequence[EpisodeWithAct], number: int) -> Sequence[EpisodeWithAct]:
    for later in range(number + 1, len(session)):
        if session[later].judged.act is Act.REQUEST or not session[later].episode.source.own:
            return session[number:later]
    return session[number:]


def _note(
    seen: _VersionSoFar, span: Sequence[EpisodeWithAct], needed: Mapping[tuple[SessionId, int], set[str]]
) -> None:
    first = span[0].episode
    objections = [one.episode for one in span[1:] if one.judged.act in _OBJECTIONS]
    seen.exchanges += 1
    seen.sessions.add(first.session)
    seen.times += [first.at] if first.at is not None else []
    seen.corrected += bool(objections)
    seen.calls += sum(len(one.episode.calls) for one in span)
    seen.failed += sum(call.failed for one in span for call in one.episode.calls)
    seen.lessons.update({id_ for one in span for id_ in needed.get((first.session, one.episode.number), ())})
    seen.quotes += [
        Quote(
            session=said.session,
            turn=said.turn,
            at=said.at,
            text=text if len(text := " ".join(said.text.split())) <= _QUOTE else text[: _QUOTE - 1] + "…",
            own=True,
        )
        for said in objections
    ]


def _apart(folders: Mapping[Digest, set[str]]) -> Iterable[tuple[str, list[Digest]]]:
    """The versions of one name, by skill: the folder of its project, or an empty one for several, and its versions."""
    groups: list[tuple[set[str], list[Digest]]] = []
    for version, where in folders.items():
        touching = [group for group in groups if group[0] & where]
        merged = (set(where).union(*(group[0] for group in touching)), [v for g in touching for v in g[1]] + [version])
        groups = [*(group for group in groups if group not in touching), merged]
    for where, versions in groups:
        yield (next(iter(where)) if len(where) == 1 else ""), versions


def _in_order(seen: Sequence[_VersionSoFar]) -> tuple[SkillVersion, ...]:
    made: list[SkillVersion] = []
    for one in sorted(seen, key=lambda each: (not each.times, min(each.times, default=None) or 0)):
        change = Counter(line[:1] for line in _changed(made[-1].text, one.text)) if made else Counter[str]()
        made.append(
            SkillVersion(
                version=SkillText(name="", text=one.text).version,
                text=one.text,
                first=min(one.times, default=None),
                last=max(one.times, default=None),
                exchanges=one.exchanges,
                sessions=len(one.sessions),
                corrected=one.corrected,
                calls=one.calls,
                failed=one.failed,
                lessons=tuple(one.lessons.most_common()),
                quotes=tuple(one.quotes[::-1][:_QUOTES]),
                added=change["+"],
                removed=change["-"],
            )
        )
    return tuple(made)


def _changed(before: str, after: str) -> Iterable[str]:
    """The lines that were added or removed, each behind its sign."""
    rows = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return (row for row in rows if row[:1] in "+-" and not row.startswith(("+++", "---")))
