"""A person's decisions on proposals: adopt, reject, revert. One at a time, for the command and for agents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from sleepd import compose
from sleepd.core.errors import Conflict, UsageError
from sleepd.core.model import Edit, digest
from sleepd.core.redact import redact
from sleepd.host import clock, locks
from sleepd.pipeline import adopt as writing
from sleepd.pipeline import choose
from sleepd.pipeline.adopt import Intended, WriteResult
from sleepd.settings import config
from sleepd.settings.places import Places
from sleepd.skills import files, targets
from sleepd.store import proposals, reviews, rollouts
from sleepd.store.database import Database
from sleepd.store.proposals import Proposal, Status
from sleepd.store.reviews import EditChoice, EditDecision, ProposalBranch
from sleepd.usecases import branch
from sleepd.views import report
from sleepd.views.branch_commit import BranchCommit

_LOCK_WAIT_S = 30.0
_DIGEST_LENGTH = 12
_WHY_CHARS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """The result for each proposal that was to be adopted."""

    written: tuple[WriteResult, ...]
    conflicts: tuple[str, ...]
    """One line for each that the user's own change was in the way of; those files are untouched."""


def waiting(database: Database, ids: Sequence[str], *, everything: bool) -> tuple[Proposal, ...]:
    """The proposals meant: those whose ids begin like these, or all that wait.

    Raises `UsageError` for an id that names none or several, and for one that was set aside: the rule is named.
    """
    if not ids and not everything:
        raise UsageError("say which: give ids, or --all; `sleepd proposals` lists them")
    if everything:
        with database.reading() as connection:
            return proposals.proposals(connection, Status.WAITING)
    found = [writing.find(database, id_, tuple(Status)) for id_ in ids]
    for proposal in found:
        if proposal.status is Status.QUARANTINED:
            why = "; ".join(proposal.findings)
            raise UsageError(f"proposal {proposal.id[:8]} was set aside as unsafe and is not adopted: {why}")
        if proposal.status not in writing.ADOPTABLE:
            raise UsageError(
                f"proposal {proposal.id[:8]} is {proposal.status} already; only waiting proposals can be adopted"
            )
    return tuple(dict.fromkeys(found))


def shown_digest(database: Database, proposal: Proposal, numbers: Sequence[int] = ()) -> str:
    """12 hex digits over what a person judges: the file's path, the wanted text, the file's present content, and how
    often texts were written to it and taken back. So a digest is good for one decision: after an adoption and a revert
    the file is as it was, but the digest is another one. `numbers` are the chosen edits; default: all that were not
    rejected. Raises `Conflict` when the file is no text, `UsageError` when these edits
    cannot be written.
    """
    seen = writing.intended(database, proposal, numbers)
    stands = ("absent",) if seen.live is None else ("there", seen.live.text)
    path = seen.trial.candidate.target.path
    with database.reading() as connection:
        journal = [entry for entry in proposals.adoptions(connection) if entry.path == path]
    decided = len(journal) + sum(entry.reverted_at is not None for entry in journal)
    return digest(path, seen.base, seen.wanted, *stands, str(decided))[:_DIGEST_LENGTH]


def adopt(
    places: Places, database: Database, ids: Sequence[str], *, everything: bool, shown: str | None = None
) -> Adopted:
    """Write proposals to their files. One that conflicts does not keep the others from being written.

    `shown` is the digest of the one proposal that a person looked at; raises `UsageError` when the proposal or its file
    changed since.
    """
    written: list[WriteResult] = []
    conflicts: list[str] = []
    with locks.adoption(places, _LOCK_WAIT_S):
        chosen = waiting(database, ids, everything=everything)
        if shown is not None:
            check_shown(database, chosen, shown)
        for proposal in chosen:
            try:
                written.append(writing.adopt(database, proposal, compose.surroundings(), clock.now()))
            except Conflict as error:
                conflicts.append(f"{proposal.id[:8]}: {error}")
    logger = structlog.get_logger()
    for one in written:
        logger.info("adoption.written", proposal=one.proposal.id, path=one.path, proven=one.proven)
    return Adopted(written=tuple(written), conflicts=tuple(conflicts))


def check_shown(database: Database, chosen: Sequence[Proposal], shown: str) -> None:
    """Raises `UsageError` unless this is one proposal and its digest is `shown`."""
    given = shown.strip().lower()
    if len(chosen) != 1:
        raise UsageError("a digest belongs to one proposal; adopt them one by one, each with its own")
    if given != shown_digest(database, chosen[0]):
        raise UsageError(
            f"{given[:_DIGEST_LENGTH]!r} is not the digest of proposal {chosen[0].id[:8]} now: the proposal or its "
            "file changed since it was shown; show it to the person again"
        )


def adopt_edits(
    places: Places, database: Database, id_: str, numbers: Sequence[int], *, shown: str | None = None
) -> WriteResult:
    """Write only some edits of one proposal to its file: this text was not gated, so it is "unproven".

    `shown` is the digest of the proposal, or of this choice. Raises `UsageError` and `Conflict` as `adopt` does.
    """
    with locks.adoption(places, _LOCK_WAIT_S):
        (proposal,) = waiting(database, [id_], everything=False)
        _check_choice(database, proposal, numbers, shown)
        now = clock.now()
        written = writing.adopt(database, proposal, compose.surroundings(), now, tuple(numbers))
        for number in numbers:
            # Store that an edit was written; its wording stays as it was.
            edit = _edit(database, proposal, number)
            with database.writing() as connection:
                known = reviews.decisions(connection, proposal.id).get(edit.id)
                if known is None or known.decision is EditChoice.REJECTED:
                    accepted = EditDecision(
                        proposal_id=proposal.id, edit_id=edit.id, decision=EditChoice.ACCEPTED, at=now
                    )
                    reviews.decide(connection, accepted)
    logger = structlog.get_logger()
    logger.info("adoption.written", proposal=proposal.id, path=written.path, proven=written.proven)
    return written


def reject(places: Places, database: Database, id_: str, why: str, numbers: Sequence[int] = ()) -> Proposal:
    """Reject a proposal, or its edits with these numbers; later reflections see the reason.

    A proposal that was set aside or superseded may be rejected as well. When no edit is left, the whole proposal is
    rejected. Raises `UsageError` for a reason without a word.
    """
    said = reason(why)
    with locks.adoption(places, _LOCK_WAIT_S):
        proposal = writing.find(database, id_, (Status.WAITING, Status.QUARANTINED, Status.SUPERSEDED))
        for number in numbers:
            _edit(database, proposal, number)  # all of them are there, before the first is decided on
        for number in numbers:
            decide(database, proposal, number, EditChoice.REJECTED, said)
        if not numbers or not _left(database, proposal):
            writing.reject(database, proposal, said)
    logger = structlog.get_logger()
    logger.info("proposal.rejected", proposal=proposal.id, edits=list(numbers))
    return proposal


def reason(why: str) -> str:
    """The reason as it is kept: one line, redacted. Raises `UsageError` when there is not a word in it."""
    # What was typed in another encoding arrives as lone surrogates, which no database takes.
    plain = " ".join(why.encode("utf-8", "replace").decode().split())
    if not any(map(str.isalnum, plain)):
        raise UsageError("say why in a few words, such as 'CI runs the tests': later reflections learn from them")
    return redact(plain, _WHY_CHARS).text


def put_on_branch(
    places: Places, database: Database, id_: str, numbers: Sequence[int] = (), *, shown: str | None = None
) -> tuple[Proposal, BranchCommit]:
    """Commit a proposal, or some edits of it, on a branch `sleepd/<id>` and leave its file unchanged; the proposal
    keeps waiting.

    `shown` is as for `adopt_edits`. Raises `UsageError` and `Conflict` as `branch.commit` and `adopt` do.
    """
    with locks.adoption(places, _LOCK_WAIT_S):
        proposal = writing.find(database, id_, (Status.WAITING,))
        _check_choice(database, proposal, numbers, shown)
        seen = writing.intended(database, proposal, numbers)
        if not seen.plan.changes:
            raise UsageError(f"nothing is left to commit: `sleepd adopt {proposal.id[:8]}` marks it as adopted")
        check_place(seen)
        path = Path(seen.trial.candidate.target.path)
        with database.reading() as connection:
            before = reviews.on_branch(connection, proposal.id)
        # The commit message: the rules, the reasons, and the evidence.
        trial, candidate = seen.trial, seen.trial.candidate
        measured = seen.wanted == seen.gated
        first = seen.edits[0] if seen.edits else None
        title = f"{candidate.target.name}: {first.text or f'drop {first.anchor}'}" if first else candidate.target.name
        reasons = [f"- {e.op} {e.text or e.anchor}" + f"\n  because {e.reason}" * bool(e.reason) for e in seen.edits]
        figures = f"Evidence {report.evidence(trial.evidence, candidate.alpha)} needed"
        if trial.effect is not None:
            figures += f", {trial.effect:+.2f} on average"
        unproven = "" if measured else "\nA choice among these edits was made; the text as a whole was not measured."
        unproven += f"\n{candidate.doubt[0].upper()}{candidate.doubt[1:]}." if candidate.doubt is not None else ""
        body = "\n".join(
            [report.short(title, 72), "", *reasons, "", f"{figures}.{unproven}", "", f"Sleepd-Proposal: {proposal.id}"]
        )
        text = branch.Text(
            path=path,
            base=seen.base,
            wanted=seen.wanted,
            message=report.clean(body) + "\n",
            branch=f"sleepd/{proposal.id[:8]}",
            ours=before.commit if before is not None else None,
        )
        done = branch.commit(branch.holding(path, config.git_env()), text)
        with database.writing() as connection:
            on_branch = ProposalBranch(
                proposal_id=proposal.id,
                repository=str(done.repository),
                name=done.branch,
                commit=done.commit,
                text=rollouts.put_text(connection, done.text),
                at=clock.now(),
            )
            reviews.put_on_branch(connection, on_branch)
    logger = structlog.get_logger()
    logger.info("proposal.committed", proposal=proposal.id, branch=done.branch, commit=done.commit)
    return proposal, done


def check_pull_request(database: Database, proposal: Proposal) -> None:
    """Raises the `UsageError` of `branch.check_pull_request` for the proposal's file."""
    with database.reading() as connection:
        path = proposals.trial(connection, proposal.id).candidate.target.path
    branch.check_pull_request(Path(path), config.git_env())


def check_place(seen: Intended) -> None:
    """Raises the `Conflict` that writing to this place would raise, whatever the text: a link, a folder, a twin."""
    target, around = seen.trial.candidate.target, compose.surroundings()
    files.check(Path(target.path), root=targets.write_root(target, around.home, around.env))


def decide(database: Database, proposal: Proposal, number: int, choice: EditChoice, words: str | None = None) -> None:
    """Store a person's decision on one edit: `words` are the reason of a rejection, or the rule reworded.

    Raises `UsageError` when there is no such edit, when the proposal does not wait any more, or when the rule so
    reworded cannot be written.
    """
    writing.find(database, proposal.id, (Status.WAITING, Status.QUARANTINED, Status.SUPERSEDED))
    edit = _edit(database, proposal, number)
    decision = EditDecision(
        proposal_id=proposal.id,
        edit_id=edit.id,
        decision=choice,
        text=words if choice is EditChoice.REWORDED else None,
        why=words if choice is EditChoice.REJECTED else None,
        at=clock.now(),
    )
    if choice is EditChoice.REWORDED:
        writing.check_wording(database, proposal, replace(edit, text=words or ""))
    with database.writing() as connection:
        reviews.decide(connection, decision)


def _check_choice(database: Database, proposal: Proposal, numbers: Sequence[int], shown: str | None) -> None:
    """That `shown` is the digest of the proposal, or of this choice of its edits."""
    if shown is not None and shown.strip().lower() != shown_digest(database, proposal, numbers):
        check_shown(database, (proposal,), shown)


def _edit(database: Database, proposal: Proposal, number: int) -> Edit:
    with database.reading() as connection:
        candidate = proposals.trial(connection, proposal.id).candidate
    choose.chosen(candidate, {}, (number,))
    return candidate.edits[number - 1]


def _left(database: Database, proposal: Proposal) -> bool:
    """Whether an edit is left that was not turned down."""
    with database.reading() as connection:
        edits = proposals.trial(connection, proposal.id).candidate.edits
        decided = reviews.decisions(connection, proposal.id)
    return any(e.id not in decided or decided[e.id].decision is not EditChoice.REJECTED for e in edits)


def revert(places: Places, database: Database, id_: str | None, *, shown: str | None = None) -> WriteResult:
    """Undo the newest adoption, or that of one proposal. Raises `Conflict` when later changes are in the way.

    `shown` is as for `adopt`.
    """
    with locks.adoption(places, _LOCK_WAIT_S):
        adoption = writing.last_adoption(database, id_)
        if shown is not None:
            check_shown(database, (writing.find(database, adoption.proposal_id, (Status.ADOPTED,)),), shown)
        written = writing.revert(database, adoption, compose.surroundings(), clock.now())
    logger = structlog.get_logger()
    logger.info("adoption.reverted", proposal=written.proposal.id, path=written.path, exact=written.proven)
    return written
