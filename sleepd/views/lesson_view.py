"""Lessons and episodes as a person and a program read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from harvesters.records import Tokens
from sleepd.core import behaviour
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
from sleepd.core.signal import SignalKind
from sleepd.core.written_rules import TriedRule
from sleepd.views.report import Plain

_QUOTES_LISTED = 2
_QUOTE_WIDTH = 150
_GLANCE = 8
_LISTED = 10


def book_text(found: LessonBook, *, everything: bool) -> str:
    """The lessons, worth most first: how often, the rule, the person's own words, the cost."""
    hidden = (LessonState.REJECTED, LessonState.SPLIT, LessonState.RETIRED)
    shown = [one for one in found.lessons if everything or one.state not in hidden]
    retired = sum(one.state is LessonState.RETIRED for one in found.lessons) if not everything else 0
    read = f"{_count(found.sessions, 'session')} with {_count(found.turns, 'turn')} of yours were read"
    if not found.sessions:
        return "No session of yours is stored yet; read them first: sleepd harvest"
    if not shown and retired:
        return f"No lesson is needed any more: {read}.\n{_retired(retired)}"
    if not shown:
        return f"No lesson yet: {read}.\n{_nearest(found)}"
    rows = shown if everything else shown[:_LISTED]
    parts = [f"{_count(len(shown), 'lesson')}: {read}.", ""]
    for one in rows:
        mark = "" if one.state is LessonState.NEW else f"  [{one.state}]"
        lines = [
            f"{one.id[:6]}  in {len(one.sessions)} of {_count(found.sessions, 'session')}, {_cost(one)}{mark}",
            f"  {one.text}",
        ]
        lines += [f"  {_said(quote)}" for quote in _telling(one.quotes)]
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
    return f"{_count(number, 'lesson')} retired, not needed for long: sleepd lessons --all"


def _nearest(found: LessonBook) -> str:
    if found.nearest is None:
        return "Nothing came back in a second session so far."
    sessions = len({signal.session for signal in found.nearest.signals})
    return (
        f"The nearest one was seen in {_count(sessions, 'session')} and needs more: {found.nearest.text}\n"
        f'  "{_clipped(" ".join(found.nearest.signals[-1].text.split()))}"'
    )


def _worded_by_model(one: Lesson) -> list[Wording]:
    """The model's texts that are not the lesson's own text already."""
    texts = [wording for wording in one.wordings if wording.by is Author.MODEL]
    return [wording for wording in texts if f"{wording.text} {wording.exception}".strip() != one.text]


def _telling(quotes: Sequence[Quote]) -> list[Quote]:
    """The person's own words before failed calls, of a length that can be read at a glance; the newest ones."""
    order = sorted(quotes, key=lambda q: (not q.own, len(q.text) > _QUOTE_WIDTH, len(q.text) < _GLANCE))
    return sorted(order[:_QUOTES_LISTED], key=quotes.index)


def _cost(one: Lesson) -> str:
    parts = [_count(one.cost.turns, "turn")] if one.cost.turns else []
    parts += [_count(one.cost.calls, "call")] if one.cost.calls else []
    parts += [f"{one.cost.minutes:.0f} min"] if one.cost.minutes >= 1 else []
    parts += [f"{_thousands(one.cost.tokens)} tokens"] if one.cost.tokens else []
    return "cost " + ", ".join(parts) if parts else "no cost known"


def _thousands(number: int) -> str:
    """`640`, `12k`, `1.2M`."""
    if number < 1_000:
        return str(number)
    return f"{number / 1_000:.0f}k" if number < 999_500 else f"{number / 1_000_000:.1f}M"


def _said(quote: Quote) -> str:
    when = f"{quote.at:%Y-%m-%d}  " if quote.at is not None else ""
    return f'{when}"{_clipped(quote.text)}"' if quote.own else f"{when}{_clipped(quote.text)}"


def lesson_text(tried: TriedLesson) -> str:
    """One lesson whole: its checks over the history, and each quote with its place."""
    one = tried.lesson
    where = f"in {one.project}" if one.project else "in several projects"
    lines = [
        one.text,
        "",
        f"id {one.id}, {one.state}{f' ({one.why})' if one.why else ''}; {where}",
        f"needed in {_count(len(one.sessions), 'session')}, again in {one.needed_again} after the first; {_cost(one)}",
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
    lines += ["", "Your words and the failed calls, oldest first:"]
    for quote in one.quotes:
        lines += [f"  {_said_whole(quote)}", f"    session {native(quote.session)}, turn {quote.turn}"]
    return "\n".join(lines)


def rules_text(found: Sequence[TriedRule]) -> str:
    """How well the rules in the person's own files are kept."""
    if not found:
        return "No line of your AGENTS.md or CLAUDE.md files names a command that your sessions could be held against."
    lines = []
    for one in found:
        lines += [f"{one.path}:{one.rule.line.number}: {one.rule.line.text}", f"  read as: {_sentence(one.rule.check)}"]
        lines.append(f"  broken in {_share(one.result.broken)} of {_count(one.result.applies, 'exchange')}")
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


def observed_lines(found: Sequence[TriedLesson]) -> list[str]:
    """The lessons for which a night does nothing, with the reason of each."""
    if not found:
        return ["no lesson yet: sleepd lessons says how far the nearest one is"]
    counted = _count(len(found), "lesson")
    lines = [
        f"{counted}, observed only: a night replays answers, not calls and edits; adopt one: sleepd lessons write ID"
    ]
    lines += [
        f"  {tried.lesson.id[:6]}  {tried.lesson.text}\n          {_why_observed(tried)}" for tried in found[:_LISTED]
    ]
    if len(found) > _LISTED:
        lines.append(f"  {len(found) - _LISTED} more: sleepd lessons --all")
    return lines


def observed_json(found: Sequence[TriedLesson]) -> list[Plain]:
    """The same for a program."""
    return [
        {"id": one.lesson.id, "text": one.lesson.text, "judged": "observed", "why": _why_observed(one)} for one in found
    ]


def _why_observed(tried: TriedLesson) -> str:
    if not tried.checks:
        return "no check of what an agent does tells whether the rule was kept"
    first = tried.checks[0]
    if isinstance(first.result, NotJudged):
        return first.result.reason
    broken = f"its check: broken in {_share(first.result.broken)} of {_count(first.result.applies, 'exchange')}"
    return f"{broken}; not worth replaying yet: {'; '.join(first.short_of)}" if first.short_of else broken


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
        return [result.reason]
    lines = [f"applied in {result.applies} of {_count(result.episodes, 'exchange')}; broken in {_share(result.broken)}"]
    lines.append(f"flags {_share(result.recall)} of the moments that you corrected for it")
    lines.append(f"flags {_share(result.false_alarms)} of the moments that you let pass")
    if (odds := result.odds) is not None:
        lines.append(
            f"a correction is {odds.ratio:.1f} times as likely after a breach [{odds.low:.1f}, {odds.high:.1f}], "
            f"p = {odds.p:.2f}"
        )
    lines.append("not worth replaying yet: " + "; ".join(tested.short_of) if tested.short_of else "worth replaying")
    return lines


def _share(part: Proportion) -> str:
    if part.value is None or part.low is None or part.high is None:
        return "none"
    return f"{part.value:.0%} [{part.low:.0%}, {part.high:.0%}]"


def _proportion_json(part: Proportion) -> Plain:
    return {"of": part.of, "value": part.value, "low": part.low, "high": part.high}


def _tested_json(tested: TriedCheck) -> Plain:
    result = tested.result
    plain: Plain = {"check": behaviour.written(tested.check), "sentence": _sentence(tested.check)}
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


def _said_whole(quote: Quote) -> str:
    when = f"{quote.at:%Y-%m-%d %H:%M}  " if quote.at is not None else ""
    return f'{when}"{quote.text}"' if quote.own else f"{when}{quote.text}"


def lesson_json(one: Lesson, checks: Sequence[TriedCheck] = ()) -> Plain:
    """The documented, stable form of a lesson; `checks` are its checks over the history, where they were tried."""
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
        "checks": [_tested_json(tested) for tested in checks],
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
        f"{_clipped(' '.join(one.episode.text.split()), 90)}"
        for one in found
        if one.episode.at is not None and one.episode.source.own
    ]
    return "\n".join(rows) if rows else "No session of yours is stored yet; read them first: sleepd harvest"


def native(session: str) -> str:
    """The transcript's own id of a session."""
    return session.split(":", 1)[-1]


def _clipped(text: str, width: int = _QUOTE_WIDTH) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
