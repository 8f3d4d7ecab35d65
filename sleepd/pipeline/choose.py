"""From a person's choice among a proposal's edits to the text that may be written.

All edits as they were proposed are the text that was gated. Anything else is a text that no gate saw: it is made anew
from the base, and screened anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sleepd.core.edit import Region, apply
from sleepd.core.errors import UsageError
from sleepd.core.model import Candidate, Digest, Edit
from sleepd.skills.targets import starting_text
from sleepd.store.reviews import EditChoice, EditDecision

Decided = Mapping[Digest, EditDecision]


def chosen(candidate: Candidate, decided: Decided, numbers: Sequence[int] = ()) -> tuple[Edit, ...]:
    """The edits with these numbers (from 1), or all that were not turned down; in the person's words, if there are any.

    Raises `UsageError` for a number that is none, and when nothing is left.
    """
    own = candidate.edits
    for number in numbers:
        if not 1 <= number <= len(own):
            raise UsageError(f"there is no edit {number} in proposal {candidate.id[:8]}; it has 1 to {len(own)}")
    rejected = {id_ for id_, one in decided.items() if one.decision is EditChoice.REJECTED}
    left = tuple(
        _worded(edit, decided.get(edit.id))
        for number, edit in enumerate(own, 1)
        if (number in numbers if numbers else edit.id not in rejected)
    )
    if own and not left:
        raise UsageError(f"every edit of proposal {candidate.id[:8]} was turned down; nothing is left to write")
    return left


def text_of(candidate: Candidate, base: str, gated: str, edits: Sequence[Edit]) -> str:
    """The whole file with these edits of the candidate; `gated` itself for all of them as they were proposed.

    Raises `UsageError` when one has no place without the others, or when the screen finds fault: the rule is named.
    """
    if tuple(edits) == candidate.edits:
        return gated
    start = base or starting_text(candidate.target)
    applied = apply(start, edits)
    if applied.unmatched:
        one = applied.unmatched[0]
        raise UsageError(f"this choice cannot be written: {one.edit.text or one.edit.anchor!r}: {one.reason}")
    # Its patterns take half a second to compile: too long for whoever only looks at a proposal or completes an id.
    from sleepd.core.screen import screen

    added = "\n".join(line for line in applied.text.splitlines() if line not in {*base.splitlines(), *_MARKERS})
    for finding in (*screen(edits), *screen(added)):
        raise UsageError(f"not written, since it looks unsafe: {finding.rule}: {finding.why}; word it otherwise")
    return applied.text


_MARKERS = frozenset(mark for region in Region for mark in (region.opening, region.closing))


def _worded(edit: Edit, decision: EditDecision | None) -> Edit:
    reworded = decision is not None and decision.decision is EditChoice.REWORDED
    return replace(edit, text=decision.text) if decision and reworded and decision.text else edit
