"""Where a rule's words come from: the user, or something that a tool returned.

A file or a page that an agent read can hold a sentence that wants to become a rule. A reflection model repeats such a
sentence nearly as it stands, so the words give it away. They are compared in runs of three (six signs of a script
without spaces), blind to letter case, accents, punctuation, markup, hidden characters and line breaks. What the user
said, kept, or has in the file already counts as the user's, wherever else it stands too.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from sleepd.core import plaintext

RUN = 8.0
"""So many words in a row, and from tools only, are no chance."""
LEAST = 5.0
"""Fewer words say nothing, also when they are the whole line: "run the tests first" stands everywhere."""
SHARE = 0.8
"""Of a line's words: so a line taken over with a word changed here and there is still seen."""

RULE = "tool-output"
WHY = "stands in what a tool returned, and the user did not say it"

UNSAID = "no-quote"
WHY_UNSAID = "rests on no words of the person"
_SAYING = 200
_LEAST_WORDS = 3
VOUCHED = 0.4
"""Of a line's telling words one and the same saying of the person holds at least this share."""
_STEM = 5
_LEAST_TELLING = 2
_COMMON = frozenset(
    word
    for words in (
        "always never when before after with from into this that these those must should will have each every",
        "your please make sure them then than also only once immer nicht wenn bevor nach einen eine einem",
        "einer dass diese dieser dieses jede jeder jedes bitte auch dann sein wird werden toujours jamais",
        "quand avant apres avec dans pour cette chaque doit etre sont siempre nunca cuando antes despues para",
        "cada debe este esta sempre quando prima dopo ogni deve altijd nooit voor elke moet wanneer zawsze",
        "nigdy kazdy przed musi всегда никогда когда перед после каждый должен",
    )
    for word in words.split()
)
"""Words that say how a rule is put and not what it is about."""

_SHINGLE = 3.0
_SIGN = 0.5
_GAP = 2
"""So many other words do not end a run."""
_EXCERPT_CHARS = 120
_DENSE = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_DENSE}]|[^\W_{_DENSE}]+")
_SIGNS = re.compile(f"[{_DENSE}]")
_LOOKS_LIKE = {ord(chr(look).casefold()): chr(like).casefold() for look, like in plaintext.CONFUSABLE.items()}
_COLOURS = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
_TAGS = re.compile(r"<[/!a-zA-Z][^<>]{0,200}>")
_WRITTEN_BREAKS = re.compile(r"\\[nrt]")
_LINE_NUMBERS = re.compile(r"^[ \t]*(?:[^\s:|]{1,200}[:-])?\d{1,7}[ \t]*[→|:\t-]", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Words of a text that came from a tool and not from the user."""

    excerpt: str
    """As the text has them, at most 120 characters."""
    words: float
    """How many of them a tool returned; a sign of a script without spaces counts half."""
    lines: tuple[int, ...]
    """The lines of the text they stand in, from 0."""


@dataclass(frozen=True, slots=True)
class _Word:
    folded: str
    line: int
    piece: int
    """Which of the line's pieces between spaces it stands in."""

    @property
    def weight(self) -> float:
        return _weight(self.folded)


def taken_over(text: str, returned: Iterable[str], own: Iterable[str]) -> tuple[Passage, ...]:
    """The passages of a text that stand in what tools `returned` and not in the user's `own` words; () without any.

    A passage has at least `RUN` such words in a row, also over ends of lines, or is a line of which such words are
    `SHARE`, at least `LEAST` of them. Every text is read once: the time is in proportion to their length.
    """
    pieces = [_plain(line).split() for line in text.split("\n")]
    words = [
        _Word(word, number, place)
        for number, line in enumerate(pieces)
        for place, piece in enumerate(line)
        for word in _words(piece)
    ]
    # The places of the words that each run covers.
    shingles: dict[tuple[str, ...], set[int]] = {}
    folded = [word.folded for word in words]
    for start in range(len(folded)):
        if (end := _end(folded, start)) is not None:
            shingles.setdefault(tuple(folded[start:end]), set()).update(range(start, end))
    if not shingles:
        return ()
    theirs = set().union(*_covered(shingles, own))
    weight_of_line: dict[int, float] = {}
    for word in words:
        weight_of_line[word.line] = weight_of_line.get(word.line, 0.0) + word.weight
    found: dict[tuple[int, ...], None] = {}
    for covered in _covered(shingles, returned):
        foreign = sorted(covered - theirs)
        # Foreign places that follow one another, where they are enough for a run.
        starts = [n for n, place in enumerate(foreign) if not n or place - foreign[n - 1] > _GAP + 1]
        runs = [tuple(foreign[a:b]) for a, b in pairwise([*starts, len(foreign)])]
        found |= dict.fromkeys(run for run in runs if _sum(words, run) >= RUN)
        # Those of lines that hardly have other words.
        for line, group in groupby(foreign, key=lambda place: words[place].line):
            kept = tuple(group)
            if _sum(words, kept) >= max(LEAST, SHARE * weight_of_line[line]):
                found[kept] = None
    passages = []
    for places in found:
        first, last = words[places[0]], words[places[-1]]
        end_piece = last.piece if last.line == first.line else len(pieces[first.line]) - 1
        passage = Passage(
            excerpt=plaintext.clipped(" ".join(pieces[first.line][first.piece : end_piece + 1]), _EXCERPT_CHARS),
            words=_sum(words, places),
            lines=tuple(dict.fromkeys(words[place].line for place in places)),
        )
        passages.append(passage)
    return tuple(dict.fromkeys(passages))


def unsaid(text: str, sayings: Iterable[str]) -> tuple[str, ...]:
    """The lines of a text that no single saying of the person vouches for, as they stand; empty ones are left out.

    A saying vouches for a line when it holds `VOUCHED` of the line's telling words, at least two of them (all of a
    line that has fewer). Words agree when their first five letters do, so "tests" vouches for "testing". A line of
    short words alone needs a saying that holds all of them.
    """
    sayings = tuple(dict.fromkeys(sayings))
    said = [_telling(saying) for saying in sayings]
    every = [frozenset(_words(_plain(saying))) for saying in sayings]
    found = []
    for line in text.split("\n"):
        wanted = _telling(line)
        # Every other pair of signs straddles two words.
        weight = sum(map(_weight, wanted))
        least = min(len(wanted), max(_LEAST_TELLING, VOUCHED * weight))
        short = frozenset(_words(_plain(line))) if not wanted else frozenset()
        vouched = any(short <= words for words in every) if short else any(len(wanted & w) >= least for w in said)
        if (wanted or short) and not vouched:
            found.append(line.strip())
    return tuple(found)


def verbatim(line: str, sayings: Iterable[str]) -> str | None:
    """The shortest saying that alone vouches for a line, on one line; None where none is fit to be a rule.

    A saying of fewer than three words, or of more than two hundred characters, is not. A line that is a saying word for
    word needs no other.
    """
    flat = {" ".join(saying.split()) for saying in sayings}
    if _words(_plain(line)) in [_words(_plain(said)) for said in flat]:
        return None
    fit = [said for said in flat if len(said) <= _SAYING and len(said.split()) >= _LEAST_WORDS]
    told = sorted(fit, key=lambda said: (len(said), said))
    return next((said for said in told if not unsaid(line, (said,))), None)


def _telling(text: str) -> frozenset[str]:
    """The beginnings of the words that say what a text is about; of scripts without spaces each two signs in a row."""
    words = _words(_plain(text))
    dense = [word for word in words if _SIGNS.match(word)]
    pairs = {first + second for first, second in pairwise(dense)}
    rest = {w[:_STEM] for w in words if not _SIGNS.match(w) and (len(w) > 3 or w.isdigit()) and w not in _COMMON}
    return frozenset(pairs | rest)


def _plain(text: str) -> str:
    """Without what a page, a terminal or a tool puts around words; lines stay."""
    shown = _WRITTEN_BREAKS.sub("\n", _COLOURS.sub("", text))
    shown = _LINE_NUMBERS.sub("", _TAGS.sub(" ", html.unescape(shown)))
    if shown.isascii():
        return shown
    return "".join(char for char in shown if not plaintext.hidden(char))


def _words(plain: str) -> list[str]:
    """The words as they are compared."""
    if plain.isascii():
        return _WORD.findall(plain.casefold())
    folded = unicodedata.normalize("NFKD", plain.casefold()).casefold().translate(_LOOKS_LIKE)
    return _WORD.findall("".join(char for char in folded if not unicodedata.category(char).startswith("M")))


def _weight(word: str) -> float:
    return _SIGN if _SIGNS.match(word) else 1.0


def _end(words: Sequence[str], start: int) -> int | None:
    """Where the run that begins here is long enough to be compared; None when the text ends before."""
    weight = 0.0
    for place in range(start, min(len(words), start + int(_SHINGLE / _SIGN))):
        weight += _weight(words[place])
        if weight >= _SHINGLE:
            return place + 1
    return None


def _covered(shingles: Mapping[tuple[str, ...], set[int]], texts: Iterable[str]) -> Iterator[set[int]]:
    """For each text the places of those words that stand in it in runs.

    Each text by itself: three words agree somewhere in a whole day's output, many in one and the same hardly ever.
    """
    first = {run[0] for run in shingles}
    for text in dict.fromkeys(texts):
        covered: set[int] = set()
        words = _words(_plain(text))
        for start, word in enumerate(words):
            if word in first and (end := _end(words, start)) is not None:
                covered |= shingles.get(tuple(words[start:end]), set())
        yield covered


def _sum(words: Sequence[_Word], places: Iterable[int]) -> float:
    return sum(words[place].weight for place in places)
