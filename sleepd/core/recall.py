"""The nearest past tasks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sleepd.core.model import TaskId
from sleepd.core.ports import Vectors


def nearest(query: Vectors, pool: Sequence[TaskId], vectors: Vectors, k: int) -> tuple[tuple[TaskId, float], ...]:
    """The `k` tasks of `pool` (rows of `vectors`, length 1) most similar to `query` (shape (dimensions,)).

    Most similar first, with the cosine; ties are broken by id so that the order is the same everywhere.
    """
    if not pool or k <= 0:
        return ()
    similar = np.round((vectors @ query).astype(np.float64), 6)
    order = sorted(range(len(pool)), key=lambda i: (-similar[i], pool[i]))[:k]
    return tuple((pool[i], float(similar[i])) for i in order)
