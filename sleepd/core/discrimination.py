"""Permutation tests of labels that come in sessions.

Sessions are the units: the episodes of one session share a mood, a task and often a mistake, so that a hundred episodes
of three sessions prove little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from sleepd.core.model import digest

SHUFFLES: Final = 999
_Floats = npt.NDArray[np.float64]


def permuted(sessions: Sequence[str], labels: _Floats, statistic: Callable[[_Floats], float], observed: float) -> float:
    """One-sided p of a statistic of the labels when whole sessions change places.

    The labels of each session stay together and in order; the sessions are put into another order and laid along
    the episodes as they are. So labels that come in runs give shuffled labels in runs. The history itself counts as one
    of the shuffles; the same sessions give the same shuffles.
    """
    rows: dict[str, list[int]] = {}
    for row, session in enumerate(sessions):
        rows.setdefault(session, []).append(row)
    blocks = [np.array(rows[session]) for session in sorted(rows)]
    places = np.concatenate(blocks)
    chance = np.random.default_rng(int(digest("sessions change places", *sorted(rows))[:16], 16))
    reached = 1
    for _ in range(SHUFFLES):
        laid = np.empty_like(labels)
        laid[places] = labels[np.concatenate([blocks[at] for at in chance.permutation(len(blocks))])]
        reached += statistic(laid) >= observed - 1e-12
    return reached / (SHUFFLES + 1)
