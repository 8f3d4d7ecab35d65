"""Candidates with their pairs, what became of them, and the journal of what was written to skill files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, Row, Select, func, insert, select, update
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core.evidence import Given
from sleepd.core.experiment import CandidateEnding, Decision
from sleepd.core.model import (
    Candidate,
    CandidateOrigin,
    Digest,
    Edit,
    EditOp,
    Pair,
    Purpose,
    Replay,
    RunId,
    SkillTarget,
    TaskId,
    Verdict,
)
from sleepd.store import runs
from sleepd.store import schema as t


class Status(StrEnum):
    """Where a proposal stands."""

    WAITING = "waiting"
    QUARANTINED = "quarantined"
    ADOPTED = "adopted"
    REJECTED = "rejected"
    REVERTED = "reverted"
    SUPERSEDED = "superseded"
    """A later one for the same file took its place, or the file changed so that it does not fit any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An accepted candidate and what a person has to know to judge it."""

    id: Digest
    """The candidate's."""
    night_id: str
    status: Status
    findings: tuple[str, ...]
    """Why it was quarantined: `rule: why`, one each; empty when it was not."""
    diff: str
    sessions: tuple[str, ...]
    """The sessions that taught it."""
    sealed_count: int
    sealed_before: float | None
    sealed_after: float | None
    why: str | None = None
    """What the person said when rejecting it, or what took its place."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A candidate with the state of its experiment."""

    candidate: Candidate
    run: RunId
    """The run in which it started."""
    nights: int
    """Nights in which it drew pairs."""
    evidence: float | None
    counter_evidence: float | None
    effect: float | None
    sessions: tuple[str, ...]
    """The sessions that taught it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """One write to a skill file, with the bytes to undo it."""

    number: int
    proposal_id: Digest
    path: str
    before: bytes | None
    """None: the file was not there."""
    after: bytes
    proven: bool
    """The text written is the text that was gated."""
    folders: tuple[str, ...]
    """Folders that had to be made."""
    state: str
    """`intended` before the write, `written` after it: a crash in between is seen."""
    at: datetime
    reverted_at: datetime | None


def start(connection: Connection, candidate: Candidate, run: RunId, sessions: Sequence[str] = ()) -> Trial:
    """Enter a candidate, or find it again: its index and level never change once given.

    `sessions` are those that taught it.
    """
    target = candidate.target
    row = {
        "id": candidate.id,
        "number": candidate.index,
        "alpha": candidate.alpha,
        "stated": candidate.stated,
        "agent": target.agent,
        "name": target.name,
        "path": target.path,
        "project": target.project,
        "description": target.description,
        "base": candidate.base,
        "text": candidate.text,
        "edits": json.dumps([asdict(edit) for edit in candidate.edits]),
        "tasks": json.dumps(candidate.tasks),
        "model": candidate.model,
        "verdict": candidate.verdict.value,
        "reason": candidate.reason,
        "origin": candidate.origin.value,
        "margin": candidate.margin,
    } | {"nights": 1, "sessions": json.dumps(list(sessions))}
    row |= runs.columns(connection, run)
    connection.execute(upsert(t.candidates).values(row).on_conflict_do_nothing(index_elements=["id"]))
    return trial(connection, candidate.id)


def trial(connection: Connection, id_: Digest) -> Trial:
    """Raises `NoResultFound` for an unknown id."""
    return _trial(connection.execute(_trials().where(t.candidates.c.id == id_)).one())


def known(connection: Connection, id_: Digest) -> Trial | None:
    """The candidate with this id; None for an unknown one."""
    row = connection.execute(_trials().where(t.candidates.c.id == id_)).one_or_none()
    return None if row is None else _trial(row)


def trials(connection: Connection, *conditions: ColumnElement[bool]) -> tuple[Trial, ...]:
    """Candidates in the order of their indices."""
    query = _trials().where(*conditions).order_by(t.candidates.c.number)
    return tuple(_trial(row) for row in connection.execute(query))


def for_target(connection: Connection, path: str) -> tuple[Trial, ...]:
    """All candidates there ever were for one file."""
    return trials(connection, t.candidates.c.path == path)


def of_run(connection: Connection, run_id: str) -> tuple[Trial, ...]:
    """The candidates that were started in one run."""
    return trials(connection, t.candidates.c.run_id == run_id)


def given(connection: Connection) -> Given:
    """The places that this database has given away: the account may know of more."""
    c = t.candidates.c
    highest = select(
        func.coalesce(func.max(c.number), 0),
        func.coalesce(func.max(c.stated), 0),
        func.coalesce(func.max(c.number).filter(c.stated.is_(None)), 0),
    )
    candidates, stated, unshared = connection.execute(highest).one()
    return Given(candidates=candidates, stated=stated, unshared=unshared)


def acceptances(connection: Connection) -> int:
    """How many candidates crossed so far: the discoveries of the account.

    What the paper's rules accepted has no evidence, and would only raise the levels of those that follow.
    """
    c = t.candidates.c
    query = select(func.count()).where(c.verdict == Verdict.ACCEPTED.value, c.evidence > 0)
    return int(connection.execute(query).scalar_one())


def decide(connection: Connection, id_: Digest, decision: Decision, nights: int) -> None:
    """Write down the state of a candidate's experiment."""
    statement = (
        update(t.candidates)
        .where(t.candidates.c.id == id_)
        .values(
            verdict=decision.verdict.value,
            reason=decision.reason,
            evidence=decision.evidence,
            counter_evidence=decision.counter_evidence,
            effect=decision.effect,
            nights=nights,
        )
    )
    connection.execute(statement)


def end(connection: Connection, id_: Digest, ending: CandidateEnding) -> None:
    """End a candidate, whatever its evidence."""
    values = {"verdict": ending.verdict.value, "reason": ending.reason}
    connection.execute(update(t.candidates).where(t.candidates.c.id == id_).values(values))


def on_base(connection: Connection, base: Digest, model: str) -> tuple[Trial, ...]:
    """All candidates that were compared with one text under one model, and are about the model as it is now."""
    c = t.candidates.c
    return trials(connection, c.base == base, c.model == model, c.invalidated_by == 0)


def accepted_for(connection: Connection, path: str, model: str) -> tuple[Trial, ...]:
    """All candidates for one file that were accepted under one model, and are about the model as it is now."""
    c = t.candidates.c
    accepted = c.verdict == Verdict.ACCEPTED.value
    return trials(connection, c.path == path, c.model == model, accepted, c.invalidated_by == 0)


def invalidate(connection: Connection, id_: Digest, change: int) -> None:
    """Mark a candidate as measured before the model changed."""
    connection.execute(update(t.candidates).where(t.candidates.c.id == id_).values(invalidated_by=change))


def save_pairs(connection: Connection, id_: Digest, pairs: Sequence[Pair], run: RunId) -> None:
    """Keep a candidate's pairs, drawn in a run; one that is there already stays."""
    if pairs:
        drawn_in = runs.columns(connection, run)
        rows = [{"candidate_id": id_, **drawn_in, **asdict(pair)} for pair in pairs]
        connection.execute(upsert(t.pairs).on_conflict_do_nothing(), rows)


def pairs(connection: Connection, id_: Digest) -> tuple[Pair, ...]:
    """The candidate's pairs in the order of their draws, those of the confirmation round last."""
    c = t.pairs.c
    in_order = (c.purpose == Purpose.CONFIRMATION.value, c.ordinal)
    rows = connection.execute(select(t.pairs).where(c.candidate_id == id_).order_by(*in_order))
    return tuple(
        Pair(
            purpose=Purpose(r.purpose),
            ordinal=r.ordinal,
            replay=Replay(r.replay),
            task_id=TaskId(r.task_id),
            own=r.own,
            candidate=r.candidate,
            baseline=r.baseline,
            baseline_low=r.baseline_low,
            baseline_high=r.baseline_high,
        )
        for r in rows
    )


def drawn(connection: Connection, run: RunId, *ids: Digest) -> int:
    """How many pairs a run has drawn so far, for these candidates, or without any named for all."""
    query = select(func.count()).where(runs.made_in(t.pairs, run))
    if ids:
        query = query.where(t.pairs.c.candidate_id.in_(ids))
    return int(connection.execute(query).scalar_one())


def drawn_on(connection: Connection, run: RunId, path: str) -> int:
    """How many pairs a run has drawn so far for the candidates of one file."""
    joined = t.pairs.join(t.candidates, t.pairs.c.candidate_id == t.candidates.c.id)
    query = select(func.count()).select_from(joined).where(runs.made_in(t.pairs, run), t.candidates.c.path == path)
    return int(connection.execute(query).scalar_one())


def drawn_in(connection: Connection, id_: Digest) -> frozenset[tuple[str, int]]:
    """The runs in which a candidate drew pairs, as id and step."""
    rows = connection.execute(select(t.pairs.c.run_id, t.pairs.c.step).where(t.pairs.c.candidate_id == id_).distinct())
    return frozenset((row.run_id, row.step) for row in rows)


def numbers_drawn(connection: Connection, id_: Digest) -> dict[str, list[int]]:
    """Run id -> the numbers of the candidate's scheduled pairs that it drew, rising."""
    c = t.pairs.c
    mine = (c.candidate_id == id_, c.purpose == Purpose.CANDIDATE.value)
    found: dict[str, list[int]] = {}
    for row in connection.execute(select(c.run_id, c.ordinal).where(*mine).order_by(c.ordinal)):
        found.setdefault(row.run_id, []).append(row.ordinal)
    return found


def unstaged(connection: Connection, path: str) -> tuple[Trial, ...]:
    """The accepted candidates for one file that no proposal was made of yet."""
    made = select(t.proposals.c.id)
    c = t.candidates.c
    return trials(connection, c.path == path, c.verdict == Verdict.ACCEPTED.value, c.id.not_in(made))


def stage(connection: Connection, proposal: Proposal) -> None:
    """Enter a proposal; one that is there already keeps its status."""
    row = {
        "id": proposal.id,
        "night_id": proposal.night_id,
        "status": proposal.status.value,
        "findings": json.dumps(proposal.findings),
        "diff": proposal.diff,
        "sessions": json.dumps(proposal.sessions),
        "sealed_count": proposal.sealed_count,
        "sealed_before": proposal.sealed_before,
        "sealed_after": proposal.sealed_after,
        "why": proposal.why,
    }
    connection.execute(upsert(t.proposals).values(row).on_conflict_do_nothing())


def proposals(connection: Connection, status: Status | None = None) -> tuple[Proposal, ...]:
    """Proposals in the order of their candidates' indices."""
    query = select(t.proposals).join(t.candidates, t.candidates.c.id == t.proposals.c.id)
    if status is not None:
        query = query.where(t.proposals.c.status == status.value)
    return tuple(
        Proposal(
            id=Digest(row.id),
            night_id=row.night_id,
            status=Status(row.status),
            findings=tuple(json.loads(row.findings)),
            diff=row.diff,
            sessions=tuple(json.loads(row.sessions)),
            sealed_count=row.sealed_count,
            sealed_before=row.sealed_before,
            sealed_after=row.sealed_after,
            why=row.why,
        )
        for row in connection.execute(query.order_by(t.candidates.c.number))
    )


def set_status(connection: Connection, id_: Digest, status: Status, why: str | None = None) -> None:
    change: dict[str, object] = {"status": status.value}
    if why is not None:
        change["why"] = why
    connection.execute(update(t.proposals).where(t.proposals.c.id == id_).values(change))


def supersede(connection: Connection, id_: Digest, why: str) -> None:
    """End a proposal that still waits; one that a person decided on meanwhile stays as it is."""
    still = (t.proposals.c.id == id_, t.proposals.c.status == Status.WAITING.value)
    change = {"status": Status.SUPERSEDED.value, "why": why}
    connection.execute(update(t.proposals).where(*still).values(change))


def intend(connection: Connection, adoption: Adoption) -> int:
    """Journal a write before it is done; returns its number."""
    row = {
        "proposal_id": adoption.proposal_id,
        "path": adoption.path,
        "before": adoption.before,
        "after": adoption.after,
        "proven": adoption.proven,
        "folders": json.dumps(adoption.folders),
        "state": "intended",
        "at": adoption.at,
    }
    done = connection.execute(insert(t.adoptions).values(row))
    return int(done.inserted_primary_key[0]) if done.inserted_primary_key else 0


def written(connection: Connection, adoption: Adoption) -> None:
    values = {"state": "written", "folders": json.dumps(adoption.folders)}
    connection.execute(update(t.adoptions).where(t.adoptions.c.number == adoption.number).values(values))


def forget(connection: Connection, number: int) -> None:
    """Take an intended write back that did not happen."""
    connection.execute(t.adoptions.delete().where(t.adoptions.c.number == number, t.adoptions.c.state == "intended"))


def reverted(connection: Connection, number: int, at: datetime) -> None:
    connection.execute(update(t.adoptions).where(t.adoptions.c.number == number).values(reverted_at=at))


def adoptions(connection: Connection, *, standing: bool = False) -> tuple[Adoption, ...]:
    """The journal, oldest first; `standing` leaves out what was reverted."""
    query = select(t.adoptions).order_by(t.adoptions.c.number)
    if standing:
        query = query.where(t.adoptions.c.reverted_at.is_(None))
    return tuple(
        Adoption(
            number=row.number,
            proposal_id=Digest(row.proposal_id),
            path=row.path,
            before=row.before,
            after=row.after,
            proven=row.proven,
            folders=tuple(json.loads(row.folders)),
            state=row.state,
            at=row.at,
            reverted_at=row.reverted_at,
        )
        for row in connection.execute(query)
    )


def _trials() -> Select[tuple[object, ...]]:
    """Candidates with the kind of their run, and the run that found their model changed."""
    c = t.candidates.c
    columns = select(t.candidates, t.runs.c.kind, t.model_changes.c.run_id.label("invalidated_in"))
    changes = t.model_changes.c.number == c.invalidated_by
    return columns.outerjoin(t.runs, t.runs.c.id == c.run_id).outerjoin(t.model_changes, changes)


def _trial(row: Row[tuple[object, ...]]) -> Trial:
    edits = tuple(replace(Edit(**edit), op=EditOp(edit["op"])) for edit in json.loads(row.edits))
    candidate = Candidate(
        id=Digest(row.id),
        index=row.number,
        alpha=row.alpha,
        stated=row.stated,
        target=SkillTarget(
            agent=row.agent, name=row.name, path=row.path, project=row.project, description=row.description
        ),
        base=Digest(row.base),
        text=Digest(row.text),
        edits=edits,
        tasks=tuple(TaskId(i) for i in json.loads(row.tasks)),
        model=row.model,
        invalidated_in=row.invalidated_in,
        verdict=Verdict(row.verdict),
        reason=row.reason,
        origin=CandidateOrigin(row.origin),
        margin=row.margin,
    )
    return Trial(
        candidate=candidate,
        run=runs.run_of(row, row.kind),
        nights=row.nights,
        evidence=row.evidence,
        counter_evidence=row.counter_evidence,
        effect=row.effect,
        sessions=tuple(json.loads(row.sessions)),
    )
