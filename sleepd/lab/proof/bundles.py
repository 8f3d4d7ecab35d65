"""Mixed bundles: edits that help together with one that hurts or does nothing. Does it ride along?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sleepd.core.model import Verdict
from sleepd.lab.proof.gated import PAIRS, GatedWork, adding
from sleepd.lab.proof.truth import Truth
from sleepd.lab.proof.world import SLOW, Variant, World
from sleepd.simulate.agent import Nature

HARMS = 10
"""Bundles with an edit that hurts, at most."""
USELESS = 8
COMPANY = 2
"""Edits that help, in each bundle."""
_HARM = -0.05
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixed:
    """What became of one mixed bundle."""

    rider: str
    """The edit that should not be there."""
    effect: float
    """Its true effect beside the others, on the gate's own scale."""
    crossed: bool
    rides: bool
    """Whether the text that was accepted in the end holds it."""
    whole: bool
    """Whether all edits that help are in that text."""


def mixed(
    base: World, truth: Truth, good: Sequence[str], others: Sequence[str], company: int = COMPANY
) -> tuple[Mixed, ...]:
    """Put bundles of helping edits and one other each through the run's own gate, in a world of their own."""
    place = GatedWork.of(base, Variant(name="mixed bundles", pairs=PAIRS))
    gains = {text: place.effect(truth, [text]) for text in dict.fromkeys(good)}
    best = sorted((text for text in gains if gains[text] > 0), key=lambda text: -gains[text])
    helping = [adding(text) for text in best[:company]]
    nature = Nature(obedience=truth.nature.obedience, slow=SLOW)
    # Edits that truly hurt beside those that help, and such that do nothing, each with its effect.
    harms: list[tuple[str, float]] = []
    idle: list[tuple[str, float]] = []
    for text in dict.fromkeys(others):
        effect = place.effect(truth, [text], helping)
        if effect <= _HARM and len(harms) < HARMS:
            harms.append((text, effect))
        elif abs(effect) <= _NOTHING and len(idle) < USELESS:
            idle.append((text, effect))
    found = []
    for number, (text, effect) in enumerate((*harms, *idle), 1):
        # Each in a night of its own, so that none has only what the others left of a night's pairs.
        ctx = place.world.ctx(f"mixed {number}", nature)
        ended = place.judged(ctx, place.world.gate, [*helping, adding(text)])
        last = ended[-1].candidate
        accepted = {e.text for e in last.edits} if last.verdict is Verdict.ACCEPTED else set()
        mixed = Mixed(
            rider=text,
            effect=effect,
            crossed=len(ended) > 1 or last.verdict is Verdict.ACCEPTED,
            rides=text in accepted,
            whole={e.text for e in helping} <= accepted,
        )
        found.append(mixed)
    place.world.close()
    return tuple(found)
