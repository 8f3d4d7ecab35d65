"""Lessons and episodes as a person and a program read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from harvesters.records import Tokens
from sleepd.core import behaviour, validity
from sleepd.core.acts import Act
from sleepd.core.backtest import Proportion
from sleepd.core.behaviour import LessonCheck, NotJudged
from sleepd.core.lesson import (
    CODE_FILES,
    PAST,
    TEST_FILES,
    Author,
    EpisodeWithAct,
    Lesson,
    LessonBook,
    LessonState,
    Quote,
    TriedCheck,
    TriedLesson,
    Wording,
)
from sleepd.core.plaintext import clipped, flat
from sleepd.core.signal import SignalKind
from sleepd.core.validity import Validity
from sleepd.core.written_rules import TriedRule
from sleepd.views import report
from sleepd.views.report import Plain

_QUOTES_LISTED = 2
_QUOTE_WIDTH = 150
_GLANCE = 8
_LISTED = 10
_YOURS = frozenset(SignalKind) - {SignalKind.FAILURE, SignalKind.REPAIR}


def book_text(found: LessonBook, *, everything: bool) -> str:
    """The lessons, worth most first: how often, the rule, the person's own words, the cost."""
    hidden = (LessonState.REJECTED, LessonState.SPLIT, LessonState.RETIRED)
    shown = [one for one in found.lessons if everything or one.state not in hidden]
    retired = sum(one.state is LessonState.RETIRED for one in found.lessons) if not everything else 0
    read = f"{report.count(found.sessions, 'session')} with {report.count(found.turns, 'turn')} of yours were read"
    if not found.sessions:
        return "No session of yours is stored yet; read them first: sleepd harvest"
    if not shown and retired:
        return f"No lesson is needed any more: {read}.\n{_retired(retired)}"
    if not shown:
        if found.nearest is None:
            return f"No lesson yet: {read}.\nNothing came back in a second session so far."
        sessions = len({signal.session for signal in found.nearest.signals})
        return (
            f"No lesson yet: {read}.\n"
            f"The nearest one was seen in {report.count(sessions, 'session')} and needs more: {found.nearest.text}\n"
            f'  "{clipped(flat(found.nearest.signals[-1].text), _QUOTE_WIDTH)}"'
        )
    rows = shown if everything else shown[:_LISTED]
    parts = [f"{report.count(len(shown), 'lesson')}: {read}.", ""]
    for one in rows:
        mark = "" if one.state is LessonState.NEW else f"  [{one.state}]"
        lines = [
            f"{one.id[:6]}  in {len(one.sessions)} of {report.count(found.sessions, 'session')}, {_cost(one)}{mark}",
            f"  {one.text}",
        ]
        # The person's own words before failed calls, of a length that can be read at a glance; the newest ones.
        order = sorted(one.quotes, key=lambda q: (not q.own, len(q.text) > _QUOTE_WIDTH, len(q.text) < _GLANCE))
        telling = sorted(order[:_QUOTES_LISTED], key=one.quotes.index)
        lines += [f"  {_quoted(quote, clipped(quote.text, _QUOTE_WIDTH))}" for quote in telling]
        if one.written_down:
            lines.append(f"  Written down and still needed: {one.written_down}")
        if one.state in PAST:
            lines.append(f"  {one.state.capitalize()}: {one.why}")
        lines += [f"  Or: {wording.text} {wording.exception}".rstrip() for wording in _worded_by_model(one)[:1]]
        if one.state is LessonState.CONFLICTING:
            lines.append(f"  Conflict: {one.why}. Drop the one that does not hold.")
        parts += ["\n".join(lines), ""]
    if len(rows) < len(shown):
        parts.append(f"{len(shown) - len(rows)} more: sleepd lessons --all")
    if retired:
        parts.append(_retired(retired))
    parts.append("Whole: sleepd lessons show ID. Adopt one now, on your own word: sleepd lessons write ID.")
    return "\n".join(parts)


def _retired(number: int) -> str:
    return f"{report.count(number, 'lesson')} retired, not needed for long: sleepd lessons --all"


def _worded_by_model(one: Lesson) -> list[Wording]:
    """The model's texts that are not the lesson's own text already."""
    texts = [wording for wording in one.wordings if wording.by is Author.MODEL]
    return [wording for wording in texts if f"{wording.text} {wording.exception}".strip() != one.text]


def _cost(one: Lesson) -> str:
    parts = [report.count(one.cost.turns, "turn")] if one.cost.turns else []
    parts += [report.count(one.cost.calls, "call")] if one.cost.calls else []
    parts += [f"{one.cost.minutes:.0f} min"] if one.cost.minutes >= 1 else []
    parts += [f"{_thousands(one.cost.tokens)} tokens"] if one.cost.tokens else []
    return "cost " + ", ".join(parts) if parts else "no cost known"


def _thousands(number: int) -> str:
    """`640`, `12k`, `1.2M`."""
    if number < 1_000:
        return str(number)
    return f"{number / 1_000:.0f}k" if number < 999_500 else f"{number / 1_000_000:.1f}M"


def lesson_text(tried: TriedLesson) -> str:
    """One lesson whole: its checks over the history, and each quote with its place."""
    one = tried.lesson
    where = f"in {one.project}" if one.project else "in several projects"
    sessions = report.count(len(one.sessions), "session")
    lines = [
        one.text,
        "",
        f"id {one.id}, {one.state}{f' ({one.why})' if one.why else ''}; {where}",
        f"needed in {sessions}, again in {one.needed_again} after the first; {_cost(one)}",
        f"seen as {', '.join(one.kinds)}{f': {one.seen}' if one.seen else ''}",
        "grade of proof: observed (your history alone; nothing was replayed)",
    ]
    if one.parent:
        lines.append(f"a part of {one.parent}, which was split: each part has a command of its own")
    if one.written_down:
        lines.append(f"written down and still needed: {one.written_down}; reword that line")
    for wording in (*_worded_by_model(one), *(w for w in one.wordings if w.by is Author.PERSON)):
        whose = "in your own words" if wording.by is Author.PERSON else "worded by the model"
        lines.append(f"{whose}: {wording.text} {wording.exception}".rstrip())
    for tested in tried.checks:
        lines += ["", f"Check: {_sentence(tested.check)}", *(f"  {line}" for line in _tested(tested))]
    read = tried.rubric
    how = f"{read.word}: {read.why}" if read is not None else f"observed: {_unread(one, one.id[:6])}"
    lines += ["", "Read by a judge model:", f"  {how}"]
    lines += ["", "Your words and the failed calls, oldest first:"]
    for quote in one.quotes:
        lines += [
            f"  {_quoted(quote, quote.text, '%Y-%m-%d %H:%M')}",
            f"    session {native(quote.session)}, turn {quote.turn}",
        ]
    return "\n".join(lines)


def rules_text(found: Sequence[TriedRule]) -> str:
    """How well the rules in the person's own files are kept."""
    if not found:
        return "No line of your AGENTS.md or CLAUDE.md files names a command that your sessions could be held against."
    lines = []
    for one in found:
        lines += [f"{one.path}:{one.rule.line.number}: {one.rule.line.text}", f"  read as: {_sentence(one.rule.check)}"]
        lines.append(f"  broken in {_share(one.result.broken)} of {report.count(one.result.applies, 'exchange')}")
        if one.ignored:
            lines.append("  not kept: word it anew, with the exact command and the moment")
        lines.append("")
    return "\n".join(lines).rstrip()


def rules_json(found: Sequence[TriedRule]) -> list[Plain]:
    """The same for a program."""
    return [
        {
            "path": one.path,
            "line": one.rule.line.number,
            "text": one.rule.line.text,
            "check": behaviour.written(one.rule.check),
            "applies": one.result.applies,
            "broken": _proportion_json(one.result.broken),
            "ignored": one.ignored,
        }
        for one in found
    ]


def judged_lines(found: Sequence[TriedLesson]) -> list[str]:
    """Of each lesson whether its checks gate or are observed, and why."""
    if not found:
        return ["no lesson yet: sleepd lessons says how far the nearest one is"]
    verdicts = [one for tried in found for one in _verdicts(tried)]
    counted = f"of their checks {validity.counted(verdicts)}" if verdicts else "none has a check yet"
    lines = [
        f"{report.count(len(found), 'lesson')}, {counted}; a night replays answers and tries no lesson yet; "
        "adopt one: sleepd lessons write ID"
    ]
    listed = found[:_LISTED]
    for tried in (one for one in listed if _verdicts(one)):
        lines += [f"  {tried.lesson.id[:6]}  {tried.lesson.text}", *(f"          {line}" for line in _judged(tried))]
    for unread, lessons in _unverdicted(listed).items():
        lines.append(f"  observed, since no call and no edit tells whether they were kept; {unread}")
        lines += [f"  {one.id[:6]}  {one.text}" for one in lessons]
    if len(found) > _LISTED:
        lines.append(f"  {len(found) - _LISTED} more: sleepd lessons --all")
    return lines


def _unverdicted(found: Sequence[TriedLesson]) -> dict[str, list[Lesson]]:
    """The lessons that nothing judges, by the reason."""
    by_reason: dict[str, list[Lesson]] = {}
    for one in found:
        if not _verdicts(one):
            by_reason.setdefault(_unread(one.lesson, "ID"), []).append(one.lesson)
    return by_reason


def judged_json(found: Sequence[TriedLesson]) -> list[Plain]:
    """The same for a program."""
    return [
        {
            "id": one.lesson.id,
            "text": one.lesson.text,
            "judged": "gates" if any(found.gates for found in _verdicts(one)) else "observed",
            "why": "; ".join(_judged(one)),
            "checks": [_tested_json(tested) for tested in one.checks],
        }
        for one in found
    ]


def _verdicts(one: TriedLesson) -> list[Validity]:
    return [*(tested.validity for tested in one.checks), *([one.rubric] if one.rubric is not None else [])]


def _unread(one: Lesson, name: str) -> str:
    """Why no judge model has said anything about a lesson, which is called `name`."""
    if not any(signal.kind in _YOURS for signal in one.signals):
        return "no judge model can read it either: it rests on failing calls alone, and on no word of yours"
    return f"a judge model may read your exchanges for it: sleepd lessons judge {name}"


def _judged(tried: TriedLesson) -> list[str]:
    lines = []
    if tried.rubric is not None:
        lines.append(f"{tried.rubric.word}: {tried.rubric.why}")
    elif not tried.checks:
        lines.append(
            f"observed: no call and no edit tells whether it was kept; {_unread(tried.lesson, tried.lesson.id[:6])}"
        )
    for tested in tried.checks:
        lines.append(f"{tested.validity.word}: {tested.validity.why}")
        if not isinstance(tested.result, NotJudged):
            broken = f"broken in {_share(tested.result.broken)} of {report.count(tested.result.applies, 'exchange')}"
            short = f"; not worth replaying yet: {'; '.join(tested.short_of)}" if tested.short_of else ""
            lines.append(broken + short)
    return lines


def _sentence(check: LessonCheck) -> str:
    """A check as a person says it: long patterns have a name."""
    return (
        check.sentence.replace(f"a test ({TEST_FILES})", "a test")
        .replace(f"code ({CODE_FILES})", "code")
        .replace(CODE_FILES, "code")
    )


def _tested(tested: TriedCheck) -> list[str]:
    """What the history says of a check, in sentences."""
    result = tested.result
    if isinstance(result, NotJudged):
        return [f"{tested.validity.word}: {tested.validity.why}"]
    exchanges = report.count(result.episodes, "exchange")
    lines = [f"applied in {result.applies} of {exchanges}; broken in {_share(result.broken)}"]
    lines.append(f"flags {_share(result.recall)} of the moments that you corrected for it")
    lines.append(f"flags {_share(result.false_alarms)} of the moments that you let pass")
    if (odds := result.odds) is not None:
        lines.append(
            f"a correction is {odds.ratio:.1f} times as likely after a breach [{odds.low:.1f}, {odds.high:.1f}], "
            f"p = {odds.p:.2f}"
        )
    lines.append("not worth replaying yet: " + "; ".join(tested.short_of) if tested.short_of else "worth replaying")
    return [f"{tested.validity.word}: {tested.validity.why}", *lines]


def _share(part: Proportion) -> str:
    if part.value is None or part.low is None or part.high is None:
        return "none"
    return f"{part.value:.0%} [{part.low:.0%}, {part.high:.0%}]"


def _proportion_json(part: Proportion) -> Plain:
    return {"of": part.of, "value": part.value, "low": part.low, "high": part.high}


def _tested_json(tested: TriedCheck) -> Plain:
    result = tested.result
    plain: Plain = {
        "check": behaviour.written(tested.check),
        "sentence": _sentence(tested.check),
        "judged": report.validity_json(tested.validity),
    }
    if isinstance(result, NotJudged):
        return {**plain, "not_judged": result.reason}
    return {
        **plain,
        "applies": result.applies,
        "broken": _proportion_json(result.broken),
        "recall": _proportion_json(result.recall),
        "false_alarms": _proportion_json(result.false_alarms),
        "worth_trying": not tested.short_of,
        "short_of": list(tested.short_of),
    }


def _quoted(quote: Quote, text: str, when: str = "%Y-%m-%d") -> str:
    """The time of a quote, if known, and its text; the person's own words in quotation marks."""
    at = f"{quote.at:{when}}  " if quote.at is not None else ""
    return f'{at}"{text}"' if quote.own else f"{at}{text}"


def lesson_json(one: Lesson, tried: TriedLesson | None = None) -> Plain:
    """The documented, stable form of a lesson; with its checks over the history, where they were tried."""
    return {
        "id": one.id,
        "text": one.text,
        "about": one.about,
        "scope": one.scope.value,
        "project": one.project,
        "state": one.state.value,
        "why": one.why,
        "parent": one.parent,
        "seen": one.seen,
        "written_down": one.written_down,
        "sessions": len(one.sessions),
        "needed_again": one.needed_again,
        "cost": {
            "turns": one.cost.turns,
            "calls": one.cost.calls,
            "minutes": one.cost.minutes,
            "tokens": one.cost.tokens,
        },
        "quotes": [
            {
                "session": native(q.session),
                "turn": q.turn,
                "text": q.text,
                "at": q.at.isoformat() if q.at is not None else None,
                "own": q.own,
            }
            for q in one.quotes
        ],
        "signals": [
            {"kind": s.kind.value, "session": native(s.session), "turn": s.turn, "probability": round(s.probability, 3)}
            for s in one.signals
        ],
        "checks": [_tested_json(tested) for tested in tried.checks] if tried is not None else [],
        "rubric": report.validity_json(tried.rubric) if tried is not None else None,
        "wordings": [{"text": w.text, "except": w.exception, "by": w.by.value} for w in one.wordings],
        "proof": "observed",
    }


def episodes_json(found: Sequence[EpisodeWithAct], lessons: Sequence[Lesson]) -> list[Plain]:
    """The documented, stable form of episodes: one for each thing that was said to the agent."""
    seen: dict[str, list[str]] = {}
    for one in lessons:
        for signal in one.signals:
            kinds = seen.setdefault(signal.turn, [])
            if signal.kind.value not in kinds:
                kinds.append(signal.kind.value)
    return [
        {
            "session": native(one.episode.session),
            "turn": one.episode.turn,
            "agent": one.episode.agent,
            "project": one.episode.project,
            "at": one.episode.at.isoformat() if one.episode.at is not None else None,
            "source": one.episode.source.value,
            "own": one.episode.source.own,
            "act": one.judged.act.value,
            "probability": round(one.judged.probability, 3),
            "correction": round(one.judged.correction, 3),
            "read": one.judged.read,
            "signals": sorted({*seen.get(one.episode.turn, []), *_signals(one)}),
            "cluster": one.cluster,
            "calls": len(one.episode.calls),
            "edits": len(one.episode.edits),
            "minutes": round(one.episode.minutes, 2) if one.episode.minutes is not None else None,
            "tokens": asdict(one.episode.tokens) if one.episode.tokens != Tokens() else None,
        }
        for one in found
    ]


def _signals(one: EpisodeWithAct) -> list[str]:
    """What the episode alone shows, whether it comes back or not."""
    found = [one.judged.act.value] if one.judged.act in (Act.CORRECTION, Act.REFINEMENT, Act.EVIDENCE) else []
    if any(call.denied and not call.denial and call.command for call in one.episode.calls):
        found.append(SignalKind.DENIAL.value)
    if any(call.failed for call in one.episode.calls):
        found.append(SignalKind.FAILURE.value)
    if "undone" in one.judged.signs:
        found.append(SignalKind.UNDONE.value)
    return found


def episodes_text(found: Sequence[EpisodeWithAct]) -> str:
    """One line for each turn of the person: day, act with its probability, first words."""
    rows = [
        f"{one.episode.at:%Y-%m-%d %H:%M}  {one.judged.act:<10} {one.judged.probability:.2f}  "
        f"{clipped(flat(one.episode.text), 90)}"
        for one in found
        if one.episode.at is not None and one.episode.source.own
    ]
    return "\n".join(rows) if rows else "No session of yours is stored yet; read them first: sleepd harvest"


def native(session: str) -> str:
    """The transcript's own id of a session."""
    return session.split(":", 1)[-1]
