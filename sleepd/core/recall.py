"""The nearest past texts: tasks, episodes or lessons, by their rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import numpy as np

from sleepd.core.ports import HalfVectors, Vectors

_Id = TypeVar("_Id", bound=str)

_ROWS_AT_ONCE = 8_192


def nearest(
    query: Vectors, pool: Sequence[_Id], vectors: Vectors | HalfVectors, k: int
) -> tuple[tuple[_Id, float], ...]:
    """The `k` of `pool` (rows of `vectors`, length 1) most similar to `query` (shape (dimensions,)).

    Most similar first, with the cosine; ties are broken by id so that the order is the same everywhere.
    """
    if not pool or k <= 0:
        return ()
    found = np.empty(len(vectors))
    for at in range(0, len(vectors), _ROWS_AT_ONCE):
        found[at : at + _ROWS_AT_ONCE] = vectors[at : at + _ROWS_AT_ONCE].astype(np.float32, copy=False) @ query
    similar = np.round(found, 6)
    least = np.partition(similar, len(pool) - k)[len(pool) - k] if k < len(pool) else -np.inf
    some = np.flatnonzero(similar >= least).tolist()
    return best(((pool[i], float(similar[i])) for i in some), k)


def best(near: Iterable[tuple[_Id, float]], k: int) -> tuple[tuple[_Id, float], ...]:
    """The `k` with the highest cosines, in the order of `nearest`."""
    return tuple(sorted(near, key=lambda one: (-one[1], one[0]))[:k])
