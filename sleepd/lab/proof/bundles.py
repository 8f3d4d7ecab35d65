"""Mixed bundles: edits that help together with one that hurts or does nothing. Does it ride along?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sleepd.core.model import CandidateOrigin, Edit, EditOp, Split, Verdict
from sleepd.core.select import Bundle
from sleepd.lab.proof.truth import Truth
from sleepd.lab.proof.world import HISTORY, Terms, Variant, World
from sleepd.pipeline.attribute import applied
from sleepd.pipeline.prove import prove
from sleepd.pipeline.rollout import RunContext
from sleepd.pipeline.trial import Comparison, GateTerms, enter, text_claim
from sleepd.pipeline.work import live_text

HARMS = 10
"""Bundles with an edit that hurts, at most."""
USELESS = 6
_COMPANY = 2
"""Edits that help, in each bundle."""
_HARM = -0.05
_NOTHING = 1e-9
_PAIRS = 400


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


def mixed(terms: Terms, truth: Truth, good: Sequence[str], others: Sequence[str]) -> tuple[Mixed, ...]:
    """Put bundles of helping edits and one other each through the run's own gate, in a world of their own."""
    world = World(terms, Variant(name="mixed bundles"))
    world.live(0, HISTORY)
    world.harvest()
    world.mine()
    work = max(world.work(), key=lambda w: w.frequency)
    comparison = Comparison(target=work.target, base=live_text(work.target), tasks=work.usable(Split.VAL))
    company = _most_helpful(truth, comparison, good)
    ctx = world.ctx("mixed")
    gate = replace(world.gate, pairs_per_night=_PAIRS)
    found = [_one(ctx, comparison, gate, company, rider) for rider in _riders(truth, comparison, company, others)]
    world.close()
    return tuple(found)


def _most_helpful(truth: Truth, comparison: Comparison, good: Sequence[str]) -> list[Edit]:
    """The edits with the largest true effect by themselves."""
    gains = {text: _effect(truth, comparison, [], text) for text in dict.fromkeys(good)}
    best = sorted((text for text in gains if gains[text] > 0), key=lambda text: -gains[text])
    return [_add(text) for text in best[:_COMPANY]]


def _riders(
    truth: Truth, comparison: Comparison, company: list[Edit], others: Sequence[str]
) -> list[tuple[str, float]]:
    """Edits that truly hurt beside the others, and such that do nothing, each with its effect."""
    effects = {text: _effect(truth, comparison, company, text) for text in dict.fromkeys(others)}
    harms = [(text, e) for text, e in effects.items() if e <= _HARM][:HARMS]
    return [*harms, *[(text, e) for text, e in effects.items() if abs(e) <= _NOTHING][:USELESS]]


def _one(
    ctx: RunContext, comparison: Comparison, gate: GateTerms, company: list[Edit], rider: tuple[str, float]
) -> Mixed:
    text, effect = rider
    edits = (*company, _add(text))
    bundle = Bundle.of(edits, (), origin=CandidateOrigin.REFLECTION)
    trial = enter(ctx, comparison, text_claim(ctx, comparison, bundle, applied(comparison, edits).text), gate)
    ended = prove(ctx, comparison, trial, gate, _PAIRS)
    last = ended[-1].candidate
    accepted = {e.text for e in last.edits} if last.verdict is Verdict.ACCEPTED else set()
    return Mixed(
        rider=text,
        effect=effect,
        crossed=len(ended) > 1 or last.verdict is Verdict.ACCEPTED,
        rides=text in accepted,
        whole={e.text for e in company} <= accepted,
    )


def _effect(truth: Truth, comparison: Comparison, company: list[Edit], text: str) -> float:
    before, after = applied(comparison, company).text, applied(comparison, [*company, _add(text)]).text
    return truth.effect(comparison.tasks, before, after)


def _add(text: str) -> Edit:
    return Edit(op=EditOp.ADD, anchor=None, text=text, reason="")
