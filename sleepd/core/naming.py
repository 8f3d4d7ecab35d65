"""What a group of texts is called: the words that its members share and the other groups lack.

Words, no grammar: a name is a run of words as people wrote it ("fix lint errors"), which in a request is the verb with
its object, or a command. So it needs no list of any language's verbs. Where a group shares no such run, one of its
texts stands for it, cut: single words put together would say nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from sleepd.core import plaintext

_WORD = re.compile(r"/?\w(?:[\w'./:+-]*\w)?")
_READ = 40
"""Words of a text that are looked at: a request says at its beginning what it wants."""
_MEMBERS = 50
"""Members of a group that are looked at, the oldest, so that a name seldom changes."""
_LONGEST = 5
_SHARED = 0.5
_SHORT = 3
_LONG = 5
_SELDOM = 0.2
_RARE = 0.05
"""A name begins and ends with long words (5 characters), or with such as few texts of other groups have: a fifth for 4
characters, a twentieth for 3. Articles and prepositions are short and everywhere."""
_CUT = 48
_TOGETHER = 3
_FEW = 4
"""A request of so few words is short."""


def names(groups: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """A name for each group of texts, oldest group and oldest text first; no two are the same."""
    read = {
        group: [_WORD.findall(text.casefold()[: 20 * _READ])[:_READ] for text in texts]
        for group, texts in groups.items()
    }
    everything = [words for members in read.values() for words in members]
    having = Counter(word for words in everything for word in set(words))
    beginning = Counter(words[0] for words in everything if words)
    taken: set[str] = set()
    found = {}
    for group, members in read.items():
        some = members[:_MEMBERS]
        inside = Counter(word for words in members for word in set(words))
        outside = max(1, len(everything) - len(members))
        weight: dict[str, float] = {}
        for word in {word for words in some for word in words}:
            often = (having[word] - inside[word]) / outside
            whole = len(word) >= _LONG or (len(word) >= _SHORT and often <= (_RARE if len(word) == _SHORT else _SELDOM))
            whole = whole or word.startswith("/")
            # A short word that mostly begins requests is a verb ("fix", "add") and not an article.
            ends = whole or 2 * beginning[word] > having[word]
            weight[word] = math.log1p(len(everything) / having[word]) * math.log1p(len(word)) * (1 if ends else -1)
        name = next(n for n in _candidates(some, groups[group], weight) if n not in taken)
        taken.add(name)
        found[group] = name
    return found


def _candidates(members: Sequence[Sequence[str]], texts: Sequence[str], weight: Mapping[str, float]) -> Iterator[str]:
    """Names from the best to the last resort; there is always another one.

    `weight` says how much a word tells; it is negative for a word that no name begins or ends with.
    """
    phrases: Counter[tuple[str, ...]] = Counter()
    for words in members:
        ends = [place for place, word in enumerate(words) if weight[word] > 0]
        phrases.update({tuple(words[a : b + 1]) for a in ends for b in ends if a <= b < a + _LONGEST})
    best = sorted(phrases, key=lambda p: (-phrases[p] * sum(abs(weight[word]) for word in p), p))
    shared = [p for p in best if phrases[p] >= max(2, _SHARED * len(members))]
    telling = next((p for p in shared if len(p) > 1 or _names_alone(p[0], members, weight)), None)
    if telling is not None and len(telling) == 1:
        # Further words that most of them have make it plainer: `fix test`, `address feedback review`.
        first = {word: n for words in reversed(members) for n, word in enumerate(words)}
        alone = [p[0] for p in shared if len(p) == 1 and p != telling]
        telling = tuple(sorted((telling[0], *alone[: _TOGETHER - 1]), key=lambda word: (first[word], word)))
    base = " ".join(telling) if telling is not None else _typical(members, texts, weight)
    base = _cut(base) or "work"
    yield base
    for (word,) in (p for p in best if len(p) == 1 and p[0] not in base.split()):
        yield f"{base}: {_cut(word)}"
    for number in count(2):
        yield f"{base} ({number})"


def _names_alone(word: str, members: Sequence[Sequence[str]], weight: Mapping[str, float]) -> bool:
    """Whether one word is enough: a command, or one that most requests with it begin with or hardly add to."""
    having = [words for words in members if word in words]
    short = sum(words[0] == word or len(words) <= _FEW for words in having)
    return word.startswith("/") or (weight[word] > 0 and 2 * short > len(having))


def _typical(members: Sequence[Sequence[str]], texts: Sequence[str], weight: Mapping[str, float]) -> str:
    """The text that has most in common with the others, for its length; of equals the shortest."""
    shared = Counter(word for words in members for word in set(words))

    def common(place: int) -> float:
        words = set(members[place])
        return sum((shared[w] - 1) * abs(weight[w]) for w in words) / (_FEW + len(words)) if words else 0.0

    best = min(range(len(members)), key=lambda place: (-common(place), len(texts[place]), texts[place]))
    return plaintext.flat(texts[best])


def _cut(name: str) -> str:
    """At most 48 characters, cut between words where there are any."""
    if len(name) <= _CUT:
        return name.strip()
    whole = name[:_CUT].rpartition(" ")[0].strip()
    return f"{whole or name[: _CUT - 1]}…"
