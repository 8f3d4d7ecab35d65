"""Character n-gram vectors: similarity that needs no language and no model.

An embedding model that knows only English places all Cyrillic or Chinese requests close together. Overlap of short
character runs still tells them apart, so both are combined in one vector, weighted by how much of the text is written
in the Latin script.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from sleepd.core.ports import Vectors

DIMENSIONS = 1024
_SIZES = (3, 4, 5)
_SHORT_SIZES = (1, 2, 3)
_DENSE_FROM = "\u2e80"
# Texts whose counts are kept: a night compares the same requests again and again.
_REMEMBERED = 2_048
_LATIN_END = 0x250
_WEIGHT_LATIN = 0.6
_WEIGHT_OTHER = 0.1
_VERSION = 1
"""Part of the name of a space; to be raised with any change of the vectors."""


def vectors(texts: Sequence[str]) -> Vectors:
    """Hashed, log-damped counts of runs of 3-5 characters (1-3 in dense scripts such as Chinese).

    Shape (len(texts), 1024), rows of length 1 (0 if empty).

    Each run's sign follows from its hash as well, so that collisions cancel out and unrelated texts come out near 0
    (Weinberger et al. 2009, "Feature hashing for large scale multitask learning").
    """
    return np.stack([_vector(text) for text in texts]) if texts else np.zeros((0, DIMENSIONS), dtype=np.float32)


def similarity(a: str, b: str) -> float:
    """Cosine of two texts' counts of character runs; in [0, 1]."""
    left, right = _counts(a), _counts(b)
    if len(left) > len(right):
        left, right = right, left
    dot = sum(weight * right[run] for run, weight in left.items() if run in right)
    scale = math.sqrt(_square(left) * _square(right))
    return dot / scale if scale else 0.0


def latin_share(text: str) -> float:
    """Share of the letters that are Latin; 1.0 for a text without letters."""
    letters = [c for c in text if c.isalpha()]
    return sum(ord(c) < _LATIN_END for c in letters) / len(letters) if letters else 1.0


def combine(embedded: Vectors, texts: Sequence[str], *, english_only: bool) -> Vectors:
    """Join embedding and n-grams so that a dot product of two rows is a weighted mean of both cosines.

    The weight of the embedding is 0.6; for an English-only model it falls to 0.1 with the share of other scripts.
    Each row has length 1, up to an all-blank text, whose n-gram part is 0.
    """
    weight = np.full(len(texts), _WEIGHT_LATIN)
    if english_only:
        shares = np.array([latin_share(t) for t in texts])
        weight = _WEIGHT_OTHER + (_WEIGHT_LATIN - _WEIGHT_OTHER) * shares
    column = weight[:, None].astype(np.float32)
    return np.hstack([np.sqrt(column) * embedded, np.sqrt(1 - column) * vectors(texts)])


def space(embedder: str, *, english_only: bool) -> str:
    """The name of the combined vectors of an embedder: rows of equal names are comparable."""
    return f"{embedder}+ngrams:v{_VERSION}{':english' if english_only else ''}"


@lru_cache(maxsize=_REMEMBERED)
def _vector(text: str) -> Vectors:
    row = np.zeros(DIMENSIONS, dtype=np.float32)
    for run, weight in _counts(text).items():
        row[(run >> 1) % DIMENSIONS] += weight if run & 1 else -weight
    length = float(np.linalg.norm(row))
    if length > 0:
        row /= length
    row.flags.writeable = False
    return row


@lru_cache(maxsize=_REMEMBERED)
def _counts(text: str) -> Mapping[int, float]:
    """Damped counts of the text's character runs, by the runs' hashes."""
    folded = f" {' '.join(text.casefold().split())} "
    runs: Counter[int] = Counter()
    # Whether most letters are ideographs, kana or hangul: one of them says as much as several of an alphabet.
    letters = [c for c in folded if c.isalpha()]
    dense = 2 * sum(c >= _DENSE_FROM for c in letters) > len(letters)
    for size in _SHORT_SIZES if dense else _SIZES:
        for start in range(len(folded) - size + 1):
            runs[zlib.crc32(folded[start : start + size].encode("utf-8", "surrogatepass"))] += 1
    return {run: 1 + math.log(count) for run, count in runs.items()}


def _square(counts: Mapping[int, float]) -> float:
    return sum(weight * weight for weight in counts.values())
