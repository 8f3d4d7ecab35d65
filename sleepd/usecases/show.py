"""What `review`, `proposals` and `show` show: a proposal or a night with all it rests on, read and not recomputed."""

from __future__ import annotations

from dataclasses import replace

from sleepd.core import edit
from sleepd.core.errors import Conflict, UsageError
from sleepd.core.model import Digest
from sleepd.pipeline.adopt import ADOPTABLE, intended
from sleepd.store import nights, proposals, reviews, rollouts
from sleepd.store.database import Database
from sleepd.store.proposals import Proposal, Status
from sleepd.usecases.decisions import check_place, shown_digest
from sleepd.views.candidate_view import tried
from sleepd.views.evidence import OfNight, Proposed


def proposals_shown(database: Database, *, everything: bool) -> tuple[Proposed, ...]:
    """The proposals that need a person, or all there ever were, in the order of their candidates."""
    with database.reading() as connection:
        found = proposals.proposals(connection)
    wanted = [p for p in found if everything or p.status in (Status.WAITING, Status.QUARANTINED)]
    return tuple(proposal_shown(database, p) for p in wanted)


def waiting_first(database: Database) -> tuple[Proposed, ...]:
    """The proposals that wait for a person, those with the greatest measured effect first."""
    found = [p for p in proposals_shown(database, everything=False) if p.proposal.status is Status.WAITING]
    return tuple(sorted(found, key=lambda p: -(p.tried.trial.effect or 0.0)))


def proposal_shown(database: Database, proposal: Proposal) -> Proposed:
    """A proposal with all it rests on."""
    with database.reading() as connection:
        found = Proposed(
            proposal=proposal,
            tried=tried(database, proposal.id),
            taught_by=reviews.teachers(connection, proposal.sessions),
            decided=reviews.decisions(connection, proposal.id),
            branch=reviews.on_branch(connection, proposal.id),
        )
    return _with_what_adopting_writes(database, found) if proposal.status in ADOPTABLE else found


def _with_what_adopting_writes(database: Database, one: Proposed) -> Proposed:
    try:
        seen = intended(database, one.proposal)
        plan = seen.plan
        check_place(seen)
        named = shown_digest(database, one.proposal)
    except (Conflict, UsageError) as error:
        return replace(one, conflict=str(error))
    as_proposed = plan.proven and seen.wanted == seen.gated and plan.changes
    diff = None if as_proposed else edit.diff(plan.live or "", plan.text, name=seen.trial.candidate.target.name)
    return replace(one, digest=named, diff=diff)


def meant(database: Database, prefix: str | None, *, night: bool) -> OfNight | Proposed:
    """The night or the proposal whose id begins with `prefix`; for None the newest proposal, or the newest night where
    there is no proposal, or where a `night` is wanted. Raises `UsageError` when nothing, or no single one, is meant.
    """
    with database.reading() as connection:
        known = [] if night else proposals.proposals(connection)
        newest = next(iter(nights.nights(connection, 1)), None)
        named = nights.night(connection, prefix) if prefix is not None else newest
    if prefix is None and known:
        # In the order of their candidates, which are numbered as they come.
        return proposal_shown(database, known[-1])
    if named is not None:
        return night_shown(database, named.id)
    if prefix is None:
        raise UsageError("no night yet; sleepd run runs one")
    fitting = [p for p in known if p.id.startswith(prefix)]
    if len(fitting) != 1:
        why = "several proposals have" if fitting else "no night has" if night else "no night and no proposal has"
        lists = "`sleepd nights` lists them" if night else "`sleepd nights` and `sleepd proposals --all` list them"
        raise UsageError(f"{why} an id that begins with {prefix!r}; {lists}")
    return proposal_shown(database, fitting[0])


def night_shown(database: Database, prefix: str) -> OfNight:
    """The night whose id begins with `prefix`. Raises `UsageError` when there is none."""
    with database.reading() as connection:
        night = nights.night(connection, prefix)
        if night is None:
            raise UsageError(f"no night has an id that begins with {prefix!r}; `sleepd nights` lists them")
        started = [t.candidate.id for t in proposals.of_run(connection, night.id)]
        staged = tuple(p for p in proposals.proposals(connection) if p.night_id == night.id)
        stages = rollouts.spent_by_stage(connection, night.id)
    # The candidates a night's report names: also those that waited from earlier nights.
    rows = night.report.get("candidates")
    ids = dict.fromkeys(
        [
            *([Digest(str(row["id"])) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []),
            *started,
        ]
    )
    return OfNight(
        night=night,
        tried=tuple(tried(database, id_) for id_ in ids),
        proposed=tuple(proposal_shown(database, p) for p in staged),
        stages=stages,
    )
