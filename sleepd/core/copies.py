"""Rows that are nearly the same, without comparing each one with all others.

A row's main components and the length of the remainder give an upper bound of its cosine with any other row (Cauchy and
Schwarz). Rows are ordered so that like ones stand together; a block of rows is compared with another one only where
their bounds allow a copy, and two rows whole only where their own bound does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sleepd.core.components import main_components
from sleepd.core.ports import Vectors

_COMPONENTS = 64
_ROWS_IN_A_BLOCK = 256
_SLACK = 1e-4
"""More than what single precision can be wrong by in a bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copies:
    """For each row from `first` on, the earlier rows that are nearly the same, in order."""

    earlier: tuple[tuple[int, ...], ...]
    bounded: int
    """Pairs of rows for which the bound was reckoned."""
    compared: int
    """Pairs of rows that were compared whole."""


def copies(vectors: Vectors, first: int, threshold: float) -> Copies:
    """The pairs of rows with a dot product of at least `threshold`; of two rows before `first` nothing is said.

    `vectors` has rows of about length 1. The outcome is that of comparing all pairs.
    """
    earlier: list[list[int]] = [[] for _ in range(first, len(vectors))]
    bounded = compared = 0
    if earlier:
        short = _shortened(vectors)
        reach = float(np.sqrt(max(0.0, 2 * float((short * short).sum(axis=1).max()) - 2 * threshold))) + _SLACK
        new = _blocks(short, np.arange(first, len(vectors)))
        blocks = [*_blocks(short, np.arange(first)), *new]
        centres = np.stack([block.centre for block in blocks])
        radii = np.array([block.radius for block in blocks])
        for number, block in enumerate(new, len(blocks) - len(new)):
            apart = np.linalg.norm(centres[: number + 1] - block.centre, axis=1)
            for other in np.flatnonzero(apart <= reach + block.radius + radii[: number + 1]).tolist():
                rows, others = block.rows, blocks[other].rows
                bounded += len(rows) * len(others)
                at, beside = np.nonzero(short[rows] @ short[others].T >= threshold - _SLACK)
                left, right = rows[at], others[beside]
                if other == number:
                    left, right = left[at < beside], right[at < beside]
                compared += len(left)
                for a, b in _whole(vectors, left, right, threshold):
                    earlier[max(a, b) - first].append(min(a, b))
    return Copies(earlier=tuple(tuple(sorted(rows)) for rows in earlier), bounded=bounded, compared=compared)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rows:
    rows: npt.NDArray[np.intp]
    centre: Vectors
    radius: float
    """The greatest distance of a row from the centre."""


def _shortened(vectors: Vectors) -> Vectors:
    """Main components and, as the last column, the length of what they leave out: shape (rows, at most 65).

    The dot product of two rows is at least that of the whole rows.
    """
    short = vectors @ main_components(vectors, _COMPONENTS)
    squares = np.einsum("ij,ij->i", vectors, vectors) - np.einsum("ij,ij->i", short, short)
    return np.hstack([short, np.sqrt(np.maximum(squares, 0))[:, None]]).astype(np.float32)


def _blocks(short: Vectors, rows: npt.NDArray[np.intp]) -> list[_Rows]:
    """The rows in blocks of like ones, by the nearest of some rows drawn from them; the same for the same rows."""
    if not len(rows):
        return []
    drawn = np.random.default_rng(0).permutation(len(rows))[: -(-len(rows) // _ROWS_IN_A_BLOCK)]
    centres = short[rows[drawn]]
    nearest = np.argmax(short[rows] @ centres.T, axis=1)
    groups = (rows[nearest == number] for number in range(len(centres)))
    found = []
    for some in (g[at : at + _ROWS_IN_A_BLOCK] for g in groups for at in range(0, len(g), _ROWS_IN_A_BLOCK)):
        centre = short[some].mean(axis=0)
        radius = float(np.linalg.norm(short[some] - centre, axis=1).max())
        found.append(_Rows(rows=some, centre=centre, radius=radius))
    return found


def _whole(
    vectors: Vectors, left: npt.NDArray[np.intp], right: npt.NDArray[np.intp], threshold: float
) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for at in range(0, len(left), _ROWS_IN_A_BLOCK):
        a, b = left[at : at + _ROWS_IN_A_BLOCK], right[at : at + _ROWS_IN_A_BLOCK]
        good = np.einsum("ij,ij->i", vectors[a], vectors[b]) >= threshold
        found += zip(a[good].tolist(), b[good].tolist(), strict=True)
    return found
