"""The recurring work for the user: kinds of work with their figures, one task whole, the nearest past tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sleepd.core import recall
from sleepd.core.chance import MIN_SESSIONS
from sleepd.core.errors import UsageError
from sleepd.core.model import ClusterId, Split, TaskId
from sleepd.core.ports import Embedder
from sleepd.pipeline.mine import half_vectors_of, vectors_of
from sleepd.store import tasks
from sleepd.store.database import Database
from sleepd.store.recurring import Member, Page, Recurring
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


def task(database: Database, prefix: str) -> StoredTask:
    """The one task whose id begins with `prefix`. Raises `UsageError` for none or several."""
    with database.reading() as connection:
        fitting = [s for s in tasks.load(connection) if s.task.id.startswith(prefix)]
    if len(fitting) != 1:
        why = "no task has" if not fitting else f"{len(fitting)} tasks have"
        raise UsageError(f"{why} an id that begins with {prefix!r}; `sleepd tasks list --all` lists them")
    return fitting[0]


def drop(database: Database, prefix: str) -> TaskId:
    """Forget a task for good. Raises as `task` does."""
    found = task(database, prefix)
    with database.writing() as connection:
        tasks.drop(connection, found.task.id)
    return found.task.id


def nearest(database: Database, embedder: Embedder, text: str, k: int) -> tuple[Near, ...]:
    """The `k` past tasks nearest to a text, most similar first."""
    with database.reading() as connection:
        pool = tasks.load_requests(connection)
    if not pool:
        return ()
    query, _ = vectors_of(database, embedder, [text])
    vectors = half_vectors_of(database, embedder, [request for _, request in pool])
    found = recall.nearest(query[0], [id_ for id_, _ in pool], vectors, k)
    with database.reading() as connection:
        by_id = {s.task.id: s for s in tasks.load(connection, [id_ for id_, _ in found])}
    return tuple(Near(stored=by_id[id_], similarity=similarity) for id_, similarity in found)


# How it looks -------------------------------------------------------------------------------------------------------


def kinds_json(page: Page, members: Sequence[Member]) -> list[Plain]:
    by_kind = _by_kind(members)
    return [
        {
            "cluster": r.kind,
            "name": r.name,
            "project": r.project,
            "request": r.request,
            "tasks": r.tasks,
            "sessions": r.sessions,
            "friction": r.friction,
            "checkable": {split.value: r.by_split[split] for split in Split},
            "checks": [{"kind": c.kind.value, "value": c.value} for c in r.checks],
            "task_ids": [m.task for m in by_kind.get(r.kind, [])],
            "wordings": {
                "corrected_sessions": r.excess.corrected_sessions,
                "tried": r.excess.wordings,
                "found": r.excess.found,
                "found_in_shuffled_labels": round(r.excess.by_chance, 2),
                "beat_chance": r.excess.proven,
            },
        }
        for r in page.found
    ]


def kinds_text(page: Page, members: Sequence[Member]) -> str:
    """`members` are listed in a second table, if there are any."""
    if not page.total:
        return "no recurring work yet; sleepd harvest and sleepd mine find it"
    if not page.found:
        return f"there are {page.total} kinds of recurring work; this page begins after the last"
    headings = ["kind", "tasks", "sessions", "asked again", "train", "val", "test", "checks", "work"]
    rows: list[list[object]] = []
    for r in page.found:
        sides = [r.by_split[split] for split in Split]
        work = report.short(r.name or r.request, _REQUEST_WIDTH)
        rows.append([r.kind[:8], r.tasks, r.sessions, r.friction, *sides, len(r.checks), work])
    text = report.table(headings, rows, cut="work")
    if members:
        listed = [
            [m.task[:8], m.kind[:8], m.split or "–", m.friction, report.short(m.request, _REQUEST_WIDTH)]
            for members_ in map(_by_kind(members).get, (r.kind for r in page.found))
            for m in members_ or ()
        ]
        text += "\n\n" + report.table(["task", "kind", "side", "asked again", "request"], listed, cut="request")
    last = page.first - 1 + len(page.found)
    more = "" if last == page.total and page.first == 1 else f"{page.first} to {last} of {page.total} kinds of work; "
    return f"{text}\n\n{more}train, val and test count checkable tasks; test stays sealed\n{_excess_text(page.found)}"


def _excess_text(found: Sequence[Recurring]) -> str:
    """What the search for checks found, beside the same search in labels that mean nothing."""
    if not any(r.excess.wordings for r in found):
        return (
            "observed, cannot be judged yet: no wording differs between rejected and kept answers in "
            f"{MIN_SESSIONS} sessions of one work"
        )
    mined, shuffled = sum(r.excess.found for r in found), sum(r.excess.by_chance for r in found)
    proven = sum(r.excess.proven for r in found)
    return f"wordings that go with kept answers: {mined} mined, shuffled labels give {shuffled:.1f}; " + (
        f"{proven} beat chance" if proven else "none beats chance: observed, cannot be judged yet"
    )


def _by_kind(members: Sequence[Member]) -> dict[ClusterId, list[Member]]:
    found: dict[ClusterId, list[Member]] = {}
    for member in members:
        found.setdefault(member.kind, []).append(member)
    return found


def task_text(stored: StoredTask) -> str:
    """One task whole: request, each answer with its outcome, checks."""
    t = stored.task
    side = stored.split.value if stored.split is not None else "–"
    head = report.facts(
        {
            "task": t.id,
            "session": t.session_id,
            "project": t.project or "unknown",
            "at": report.moment(t.at),
            "cluster": stored.cluster or "none",
            "kind of work": stored.kind or "none",
            "side": side + (" (not used: a copy of it is sealed)" if stored.retired else ""),
            "skill": t.skill or "none",
        }
    )
    parts = [head, f"\nrequest:\n{_indented(t.request)}"]
    for number, attempt in enumerate(t.attempts, 1):
        why = ", ".join(e.value for e in attempt.evidence) or "no evidence"
        parts.append(f"\nanswer {number}, {attempt.outcome.value} ({why}):\n{_indented(attempt.answer)}")
        if attempt.reaction:
            parts.append(f"the user then said:\n{_indented(attempt.reaction)}")
    checks = "\n".join(f"  {c.kind.value}: {report.clean(c.value)}" for c in stored.checks) or "  none"
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


def near_text(found: Sequence[Near]) -> str:
    if not found:
        return "no past task yet; sleepd harvest and sleepd mine find them"
    rows = [
        [f"{n.similarity:.2f}", t.id[:8], _outcome(n.stored), t.friction, report.short(t.request, _REQUEST_WIDTH)]
        for n in found
        for t in [n.stored.task]
    ]
    return report.table(["nearness", "task", "outcome", "asked again", "request"], rows, cut="request")


def _outcome(stored: StoredTask) -> str:
    attempts = stored.task.attempts
    return attempts[-1].outcome.value if attempts else "unknown"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in report.clean(text).splitlines()) or "  (empty)"
