"""The nearest past tasks, in any script."""

from __future__ import annotations

import numpy as np
import pytest

from sleepd.core import ngrams
from sleepd.core.model import TaskId
from sleepd.core.recall import best, nearest

POOL = [TaskId(i) for i in ("b", "a", "c")]
ROWS = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
QUERY = np.array([1, 0], dtype=np.float32)


def test_the_most_similar_come_first_with_their_cosine() -> None:
    """Ties go by id, so that the order is the same everywhere."""
    assert (("a", 1.0), ("b", 1.0)) == nearest(QUERY, POOL, ROWS, 2)


@pytest.mark.parametrize(("k", "count"), [(0, 0), (-1, 0), (1, 1), (2, 2), (99, 3)])
def test_never_more_than_there_are(k: int, count: int) -> None:
    """k of 0 or less gives none."""
    assert count == len(nearest(QUERY, POOL, ROWS, k))


def test_an_empty_pool_has_no_neighbours() -> None:
    """Nothing to recall is not an error."""
    assert () == nearest(QUERY, [], np.zeros((0, 2), dtype=np.float32), 5)


@pytest.mark.parametrize(
    ("query", "like", "unlike"),
    [
        (
            "Напиши сообщение к коммиту про загрузчик",
            "Напиши сообщение к коммиту про парсер",
            "Переведи слово на английский",
        ),
        ("为上传模块写提交说明", "为解析模块写提交说明", "把这个词翻译成英文"),
        (
            "Schreibe die Commit-Nachricht für den Leser",
            "Schreibe die Commit-Nachricht für den Schreiber",
            "Welche Farbe passt?",
        ),
    ],
)
def test_likeness_needs_no_latin_letters(query: str, like: str, unlike: str) -> None:
    """With an English-only model that sees all of them as one point, the n-gram part still ranks them."""
    texts = [query, unlike, like]
    blind = np.tile(np.array([[1.0, 0.0]], dtype=np.float32), (3, 1))
    rows = ngrams.combine(blind, texts, english_only=True)
    found = nearest(rows[0], [TaskId("unlike"), TaskId("like")], rows[1:], 2)
    assert ["like", "unlike"] == [i for i, _ in found]
    assert found[0][1] > found[1][1] + 0.2


def alike(count: int, dimensions: int = 256) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Rows in 50 crowds, of length 1."""
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((50, dimensions))[np.arange(count) % 50] + rng.standard_normal((count, dimensions))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_half_precision_gives_the_same_order() -> None:
    """To within a thousandth; rows are looked at in portions, and none is lost between them."""
    rows = alike(20_000, 64)
    pool = [TaskId(f"{n:05}") for n in range(len(rows))]
    whole, half = nearest(rows[9_000], pool, rows, 5), nearest(rows[9_000], pool, rows.astype(np.float16), 5)
    assert [i for i, _ in whole] == [i for i, _ in half] and "09000" == whole[0][0]
    assert [c for _, c in whole] == pytest.approx([c for _, c in half], abs=1e-3)


def test_the_best_of_portions_are_the_nearest_of_all() -> None:
    """Looked at in three portions, with ties across them."""
    rows = np.vstack([alike(300, 16), alike(300, 16)])
    pool = [TaskId(f"{n * 7 % 600:03}") for n in range(600)]
    parts = [nearest(rows[9], pool[at : at + 200], rows[at : at + 200], 7) for at in range(0, 600, 200)]
    assert nearest(rows[9], pool, rows, 7) == best((one for part in parts for one in part), 7)
