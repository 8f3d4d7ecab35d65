"""From many proposed edits to the few that are tried."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from sleepd.core.model import Digest, Edit, Origin, Verdict
from sleepd.core.screen import screen

# Two words are forms of one (`message`, `messages`) when they differ in so many letters at the end, after a stem of at
# least so many. A word more or less, or another number, may turn a sentence into its opposite in any language.
_ENDING = 2
_STEM = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """One reflection's edits, the most important first, with the sessions of the work that it read."""

    edits: tuple[Edit, ...]
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Backed:
    """An edit with what speaks for it."""

    edit: Edit
    support: int
    """How many reflections proposed it."""
    rank: int
    """Its best place in a reply, from 0."""
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """A candidate there was for the same live text."""

    edits: frozenset[Digest]
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Edits that are tried together as one candidate."""

    backed: tuple[Backed, ...]
    origin: Origin = Origin.REFLECTION
    margin: float = 0.0
    """See `Candidate.margin`."""

    @classmethod
    def of(cls, edits: Sequence[Edit], sessions: Sequence[str], *, origin: Origin, margin: float = 0.0) -> Bundle:
        """Edits that no reflection proposed as they are, with the sessions they go back to."""
        backed = tuple(Backed(edit=e, support=1, rank=n, sessions=tuple(sessions)) for n, e in enumerate(edits))
        return cls(backed=backed, origin=origin, margin=margin)

    @property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(b.edit for b in self.backed)

    @property
    def sessions(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(s for b in self.backed for s in b.sessions))


def aggregate(replies: Sequence[Proposed]) -> tuple[Backed, ...]:
    """Join edits that differ only in punctuation and forms of words; best supported first, then those named first."""
    found: list[Backed] = []
    for reply in replies:
        for rank, edit in enumerate(reply.edits):
            place = next((i for i, b in enumerate(found) if _same(b.edit, edit)), None)
            if place is None:
                found.append(Backed(edit=edit, support=1, rank=rank, sessions=reply.sessions))
            else:
                old = found[place]
                found[place] = Backed(
                    edit=old.edit,
                    support=old.support + 1,
                    rank=min(old.rank, rank),
                    sessions=tuple(dict.fromkeys((*old.sessions, *reply.sessions))),
                )
    return tuple(sorted(found, key=lambda b: (-b.support, b.rank, b.edit.id)))


def select(
    backed: Sequence[Backed],
    budget: int,
    tried: Sequence[Tried],
    *,
    reflections: int = 1,
    foreign: AbstractSet[Edit] = frozenset(),
) -> tuple[Bundle, ...]:
    """The candidates to try: first a bundle of at most `budget` edits, then each suspicious edit by itself.

    Where several reflections were made, over different work, only edits that two of them proposed share a candidate;
    one that stands alone is tried alone, so that a slip of one reply does not ride along with what is really wanted.
    Edits that the screen finds fault with, and those in `foreign` (not the user's words), never share a candidate with
    others, so that they cannot take good ones into quarantine. An edit that failed, or is under trial, or was accepted,
    is not tried again; one that failed in company may come back alone.
    """
    spent = {
        e for t in tried if len(t.edits) == 1 or t.verdict in (Verdict.ACCEPTED, Verdict.UNDECIDED) for e in t.edits
    }
    in_company = {e for t in tried for e in t.edits} - spent
    left = [b for b in backed if b.edit.id not in spent]
    flagged = [b for b in left if b.edit in foreign or screen(b.edit)]
    clean = [b for b in left if b not in flagged]
    fresh = [b for b in clean if b.edit.id not in in_company]
    agreed = fresh if reflections == 1 else [b for b in fresh if b.support > 1]
    first = agreed[:budget] or fresh[:1] or clean[:1]
    bundles = [Bundle(backed=tuple(first))] if first else []
    return (*bundles, *(Bundle(backed=(b,)) for b in flagged if b.edit.id not in in_company))


def _same(a: Edit, b: Edit) -> bool:
    if (a.op, a.anchor) != (b.op, b.anchor):
        return False
    return a.id == b.id or _same_words(_words(a.text), _words(b.text))


def _words(text: str) -> list[str]:
    """Words and signs that may carry meaning, folded; punctuation between words is left out."""
    return re.findall(r"\w+(?:['’]\w+)*|[^\w\s.,;:!?'\"`()-]", text.casefold())


def _same_words(a: Sequence[str], b: Sequence[str]) -> bool:
    return bool(a) and len(a) == len(b) and all(x == y or _one_stem(x, y) for x, y in zip(a, b, strict=True))


def _one_stem(a: str, b: str) -> bool:
    stem = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return (a + b).isalpha() and stem >= max(_STEM, max(len(a), len(b)) - _ENDING)
