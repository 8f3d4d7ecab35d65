"""How the kinds of recurring work look in a list, with their figures. `task_view` shows single tasks."""

from __future__ import annotations

from collections.abc import Sequence

from sleepd.core.excess import MIN_SESSIONS
from sleepd.core.model import ClusterId, Split
from sleepd.store.recurring import Member, Page, Recurring
from sleepd.views import report
from sleepd.views.report import Plain

_REQUEST_WIDTH = 60


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
