"""Which tasks are the same recurring work.

An incremental leader method with merging. A task joins the nearest existing cluster when its similarity to that
cluster's centre reaches the threshold, else it founds one; then clusters whose centres reach the threshold are joined,
the most similar first. Centres of many tasks lose what is special about each, so they tell kinds of work apart that
single requests do not. Tasks come in order of time and a joined cluster keeps the older id: ids stay for ever.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sleepd.core.model import ClusterId, TaskId
from sleepd.core.ports import Vectors

_MOST_COMPARED = 6_000
"""Clusters held against each other at once: their similarities take 144 MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Centre:
    """A cluster's sum of member vectors; its direction is the centre."""

    id: ClusterId
    total: Vectors
    """Shape (dimensions,)."""
    members: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustering:
    """What new tasks led to."""

    members: tuple[ClusterId, ...]
    """The cluster of each new task, in order."""
    joined: Mapping[ClusterId, ClusterId]
    """Clusters that became part of an older one."""


def centres(members: Sequence[ClusterId], vectors: Vectors) -> tuple[Centre, ...]:
    """The centres of the clusters that these tasks (rows of length 1) are in, in order of first appearance."""
    totals: dict[ClusterId, Centre] = {}
    for member, vector in zip(members, vectors, strict=True):
        old = totals.get(member)
        total, count = (vector, 1) if old is None else (old.total + vector, old.members + 1)
        totals[member] = Centre(id=member, total=total, members=count)
    return tuple(totals.values())


def assign(tasks: Sequence[TaskId], vectors: Vectors, known: Sequence[Centre], threshold: float) -> Clustering:
    """Put each task (rows of length 1, oldest first) into a cluster; `known` are the clusters so far, oldest first."""
    if not tasks:
        return Clustering(members=(), joined={})
    ids = [c.id for c in known]
    counts = [c.members for c in known]
    totals = np.zeros((len(known) + len(tasks), vectors.shape[1]), dtype=np.float32)
    for row, centre in zip(totals, known, strict=False):
        row[:] = centre.total
    places = []
    for task, vector in zip(tasks, vectors, strict=True):
        place = _nearest(totals[: len(ids)], vector, threshold)
        if place is None:
            place = len(ids)
            ids.append(ClusterId(task))
            counts.append(0)
        totals[place] += vector
        counts[place] += 1
        places.append(place)
    into = _join(totals[: len(ids)], counts, threshold)
    joined = {ids[old]: ids[new] for old, new in into.items()}
    return Clustering(members=tuple(joined.get(ids[p], ids[p]) for p in places), joined=joined)


def _nearest(totals: Vectors, vector: Vectors, threshold: float) -> int | None:
    if not len(totals):
        return None
    similar = totals @ vector / np.maximum(np.linalg.norm(totals, axis=1), 1e-12)
    best = int(np.argmax(similar))
    return best if similar[best] >= threshold else None


def _join(totals: Vectors, counts: Sequence[int], threshold: float) -> dict[int, int]:
    """Which cluster goes into which older one (by row)."""
    rows = np.arange(len(totals))
    if len(rows) > _MOST_COMPARED:
        rows = np.argsort(counts, kind="stable")[::-1][:_MOST_COMPARED]
        rows.sort()
    sums = totals[rows].copy()
    similar = _unit(sums) @ _unit(sums).T
    np.fill_diagonal(similar, -1)
    into: dict[int, int] = {}
    while len(rows) > 1:
        a, b = sorted(divmod(int(np.argmax(similar)), len(rows)))
        if similar[a, b] < threshold:
            break
        into[b] = a
        sums[a] += sums[b]
        similar[b, :] = similar[:, b] = -1
        alive = np.array([i not in into and i != a for i in range(len(rows))])
        fresh = np.where(alive, _unit(sums) @ _unit(sums[a : a + 1])[0], -1)
        similar[a, :] = similar[:, a] = fresh
    return {int(rows[b]): int(rows[_root(a, into)]) for b, a in into.items()}


def _root(row: int, into: Mapping[int, int]) -> int:
    while row in into:
        row = into[row]
    return row


def _unit(rows: Vectors) -> Vectors:
    unit: Vectors = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    return unit
