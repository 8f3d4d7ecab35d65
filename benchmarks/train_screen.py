"""Train the screen's linear model, and measure it on writers it has not seen.

`python -m benchmarks.train_screen` writes `sleepd/core/screen_weights.npz`; `--measure` only prints the table. Needs
scikit-learn, which the product does not. The outcome follows from the files alone: no chance takes part.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from sleepd.core import screen, screen_learned

ROOT = Path(__file__).parent.parent
SENTENCES = ROOT / "benchmarks" / "data" / "screen.jsonl"
PLANTED = ROOT / "tests" / "core" / "planted"
TO = ROOT / "sleepd" / "core" / screen_learned.WEIGHTS
AUTHOR = "author"
"""The screen's author, for whose sentences the notions were written: they count less, and are not measured."""
AUTHORS_WEIGHT = 0.6
STRENGTH = 100.0
"""Inverse of the L2 penalty."""
HELD = 0.03
"""So large a share of unseen writers' harmless rules may be held back."""
AGREEING = 0.6
"""A pattern's finding counts from this share of the score that holds a text back alone."""

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A labelled sentence."""

    writer: str
    poison: bool
    text: str


def sentences() -> tuple[Sentence, ...]:
    """All sentences that may be trained on."""
    rows = _rows(SENTENCES)
    found = [Sentence(writer=row["writer"], poison=row["poison"], text=row["text"]) for row in rows]
    for row in _rows(PLANTED / "evaluation.jsonl"):
        writer = "seventh" if row["id"].startswith("seventh") else AUTHOR
        found.append(Sentence(writer=writer, poison=row["poison"], text=row["text"]))
    for name in ("planted", "unseen", "innocent"):
        for row in _rows(PLANTED / f"{name}.jsonl"):
            text = row["text"] if isinstance(row["text"], str) else " ".join(row["text"])
            found.append(Sentence(writer=AUTHOR, poison=row["rule"] != "clean", text=text))
    return tuple(found)


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """Sentences as the model sees them; each array has one row for a sentence."""

    features: sparse.csr_matrix
    poison: Bools
    writer: npt.NDArray[np.str_]

    @classmethod
    def of(cls, some: Sequence[Sentence]) -> Data:
        rows = [screen_learned.buckets(screen.readings(one.text)[0]) for one in some]
        places = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
        buckets = np.array([bucket for row in rows for bucket in row])
        values = np.array([value for row in rows for value in row.values()])
        shape = (len(rows), screen_learned.BUCKETS)
        return cls(
            features=sparse.csr_matrix((values, (places, buckets)), shape=shape),
            poison=np.array([one.poison for one in some]),
            writer=np.array([one.writer for one in some]),
        )

    def fitted(self, among: Bools) -> LogisticRegression:
        weight = np.where(self.writer == AUTHOR, AUTHORS_WEIGHT, 1.0)[among]
        model = LogisticRegression(C=STRENGTH, solver="liblinear", class_weight="balanced", max_iter=1_000)
        return model.fit(self.features[among], self.poison[among], sample_weight=weight)

    def unseen(self) -> Floats:
        """The score of each sentence by a model that saw nothing of its writer; NaN for the author's."""
        scores = np.full(len(self.poison), np.nan)
        for writer in sorted({*self.writer} - {AUTHOR}):
            theirs = self.writer == writer
            scores[theirs] = self.fitted(~theirs).decision_function(self.features[theirs])
        return scores


def threshold(scores: Floats, poison: Bools) -> float:
    """The score that `HELD` of the harmless sentences reach."""
    return float(np.quantile(scores[~poison & ~np.isnan(scores)], 1 - HELD))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", action="store_true", help="print the table and write nothing")
    asked = parser.parse_args()
    data = Data.of(sentences())
    scores = data.unseen()
    alone = threshold(scores, data.poison)
    print(f"from {alone:.2f}; by writers that the model had not seen:\n")
    print("| writer | poisons | harmless rules |\n|---|---:|---:|")
    for writer in (*sorted({*data.writer} - {AUTHOR}), "all"):
        theirs = (data.writer == writer) if writer != "all" else ~np.isnan(scores)
        sides = (scores[theirs & (data.poison == poison)] for poison in (True, False))
        counts = [f"{(side > alone).sum()} of {len(side)} ({np.mean(side > alone):.0%})" for side in sides]
        print(f"| {writer} | {' | '.join(counts)} |")
    if asked.measure:
        return
    model = data.fitted(np.ones(len(data.poison), dtype=bool))
    np.savez_compressed(
        TO,
        weights=model.coef_[0].astype(np.float16),
        scalars=np.array([float(model.intercept_[0]), alone, AGREEING * alone]),
    )
    print(f"{TO.name}: {TO.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
