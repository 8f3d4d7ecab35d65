"""How far clusters agree with a reader: the measure on a few things, and on labelled histories where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from benchmarks.clusters import Agreement, adjusted_rand, agreement
from sleepd.models.hashed import HashedTfidf

ROOT = Path(os.environ.get("LABELLED_HISTORIES", "/nowhere"))  # noqa: TID251  a developer's own folder
HISTORIES = sorted(path.parent for path in ROOT.glob("*/gold.jsonl"))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("aabb", "xxyy", 1.0),
        ("aabb", "xyxy", -0.5),
        ("aaabbb", "xxyyzz", 8 / 33),
        ("abcd", "abcd", 1.0),
        ("aaaa", "abcd", 0.0),
    ],
)
def test_agreement_beyond_chance_is_as_published(one: str, other: str, expected: float) -> None:
    """Names do not count; 1 for the same parts, 0 for what chance gives, less for less."""
    assert expected == pytest.approx(adjusted_rand([*one], [*other]))


@pytest.mark.slow
@pytest.mark.skipif(not HISTORIES, reason="no labelled histories at hand")
def test_clusters_of_real_histories_do_not_collapse_and_agree_with_their_reader() -> None:
    """By the embedder without a model: no cluster above 15 of 100, agreement of 0.08 over the histories together."""
    found: list[Agreement] = [agreement(history, HashedTfidf()) for history in HISTORIES]
    assert max(one.largest for one in found) <= 0.15
    assert sum(one.rand for one in found) / len(found) >= 0.08
    assert max(one.largest_kind for one in found) < 0.4
