"""A person's decisions on proposals: adopt, reject, revert. One at a time, whoever asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from sleepd.app import clock, compose, locks
from sleepd.app.places import Places
from sleepd.core.errors import Conflict, UsageError
from sleepd.core.model import digest
from sleepd.pipeline import adopt as writing
from sleepd.pipeline.adopt import Written
from sleepd.store import proposals
from sleepd.store.database import Database
from sleepd.store.proposals import Proposal, Status

_LOCK_WAIT_S = 30.0
_DIGEST_LENGTH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Adopted:
    """What became of the proposals that were to be adopted."""

    written: tuple[Written, ...]
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
            raise UsageError(f"proposal {proposal.id[:8]} is {proposal.status} already; only waiting ones are adopted")
    return tuple(dict.fromkeys(found))


def shown_digest(database: Database, proposal: Proposal) -> str:
    """12 hex digits over what a person judges: the file's path, the text that was gated, and what stands there now.

    Another digest later means that something else would be written than what was shown. Raises `Conflict` when the
    file is no text.
    """
    seen = writing.intended(database, proposal)
    stands = ("absent",) if seen.live is None else ("there", seen.live.text)
    return digest(seen.trial.candidate.target.path, seen.base, seen.gated, *stands)[:_DIGEST_LENGTH]


def adopt(
    places: Places, database: Database, ids: Sequence[str], *, everything: bool, shown: str | None = None
) -> Adopted:
    """Write proposals to their files. One that conflicts does not keep the others from being written.

    `shown` is the digest of the one proposal that a person looked at; raises `UsageError` when it, or its file, is not
    what was shown.
    """
    written: list[Written] = []
    conflicts: list[str] = []
    with locks.adoption(places, _LOCK_WAIT_S):
        chosen = waiting(database, ids, everything=everything)
        if shown is not None:
            _check_shown(database, chosen, shown)
        for proposal in chosen:
            try:
                written.append(writing.adopt(database, proposal, compose.surroundings(), clock.now()))
            except Conflict as error:
                conflicts.append(f"{proposal.id[:8]}: {error}")
    logger = structlog.get_logger()
    for one in written:
        logger.info("adoption.written", proposal=one.proposal.id, path=one.path, proven=one.proven)
    return Adopted(written=tuple(written), conflicts=tuple(conflicts))


def _check_shown(database: Database, chosen: Sequence[Proposal], shown: str) -> None:
    given = shown.strip().lower()
    if len(chosen) != 1:
        raise UsageError("a digest belongs to one proposal; adopt them one by one, each with its own")
    if given != shown_digest(database, chosen[0]):
        raise UsageError(
            f"{given[:_DIGEST_LENGTH]!r} is not the digest of proposal {chosen[0].id[:8]} as it stands now: it, or its "
            "file, is not what was shown; show it to the person again"
        )


def reject(places: Places, database: Database, id_: str, why: str) -> Proposal:
    """Turn a proposal down, with the reason; one that was set aside may be turned down as well."""
    with locks.adoption(places, _LOCK_WAIT_S):
        proposal = writing.find(database, id_, (Status.WAITING, Status.QUARANTINED))
        writing.reject(database, proposal, why)
    logger = structlog.get_logger()
    logger.info("proposal.rejected", proposal=proposal.id)
    return proposal


def revert(places: Places, database: Database, id_: str | None, *, shown: str | None = None) -> Written:
    """Undo the newest adoption, or that of one proposal. Raises `Conflict` when later changes are in the way.

    `shown` is as for `adopt`.
    """
    with locks.adoption(places, _LOCK_WAIT_S):
        adoption = writing.last_adoption(database, id_)
        if shown is not None:
            _check_shown(database, (writing.find(database, adoption.proposal_id, (Status.ADOPTED,)),), shown)
        written = writing.revert(database, adoption, compose.surroundings(), clock.now())
    logger = structlog.get_logger()
    logger.info("adoption.reverted", proposal=written.proposal.id, path=written.path, exact=written.proven)
    return written
