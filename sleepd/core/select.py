"""From many proposed edits to the few that are tried."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from sleepd.core.aggregate import Backed, Rivals
from sleepd.core.model import CandidateOrigin, Digest, Edit, EditOp, Verdict
from sleepd.core.race import FEWEST

SHORTENING_MARGIN = 0.03
"""What leaving out a rule that does nothing may cost (gate, promise 8); a night's gate may have a margin of its own."""


class Ranking(StrEnum):
    """Who says which edits come first."""

    MODEL = "model"
    """The reflection model, where the order decides anything (SkillOpt, arXiv 2605.23904)."""
    SUPPORT = "support"
    """How many reflections proposed them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierTrial:
    """Edits that were tried on the same live text: those of a candidate, or one of a bundle that was taken apart."""

    edits: frozenset[Digest]
    verdict: Verdict | None
    """The candidate's; None for a single edit that was left out of its bundle because it had no measurable effect."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Edits that are tried together as one candidate."""

    backed: tuple[Backed, ...]
    origin: CandidateOrigin = CandidateOrigin.REFLECTION
    margin: float = 0.0
    """See `Candidate.margin`."""
    stated: bool = False
    """The person put each of its rules into words: it has a part of the share of the error level for those."""

    @classmethod
    def of(
        cls,
        edits: Sequence[Edit],
        sessions: Sequence[str],
        *,
        origin: CandidateOrigin,
        margin: float = 0.0,
        stated: bool = False,
    ) -> Bundle:
        """Edits that no reflection proposed as they are, with the sessions they go back to."""
        backed = tuple(Backed(edit=e, support=1, rank=n, sessions=tuple(sessions)) for n, e in enumerate(edits))
        return cls(backed=backed, origin=origin, margin=margin, stated=stated)

    @property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(b.edit for b in self.backed)

    @property
    def sessions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(s for b in self.backed for s in b.sessions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """What was proposed, by what may be done with it; each in the order in which it is taken."""

    fresh: tuple[Backed, ...] = ()
    """Never tried on this text."""
    again: tuple[Backed, ...] = ()
    """Failed in company: they may come back alone."""
    flagged: tuple[Backed, ...] = ()
    """Never tried, and suspicious."""
    idle: tuple[Backed, ...] = ()
    """Deletions of what does nothing, as work that went well shows; never tried."""
    reflections: int = 1
    """How many reflections all this comes from."""

    @property
    def agreed(self) -> tuple[Backed, ...]:
        """Those of `fresh` that may share a candidate: with several reflections, what two of them proposed."""
        return self.fresh if self.reflections == 1 else tuple(b for b in self.fresh if b.support > 1)


def sort_out(
    backed: Sequence[Backed],
    tried: Sequence[EarlierTrial],
    *,
    reflections: int = 1,
    foreign: AbstractSet[Edit] = frozenset(),
) -> Field:
    """The edits of `reflections` reflections that may be tried. `foreign` are not the user's words.

    An edit that failed alone, or is under trial, or was accepted, is not tried again; one that failed in company may
    come back alone, unless the screen finds fault with it.
    """
    # Its patterns take half a second to compile: too long for whoever only looks at what a night left.
    from sleepd.core.screened import screened

    spent = {
        e for t in tried if len(t.edits) == 1 or t.verdict in (Verdict.ACCEPTED, Verdict.UNDECIDED) for e in t.edits
    }
    in_company = {e for t in tried for e in t.edits} - spent
    left = [b for b in backed if b.edit.id not in spent]
    flagged = [b for b in left if b.edit in foreign or screened((b.edit,))]
    clean = [b for b in left if b not in flagged]
    fresh = [b for b in clean if b.edit.id not in in_company]
    return Field(
        fresh=tuple(b for b in fresh if not _idle(b)),
        again=tuple(b for b in clean if b.edit.id in in_company and not _idle(b)),
        flagged=tuple(b for b in flagged if b.edit.id not in in_company),
        idle=tuple(b for b in fresh if _idle(b)),
        reflections=reflections,
    )


def contested(field: Field, budget: int, rivals: Rivals) -> bool:
    """Whether the order of the fresh edits decides which are tried."""
    rivalry = any(pair <= {b.edit.id for b in field.fresh} for pair in rivals)
    return rivalry or (len(field.agreed) > budget if field.agreed else len(field.fresh) > 1)


def select(field: Field, budget: int, rivals: Rivals = frozenset()) -> tuple[Bundle, ...]:
    """The candidates to try: first a bundle of at most `budget` edits, then each suspicious edit by itself.

    Where several reflections were made, over different work, only edits that two of them proposed share a candidate;
    one that stands alone is tried alone, so that a slip of one reply does not ride along with what is really wanted.
    Of two edits that may not both hold (`rivals`) the better supported is taken, else the first; the other is left for
    a later step. Suspicious edits never share a candidate, so that they cannot take good ones into quarantine. Where
    there is nothing else, a rule that does nothing is left out, which must not make anything worse. A budget of 0 is
    nothing to try.
    """
    if budget < 1:
        return ()
    # The first ones that get on with one another.
    agreed: list[Backed] = []
    for one in _standing(field.agreed, rivals):
        if len(agreed) < budget and not any(frozenset((t.edit.id, one.edit.id)) in rivals for t in agreed):
            agreed.append(one)
    first = agreed or _standing(field.fresh, rivals)[:1] or field.again[:1]
    bundles = [Bundle(backed=tuple(first))] if first else []
    bundles += [Bundle(backed=(b,)) for b in field.flagged]
    return tuple(bundles or [Bundle(backed=(b,), margin=SHORTENING_MARGIN) for b in field.idle[:1]])


def runners(field: Field, rivals: Rivals = frozenset()) -> tuple[Bundle, ...]:
    """The candidates of which `select` takes the first, where nothing but their order speaks for it: a race says more.

    () where reflections agree on some edits, or where fewer than `race.FEWEST` could run.
    """
    alone = () if field.agreed else _standing(field.fresh, rivals)
    return tuple(Bundle(backed=(b,)) for b in alone) if len(alone) >= FEWEST else ()


def _idle(one: Backed) -> bool:
    return one.edit.op is EditOp.DELETE and not one.of_failures


def _standing(backed: Sequence[Backed], rivals: Rivals) -> list[Backed]:
    """Those that no better supported one speaks against."""
    return [
        b
        for b in backed
        if not any(o.support > b.support and frozenset((o.edit.id, b.edit.id)) in rivals for o in backed)
    ]
