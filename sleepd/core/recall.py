"""The nearest past texts: tasks, episodes or lessons, by their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sleepd.core.components import main_components
from sleepd.core.ports import HalfVectors, Vectors

_Id = TypeVar("_Id", bound=str)

_ROWS_AT_ONCE = 8_192
_COMPONENTS = 192
_RECKONED = 40
"""Rows reckoned exactly for each one asked for, of those that are nearest by their main components."""
_LEAST_RECKONED = 400


class Index:
    """Rows in memory that are asked many times: an answer costs what 192 numbers of each row cost.

    The rows' main components choose forty times as many as are asked for; those are reckoned whole. A row that its
    main components tell too little about can be missed; `nearest` misses none.
    """

    def __init__(self, pool: Sequence[str], vectors: Vectors | HalfVectors) -> None:
        self._pool = pool
        self._vectors = vectors
        self._axes = main_components(vectors, _COMPONENTS)
        parts = [
            vectors[at : at + _ROWS_AT_ONCE].astype(np.float32, copy=False) @ self._axes
            for at in range(0, len(vectors), _ROWS_AT_ONCE)
        ]
        self._short: Vectors = np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float32)

    def nearest(self, query: Vectors, k: int) -> tuple[tuple[str, float], ...]:
        """As the function `nearest`, of the rows that the main components choose."""
        if not len(self._pool) or k <= 0:
            return ()
        wanted = min(max(_LEAST_RECKONED, _RECKONED * k), len(self._pool))
        rough = self._short @ (query @ self._axes)
        rows = np.sort(np.argpartition(rough, len(rough) - wanted)[-wanted:])
        return nearest(query, [self._pool[i] for i in rows], self._vectors[rows], k)


def nearest(
    query: Vectors, pool: Sequence[_Id], vectors: Vectors | HalfVectors, k: int
) -> tuple[tuple[_Id, float], ...]:
    """The `k` of `pool` (rows of `vectors`, length 1) most similar to `query` (shape (dimensions,)).

    Most similar first, with the cosine; ties are broken by id so that the order is the same everywhere.
    """
    if not pool or k <= 0:
        return ()
    similar = np.round(_cosines(query, vectors), 6)
    least = np.partition(similar, len(pool) - k)[len(pool) - k] if k < len(pool) else -np.inf
    some = np.flatnonzero(similar >= least).tolist()
    order = sorted(some, key=lambda i: (-similar[i], pool[i]))[:k]
    return tuple((pool[i], float(similar[i])) for i in order)


def _cosines(query: Vectors, vectors: Vectors | HalfVectors) -> npt.NDArray[np.float64]:
    found = np.empty(len(vectors))
    for at in range(0, len(vectors), _ROWS_AT_ONCE):
        found[at : at + _ROWS_AT_ONCE] = vectors[at : at + _ROWS_AT_ONCE].astype(np.float32, copy=False) @ query
    return found
