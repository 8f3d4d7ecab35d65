"""From the edits of many reflections to one list: what is the same is joined, what cannot both hold is known.

Why words and letters join edits and nearness of meaning never does: docs/decisions/0009.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from sleepd.core import plaintext
from sleepd.core.model import Digest, Edit, EditOp
from sleepd.core.ports import Vectors

NEAR = 0.5
"""Cosine of combined vectors from which two rules are about one thing. Measured with the packaged model: two rules of
the three personas that ask for different things reach 0.39; nine of ten rules and their opposites are above 0.57."""

# Two words are forms of one (`message`, `messages`) when they differ in so many letters at the end, after a stem of at
# least so many. A word more or less, or another number, may turn a sentence into its opposite in any language.
_ENDING = 2
_STEM = 4
_TELLING = 3
"""Words that a sentence must have so that a longer one with all of them is about the same thing."""
_REMEMBERED = 4_096
# Scripts that are written without spaces: each character counts as a word.
_DENSE = "\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff"
_WORD = re.compile(rf"[{_DENSE}]|[^\W{_DENSE}]+(?:['’][^\W{_DENSE}]+)*|[^\w\s.,;:!?'\"`()。，、！？：；-]")

Rivals = frozenset[frozenset[Digest]]
"""Pairs of edits that may not both hold, by their ids."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedEdits:
    """One reflection's edits, the most important first, with the sessions of the work that it read."""

    edits: tuple[Edit, ...]
    sessions: tuple[str, ...]
    of_failures: bool = True
    """Whether it read work that went wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backed:
    """An edit with what speaks for it."""

    edit: Edit
    support: int
    """How many reflections proposed it."""
    rank: int
    """Its best place in a reply, from 0."""
    sessions: tuple[str, ...]
    of_failures: bool = True
    """Whether one of the reflections that proposed it read work that went wrong."""


def aggregate(replies: Sequence[ProposedEdits], known: Sequence[Edit] = ()) -> tuple[Backed, ...]:
    """Join edits that differ only in punctuation and forms of words.

    Best supported first, then what goes back to failures, then those named first. The order of `replies` does not
    matter. An edit that says what one of `known` says comes in that one's wording, so that it is told again.
    """
    found: list[Backed] = []
    for reply in replies:
        for rank, edit in enumerate(reply.edits):
            one = Backed(
                edit=next((k for k in known if _same(k, edit)), edit),
                support=1,
                rank=rank,
                sessions=reply.sessions,
                of_failures=reply.of_failures,
            )
            place = next((i for i, b in enumerate(found) if _same(b.edit, one.edit)), None)
            if place is None:
                found.append(one)
            else:
                found[place] = _joined(found[place], one)
    return tuple(sorted(found, key=lambda b: (-b.support, not b.of_failures, b.rank, b.edit.id)))


def join(backed: Sequence[Backed], same: Sequence[Sequence[Digest]], rivals: Rivals) -> tuple[Backed, ...]:
    """Join what a reader says is the same, under the wording that comes first in `backed`.

    Not believed of edits of different lines or operations, nor of two that are in `rivals`.
    """
    found = list(backed)
    for group in same:
        members = [b for b in found if b.edit.id in group]
        for other in members[1:]:
            first = next(b for b in found if b.edit.id == members[0].edit.id)
            if _one_place(first.edit, other.edit) and frozenset((first.edit.id, other.edit.id)) not in rivals:
                found[found.index(first)] = _joined(first, other)
                found.remove(other)
    return tuple(found)


def opposed(edits: Sequence[Edit]) -> Rivals:
    """Pairs that cannot both hold, as their anchors and words show.

    One takes away the line that the other is about; or they differ only in numbers; or one says all that the other says
    and more, as a sentence and its negation do in any language.
    """
    pairs = itertools.combinations({e.id: e for e in edits}.values(), 2)
    return frozenset(frozenset((a.id, b.id)) for a, b in pairs if _at_odds(a, b))


def near(edits: Sequence[Edit], vectors: Vectors) -> Rivals:
    """Pairs that are about the same thing: one row of `vectors` (length 1) for what each edit is about, by `about`."""
    similar = vectors @ vectors.T
    rows, columns = np.nonzero(np.triu(similar >= NEAR, k=1))
    pairs = ((edits[i].id, edits[j].id) for i, j in zip(rows.tolist(), columns.tolist(), strict=True))
    return frozenset(frozenset(pair) for pair in pairs if pair[0] != pair[1])


def about(edit: Edit) -> str:
    """The words that tell what an edit is about: its text, or the line that it deletes."""
    return edit.text or plaintext.flat(edit.anchor or "")


def _joined(first: Backed, other: Backed) -> Backed:
    return replace(
        first,
        support=first.support + other.support,
        rank=min(first.rank, other.rank),
        sessions=tuple(dict.fromkeys((*first.sessions, *other.sessions))),
        of_failures=first.of_failures or other.of_failures,
    )


def _at_odds(a: Edit, b: Edit) -> bool:
    if a.anchor and b.anchor and plaintext.flat(a.anchor) == plaintext.flat(b.anchor):
        return not a.op is b.op is EditOp.ADD
    one, other = sorted((_words(about(a)), _words(about(b))), key=len)
    differing = [(x, y) for x, y in zip(one, other, strict=False) if x != y]
    if len(one) == len(other) > len(differing) > 0 and all(x.isdigit() and y.isdigit() for x, y in differing):
        return True  # they differ in numbers alone
    # Whether the words of one come in the other in their order.
    rest = iter(other)
    return len(one) >= _TELLING and all(any(x == y or _one_stem(x, y) for y in rest) for x in one)


def _same(a: Edit, b: Edit) -> bool:
    if not _one_place(a, b) or a.id == b.id:
        return _one_place(a, b)
    one, other = _words(a.text), _words(b.text)
    pairs = zip(one, other, strict=False)
    return bool(one) and len(one) == len(other) and all(x == y or _one_stem(x, y) for x, y in pairs)


def _one_place(a: Edit, b: Edit) -> bool:
    return (a.op, a.anchor) == (b.op, b.anchor)


@lru_cache(maxsize=_REMEMBERED)
def _words(text: str) -> tuple[str, ...]:
    """Words and signs that may carry meaning, folded; punctuation between words is left out."""
    return tuple(_WORD.findall(text.casefold()))


def _one_stem(a: str, b: str) -> bool:
    stem = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return (a + b).isalpha() and stem >= max(_STEM, max(len(a), len(b)) - _ENDING)
