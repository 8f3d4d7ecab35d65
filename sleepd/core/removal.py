"""One adoption taken out of a text that its owner changed since.

A three-way merge like diff3, over whole rules instead of lines. An adopted rule goes also where the owner
added something directly above or below, which diff3 calls a conflict. What remains a conflict is a change of the very
lines that the adoption changed.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sleepd.core import plaintext
from sleepd.core.edit import Piece, pieces
from sleepd.core.errors import Conflict


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """Pieces `start` to `end` of the adopted text became `pieces`."""

    start: int
    end: int
    pieces: tuple[Piece, ...]

    @property
    def adds_only(self) -> bool:
        return self.start == self.end

    @property
    def removes_only(self) -> bool:
        return not self.pieces

    def same(self, other: _Change) -> bool:
        keys = [[piece.key for piece in change.pieces] for change in (self, other)]
        return (self.start, self.end) == (other.start, other.end) and keys[0] == keys[1]


@dataclass(slots=True, kw_only=True)
class _Placed:
    """A piece of the result, or one that goes."""

    piece: Piece
    added: bool = False
    """Whether the owner added the piece."""
    gone: bool = False


def take_out(after: str, current: str, before: str) -> str:
    """`current` without what made `after` out of `before`; all other lines of `current` stay, with their endings.

    A region that holds somebody's rule keeps its markers. Raises `Conflict`, with the line of `current`, where both
    changed the same rule or line, and for broken markers.
    """
    ending = plaintext.newline(current)
    restored = "".join(line.rstrip("\r\n") + ending * line.endswith(("\n", "\r")) for line in plaintext.lines(before))
    base, ours, theirs = (pieces(text) for text in (after, current, restored))
    own, undone = _changes(base, ours), _changes(base, theirs)
    for mine in own:
        for undo in undone:
            if mine.same(undo) or (mine.removes_only and undo.removes_only):
                continue
            # An addition lies between two pieces: it is in the way only inside of what the other side replaced.
            inside = mine.start < undo.end and undo.start < mine.end
            harmless = (mine.adds_only and undo.removes_only) or (mine.removes_only and undo.adds_only)
            if inside and not harmless:
                raise Conflict(_both(base, ours, mine, undo))
    placed = list(_placed(base, ours, own, undone))
    # A region that is to go but holds a rule of somebody else stays, and so does the empty line before it.
    for start, one in enumerate(placed):
        if not (one.gone and one.piece.opens is not None):
            continue
        end = next(n for n in range(start, len(placed)) if placed[n].piece.closes is one.piece.opens)
        if any(not inner.gone and inner.piece.key.strip() for inner in placed[start + 1 : end]):
            one.gone = placed[end].gone = False
            if start and placed[start - 1].gone and not placed[start - 1].piece.key.strip():
                placed[start - 1].gone = False
    # An empty line that is to go stays where the owner's new lines would otherwise join the paragraph above.
    for at, one in enumerate(placed):
        if not one.gone or one.piece.key.strip():
            continue
        above = next((p for p in reversed(placed[:at]) if not p.gone), None)
        below = next((p for p in placed[at + 1 :] if not p.gone), None)
        if above is not None and below is not None and below.added:
            one.gone = not (above.piece.key.strip() and below.piece.key.strip())
    kept = [one.piece.text for one in placed if not one.gone]
    # A line that was the last of one text may have no ending.
    kept[:-1] = [text if text.endswith(("\n", "\r")) else text + ending for text in kept[:-1]]
    return "".join(kept)


def without_regions(text: str) -> str:
    """The text without its regions, their markers and the empty line that was put before each.

    Raises `Conflict` for broken markers.
    """
    kept: list[Piece] = []
    inside = False
    for piece in pieces(text):
        if piece.opens is not None and kept and not kept[-1].key.strip():
            kept.pop()
        inside = inside or piece.opens is not None
        if not inside:
            kept.append(piece)
        inside = inside and piece.closes is None
    return "".join(piece.text for piece in kept)


def _changes(base: Sequence[Piece], side: Sequence[Piece]) -> list[_Change]:
    """What turned `base` into `side`. Line endings do not count: an editor may have added or changed them all."""
    matcher = difflib.SequenceMatcher(None, [p.key for p in base], [p.key for p in side], autojunk=False)
    return [
        _Change(start=a, end=b, pieces=tuple(side[c:d]))
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]  # fmt: skip


def _both(base: Sequence[Piece], ours: Sequence[Piece], mine: _Change, undo: _Change) -> str:
    """Where the conflict is, in the owner's own file, and how the owner ends it."""
    first = max(mine.start, undo.start)
    seen = mine.pieces[0] if mine.pieces else None
    # Pieces of the owner's text may span lines, and some were added above.
    at = next((n for n, piece in enumerate(ours) if piece is seen), None) if seen is not None else None
    if at is None:
        known = {piece.key: n for n, piece in enumerate(ours)}
        at = next((known[p.key] + 1 for p in reversed(base[:first]) if p.key in known), 0)
    line = 1 + sum(len(plaintext.lines(piece.text)) for piece in ours[:at])
    wanted = " / ".join(piece.key for piece in undo.pieces if piece.key.strip())
    remedy = f"write {wanted!r} there yourself" if wanted else "delete it yourself"
    was = base[first].key if first < len(base) else ""
    return f"line {line}: you changed {was!r}, which the revert takes out; {remedy}, then revert again"


def _placed(
    base: Sequence[Piece], ours: Sequence[Piece], own: Sequence[_Change], undone: Sequence[_Change]
) -> Iterator[_Placed]:
    """The pieces in order: those of the owner's text, those that the revert brings back, those that go."""
    matcher = difflib.SequenceMatcher(None, [p.key for p in base], [p.key for p in ours], autojunk=False)
    own_wording = {b.a + n: ours[b.b + n] for b in matcher.get_matching_blocks() for n in range(b.size)}
    for place in range(len(base) + 1):
        back = next((change for change in undone if change.start == place and change.pieces), None)
        mine = next((change for change in own if change.start == place and change.pieces), None)
        twice = back is not None and mine is not None and back.same(mine)
        # What an owner put before a line that the revert replaces stays before the line.
        for change in (mine, back) if back is not None and not back.adds_only else (back, mine):
            if change is not None and not (twice and change is back):
                yield from (_Placed(piece=piece, added=change is mine) for piece in change.pieces)
        if place < len(base) and place in own_wording:
            gone = any(change.start <= place < change.end for change in undone)
            yield _Placed(piece=own_wording[place], gone=gone)
