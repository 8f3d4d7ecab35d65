"""The output of `sleepd proposals`. Like that of `sleepd status`, it imports no database library."""

from __future__ import annotations

from collections.abc import Sequence

from sleepd.store.listing import ListedProposal
from sleepd.views import report

_SHORT_ID = 8
_CHANGE_WIDTH = 100


def as_text(found: Sequence[ListedProposal], *, everything: bool) -> str:
    """A row for each, and below why some were set aside."""
    if not found:
        return "no proposal yet" if everything else "nothing waits for you; --all lists earlier proposals"
    rows = []
    for one in found:
        gain = f"{one.sealed_count} sealed tasks: {report.sealed_words(one.sealed_before, one.sealed_after)}"
        on_branch = one.branch is not None and one.status == "waiting"
        status = f"{one.status}, on branch {one.branch}" if on_branch else one.status
        status += f", {one.doubt}" if one.doubt is not None else ""
        rows.append([one.id[:_SHORT_ID], status, one.skill, gain, report.short("; ".join(one.edits), _CHANGE_WIDTH)])
    text = report.table(["proposal", "status", "skill", f"before and after ({report.MODE})", "change"], rows)
    unsafe = [f"{one.id[:_SHORT_ID]}: {report.clean(finding)}" for one in found for finding in one.findings]
    return text + ("\n\nset aside as unsafe:\n  " + "\n  ".join(unsafe) if unsafe else "")
