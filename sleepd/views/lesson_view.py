"""Lessons and episodes as a person and a program read them."""

from __future__ import annotations

from collections.abc import Sequence

from sleepd.core.lesson import EpisodeWithAct, Lesson, LessonBook, LessonState, Quote
from sleepd.core.signal import SignalKind
from sleepd.views.report import Plain

_QUOTES_LISTED = 2
_QUOTE_WIDTH = 150
_GLANCE = 8
_LISTED = 10
_HIDDEN = (LessonState.REJECTED, LessonState.SUPERSEDED, LessonState.RETIRED)


def book_text(found: LessonBook, *, everything: bool) -> str:
    """The lessons, worth most first: how often, the rule, the person's own words, the cost."""
    shown = [one for one in found.lessons if everything or one.state not in _HIDDEN]
    read = f"{_count(found.sessions, 'session')} with {_count(found.turns, 'turn')} of yours were read"
    if not found.sessions:
        return "No session of yours is stored yet; read them first: sleepd harvest"
    if not shown:
        return f"No lesson yet: {read}.\n{_nearest(found)}"
    rows = shown if everything else shown[:_LISTED]
    parts = [f"{_count(len(shown), 'lesson')}: {read}.", ""]
    for one in rows:
        parts += [_listed(one, found.sessions), ""]
    if len(rows) < len(shown):
        parts.append(f"{len(shown) - len(rows)} more: sleepd lessons --all")
    parts.append("Whole: sleepd lessons show ID. Adopt one now, on your own word: sleepd lessons write ID.")
    return "\n".join(parts)


def _nearest(found: LessonBook) -> str:
    if found.nearest is None:
        return "Nothing came back in a second session so far."
    sessions = len({signal.session for signal in found.nearest.signals})
    return (
        f"The nearest one was seen in {_count(sessions, 'session')} and needs more: {found.nearest.text}\n"
        f'  "{_clipped(" ".join(found.nearest.signals[-1].text.split()))}"'
    )


def _listed(one: Lesson, sessions: int) -> str:
    mark = "" if one.state is LessonState.NEW else f"  [{one.state}]"
    lines = [
        f"{one.id[:6]}  in {len(one.sessions)} of {_count(sessions, 'session')}, {_cost(one)}{mark}",
        f"  {one.text}",
    ]
    lines += [f"  {_said(quote)}" for quote in _telling(one.quotes)]
    if one.written_down:
        lines.append(f"  Written down and still needed: {one.written_down}")
    if one.state is LessonState.CONFLICTING:
        lines.append(f"  Conflict: {one.why}. Drop the one that does not hold.")
    return "\n".join(lines)


def _telling(quotes: Sequence[Quote]) -> list[Quote]:
    """The person's own words before failed calls, of a length that can be read at a glance; the newest ones."""
    order = sorted(quotes, key=lambda q: (not q.own, len(q.text) > _QUOTE_WIDTH, len(q.text) < _GLANCE))
    return sorted(order[:_QUOTES_LISTED], key=quotes.index)


def _cost(one: Lesson) -> str:
    parts = [_count(one.cost.turns, "turn")] if one.cost.turns else []
    parts += [_count(one.cost.calls, "call")] if one.cost.calls else []
    parts += [f"{one.cost.minutes:.0f} min"] if one.cost.minutes >= 1 else []
    return "cost " + ", ".join(parts) if parts else "no cost known"


def _said(quote: Quote) -> str:
    when = f"{quote.at:%Y-%m-%d}  " if quote.at is not None else ""
    return f'{when}"{_clipped(quote.text)}"' if quote.own else f"{when}{_clipped(quote.text)}"


def lesson_text(one: Lesson) -> str:
    """One lesson whole: each quote with its place."""
    where = f"in {one.project}" if one.project else "in several projects"
    lines = [
        one.text,
        "",
        f"id {one.id}, {one.state}{f' ({one.why})' if one.why else ''}; {where}",
        f"needed in {_count(len(one.sessions), 'session')}, again in {one.needed_again} after the first; {_cost(one)}",
        f"seen as {', '.join(one.kinds)}{f': {one.seen}' if one.seen else ''}",
        "grade of proof: observed (your history alone; nothing was replayed)",
    ]
    if one.written_down:
        lines.append(f"written down and still needed: {one.written_down}; reword that line")
    lines += ["", "Your words and the failed calls, oldest first:"]
    for quote in one.quotes:
        lines += [f"  {_said_whole(quote)}", f"    session {native(quote.session)}, turn {quote.turn}"]
    return "\n".join(lines)


def _said_whole(quote: Quote) -> str:
    when = f"{quote.at:%Y-%m-%d %H:%M}  " if quote.at is not None else ""
    return f'{when}"{quote.text}"' if quote.own else f"{when}{quote.text}"


def lesson_json(one: Lesson) -> Plain:
    """The documented, stable form of a lesson."""
    return {
        "id": one.id,
        "text": one.text,
        "about": one.about,
        "scope": one.scope.value,
        "project": one.project,
        "state": one.state.value,
        "why": one.why,
        "seen": one.seen,
        "written_down": one.written_down,
        "sessions": len(one.sessions),
        "needed_again": one.needed_again,
        "cost": {"turns": one.cost.turns, "calls": one.cost.calls, "minutes": one.cost.minutes},
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
        "checks": [],
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
            "signals": sorted({*seen.get(one.episode.turn, []), *_signals(one)}),
            "cluster": one.cluster,
            "calls": len(one.episode.calls),
            "edits": len(one.episode.edits),
            "minutes": round(one.episode.minutes, 2) if one.episode.minutes is not None else None,
        }
        for one in found
    ]


def _signals(one: EpisodeWithAct) -> list[str]:
    """What the episode alone shows, whether it comes back or not."""
    kinds = {"correction": SignalKind.CORRECTION, "refinement": SignalKind.REFINEMENT, "evidence": SignalKind.EVIDENCE}
    found = [kinds[one.judged.act.value].value] if one.judged.act.value in kinds else []
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
