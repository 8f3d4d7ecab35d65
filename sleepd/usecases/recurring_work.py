"""The recurring work for the user: clusters with their figures, one task whole, the nearest past tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sleepd.core import recall
from sleepd.core.check import in_order
from sleepd.core.errors import UsageError
from sleepd.core.model import ClusterId, Split, TaskId
from sleepd.core.ports import Embedder
from sleepd.pipeline.mine import clusters, vectors_of
from sleepd.store import tasks
from sleepd.store.database import Database
from sleepd.store.tasks import StoredTask
from sleepd.views import report
from sleepd.views.report import Plain

_REQUEST_WIDTH = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurring:
    """One cluster of recurring work."""

    cluster: ClusterId
    project: str
    request: str
    """Its oldest task's."""
    tasks: tuple[StoredTask, ...]
    sessions: int
    friction: int
    """How often the user had to ask again, over all its tasks."""
    by_split: dict[Split, int]
    """Checkable tasks on each side."""
    checks: int
    """Different checks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A past task near to a text."""

    stored: StoredTask
    similarity: float
    """Cosine of the combined vectors, at most 1."""


def recurring(database: Database, min_sessions: int) -> tuple[Recurring, ...]:
    """The clusters that span enough sessions, those that cost the user most first."""
    with database.reading() as connection:
        everything = tasks.load(connection)
    found = [_recurring(id_, members) for id_, members in clusters(everything, min_sessions).items()]
    return tuple(sorted(found, key=lambda r: (-r.friction, -r.sessions, r.cluster)))


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
        pool = tasks.load(connection)
    if not pool:
        return ()
    vectors, _ = vectors_of(database, embedder, [*(s.task.request for s in pool), text])
    rows = np.ascontiguousarray(vectors[:-1])
    by_id = {s.task.id: s for s in pool}
    found = recall.nearest(vectors[-1], [s.task.id for s in pool], rows, k)
    return tuple(Near(stored=by_id[id_], similarity=similarity) for id_, similarity in found)


def _recurring(id_: ClusterId, members: Sequence[StoredTask]) -> Recurring:
    return Recurring(
        cluster=id_,
        project=members[0].task.project,
        request=members[0].task.request,
        tasks=tuple(members),
        sessions=len({s.task.session_id for s in members}),
        friction=sum(s.task.friction for s in members),
        by_split=Counter(s.split for s in members if s.usable and s.split is not None),
        checks=len({c for s in members for c in s.checks}),
    )


# How it looks -------------------------------------------------------------------------------------------------------


def clusters_json(found: Sequence[Recurring]) -> list[Plain]:
    return [
        {
            "cluster": r.cluster,
            "project": r.project,
            "request": r.request,
            "tasks": len(r.tasks),
            "sessions": r.sessions,
            "friction": r.friction,
            "checkable": {split.value: r.by_split.get(split, 0) for split in Split},
            "checks": [
                {"kind": c.kind.value, "value": c.value} for c in in_order(c for s in r.tasks for c in s.checks)
            ],
            "task_ids": [s.task.id for s in r.tasks],
        }
        for r in found
    ]


def clusters_text(found: Sequence[Recurring], *, with_tasks: bool) -> str:
    if not found:
        return "no recurring work yet; sleepd harvest and sleepd mine find it"
    headings = ["cluster", "tasks", "sessions", "asked again", "train", "val", "test", "checks", "work"]
    rows: list[list[object]] = []
    for r in found:
        sides = [r.by_split.get(split, 0) for split in Split]
        request = report.short(r.request, _REQUEST_WIDTH)
        rows.append([r.cluster[:8], len(r.tasks), r.sessions, r.friction, *sides, r.checks, request])
    text = report.table(headings, rows, cut="work")
    if with_tasks:
        text += "\n\n" + report.table(
            ["task", "cluster", "side", "asked again", "request"], _task_rows(found), cut="request"
        )
    return text + "\n\ntrain, val and test count checkable tasks; test stays sealed"


def _task_rows(found: Sequence[Recurring]) -> list[list[object]]:
    return [
        [s.task.id[:8], r.cluster[:8], _side(s), s.task.friction, report.short(s.task.request, _REQUEST_WIDTH)]
        for r in found
        for s in r.tasks
    ]


def _side(stored: StoredTask) -> str:
    return stored.split.value if stored.split is not None else "–"


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
            "side": _side(stored) + (" (not used: a copy of it is sealed)" if stored.retired else ""),
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
    rows = [[f"{n.similarity:.2f}", *_near_cells(n.stored)] for n in found]
    return report.table(["nearness", "task", "outcome", "asked again", "request"], rows, cut="request")


def _near_cells(stored: StoredTask) -> list[object]:
    return [
        stored.task.id[:8],
        _outcome(stored),
        stored.task.friction,
        report.short(stored.task.request, _REQUEST_WIDTH),
    ]


def _outcome(stored: StoredTask) -> str:
    attempts = stored.task.attempts
    return attempts[-1].outcome.value if attempts else "unknown"


def _indented(text: str) -> str:
    return "\n".join(f"  {line}" for line in report.clean(text).splitlines()) or "  (empty)"
