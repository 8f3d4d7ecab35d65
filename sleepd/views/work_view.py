"""How the kinds of recurring work look in a list, with their figures. `task_view` shows single tasks."""

from __future__ import annotations

from collections.abc import Sequence

from sleepd.core.model import ClusterId, Split
from sleepd.core.validity import YOURS, Validity, observed
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
            "observed_checks": [{"kind": c.kind.value, "value": c.value} for c in r.observed],
            "judged": report.validity_json(_verdict(r)),
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
    text += f"\n\n{more}train, val and test count tasks with a gating check; test stays sealed"
    return "\n".join([text, *_excess_lines(page.found), *_judged_lines(page.found)])


_LISTED = 10


def _verdict(one: Recurring) -> Validity:
    if one.validity is not None and one.validity.gates:
        return one.validity
    if one.own_checks:
        return YOURS
    return one.validity if one.validity is not None else observed("not searched for checks yet: sleepd mine")


def _judged_lines(found: Sequence[Recurring]) -> list[str]:
    """By what each work that was ever corrected can be judged, and why; works with one verdict on one line."""
    by_verdict: dict[str, list[Recurring]] = {}
    for r in found:
        if r.checks or r.observed or r.friction:
            verdict = _verdict(r)
            by_verdict.setdefault(f"{verdict.word}: {verdict.why}", []).append(r)
    lines = []
    for said, some in by_verdict.items():
        more = f" and {len(some) - _LISTED} more" if len(some) > _LISTED else ""
        lines.append(f"{', '.join(r.kind[:8] for r in some[:_LISTED])}{more}: {said}")
        lines += [f"  {r.kind[:8]}  observed {c.kind.value}: {report.clean(c.value)}" for r in some for c in r.observed]
    return ["", *lines] if lines else []


def _excess_lines(found: Sequence[Recurring]) -> list[str]:
    """What the search for checks found, beside the same search in labels that mean nothing; [] where nothing was."""
    if not any(r.excess.wordings for r in found):
        return []
    mined, shuffled = sum(r.excess.found for r in found), sum(r.excess.by_chance for r in found)
    proven = sum(r.excess.proven for r in found)
    return [
        f"wordings that go with kept answers: {mined} mined, shuffled labels give {shuffled:.1f}; "
        + (f"{proven} beat chance" if proven else "none beats chance")
    ]


def _by_kind(members: Sequence[Member]) -> dict[ClusterId, list[Member]]:
    found: dict[ClusterId, list[Member]] = {}
    for member in members:
        found.setdefault(member.kind, []).append(member)
    return found
