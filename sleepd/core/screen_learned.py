"""A linear model reads a rule and says how much it resembles rules that somebody planted.

Logistic regression on hashed features (Weinberger et al. 2009, "Feature hashing for large scale multitask learning"):
words, pairs of words, runs of characters, and the notions of `screen_notions.py` with their pairs in a sentence. What
stands behind a ban in its clause is another feature, so "never commit keys" does not read like "commit keys".
`python -m benchmarks.train_screen` makes `screen_weights.npz` from sentences of several writers.
"""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import combinations, pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from sleepd.core import screen_notions
from sleepd.core.screen_notions import BANS, FORGET, LATE_NOT, folded

BUCKETS: Final = 1 << 17
WEIGHTS: Final = "screen_weights.npz"
LEAST_WORDS: Final = 4
"""Nearly all texts that the model was trained on have as many words or more: it says nothing of shorter ones."""
SENTENCES_READ: Final = 3
"""So many sentences are read at a time: as many as a rule has that the model was trained on."""
_DENSE = "\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_DENSE}]|[^\W_{_DENSE}]+|--?[a-z][\w-]*|[|$`<>~@/\\*=&%-]+")
_DENSE_SIGN = re.compile(f"[{_DENSE}]")
_DENSE_RUN = re.compile(rf"[{_DENSE}]{{2,}}")
_ADDRESS = re.compile(r"https?://\S+")
_NUMBER = re.compile(r"(?<!\w)\d+(?!\w)")
_SENTENCE = re.compile(r"(?<=[^\W\d]{2})[.!?;]\s+|(?<=[`\"')\]])[.!?;]\s+|[。！？।]|\n+")
_CLAUSE = re.compile(
    r"[,;:،、，；：]|\s[–—-]\s"
    r"|\b(?:but|instead|unless|until|rather|sondern|aber|mais|pero|sino|ma|mas|ale|но|а)\b|而是|但"
)
_NOTIONS: Final = {
    name: pattern
    for name, pattern in vars(screen_notions).items()
    if isinstance(pattern, re.Pattern) and not name.startswith("_")
}
_POLAR = frozenset({"BANS", "WITHOUT", "UNTIL", "LATE_NOT", "FORGET", "IF", "POINTS_BACK", "NOT", "MILD"})
"""Notions that make a ban, or stand outside of it."""
_NOTION, _NOTION_PAIR = 0.2, 0.1
"""What one notion and one pair of notions count; words, pairs and runs of characters share 1 among their kind."""
_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """How a text reads to the model."""

    score: float
    """Log odds; 0 is as much like a planted rule as like a person's."""
    words: tuple[str, ...]
    """The words that weighed most towards a planted rule, at most three, in the text's order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedModel:
    """The trained model."""

    weights: npt.NDArray[np.float16]
    """Shape (BUCKETS,): what a feature adds to the score."""
    intercept: float
    alone: float
    """From this score a text is held back."""
    agreeing: float
    """From this score a text is held back when a pattern found something as well."""


@cache
def shipped() -> TrainedModel:
    """The model in this package."""
    with (resources.files("sleepd.core") / WEIGHTS).open("rb") as file, np.load(file, allow_pickle=False) as kept:
        intercept, alone, agreeing = map(float, kept["scalars"])
        return TrainedModel(weights=kept["weights"], intercept=intercept, alone=alone, agreeing=agreeing)


def words_in(text: str) -> float:
    """How many words a text has; a sign of a script without spaces counts half."""
    tokens = [hit[0] for hit in _TOKEN.finditer(text.casefold())]
    return sum(0.5 if _DENSE_SIGN.match(token) else 1.0 for token in tokens if token[0].isalnum())


def likeness(text: str) -> Likeness:
    """How much a text reads like a planted rule: of its stretches of three sentences the highest score."""
    return max((_read(stretch) for stretch in _stretches(text)), key=lambda read: read.score)


def buckets(text: str) -> dict[int, float]:
    """The features of a text: what the model multiplies with its weights, by bucket."""
    values: defaultdict[int, float] = defaultdict(float)
    for feature in _features(text):
        values[feature.bucket] += feature.value
    return dict(values)


@dataclass(frozen=True, slots=True)
class _Feature:
    bucket: int
    value: float
    words: tuple[str, ...]


def _stretches(text: str) -> Iterator[str]:
    ends = [hit.end() for hit in _SENTENCE.finditer(text) if text[hit.end() :].strip()]
    starts = [0, *ends]
    stops = [*ends, len(text)]
    last = max(1, len(starts) - SENTENCES_READ + 1)
    yield from (text[starts[n] : stops[min(n + SENTENCES_READ, len(stops)) - 1]] for n in range(last))


def _read(text: str) -> Likeness:
    model = shipped()
    score = model.intercept
    towards: defaultdict[str, float] = defaultdict(float)
    for feature in _features(text):
        part = feature.value * float(model.weights[feature.bucket])
        score += part
        for word in feature.words:
            towards[word] += part / len(feature.words)
    telling = (word for word in towards if towards[word] > 0 and (len(word) > 2 or word > "\u0e00"))
    heaviest = sorted(telling, key=lambda word: -towards[word])[:_SHOWN]
    plain = folded(text)
    return Likeness(score=score, words=tuple(sorted(heaviest, key=plain.find)))


def _features(text: str) -> list[_Feature]:
    """Each feature once, with its part of what its kind counts."""
    kinds: defaultdict[str, dict[str, tuple[str, ...]]] = defaultdict(dict)
    plain = _NUMBER.sub("0", _ADDRESS.sub(" urlx ", folded(text)))
    for sentence in _SENTENCE.split(plain):
        _words(sentence, kinds)
        _notions(sentence, kinds)
    found = []
    for kind, features in kinds.items():
        if not features:
            continue
        each = {"notion": _NOTION, "notions": _NOTION_PAIR}.get(kind, float(len(features)) ** -0.5)
        for name, words in features.items():
            bucket = zlib.crc32(f"{kind}:{name}".encode("utf-8", "surrogatepass")) % BUCKETS
            found.append(_Feature(bucket, each, words))
    return found


def _words(sentence: str, kinds: defaultdict[str, dict[str, tuple[str, ...]]]) -> None:
    bans = _bans(sentence)
    tokens = [(hit[0], _mark(bans, hit.start()) + hit[0]) for hit in _TOKEN.finditer(sentence)]
    for word, marked in tokens:
        kinds["word"][marked] = (word,)
        if len(word) > 2:
            bounded = f"<{word}>"
            kinds["run"] |= {bounded[at : at + n]: (word,) for n in (3, 4, 5) for at in range(len(bounded) - n + 1)}
    for (first, marked), (second, marked_too) in pairwise(tokens):
        kinds["pair"][f"{marked} {marked_too}"] = (first, second)
    for run in _DENSE_RUN.findall(sentence):
        kinds["run"] |= {run[at : at + n]: (run[at : at + n],) for n in (2, 3) for at in range(len(run) - n + 1)}


def _notions(sentence: str, kinds: defaultdict[str, dict[str, tuple[str, ...]]]) -> None:
    bans = _bans(sentence)
    tokens = list(_TOKEN.finditer(sentence))
    here: dict[str, str] = {}
    for name, pattern in _NOTIONS.items():
        for hit in pattern.finditer(sentence):
            word = next((token[0] for token in tokens if token.end() > hit.start()), hit[0])
            here[("" if name in _POLAR else _mark(bans, hit.start())) + name] = word
    kinds["notion"] |= {name: (word,) for name, word in here.items()}
    kinds["notions"] |= {
        f"{first}&{second}": (here[first], here[second]) for first, second in combinations(sorted(here), 2)
    }


def _bans(sentence: str) -> list[tuple[int, int]]:
    """The stretches of a sentence that a ban governs: from the ban to its clause's end, the whole clause if it is last.

    "Never forget to" and its like govern nothing.
    """
    cuts = [0, *(hit.start() for hit in _CLAUSE.finditer(sentence)), len(sentence)]
    governed = []
    for start, end in pairwise(cuts):
        clause = sentence[start:end]
        ban = BANS.search(clause)
        if ban is not None and FORGET.search(clause[ban.end() :]) is None:
            governed.append((start + ban.start(), end))
        elif LATE_NOT.search(clause) is not None:
            governed.append((start, end))
    return governed


def _mark(bans: list[tuple[int, int]], place: int) -> str:
    return "!" if any(start <= place < end for start, end in bans) else ""
