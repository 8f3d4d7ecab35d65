"""Requests to vectors: each text is embedded once, and its combined vector is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sleepd.core import ngrams, recall
from sleepd.core.model import Digest, TaskId, digest
from sleepd.core.ports import Embedder, HalfVectors, Vectors
from sleepd.store import tasks
from sleepd.store.database import Database

_TEXTS_AT_ONCE = 512


def vectors_of(database: Database, embedder: Embedder, texts: Sequence[str]) -> tuple[Vectors, int]:
    """Combined vectors of these texts, one row each, and how many had to be embedded now."""
    space = ngrams.space(embedder.key, english_only=embedder.english_only)
    marks = [digest(text) for text in texts]
    by_mark = dict(zip(marks, texts, strict=True))
    with database.reading() as connection:
        known = tasks.vectors(connection, by_mark.keys(), space)
    embedded = 0
    for made in _made(database, embedder, {mark: by_mark[mark] for mark in by_mark.keys() - known.keys()}):
        known |= made.rows
        embedded += made.embedded
    rows = np.zeros((len(texts), len(known[marks[0]]) if texts else 0), dtype=np.float32)
    for row, mark in zip(rows, marks, strict=True):
        row[:] = known[mark]
    return rows, embedded


def nearest_of(
    database: Database, embedder: Embedder, text: str, pool: Mapping[TaskId, str], k: int
) -> tuple[tuple[TaskId, float], ...]:
    """As `recall.nearest`: the `k` texts of `pool` (id -> text) most similar to a text.

    The vectors are looked at one portion after the other and are never in memory together.
    """
    query = vectors_of(database, embedder, [text])[0][0]
    space = ngrams.space(embedder.key, english_only=embedder.english_only)
    ids: dict[Digest, list[TaskId]] = {}
    for id_ in sorted(pool):
        ids.setdefault(digest(pool[id_]), []).append(id_)
    first = {same[0]: same for same in ids.values()}
    near: list[tuple[TaskId, float]] = []

    def look_at(marks: Iterable[Digest], rows: HalfVectors) -> None:
        for id_, cosine in recall.nearest(query, [ids[mark][0] for mark in marks], rows, k):
            near.extend((same, cosine) for same in first[id_])

    missing = {mark: pool[same[0]] for mark, same in ids.items()}
    with database.reading() as connection:
        for marks, rows in tasks.vectors_in_portions(connection, ids.keys(), space):
            look_at(marks, rows)
            for mark in marks:
                del missing[mark]
    for made in _made(database, embedder, missing):
        look_at(made.rows, np.stack(list(made.rows.values())))
    return recall.best(near, k)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """Vectors that were made now and are stored."""

    rows: Mapping[Digest, HalfVectors]
    embedded: int
    """How many of them had to be embedded; of the others an earlier version kept the embedding."""


def _made(database: Database, embedder: Embedder, missing: Mapping[Digest, str]) -> Iterator[_Made]:
    """The vectors of these texts, portion by portion.

    New texts are embedded in order of length, over the whole list: a batch takes as long as its longest text.
    """
    if not missing:
        return
    space = ngrams.space(embedder.key, english_only=embedder.english_only)
    with database.reading() as connection:
        kept = tasks.embeddings(connection, missing.keys(), embedder.key)
    in_order = sorted(missing, key=lambda mark: (len(missing[mark]), mark))
    for known in (True, False):
        marks = [mark for mark in in_order if (mark in kept) is known]
        for start in range(0, len(marks), _TEXTS_AT_ONCE):
            some = marks[start : start + _TEXTS_AT_ONCE]
            said = [missing[mark] for mark in some]
            embedded = np.stack([kept[mark] for mark in some]) if known else embedder.encode(said)
            combined = ngrams.combine(embedded, said, english_only=embedder.english_only).astype(np.float16)
            rows = dict(zip(some, combined, strict=True))
            with database.writing() as connection:
                tasks.save_vectors(connection, rows, space)
            yield _Made(rows=rows, embedded=0 if known else len(some))
