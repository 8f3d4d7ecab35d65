"""Write an accepted text to the live file, and take it back, with a journal that survives a crash in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from sleepd.core.adoption import AdoptionPlan, plan, revert_plan
from sleepd.core.errors import Conflict, UsageError
from sleepd.core.model import Edit, EditOp, digest
from sleepd.pipeline import choose
from sleepd.skills import files, targets
from sleepd.skills.surroundings import Surroundings
from sleepd.store import proposals, reviews, rollouts
from sleepd.store.database import Database
from sleepd.store.proposals import Adoption, Proposal, Status, Trial

ADOPTABLE = (Status.WAITING, Status.REVERTED, Status.SUPERSEDED)
"""What a person may adopt: also what was taken back before, or gave way to another, where it fits the file again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteResult:
    """What an adoption or a revert did."""

    proposal: Proposal
    path: str
    proven: bool
    """After an adoption: the file holds the text that was gated. After a revert: the file is as it was before."""
    removed: bool = False
    """The file was taken away, since it was not there before."""
    as_gated: bool = True
    """False for a choice among the edits, or for other words: no gate saw that text."""
    changed: bool = True
    """False when the file held it all already, and nothing was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Intended:
    """What stands in a proposal's file, what the gate saw and accepted, and what a person wants of it."""

    trial: Trial
    live: files.SkillFile | None
    base: str
    gated: str
    wanted: str
    """The gated text, or that with the edits the person chose."""
    edits: tuple[Edit, ...] = ()
    """Those the wanted text is made of."""
    merged: bool = False
    """The text was committed on a branch, and stands in the file already."""

    @property
    def plan(self) -> AdoptionPlan:
        """What adopting would write now. Raises `Conflict` as `adopt` does, with the file and the ways out."""
        try:
            return _plan(self.live, self.base, self.wanted)
        except Conflict as error:
            candidate = self.trial.candidate
            raise Conflict(
                f"{candidate.target.path}: {error}, or turn it down: sleepd reject {candidate.id[:8]}"
            ) from error

    @property
    def before(self) -> bytes | None:
        """What a revert restores."""
        if self.merged:
            return self.base.encode() or None
        return self.live.data if self.live is not None else None


def intended(database: Database, proposal: Proposal, numbers: Sequence[int] = ()) -> Intended:
    """Look at a proposal beside its file; changes nothing. `numbers` (from 1) are the edits meant, else all that stand.

    Raises `Conflict` when the file is no text, `UsageError` when the choice of edits cannot be written.
    """
    with database.reading() as connection:
        trial = proposals.trial(connection, proposal.id)
        base = rollouts.text(connection, trial.candidate.base)
        gated = rollouts.text(connection, trial.candidate.text)
        decided = reviews.decisions(connection, proposal.id)
        branch = reviews.on_branch(connection, proposal.id)
        committed = rollouts.text(connection, branch.text) if branch is not None else None
    live = files.read(Path(trial.candidate.target.path))
    if committed is not None and not numbers and _holds(live, base, committed):
        return Intended(trial=trial, live=live, base=base, gated=gated, wanted=committed, merged=True)
    edits = choose.chosen(trial.candidate, decided, numbers)
    wanted = choose.text_of(trial.candidate, base, gated, edits)
    return Intended(trial=trial, live=live, base=base, gated=gated, wanted=wanted, edits=edits)


def in_the_way(database: Database, proposal: Proposal) -> str | None:
    """Why the live text cannot take a proposal; None when it can, or when there is no file: that may come back."""
    try:
        seen = intended(database, proposal)
        if seen.live is not None:
            _plan(seen.live, seen.base, seen.wanted)
    except (Conflict, UsageError) as error:
        return str(error)
    return None


def check_wording(database: Database, proposal: Proposal, reworded: Edit) -> None:
    """Raises `UsageError` when the rule in these words is none, or looks unsafe; its place is not looked at."""
    with database.reading() as connection:
        candidate = proposals.trial(connection, proposal.id).candidate
    choose.text_of(candidate, "", "", (replace(reworded, op=EditOp.ADD, anchor=None),))


def _plan(live: files.SkillFile | None, base: str, wanted: str) -> AdoptionPlan:
    # No file and an empty file are one text to the gate, and two things to the person who made the empty one.
    nothing = None if live is None or live.text else ""
    return plan(live.text if live is not None else None, base or nothing, wanted)


def _holds(live: files.SkillFile | None, base: str, text: str) -> bool:
    """Whether all that `text` changed in `base` stands in the file."""
    if live is None:
        return False
    try:
        return not _plan(live, base, text).changes
    except Conflict:
        return False


def find(database: Database, prefix: str, among: tuple[Status, ...]) -> Proposal:
    """The one proposal whose id begins with `prefix`; raises `UsageError` for none, several or another status."""
    recover(database)
    with database.reading() as connection:
        known = [p for p in proposals.proposals(connection) if p.id.startswith(prefix)]
    if len(known) != 1:
        why = "no proposal has" if not known else "several proposals have"
        raise UsageError(f"{why} an id that begins with {prefix!r}; `sleepd proposals` lists them")
    if known[0].status not in among:
        raise UsageError(
            f"proposal {known[0].id[:8]} is {known[0].status}; this needs one that is {' or '.join(among)}"
        )
    return known[0]


def adopt(
    database: Database, proposal: Proposal, surroundings: Surroundings, now: datetime, numbers: Sequence[int] = ()
) -> WriteResult:
    """Put the gated text into the live file, or the edits with these numbers and those alone.

    A file that changed since is merged when both changes fit together; that, and a choice of edits, is unproven. Raises
    `Conflict` when they do not fit, or when the file may not be written, and `UsageError` when the proposal, or this
    choice of it, is not to be adopted; nothing is changed then.
    """
    proposal = find(database, proposal.id, ADOPTABLE)
    seen = intended(database, proposal, numbers)
    trial, live, decided = seen.trial, seen.live, seen.plan
    path = Path(trial.candidate.target.path)
    as_gated = seen.wanted == seen.gated
    entry = Adoption(
        number=0,
        proposal_id=proposal.id,
        path=str(path),
        before=seen.before,
        after=(seen.wanted if seen.merged else decided.text).encode(),
        proven=decided.proven and as_gated,
        folders=tuple(str(folder) for folder in reversed(path.parents) if not folder.exists()),
        state="intended",
        at=now,
        reverted_at=None,
    )
    with database.writing() as connection:
        entry = replace(entry, number=proposals.intend(connection, entry))
    made = _write(database, entry, trial, live, surroundings) if decided.changes else ()
    with database.writing() as connection:
        proposals.written(connection, replace(entry, folders=tuple(str(folder) for folder in made)))
        proposals.set_status(connection, proposal.id, Status.ADOPTED)
    return WriteResult(
        proposal=proposal, path=str(path), proven=entry.proven, as_gated=as_gated, changed=decided.changes
    )


def reject(database: Database, proposal: Proposal, why: str) -> None:
    """Keep a proposal from being adopted, with the person's reason."""
    with database.writing() as connection:
        proposals.set_status(connection, proposal.id, Status.REJECTED, why)


def last_adoption(database: Database, prefix: str | None) -> Adoption:
    """The newest adoption that still stands, of this proposal or of any; raises `UsageError` without one."""
    recover(database)
    with database.reading() as connection:
        standing = proposals.adoptions(connection, standing=True)
    fitting = [a for a in standing if prefix is None or a.proposal_id.startswith(prefix)]
    if not fitting:
        raise UsageError("nothing to revert: no such adoption stands; `sleepd proposals --all` lists what there was")
    return fitting[-1]


def revert(database: Database, adoption: Adoption, surroundings: Surroundings, now: datetime) -> WriteResult:
    """Undo an adoption: byte for byte when the file is untouched since; else what was adopted goes, and the rest stays.

    Raises `Conflict`, with the file and the remedy, when the adopted lines themselves were changed.
    """
    path = Path(adoption.path)
    with database.reading() as connection:
        trial = proposals.trial(connection, adoption.proposal_id)
        proposal = next(p for p in proposals.proposals(connection) if p.id == adoption.proposal_id)
    current = files.read(path)
    before = adoption.before.decode() if adoption.before is not None else None
    try:
        decided = revert_plan(current.text if current is not None else None, adoption.after.decode(), before)
    except Conflict as error:
        raise Conflict(f"{path}: {error}") from error
    root = targets.write_root(trial.candidate.target, surroundings.home, surroundings.env)
    if decided.changes and decided.text is None and current is not None:
        made = tuple(Path(folder) for folder in adoption.folders)
        files.remove(path, made, expected=current.digest, root=root)
    elif decided.changes and decided.text is not None:
        expected = current.digest if current is not None else None
        files.write(path, decided.text.encode(), expected=expected, root=root, empty_before=adoption.before == b"")
    with database.writing() as connection:
        proposals.reverted(connection, adoption.number, now)
        proposals.set_status(connection, adoption.proposal_id, Status.REVERTED)
    return WriteResult(proposal=proposal, path=str(path), proven=decided.exact, removed=decided.text is None)


def recover(database: Database) -> tuple[str, ...]:
    """Settle writes that a crash left open: what stands in the file says whether they happened."""
    with database.reading() as connection:
        left = [a for a in proposals.adoptions(connection, standing=True) if a.state == "intended"]
    for adoption in left:
        live = files.read(Path(adoption.path))
        with database.writing() as connection:
            if live is not None and live.data == adoption.after:
                proposals.written(connection, adoption)
                proposals.set_status(connection, adoption.proposal_id, Status.ADOPTED)
            else:
                proposals.forget(connection, adoption.number)
    return tuple(adoption.path for adoption in left)


def _write(
    database: Database, entry: Adoption, trial: Trial, live: files.SkillFile | None, surroundings: Surroundings
) -> tuple[Path, ...]:
    target = trial.candidate.target
    root = targets.write_root(target, surroundings.home, surroundings.env)
    expected = digest(live.text) if live is not None else None
    try:
        return files.write(Path(target.path), entry.after, expected=expected, root=root)
    except Conflict:
        with database.writing() as connection:
            proposals.forget(connection, entry.number)
        raise
