"""The proposals in a list, without SQLAlchemy: a glance at them takes no longer than a glance at the status."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from sleepd.core.model import before_the_change
from sleepd.store.overview import edit_words, glance


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedProposal:
    """A proposal as a list shows it: what to look at, and nothing that says that somebody looked."""

    id: str
    night: str
    status: str
    """As `sleepd.store.proposals.Status`."""
    skill: str
    path: str
    branch: str | None
    """The branch that the text waits on."""
    sealed_count: int
    sealed_before: float | None
    sealed_after: float | None
    edits: tuple[str, ...]
    findings: tuple[str, ...]
    """Why it was set aside as unsafe."""
    doubt: str | None
    """What became of its proof; None while it is about the model as it is."""


def proposals(path: Path, *, everything: bool) -> tuple[ListedProposal, ...]:
    """The proposals that need a person, or all there ever were, in the order of their candidates.

    None where there is no database; none is made. Raises as `overview.glance` does.
    """
    if not path.exists():
        return ()
    query = (
        "SELECT p.*, c.name AS skill, c.path, c.edits, b.name AS branch, "
        "CASE WHEN c.verdict = 'accepted' THEN m.run_id END AS changed_in FROM proposals p "
        "JOIN candidates c ON c.id = p.id LEFT JOIN branches b ON b.proposal_id = p.id "
        "LEFT JOIN model_changes m ON m.number = c.invalidated_by "
        "WHERE ? OR p.status IN ('waiting', 'quarantined') ORDER BY c.number"
    )
    rows = glance(path, lambda connection: connection.execute(query, (everything,)).fetchall())
    return tuple(
        ListedProposal(
            id=row["id"],
            night=row["night_id"],
            status=row["status"],
            skill=row["skill"],
            path=row["path"],
            branch=row["branch"],
            sealed_count=row["sealed_count"],
            sealed_before=row["sealed_before"],
            sealed_after=row["sealed_after"],
            edits=edit_words(row["edits"]),
            findings=tuple(json.loads(row["findings"])),
            doubt=before_the_change(row["changed_in"]) if row["changed_in"] is not None else None,
        )
        for row in rows
    )
