"""How a task looks: one task whole, and past tasks near to a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sleepd.store.tasks import StoredTask
from sleepd.views import report
from sleepd.views.report import Plain

_REQUEST_WIDTH = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A past task near to a text."""

    stored: StoredTask
    similarity: float
    """Cosine of the combined vectors, at most 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NearLesson:
    """A lesson near to a text."""

    id: str
    text: str
    sessions: int
    """In which it was needed."""
    similarity: float
    """As of `Near`."""


def task_text(stored: StoredTask) -> str:
    """One task whole: request, each answer with its outcome, checks."""
    t = stored.task
    head = report.facts(
        {
            "task": t.id,
            "session": t.session_id,
            "project": t.project or "unknown",
            "at": report.moment(t.at),
            "cluster": stored.cluster or "none",
            "kind of work": stored.kind or "none",
            "side": (stored.split.value if stored.split is not None else "–")
            + (" (not used: a copy of it is sealed)" if stored.retired else ""),
            "skill": t.skill or "none",
        }
    )
    parts = [head, f"\nrequest:\n{_indented(t.request)}"]
    for number, attempt in enumerate(t.attempts, 1):
        why = ", ".join(e.value for e in attempt.evidence) or "no evidence"
        parts.append(f"\nanswer {number}, {attempt.outcome.value} ({why}):\n{_indented(attempt.answer)}")
        if attempt.reaction:
            parts.append(f"the user then said:\n{_indented(attempt.reaction)}")
    listed = [f"  {c.kind.value}: {report.clean(c.value)}" for c in (*stored.checks, *stored.observed)] or ["  none"]
    if stored.validity is not None:
        listed.append(f"  {stored.validity.word}: {stored.validity.why}")
    checks = "\n".join(listed)
    return "\n".join([*parts, f"\nchecks{' (edited by you)' if stored.reviewed else ''}:\n{checks}"])


def near_json(found: Sequence[Near]) -> list[Plain]:
    return [
        {
            "task": n.stored.task.id,
            "similarity": n.similarity,
            "request": n.stored.task.request,
            "outcome": _outcome(n.stored),
            "asked_again": n.stored.task.friction,
            "session": n.stored.task.session_id,
            "at": report.iso(n.stored.task.at),
            "accepted": n.stored.task.accepted.answer if n.stored.task.accepted is not None else None,
        }
        for n in found
    ]


def near_lessons_json(found: Sequence[NearLesson]) -> list[Plain]:
    return [{"lesson": n.id, "similarity": n.similarity, "text": n.text, "sessions": n.sessions} for n in found]


def near_lessons_text(found: Sequence[NearLesson]) -> str:
    if not found:
        return "no lesson is near to this; all of them: sleepd lessons"
    return "\n".join(
        f"{n.similarity:.2f}  {n.id[:6]}  in {report.count(n.sessions, 'session')}: {n.text}" for n in found
    )


def near_text(found: Sequence[Near], lessons: Sequence[NearLesson] = ()) -> str:
    """The nearest tasks, kept and asked for again, and the lessons that may hold for them."""
    if not found:
        return "no past task yet; sleepd harvest and sleepd mine find them"
    rows = [
        [
            f"{n.similarity:.2f}",
            task.id[:8],
            _outcome(n.stored),
            task.friction,
            report.short(task.request, _REQUEST_WIDTH),
        ]
        for n in found
        for task in (n.stored.task,)
    ]
    text = report.table(["nearness", "task", "outcome", "asked again", "request"], rows, cut="request")
    return f"{text}\n\nlessons:\n{near_lessons_text(lessons)}" if lessons else text


def _outcome(stored: StoredTask) -> str:
    attempts = stored.task.attempts
    return attempts[-1].outcome.value if attempts else "unknown"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in report.clean(text).splitlines()) or "  (empty)"
