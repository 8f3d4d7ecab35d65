"""Route recurring work to the skill that it belongs to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from sleepd.pipeline.embed import vectors_of
from sleepd.pipeline.rollout import RunContext

Near = Callable[[Sequence[str], Sequence[str]], int | None]
"""From requests and descriptions of skills to the place of the description that fits the requests; None when none
does."""

_FITS = 0.52
"""Least mean cosine of requests to a skill's description: low enough for paraphrases under the default model."""


def by_meaning(ctx: RunContext, similarity: float = _FITS) -> Near:
    """The description with the highest mean cosine to the requests, if that reaches `similarity`."""

    def near(requests: Sequence[str], descriptions: Sequence[str]) -> int | None:
        if not requests or not descriptions:
            return None
        rows, _ = vectors_of(ctx.database, ctx.embedder, [*requests, *descriptions])
        means = (rows[: len(requests)] @ rows[len(requests) :].T).mean(axis=0)
        best = int(np.argmax(means))
        return best if float(means[best]) >= similarity else None

    return near
