"""What a person decided edit by edit, the branches that texts wait on, and who taught them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core.model import Digest
from sleepd.store import schema as t


class EditChoice(StrEnum):
    """What a person made of one edit."""

    ACCEPTED = "accepted"
    REWORDED = "reworded"
    """Accepted in the person's own words."""
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class EditDecision:
    """A person's decision on one edit of a proposal; the last one counts."""

    proposal_id: Digest
    edit_id: Digest
    decision: EditChoice
    text: str | None = None
    """The rule in the person's words, when it was reworded."""
    why: str | None = None
    """The person's reason, when it was rejected."""
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalBranch:
    """A proposal's text committed on a branch, waiting to be merged."""

    proposal_id: Digest
    repository: str
    """The folder the repository's files stand in."""
    name: str
    commit: str
    text: Digest
    """Of the whole file as it was committed, in the line endings of the working tree."""
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Teacher:
    """A session that taught a proposal."""

    session: str
    agent: str | None = None
    title: str | None = None
    """What the agent called it, else the first thing that was asked in it."""
    project: str | None = None
    started_at: datetime | None = None


def decide(connection: Connection, decision: EditDecision) -> None:
    """Write a decision down; an earlier one on the same edit is replaced."""
    row = asdict(decision)
    statement = upsert(t.edit_decisions).values(row)
    later = {name: row[name] for name in ("decision", "text", "why", "at")}
    connection.execute(statement.on_conflict_do_update(index_elements=["proposal_id", "edit_id"], set_=later))


def decisions(connection: Connection, proposal_id: Digest) -> dict[Digest, EditDecision]:
    """What was decided on a proposal's edits so far, by edit."""
    query = select(t.edit_decisions).where(t.edit_decisions.c.proposal_id == proposal_id)
    found = (
        EditDecision(
            proposal_id=Digest(row.proposal_id),
            edit_id=Digest(row.edit_id),
            decision=EditChoice(row.decision),
            text=row.text,
            why=row.why,
            at=row.at,
        )
        for row in connection.execute(query.order_by(t.edit_decisions.c.at))
    )
    return {one.edit_id: one for one in found}


def put_on_branch(connection: Connection, branch: ProposalBranch) -> None:
    """Write down where a proposal's text was committed; the last place counts."""
    row = asdict(branch)
    later = {name: row[name] for name in ("repository", "name", "commit", "text", "at")}
    statement = upsert(t.branches).values(row)
    connection.execute(statement.on_conflict_do_update(index_elements=["proposal_id"], set_=later))


def on_branch(connection: Connection, proposal_id: Digest) -> ProposalBranch | None:
    """The branch a proposal was committed on; None when it was not."""
    row = connection.execute(select(t.branches).where(t.branches.c.proposal_id == proposal_id)).one_or_none()
    if row is None:
        return None
    return ProposalBranch(
        proposal_id=Digest(row.proposal_id),
        repository=row.repository,
        name=row.name,
        commit=row.commit,
        text=Digest(row.text),
        at=row.at,
    )


def teachers(connection: Connection, sessions: Sequence[str]) -> tuple[Teacher, ...]:
    """The sessions, newest first; one that was forgotten since has its id alone and comes last."""
    s = t.sessions.c
    rows = connection.execute(select(s.id, s.agent, s.title, s.project, s.started_at).where(s.id.in_(sessions)))
    asked = select(t.tasks.c.session_id, t.tasks.c.request).where(t.tasks.c.session_id.in_(sessions))
    first: dict[str, str] = {}
    for row in connection.execute(asked.order_by(t.tasks.c.at, t.tasks.c.id)):
        first.setdefault(row.session_id, row.request)
    known = {
        row.id: Teacher(
            session=row.id,
            agent=row.agent,
            title=row.title or first.get(row.id),
            project=row.project,
            started_at=row.started_at,
        )
        for row in rows
    }
    found = [known.get(session) or Teacher(session=session) for session in sessions]
    return tuple(sorted(found, key=lambda one: -one.started_at.timestamp() if one.started_at else 0.0))
