"""Each text is encoded once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sleepd.core.ports import Vectors
from sleepd.models.hashed import HashedTfidf
from sleepd.models.memoized import Memoized


class Counting(HashedTfidf):
    """Remembers what it was asked to encode."""

    def __init__(self) -> None:
        self.seen: list[list[str]] = []
        self.closed = 0

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.seen.append(list(texts))
        return super().encode(texts)

    def close(self) -> None:
        self.closed += 1


def test_only_new_texts_are_encoded() -> None:
    """Repeats, within a batch and between batches, come from memory; the rows are those of the embedder, in order."""
    inner = Counting()
    memo = Memoized(inner)
    first = memo.encode(["a b", "c d", "a b"])
    second = memo.encode(["c d", "e f", "\ud83d"])
    assert [["a b", "c d"], ["e f", "\ud83d"]] == inner.seen
    np.testing.assert_array_equal(HashedTfidf().encode(["a b", "c d", "a b"]), first)
    np.testing.assert_array_equal(HashedTfidf().encode(["c d", "e f", "\ud83d"]), second)


def test_when_all_is_known_the_embedder_is_not_asked() -> None:
    """A night with old texts only need not start the model."""
    inner = Counting()
    memo = Memoized(inner)
    memo.encode(["a"])
    memo.close()
    memo.encode(["a"])
    assert ([["a"]], 1) == (inner.seen, inner.closed)


def test_no_texts_have_the_embedders_shape() -> None:
    """An empty batch gives (0, dimensions)."""
    assert (0, 1024) == Memoized(Counting()).encode([]).shape


def test_the_oldest_vectors_are_forgotten() -> None:
    """Memory is bounded; what was used last stays, and a batch larger than the bound is still whole."""
    inner = Counting()
    memo = Memoized(inner, capacity=2)
    assert (3, 1024) == memo.encode(["a", "b", "c"]).shape
    memo.encode(["b"])
    memo.encode(["d"])
    memo.encode(["b"])
    memo.encode(["a"])
    assert [["a", "b", "c"], ["d"], ["a"]] == inner.seen


def test_key_and_language_are_the_embedders() -> None:
    """Memory changes nothing about the vectors."""
    assert (HashedTfidf().key, False) == (Memoized(Counting()).key, Memoized(Counting()).english_only)
