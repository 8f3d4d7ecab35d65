"""What to write when a gated text meets the live file, and what to write to take it back.

Texts are compared as they are, newlines included. A person's change since is kept, or everything stops.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from sleepd.core import plaintext, removal
from sleepd.core.edit import split_regions
from sleepd.core.errors import Conflict


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptionPlan:
    """What to write over the live file."""

    text: str
    live: str | None
    """What has to be there when it is written; None: no file."""
    proven: bool
    """The text is the one the gate saw. False for a merge with a change the gate did not see."""

    @property
    def changes(self) -> bool:
        return self.text != self.live


@dataclass(frozen=True, slots=True, kw_only=True)
class RevertPlan:
    """What to put back. `text` None: remove the file, and the folders that were made for it."""

    text: str | None
    current: str | None
    """What has to be there when it is written; None: no file."""
    exact: bool
    """The file becomes what it was before the adoption. False for a merge with later changes."""

    @property
    def changes(self) -> bool:
        return self.text != self.current


def plan(live: str | None, base: str | None, gated: str) -> AdoptionPlan:
    """What to write: `gated`, or a three-way merge by lines when `live` is no longer the `base` that the gate saw.

    `base` None: the file did not exist. Raises `Conflict` when both sides changed the same lines, when the file
    was made or removed meanwhile, or when the result is empty or has broken markers.
    """
    if live in (base, gated):
        return AdoptionPlan(text=_sound(gated), live=live, proven=True)
    if live is None:
        raise Conflict("the skill file was removed since the proposal was made; restore it")
    if base is None:
        raise Conflict("a file was made in this place since the proposal; sleepd run goes on from that file")
    merged = _sound(merge(base, live, gated))
    return AdoptionPlan(text=merged, live=live, proven=merged == gated)


def revert_plan(current: str | None, after: str, before: str | None) -> RevertPlan:
    """How to undo an adoption that turned `before` into `after` (`before` None: the file did not exist).

    An untouched file goes back exactly. From a changed one the adopted lines are taken out, and all else stays; where
    the file did not exist before, the frontmatter stays with the user's own lines. Raises `Conflict` when the user
    changed the adopted lines themselves, or when the file is gone.
    """
    if current in (after, before):
        return RevertPlan(text=before, current=current, exact=True)
    if current is None:
        raise Conflict("the skill file was removed since it was adopted; there is nothing to revert")
    # A file that sleepd made is left with what holds no learnt text, and goes when nobody added anything to that.
    start = removal.without_regions(after) if before is None else before
    text = removal.take_out(after, current, start)
    if before is None and text.split() == start.split():
        return RevertPlan(text=None, current=current, exact=False)
    return RevertPlan(text=_sound(text), current=current, exact=False)


def merge(base: str, ours: str, theirs: str) -> str:
    """`ours` and `theirs`, both made from `base`, as one text; lines are whole, with their endings.

    Raises `Conflict`, with the line of `ours`, where both changed the same or touching lines in different ways.
    Method: diff3 (Khanna, Kunal, Pierce 2007), stable stretches are those that match in both.
    """
    sides = [plaintext.lines(text) for text in (base, ours, theirs)]
    merged: list[str] = []
    at = (0, 0, 0)
    for stable, size in _stable([*sides]):
        before, mine, new = (side[a:z] for side, a, z in zip(sides, at, stable, strict=True))
        if before != mine != new != before:
            raise Conflict(f"line {at[1] + 1}: your own edit and the proposal change the same place; settle it by hand")
        merged += new if mine == before else mine
        merged += sides[0][stable[0] : stable[0] + size]
        at = (stable[0] + size, stable[1] + size, stable[2] + size)
    return "".join(merged)


def _stable(sides: Sequence[list[str]]) -> list[tuple[tuple[int, int, int], int]]:
    """((start in base, in ours, in theirs), length) of the stretches equal in all three, in order; an empty last."""
    base, ours, theirs = sides
    in_ours, in_theirs = _line_up(base, ours), _line_up(base, theirs)
    stretches: list[tuple[tuple[int, int, int], int]] = []
    for line in range(len(base)):
        if line not in in_ours or line not in in_theirs:
            continue
        here = (line, in_ours[line], in_theirs[line])
        if stretches and tuple(n + stretches[-1][1] for n in stretches[-1][0]) == here:
            stretches[-1] = (stretches[-1][0], stretches[-1][1] + 1)
        else:
            stretches.append((here, 1))
    return [*stretches, ((len(base), len(ours), len(theirs)), 0)]


def _line_up(base: list[str], side: list[str]) -> dict[int, int]:
    """Which line of `side` each unchanged line of `base` is."""
    blocks = difflib.SequenceMatcher(None, base, side, autojunk=False).get_matching_blocks()
    return {block.a + n: block.b + n for block in blocks for n in range(block.size)}


def _sound(text: str) -> str:
    """The text, when it may be written."""
    if not text.strip():
        raise Conflict("the result would be an empty skill file; remove the file by hand")
    split_regions(text)
    return text
