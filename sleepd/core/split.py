"""Which tasks may teach and which may only judge.

Near-duplicates are one group and stay on one side. The side follows from a hash of the group's first task, so it is
decided once and never moves (gate, promise 5).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sleepd.core import plaintext
from sleepd.core.copies import copies
from sleepd.core.model import Split, TaskId
from sleepd.core.ports import Vectors

_SEALED_FIRST = (Split.TEST, Split.VAL, Split.TRAIN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Expected shares of `val` and `test`; the rest is `train`. Their sum is below 1."""

    val: float
    test: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitRule:
    """How tasks are placed."""

    near_duplicate: float
    """Cosine from which on two tasks are near-duplicates."""
    shares: Shares


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Where a task stands."""

    task: TaskId
    group: TaskId
    """The group's first task."""
    split: Split


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """The new tasks' places, in order, and the train tasks that a new duplicate elsewhere puts out of use."""

    placed: tuple[Placed, ...]
    retired: tuple[TaskId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Tasks with their normalised requests and vectors, row by row."""

    requests: Sequence[str]
    vectors: Vectors


def side(group: TaskId, shares: Shares) -> Split:
    """The side of a group, by hash: the same on every machine and for ever."""
    point = int.from_bytes(hashlib.sha256(f"split:{group}".encode()).digest()[:8], "big") / 2**64
    if point < shares.test:
        return Split.TEST
    return Split.VAL if point < shares.test + shares.val else Split.TRAIN


def normalise(request: str) -> str:
    """Requests that are equal after this are near-duplicates whatever their vectors say."""
    return plaintext.flat(request.casefold())


def place(
    new: Sequence[TaskId], new_known: Known, old: Sequence[Placed], old_known: Known, rule: SplitRule
) -> Placement:
    """Give each new task, oldest first, the group of its nearest near-duplicate, or a group of its own.

    A task that resembles groups of several sides joins the most sealed one (test, then val), and the train tasks it
    resembles are retired.
    """
    placed = list(old)
    texts = [normalise(r) for r in (*old_known.requests, *new_known.requests)]
    vectors = np.vstack([v for v in (old_known.vectors, new_known.vectors) if len(v)]) if texts else old_known.vectors
    same: dict[str, list[int]] = {}
    for i, text in enumerate(texts):
        same.setdefault(text, []).append(i)
    retired: list[TaskId] = []
    for task, close in zip(new, copies(vectors, len(old), rule.near_duplicate).earlier, strict=True):
        row = len(placed)
        near = [placed[i] for i in sorted({*close, *(i for i in same[texts[row]] if i < row)})]
        home = min(near, key=lambda p: _SEALED_FIRST.index(p.split), default=None)
        group = home.group if home else task
        split = home.split if home else side(task, rule.shares)
        if split is not Split.TRAIN:
            retired += [p.task for p in near if p.split is Split.TRAIN]
        placed.append(Placed(task=task, group=group, split=split))
    return Placement(placed=tuple(placed[len(old) :]), retired=tuple(dict.fromkeys(retired)))
