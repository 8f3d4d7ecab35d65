"""The rejected-edit buffer: what failed, and why, shown to later reflections so that it is not proposed again.

The gate's rejections count for the live text they were tried on. A person's count for the file, whatever its text: no
measurement outweighs them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sleepd.core import plaintext
from sleepd.core.model import Edit, EditOp, Verdict
from sleepd.store import attributions, proposals, reviews
from sleepd.store.database import Database
from sleepd.store.proposals import Proposal, Status, Trial
from sleepd.store.reviews import Choice, EditDecision

_SIGNS = " .,;:!?'\"`()-*_“”‘’«»–—"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """An edit that is not to be proposed again."""

    edit: Edit
    why: str
    """The gate's reason, or the person's words; "" when none were given."""
    by_person: bool


def failed(database: Database, trials: Sequence[Trial]) -> tuple[Failed, ...]:
    """The edits of candidates that did not cross, oldest first, each once, with the gate's last reason.

    Of a bundle that crossed and was taken apart: those of no measurable effect.
    """
    lost = [t.candidate for t in trials if t.candidate.verdict in (Verdict.REJECTED, Verdict.CLOSED)]
    found = {one.edit.id: one for t in trials for one in _without_effect(database, t)}
    for candidate in lost:
        company = len(candidate.edits) - 1
        together = f"together with {company} other{'s' * (company > 1)}: " if company else ""
        for edit in candidate.edits:
            found[edit.id] = Failed(edit=edit, why=f"{together}{candidate.reason}", by_person=False)
    return tuple(found.values())


def _without_effect(database: Database, trial: Trial) -> Iterator[Failed]:
    if trial.candidate.verdict is Verdict.PRUNED:
        with database.reading() as connection:
            found = {one.edit_id: one for one in attributions.load(connection, trial.candidate.id) if not one.kept}
        for edit in trial.candidate.edits:
            if edit.id in found:
                effect = "none" if found[edit.id].effect is None else f"{found[edit.id].effect:+.2f}"
                yield Failed(edit=edit, why=f"left out of a good bundle: its effect was {effect}", by_person=False)


def turned_down(database: Database, path: str, *, but_of: str) -> tuple[Failed, ...]:
    """The edits for one file that a person turned down or put in other words, in the order of their candidates.

    Proposals of the night `but_of` do not count, so that a rerun of a killed night comes to the same candidates.
    """
    found = {}
    with database.reading() as connection:
        for proposal in proposals.proposals(connection):
            trial = proposals.trial(connection, proposal.id)
            if trial.candidate.target.path == path and proposal.night_id != but_of:
                decided = reviews.decisions(connection, proposal.id)
                for edit in trial.candidate.edits:
                    for one in _by_person(proposal, edit, decided.get(edit.id)):
                        found[edit.id] = one
    return tuple(found.values())


def says_the_same(edit: Edit, other: Edit) -> bool:
    """Whether a person who turned one down would turn the other down as well: the same rule, wherever it is put."""
    if EditOp.DELETE in (edit.op, other.op):
        return edit.op is other.op and _bare(edit.anchor or "") == _bare(other.anchor or "")
    return _bare(edit.text) == _bare(other.text)


def _by_person(proposal: Proposal, edit: Edit, decided: EditDecision | None) -> Iterator[Failed]:
    if decided is not None and decided.decision is Choice.REJECTED:
        yield Failed(edit=edit, why=decided.why or "", by_person=True)
    elif decided is not None and decided.decision is Choice.REWORDED:
        yield Failed(edit=edit, why=f"the user put it this way: {decided.text}", by_person=True)
    elif proposal.status is Status.REJECTED and not (decided is None and proposal.findings):
        # What was set aside as unsafe is not repeated to a model; it is not tried again all the same.
        yield Failed(edit=edit, why=proposal.why or "", by_person=True)


def _bare(text: str) -> str:
    words = (word.strip(_SIGNS) for word in plaintext.flat(text).casefold().split())
    return " ".join(word for word in words if word)
