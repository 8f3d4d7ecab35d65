"""Takes secrets out of text, once, before anything is stored or sent.

A text is read twice with literal searches; a regular expression only runs where a literal was found, anchored there, so
a text without secrets costs little more than being read. What counts as a secret, and what does not, is told in
`docs/explanation/redaction.md`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from sleepd.core.redact_assignments import KEYWORDS, assignment
from sleepd.core.redact_needles import Span, fresh, needles
from sleepd.core.redact_places import PLACES, command_password
from sleepd.core.redact_tokens import bot_token, long_runs, long_tokens, open_end, vendor_token

OVERLAP = 512
"""How many characters beyond the limit the caller has to leave in the text, to show a secret on the cut whole."""


_EDGE = 1_024
"""What lost its right neighbours in the cut is looked at once more this far back, so that the result is stable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redacted:
    """A text that may be stored."""

    text: str
    """At most `limit` characters; every secret stands as `[redacted:<rule>]`."""
    found: tuple[str, ...]
    """The rule of each secret that was taken out, in the order of the text."""


class Clipped(NamedTuple):
    """A text, whole or clipped to `limit + OVERLAP` characters, of which `limit` are wanted."""

    text: str
    limit: int


def redact(text: str, limit: int) -> Redacted:
    """The first `limit` characters of `text` without its secrets.

    `text` is either whole or was clipped to `limit + OVERLAP` characters; the surplus is looked at, never returned.
    A secret that begins before the cut goes whole, and a marker that does not fit any more is left out with all that
    follows. Redacting the result again changes nothing. Raises nothing, whatever the text.
    """
    return redact_all([Clipped(text, limit)])[0]


def redact_all(texts: Sequence[Clipped]) -> list[Redacted]:
    """As `redact` of each text; they are searched together, since beginning a search costs more than a short text."""
    views = [text[: limit + OVERLAP] for text, limit in texts]
    done: list[Redacted] = []
    start = size = 0
    for at, view in enumerate(views):
        size += len(view)
        if size >= _SEARCHED_AT_ONCE or at == len(views) - 1:
            hints = _hints(views[start : at + 1])
            some = zip(views[start : at + 1], texts[start : at + 1], hints, strict=True)
            done += [_redacted(view, clipped.limit, hint) for view, clipped, hint in some]
            start, size = at + 1, 0
    return done


_SEARCHED_AT_ONCE = 500_000
"""Characters: the search needs fifteen times their memory."""


@dataclass(slots=True)
class _Hints:
    """Where in a text secrets may be."""

    needles: list[int] = field(default_factory=list)
    """Offsets at which a needle begins."""
    runs: list[tuple[int, int]] = field(default_factory=list)
    """Long runs of token characters with a digit: start and end."""
    cards: bool = False
    """Whether enough digits for a payment card stand together."""


_NOTHING = _Hints()
_BETWEEN = b"\0" * 4
"""Longer than any needle reaches, and part of no token or number."""


def _hints(texts: Sequence[str]) -> list[_Hints]:
    raw = _BETWEEN.join([text.encode("latin-1", "replace") for text in texts])
    starts = [0, *accumulate(len(text) + len(_BETWEEN) for text in texts)][:-1]
    found: dict[int, _Hints] = {}
    for at in needles(raw):
        number = bisect_right(starts, at) - 1
        found.setdefault(number, _Hints()).needles.append(at - starts[number])
    for start, end in long_runs(raw):
        number = bisect_right(starts, start) - 1
        found.setdefault(number, _Hints()).runs.append((start - starts[number], end - starts[number]))
    for at in _card_shapes(raw):
        found.setdefault(bisect_right(starts, at) - 1, _Hints()).cards = True
    return [found.get(number, _NOTHING) for number in range(len(texts))]


def _redacted(view: str, limit: int, hints: _Hints) -> Redacted:
    if hints is _NOTHING and len(view) <= limit:
        return Redacted(text=view, found=())
    names: list[str] = []
    while True:
        spans = _merged(_spans(view, limit, hints))
        names += [rule for _, _, rule in spans]
        seen, view = view, _replaced(view, spans, limit)
        edge = view[-_EDGE:]
        settled = not spans and (len(seen) <= limit or not _spans(edge, limit, *_hints([edge])))
        if settled or view == seen:
            return Redacted(text=view, found=tuple(names))
        (hints,) = _hints([view])


def _spans(text: str, limit: int, hints: _Hints) -> list[Span]:
    """Every secret that begins before `limit`, unordered, possibly overlapping."""
    public: list[tuple[int, int]] = []
    spans: list[Span] = []
    done = 0
    for at in hints.needles:
        if at >= limit:
            break
        head = text[at : at + 4].lower()
        word = KEYWORDS.get(head) or KEYWORDS.get(head[:3])
        if word and (len(word) <= 4 or text[at : at + len(word)].lower() == word):
            if at >= done and (span := assignment(text, at, word)):
                spans.append(span)
            elif word == "pass":
                spans += command_password(text, at)
        elif reader := PLACES.get(head) or PLACES.get(head[:3]):
            spans += reader(text, at)
        elif span := _token(text, at, public):
            spans.append(span)
        if spans:
            done = max(done, spans[-1][1])
    spans += long_tokens(text, hints.runs, public)
    if hints.cards:
        spans += _cards(text)
    if len(text) > limit:
        spans += open_end(text)
    return [span for span in spans if span[0] < limit and not text.startswith("[redacted:", span[0])]


def _token(text: str, at: int, public: list[tuple[int, int]]) -> Span | None:
    """The key block or the vendor's token that the needle at `at` leads to."""
    match text[at]:
        case "-":
            return _key_block(text, at - 4, public)
        case ":":
            return bot_token(text, at)
        case "u":
            return vendor_token(text, at - len("gith"))
        case _:
            return vendor_token(text, at)


def _merged(spans: list[Span]) -> list[Span]:
    """Disjoint and in order; of overlapping spans the first one's rule names the whole."""
    merged: list[Span] = []
    for start, end, rule in sorted(spans, key=lambda s: (s[0], -s[1])):
        if merged and start < merged[-1][1]:
            first, last, name = merged[-1]
            merged[-1] = (first, max(last, end), name)
        else:
            merged.append((start, end, rule))
    return merged


def _replaced(text: str, spans: list[Span], limit: int) -> str:
    pieces: list[str] = []
    room, at = limit, 0
    for start, end, rule in spans:
        marker = f"[redacted:{rule}]"
        pieces.append(text[at:start][:room])
        room -= start - at
        at = end
        if room < len(marker):
            return "".join(pieces)
        pieces.append(marker)
        room -= len(marker)
    pieces.append(text[at : max(at, limit)][:room])
    return "".join(pieces)


# ---------------------------------------------------------------------------------------------------------------------
# Private keys.

_PRIVATE = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}?PRIVATE KEY(?: BLOCK)?-----")
_OTHER_BLOCK = re.compile(r"-----BEGIN [A-Z0-9 ]{1,40}-----")
_KEY_BODY = re.compile(
    r"(?:\\+[nrt]|[\s\"'+,|>\\0-9:\-\u2192])*+(?:(?:Proc-Type|DEK-Info|Version|Comment):|[A-Za-z0-9+/=]{16}|(?P<end>[A-Za-z0-9+/=]*\Z))"
)
_END_LINE = re.compile(r"-----END [A-Z0-9 ]{1,40}-----")


def _key_block(text: str, at: int, public: list[tuple[int, int]]) -> Span | None:
    """The private key that begins at `at`; without an end it runs to the end of the text. Others go to `public`."""
    if public and at < public[-1][1]:
        return None
    head = _PRIVATE.match(text, at) if at >= 0 else None
    if head:
        # Tells a key from code that only names the BEGIN line.
        body = _KEY_BODY.match(text, head.end(), head.end() + 400)
        if body is None or (body["end"] is not None and body.end() < len(text)):
            return None
        return at, _block_end(text, head.end()), "private-key"
    if at >= 0 and (other := _OTHER_BLOCK.match(text, at)):
        public.append((at, _block_end(text, other.end())))
    return None


def _block_end(text: str, start: int) -> int:
    stop = text.find("-----END", start)
    if stop < 0:
        return len(text)
    line = _END_LINE.match(text, stop)
    return line.end() if line else len(text)


# ---------------------------------------------------------------------------------------------------------------------
# Payment cards.

_DIGITS = bytes(ord("0") if 48 <= c <= 57 else ord(" ") if c in b" -" else ord("x") for c in range(256))
_CARD_SHAPES = (b"0" * 13, b"0000 0000 0000", b"0000 000000 0000")
_CARD = re.compile(
    r"[0-9]{4}(?P<gap>[ -])(?:[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{1,7}|[0-9]{6}(?P=gap)[0-9]{4,5})(?![0-9])"
    r"|[0-9]{13,19}(?![0-9])"
)
_ISSUER = re.compile(
    r"4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})\Z|(?:5[1-5]|2[2-7])[0-9]{14}\Z|3[47][0-9]{13}\Z|3(?:0[0-5]|[689][0-9])[0-9]{11}\Z"
    r"|(?:6011|65[0-9]{2}|64[4-9][0-9]|62[0-9]{2}|35[2-8][0-9]|5018|5020|5038|5893|6304|6759|676[1-3])[0-9]{9,15}\Z"
)
_ID_BEFORE = re.compile(
    r"(?:id|_at|time|timestamp|ts|seq|hash|offset|inode|size|pid)\\*[\"']?[ \t]?[:=][ \t]?\\*[\"']?\Z", re.I
)


def _card_shapes(raw: bytes) -> Iterator[int]:
    """Where digits stand together as on a payment card; of several that overlap only the first."""
    shape = raw.translate(_DIGITS)
    for outline in _CARD_SHAPES:
        at = shape.find(outline)
        while at >= 0:
            yield at
            at = shape.find(outline, at + len(outline))


def _cards(text: str) -> Iterator[Span]:
    """Card numbers with a known issuer's prefix and length and a right check digit (Luhn, ISO/IEC 7812-1)."""
    shape = text.encode("latin-1", "replace").translate(_DIGITS)
    for outline in _CARD_SHAPES:
        at = shape.find(outline)
        while at >= 0:
            end = at + len(outline)
            if card := _CARD.match(text, at):
                end = card.end()
                digits = card.group().replace(" ", "").replace("-", "")
                if (
                    _ISSUER.match(digits)
                    and _luhn(digits)
                    and fresh(text, at)
                    and text[at - 1 : at] not in {".", "_"}
                    and not _ID_BEFORE.search(text[max(0, at - 16) : at])
                ):
                    yield at, end, "card"
            at = shape.find(outline, end)


def _luhn(digits: str) -> bool:
    odd = sum(int(d) for d in digits[-1::-2])
    even = sum(sum(divmod(2 * int(d), 10)) for d in digits[-2::-2])
    return (odd + even) % 10 == 0
