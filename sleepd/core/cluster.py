"""Which tasks are the same recurring work: average linkage over cosines that count from the project's mean.

Two clusters are joined while the mean cosine over all pairs of their members reaches the threshold, the nearest first;
so the mean cosine within a cluster reaches the threshold too. It is an inner product of two means, and needs no table
of all pairs. What all of a project's requests share (its vocabulary, its language) is taken out first, or it would join
everything (Mu & Viswanath 2018, "All-but-the-top").

Clusters bid for their nearest neighbour in rounds, as in reciprocal agglomerative clustering (Sumengen et al. 2021,
arXiv 2105.11653). Of many clusters, only those in the nearest cells of a coarse partition are compared, by their main
components: time grows with n to the power of 1.5. The join itself is decided by whole vectors.

The functions know rows and names only: tasks, episodes or lessons may be clustered.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sleepd.core.components import main_components
from sleepd.core.ports import Vectors

_Rows = npt.NDArray[np.intp]

_COMPARED_WHOLE = 2_048
"""Up to so many clusters are all compared, by whole vectors."""
_COMPONENTS = 128
"""Main components that the search among more clusters uses."""
_CELLS_LOOKED_AT = 8
_ROWS_AT_ONCE = 4_096
_NULL_DEVIATIONS = 1.645
"""Standard deviations that 19 of 20 draws stay below."""
_STILL_AS_NEAR = 0.05
"""A neighbour that grew in this round may be so much farther away than it was bid for."""
_LEAST_CAP = 5
"""So many tasks may be one cluster in a project of any size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """When clusters are joined."""

    similarity: float
    """Least mean cosine over the pairs of members, after the mean of all rows is taken out; in (0, 1)."""
    largest: float = 0.15
    """Largest share of all rows that one cluster may have, unless they are the same text; at least 5 rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clustering:
    """What new rows led to."""

    members: tuple[str, ...]
    """The cluster of each row that had none, in order."""
    joined: Mapping[str, str]
    """Clusters that became part of an older one."""
    threshold: float
    """The mean cosine that joins took: the rule's, or the null's where that is higher."""
    compared: int
    """Pairs of clusters whose similarity was reckoned: what the work consisted of."""


def assign(ids: Sequence[str], vectors: Vectors, known: Sequence[str | None], rule: Rule) -> Clustering:
    """Put each row without a cluster into one, which is named after its first row.

    `vectors` are rows of length 1, oldest first, one for each of `ids`; `known` are the clusters of those that have
    one. Clusters that grow together are joined and the oldest id stays; none is ever taken apart. The same rows give
    the same clusters in every process.
    """
    if all(cluster is not None for cluster in known):
        return Clustering(members=(), joined={}, threshold=rule.similarity, compared=0)
    rows = centred(vectors)
    threshold = max(rule.similarity, null(rows))
    search = _Search(rows, known, max(_LEAST_CAP, int(rule.largest * len(rows))))
    search.join({row for row, cluster in enumerate(known) if cluster is None}, threshold)
    names: dict[int, str] = {}
    joined: dict[str, str] = {}
    members = []
    for row, (id_, cluster) in enumerate(zip(ids, known, strict=True)):
        name = names.setdefault(search.cluster_of(row), cluster or id_)
        if cluster is None:
            members.append(name)
        elif cluster != name:
            joined[cluster] = name
    return Clustering(members=tuple(members), joined=joined, threshold=threshold, compared=search.compared)


def merged(groups: Sequence[str], vectors: Vectors, grown: Collection[str], similarity: float) -> dict[str, str]:
    """Which groups of rows become part of which older one, of any size, by plain cosines.

    `groups` names the group of each row, oldest first. Two groups are merged when the mean cosine over all pairs of
    their members reaches `similarity` and one of them is in `grown`.
    """
    search = _Search(vectors.copy(), groups, len(groups))
    search.join({row for row, group in enumerate(groups) if group in grown}, similarity)
    names: dict[int, str] = {}
    named = ((group, names.setdefault(search.cluster_of(row), group)) for row, group in enumerate(groups))
    return {group: name for group, name in named if group != name}


def centred(vectors: Vectors) -> Vectors:
    """The rows without their mean, of length 1 again. Rows that are all the same stay as they are."""
    mean = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
    rows: Vectors = vectors - mean
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if float(lengths.max(initial=0)) < 1e-4:
        return vectors.copy()
    rows /= np.maximum(lengths, 1e-12)
    return rows


def null(rows: Vectors) -> float:
    """The cosine that 19 of 20 pairs stay below when no two rows have anything to do with one another.

    `rows` are centred, of length 1. The null shuffles each column among the rows: each number keeps its spread, and
    whatever rows have in common is gone. The variance of a cosine is then the sum of the columns' squared variances.
    """
    if not len(rows):
        return 0.0
    variances = np.einsum("ij,ij->j", rows, rows, dtype=np.float64) / len(rows)
    return float(_NULL_DEVIATIONS * np.sqrt(np.sum(variances**2)))


class _Search:
    """Clusters as sums of their members' rows, while they are joined. A cluster goes by the row of its oldest member.

    The given rows become the sums. Equal rows are one cluster from the start, however many there are.
    """

    def __init__(self, rows: Vectors, known: Sequence[str | None], cap: int) -> None:
        marks = [hashlib.blake2b(row.tobytes(), digest_size=16).digest() for row in rows]
        self._sums = rows
        self._counts = np.ones(len(rows), dtype=np.intp)
        self._parent = np.arange(len(rows))
        self._cap = cap
        self.compared = 0
        first: dict[str | bytes, int] = {}
        for row, (cluster, mark) in enumerate(zip(known, marks, strict=True)):
            if cluster is not None:
                self._unite(first.setdefault(cluster, row), row)
            self._unite(first.setdefault(mark, row), row)
        self._alive: _Rows = np.flatnonzero(self._parent == np.arange(len(rows)))

    def cluster_of(self, row: int) -> int:
        while self._parent[row] != row:
            self._parent[row] = self._parent[self._parent[row]]
            row = int(self._parent[row])
        return row

    def join(self, grown: Collection[int], threshold: float) -> None:
        """Join until no two clusters, one of them with a row of `grown`, are near enough."""
        bidders = np.array(sorted({self.cluster_of(row) for row in grown}), dtype=np.intp)
        whole = len(self._alive) <= _COMPARED_WHOLE
        axes = None if whole else main_components(self._sums[self._alive], _COMPONENTS)
        while len(bidders) and len(self._alive) > 1:
            wanted = self._neighbours(bidders, axes)
            has = wanted >= 0
            bidders, wanted = bidders[has], wanted[has]
            offers = self._linkage(bidders, wanted)
            enough = offers >= threshold
            bidders, wanted, offers = bidders[enough], wanted[enough], offers[enough]
            bidders = self._accept(bidders, wanted, offers, threshold)
            self._alive = self._alive[self._parent[self._alive] == self._alive]

    def _accept(self, bidders: _Rows, wanted: _Rows, offers: Vectors, threshold: float) -> _Rows:
        """Join by falling offer; returns the clusters that are to bid again."""
        again: set[int] = set()
        changed: set[int] = set()
        for n in np.lexsort((wanted, bidders, -np.round(offers, 6))):
            bidder, other = int(bidders[n]), int(wanted[n])
            a, b = sorted((self.cluster_of(bidder), self.cluster_of(other)))
            if a == b:
                continue
            as_bid = {a, b} == {bidder, other} and not changed & {a, b}
            near = float(offers[n]) if as_bid else float(self._linkage(np.array([a]), np.array([b]))[0])
            fits = self._counts[a] + self._counts[b] <= self._cap
            if fits and near >= max(threshold, float(offers[n]) - _STILL_AS_NEAR):
                self._unite(a, b)
                changed.add(a)
            elif not as_bid:
                again.add(bidder)
        return np.array(sorted({self.cluster_of(row) for row in again | changed}), dtype=np.intp)

    def _unite(self, a: int, b: int) -> None:
        a, b = sorted((self.cluster_of(a), self.cluster_of(b)))
        if a != b:
            self._parent[b] = a
            self._sums[a] += self._sums[b]
            self._counts[a] += self._counts[b]

    def _linkage(self, a: _Rows, b: _Rows) -> Vectors:
        """The mean cosine over the pairs of members of each `a` with its `b`."""
        found = np.empty(len(a), dtype=np.float32)
        for at in range(0, len(a), _ROWS_AT_ONCE):
            some = slice(at, at + _ROWS_AT_ONCE)
            dots = np.einsum("ij,ij->i", self._sums[a[some]], self._sums[b[some]])
            found[some] = dots / (self._counts[a[some]] * self._counts[b[some]])
        return found

    def _means(self, clusters: _Rows, axes: Vectors | None) -> Vectors:
        parts = []
        for at in range(0, len(clusters), _ROWS_AT_ONCE):
            some = clusters[at : at + _ROWS_AT_ONCE]
            means = self._sums[some] / self._counts[some, None].astype(np.float32)
            parts.append(means if axes is None else means @ axes)
        return np.concatenate(parts)

    def _neighbours(self, bidders: _Rows, axes: Vectors | None) -> _Rows:
        """For each bidder: the cluster with the nearest members that it may join, by row; -1 for none."""
        means = self._means(self._alive, axes)
        places = np.searchsorted(self._alive, bidders)
        best = np.full(len(bidders), -np.inf, dtype=np.float32)
        found = np.full(len(bidders), -1, dtype=np.intp)
        for asking, asked in _cells(means, places):
            for at in range(0, len(asking), _ROWS_AT_ONCE):
                some = asking[at : at + _ROWS_AT_ONCE]
                similar = means[places[some]] @ means[asked].T
                self.compared += similar.size
                similar[places[some][:, None] == asked[None, :]] = -np.inf
                sizes = self._counts[self._alive[places[some]]], self._counts[self._alive[asked]]
                if sizes[0].max() + sizes[1].max() > self._cap:
                    similar[np.add.outer(*sizes) > self._cap] = -np.inf
                nearest = similar.argmax(axis=1)
                value = similar[np.arange(len(some)), nearest]
                better = value > best[some]
                best[some[better]] = value[better]
                found[some[better]] = self._alive[asked[nearest[better]]]
        return found


def _cells(means: Vectors, asking: _Rows) -> list[tuple[_Rows, _Rows]]:
    """Who is compared with whom: places in `asking`, and rows of `means`; of few rows all with all."""
    count = len(means)
    if count <= _COMPARED_WHOLE:
        return [(np.arange(len(asking)), np.arange(count))]
    centres = means[np.linspace(0, count - 1, int(count**0.5)).astype(np.intp)]
    for _ in range(2):
        home = _nearest_cells(means, centres, 1)[:, 0]
        sums = np.zeros_like(centres)
        np.add.at(sums, home, means)
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    home = _nearest_cells(means, centres, 1)[:, 0]
    looked_at = _nearest_cells(means[asking], centres, _CELLS_LOOKED_AT)
    order = np.argsort(looked_at.ravel(), kind="stable")
    askers = np.split(
        order // looked_at.shape[1], np.searchsorted(looked_at.ravel()[order], np.arange(1, len(centres)))
    )
    by_home = np.argsort(home, kind="stable")
    homes = np.split(by_home, np.searchsorted(home[by_home], np.arange(1, len(centres))))
    return [(some, rows) for some, rows in zip(askers, homes, strict=True) if len(some) and len(rows)]


def _nearest_cells(means: Vectors, centres: Vectors, count: int) -> _Rows:
    """Shape (len(means), count): the cells whose centres are nearest, in no order."""
    count = min(count, len(centres))
    found = np.empty((len(means), count), dtype=np.intp)
    for at in range(0, len(means), _ROWS_AT_ONCE):
        similar = means[at : at + _ROWS_AT_ONCE] @ centres.T
        if count == 1:
            found[at : at + _ROWS_AT_ONCE, 0] = similar.argmax(axis=1)
        else:
            found[at : at + _ROWS_AT_ONCE] = np.argpartition(-similar, count - 1, axis=1)[:, :count]
    return found
