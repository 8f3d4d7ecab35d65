"""Which tasks are the same recurring work.

An incremental leader method: a task joins the nearest existing cluster when its similarity to that cluster's centre
reaches the threshold, else it founds one. Tasks come in order of time, so what was decided yesterday is never decided
anew and a cluster's id (the id of its first task) stays for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sleepd.core.model import ClusterId, TaskId
from sleepd.core.ports import Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Centre:
    """A cluster's sum of member vectors; its direction is the centre."""

    id: ClusterId
    total: Vectors
    """Shape (dimensions,)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustering:
    """`members` has one cluster per task, in the order of the tasks given; `centres` holds all, old and new."""

    members: tuple[ClusterId, ...]
    centres: tuple[Centre, ...]


def assign(tasks: Sequence[TaskId], vectors: Vectors, centres: Sequence[Centre], threshold: float) -> Clustering:
    """Put each task (rows of length 1, oldest first) into the nearest cluster at least `threshold` similar."""
    ids = [c.id for c in centres]
    totals = np.zeros((len(centres) + len(tasks), vectors.shape[1] if len(tasks) else 0), dtype=np.float32)
    for row, centre in zip(totals, centres, strict=False):
        row[:] = centre.total
    lengths = np.linalg.norm(totals, axis=1)
    members = []
    for task, vector in zip(tasks, vectors, strict=True):
        place = _nearest(totals[: len(ids)], lengths[: len(ids)], vector, threshold)
        if place is None:
            place = len(ids)
            ids.append(ClusterId(task))
        totals[place] += vector
        lengths[place] = np.linalg.norm(totals[place])
        members.append(ids[place])
    done = tuple(Centre(id=i, total=t.copy()) for i, t in zip(ids, totals, strict=False))
    return Clustering(members=tuple(members), centres=done)


def _nearest(totals: Vectors, lengths: Vectors, vector: Vectors, threshold: float) -> int | None:
    if not len(totals):
        return None
    similar = totals @ vector / np.maximum(lengths, 1e-12)
    best = int(np.argmax(similar))
    return best if similar[best] >= threshold else None
