"""Words and character n-grams hashed into 1024 numbers: an embedder without a model, for any language, in milliseconds.

The hashing trick with signs (Weinberger et al., 2009, "Feature hashing for large scale multitask learning", section 2).
Term frequency counts as 1 + ln(tf). A real inverse document frequency would depend on the texts at hand, and vectors
of different days could not be compared; in its place each word weighs ln(1 + its length), because long words tend to be
the rare ones (Zipf, 1935). Character n-grams carry inflected forms, and scripts without spaces.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from sleepd.core.ports import Vectors
from sleepd.models.settings import EmbedderSettings
from sleepd.models.surrogates import without_surrogates

DIMENSIONS = 1024
_VERSION = 1
"""Part of the key; to be raised with any change of the vectors."""
_WORD = re.compile(r"\w+")
_SIZES = (2, 3, 4)
_CHARACTERS_SHARE = 0.5
"""How much of a vector's squared length the character n-grams make up."""


class HashedTfidf:
    """Texts to unit vectors by hashing. The same text gives the same vector in every process and on every machine."""

    @property
    def key(self) -> str:
        return f"hashed-tfidf:{DIMENSIONS}:v{_VERSION}"

    @property
    def english_only(self) -> bool:
        return False

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), 1024), rows of length 1; texts without a word share one fixed row."""
        rows = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            words = _WORD.findall(unicodedata.normalize("NFKC", without_surrogates(text)).casefold())
            by_word = _unit(_hashed(_word_features(words)))
            by_character = _unit(_hashed(_character_features(words)))
            mixed = math.sqrt(1 - _CHARACTERS_SHARE) * by_word + math.sqrt(_CHARACTERS_SHARE) * by_character
            row[:] = _unit(mixed).astype(np.float32)
        return rows

    def close(self) -> None:
        """There is nothing to give back."""


def from_settings(settings: EmbedderSettings) -> HashedTfidf:  # noqa: ARG001 - every embedder is made this way
    """The adapter registered as `hashed-tfidf`. No setting but the name matters to it."""
    return HashedTfidf()


def _word_features(words: list[str]) -> Iterable[tuple[str, float]]:
    """Words, and neighbours in pairs at half the weight."""
    for word, times in Counter(words).items():
        yield f"w {word}", (1 + math.log(times)) * math.log1p(len(word))
    for (left, right), times in Counter(itertools.pairwise(words)).items():
        yield f"p {left} {right}", 0.5 * (1 + math.log(times)) * math.log1p(len(left) + len(right))


def _character_features(words: list[str]) -> Iterable[tuple[str, float]]:
    grams: Counter[str] = Counter()
    for word in words:
        marked = f"<{word}>"
        for size in _SIZES:
            grams.update(marked[i : i + size] for i in range(len(marked) - size + 1))
    for gram, times in grams.items():
        yield f"c {gram}", (1 + math.log(times)) * math.log1p(len(gram))


def _hashed(features: Iterable[tuple[str, float]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    sums = np.zeros(DIMENSIONS)
    for feature, weight in features:
        mark = zlib.crc32(feature.encode("utf-8"))
        sums[mark % DIMENSIONS] += weight if mark & 0x8000_0000 else -weight
    return sums


def _unit(sums: np.ndarray[tuple[int], np.dtype[np.float64]]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Length 1; the first axis when nothing was counted, or when everything cancelled out."""
    length = float(np.linalg.norm(sums))
    if length > 0:
        return sums / length
    axis = np.zeros(DIMENSIONS)
    axis[0] = 1.0
    return axis
