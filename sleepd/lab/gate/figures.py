"""The laboratory's table: every figure with its 95 % interval, and the level it was measured at."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from typing import Final

import numpy as np

from sleepd.core import evidence, experiment
from sleepd.core.evidence import Place
from sleepd.core.experiment import NonInferiority
from sleepd.core.model import Verdict
from sleepd.lab.gate import drifting, lives, power
from sleepd.lab.gate.trials import Setup, drawn, least_pairs, trial
from sleepd.lab.gate.truth import KINDS, Kind, kind, settled, shifted, varying

_Z: Final = 1.959964
_NIGHTS_TO_ADOPT: Final = 5
_LIFE: Final = 60
_LEVELS: Final = (1, 10, 60)
_NOT_CUT: Final = 4_000
"""Pairs, where their mean number is asked: cut at the gate's limit it would flatter."""
_FEWEST_LIVES: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A mean over `count` repetitions with its 95 % interval (Wilson's for a share)."""

    value: float
    low: float
    high: float
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One kind of candidate at one level."""

    kind: str
    words: str
    index: int
    """t: the level in force is that of the t-th candidate, with no adoption before it."""
    alpha: float
    effect: float
    """Realised mean effect."""
    accepted: Figure
    within_nights: Figure
    """Accepted within five nights."""
    blocked: Figure
    """Crossed, and then found to break a task."""
    pairs: Figure
    """Pairs until the verdict, the look at each task left out."""
    rollouts: Figure
    """Model calls until the verdict, had nothing been cached."""
    ratio: Figure | None
    """Pairs over N*, without a limit of pairs; None where nothing is to be found."""


class Unit(StrEnum):
    """What a line counts."""

    SHARE = "share"
    RATE = "rate"
    PAIRS = "pairs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Something about whole lives, shorter texts or bundles."""

    key: str
    words: str
    figure: Figure
    effect: float | None = None
    """Realised mean effect of the candidates, or of the edit in a bundle; None where several kinds are mixed."""
    unit: Unit = Unit.SHARE


def share(hits: Sequence[bool]) -> Figure:
    """The share of true ones, with Wilson's interval."""
    n, p = len(hits), sum(hits) / len(hits)
    middle = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n * n))
    return Figure(value=p, low=max(0.0, middle - half), high=min(1.0, middle + half), count=n)


def mean(values: Sequence[float]) -> Figure:
    """The mean, with the normal interval."""
    n, m = len(values), float(np.mean(values))
    half = _Z * float(np.std(values)) / math.sqrt(n)
    return Figure(value=m, low=m - half, high=m + half, count=n)


def ratio(numerators: Sequence[float], denominators: Sequence[float]) -> Figure:
    """The sum of one over the sum of the other, over equally many lives, with the interval of the delta method; all
    infinite where the denominators are 0."""
    above, below = np.array(numerators, dtype=np.float64), np.array(denominators, dtype=np.float64)
    if not below.sum():
        return Figure(value=math.inf, low=math.inf, high=math.inf, count=len(below))
    value = float(above.sum() / below.sum())
    half = _Z * math.sqrt(float(((above - value * below) ** 2).sum())) / float(below.sum())
    return Figure(value=value, low=value - half, high=value + half, count=len(below))


Job = Callable[[], tuple[Row | Line, ...]]
"""Some figures. It can be called in another process: each has its own source of chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabTerms:
    """Under which terms the laboratory measures."""

    setup: Setup
    alpha: float
    repetitions: int
    seed: int


def jobs(setup: Setup, alpha: float, repetitions: int, seed: int) -> tuple[Job, ...]:
    """All figures, the rows of the table first. Deterministic for a seed, wherever and in whatever order they run."""
    terms = LabTerms(setup=setup, alpha=alpha, repetitions=repetitions, seed=seed)
    return (
        *(partial(_cell, terms, index, number) for index in _LEVELS for number in range(len(KINDS))),
        *(partial(_asked, terms, number) for number in range(len(_ASKED))),
    )


def _asked(terms: LabTerms, number: int) -> tuple[Row | Line, ...]:
    """What becomes of whole lives, shorter texts or bundles."""
    rng = np.random.default_rng([terms.seed, 1_000 + number])
    return tuple(_ASKED[number](rng, terms.setup, terms.alpha, terms.repetitions))


def _cell(terms: LabTerms, index: int, number: int) -> tuple[Row | Line, ...]:
    """One kind of candidate at the level of the candidate with that index: the 1st, 10th or 60th."""
    rng = np.random.default_rng((terms.seed, index, number))
    one, setup, repetitions = KINDS[number], terms.setup, terms.repetitions
    level = evidence.level(Place(index=index), 0, terms.alpha)
    everything = [one.make(rng, setup.tasks) for _ in range(repetitions)]
    outcomes = [trial(rng, one, rates, setup, level) for rates in everything]
    enough = _NIGHTS_TO_ADOPT * setup.pairs_per_night
    least = float(np.mean([least_pairs(rates, setup.baseline_samples, level) for rates in everything]))
    ratio = None
    if setup.experiment.by_evidence and math.isfinite(least):
        patient = replace(setup, experiment=replace(setup.experiment, max_pairs=_NOT_CUT, beta=1e-12))
        some = [trial(rng, one, rates, patient, level).pairs / least for rates in everything[: repetitions // 4]]
        ratio = mean(some)
    made = Row(
        kind=one.key,
        words=one.words,
        index=index,
        alpha=level,
        effect=float(np.mean([o.effect for o in outcomes])),
        accepted=share([o.accepted for o in outcomes]),
        within_nights=share([o.accepted and o.pairs + o.confirming <= enough for o in outcomes]),
        blocked=share([o.blocked for o in outcomes]),
        pairs=mean([o.pairs for o in outcomes]),
        rollouts=mean([o.rollouts for o in outcomes]),
        ratio=ratio,
    )
    return (made,)


def _fortnights(rng: np.random.Generator, setup: Setup, alpha: float, repetitions: int) -> Iterator[Line]:
    for key in ("none", "timeouts", "random", "-15"):
        one = kind(key)
        seen = [tuple(lives.nights(rng, one, 14, setup, alpha)) for _ in range(repetitions)]
        adopted = share([any(o.accepted for o in outcomes) for outcomes in seen])
        # None where no candidate came to a verdict: one whose failures become timeouts may draw on to the last night.
        effects = [o.effect for outcomes in seen for o in outcomes]
        effect = float(np.mean(effects)) if effects else None
        words = f"adopted at any time in 14 nights: {one.words}"
        yield Line(key=f"fortnight {key}", words=words, figure=adopted, effect=effect)


def _drifting(rng: np.random.Generator, setup: Setup, alpha: float, repetitions: int) -> Iterator[Line]:
    """Under the paper's rules nothing: their candidates are looked at once, within one night."""
    asked = replace(setup, pairs_per_night=drifting.PAIRS)
    for world in drifting.WORLDS if setup.experiment.by_evidence else ():
        some = max(_FEWEST_LIVES, repetitions // 8)
        seen = [drifting.null_life(rng, world, asked, alpha) for _ in range(some)]
        calls = sum(life.calls for life in seen) / sum(life.pairs for life in seen)
        words = (
            f"no effect, adopted at any time in {drifting.NIGHTS} nights of {drifting.PAIRS} pairs "
            f"({calls:.1f} calls a pair): {world.words}"
        )
        yield Line(key=f"drifting {world.key}", words=words, figure=share([life.adopted > 0 for life in seen]))


def _alarms(rng: np.random.Generator, setup: Setup, alpha: float, repetitions: int) -> Iterator[Line]:  # noqa: ARG001
    """The watch for a model that changed, over one that did not; its level is its own."""
    for missing in (0.0, 0.05, 0.10) if setup.experiment.by_evidence else ():
        some = max(_FEWEST_LIVES, repetitions // 2)
        seen = [drifting.alarmed(rng, setup.tasks, missing) for _ in range(some)]
        words = f"alarm about a model that did not change, in {drifting.WATCHED} nights with {missing:.0%} timeouts"
        yield Line(key=f"alarm {missing:.2f}", words=words, figure=share(seen))


def _power(rng: np.random.Generator, setup: Setup, alpha: float, repetitions: int) -> Iterator[Line]:
    """What the same error buys; nothing under the paper's rules."""
    some = max(_FEWEST_LIVES, repetitions // 8)
    for stated in (True, False) if setup.experiment.by_evidence else ():
        terms, whose = power.PowerTerms(stated=stated), "your words" if stated else "the model's words"
        seen = [power.life(rng, setup, alpha, terms) for _ in range(some)]
        world = f"{power.CANDIDATES} candidates in {whose}, a fifth +10 points, at a pass rate of one half"
        yield Line(
            key=f"pairs per find {stated}",
            words=f"pairs for each that is found, races included: {world}",
            figure=ratio([one.pairs for one in seen], [one.found for one in seen]),
            unit=Unit.PAIRS,
        )
        yield Line(
            key=f"power false {stated}",
            words=f"false discovery rate: {world}",
            figure=mean([one.false_share for one in seen]),
        )
        idle = [power.life(rng, setup, alpha, replace(terms, helpful=0)) for _ in range(some)]
        yield Line(
            key=f"power null {stated}",
            words=f"lives with an adoption: {power.CANDIDATES} candidates in {whose} that do nothing, races included",
            figure=share([one.false > 0 for one in idle]),
        )
        for rivals in (0, 7):
            hits = [power.found_within(rng, setup, alpha, terms, rivals=rivals) for _ in range(some)]
            beside = f", each night among {rivals} that do nothing" if rivals else ""
            nights = f"{power.NIGHTS} nights of {power.PAIRS} pairs"
            yield Line(
                key=f"power nights {rivals} {stated}",
                words=f"found in {nights}: a first rule of +10 points in {whose}{beside}, at a pass rate of one half",
                figure=share(hits),
            )


def _drag(rng: np.random.Generator, setup: Setup, alpha: float, repetitions: int) -> Iterator[Line]:
    ends = [lives.dragged(rng, -0.01, 30, setup, alpha) for _ in range(max(_FEWEST_LIVES, repetitions // 4))]
    yield Line(
        key="drag",
        words="true pass rate after 30 nights of -1-point edits, from 0.70",
        figure=mean(ends),
        unit=Unit.RATE,
    )


def _sixty(rng: np.random.Generator, setup: Setup, alpha: float, repetitions: int) -> Iterator[Line]:
    idle, helpful = kind("none"), kind("+20")
    seen = [lives.life(rng, lives.sampled(rng, idle, helpful, _LIFE, setup), setup, alpha) for _ in range(repetitions)]
    words = "lives of 60 candidates, a fifth +20 points, with a false adoption"
    yield Line(key="life", words=words, figure=share([one.has_false_adoption for one in seen]))
    found = [o.accepted for one in seen for o, good in zip(one.outcomes, one.good, strict=True) if good]
    yield Line(key="life found", words="good candidates found in these lives", figure=share(found))


def _population(rng: np.random.Generator, setup: Setup, alpha: float, repetitions: int) -> Iterator[Line]:
    for sd in (0.2, 0.3):
        idle, helpful = _varying(0.0, sd), _varying(0.2, sd)
        some = max(_FEWEST_LIVES, repetitions // 4)
        chosen = (lives.sampled(rng, idle, helpful, _LIFE, setup) for _ in range(some))
        seen = [lives.life(rng, candidates, setup, alpha) for candidates in chosen]
        adopted = [good for one in seen for o, good in zip(one.outcomes, one.good, strict=True) if o.accepted]
        words = f"adoptions that do not help the population the tasks were sampled from (effects differ by {sd:.1f})"
        yield Line(key=f"population {sd:.1f}", words=words, figure=share([not good for good in adopted] or [False]))


def _shortening(rng: np.random.Generator, setup: Setup, alpha: float, repetitions: int) -> Iterator[Line]:
    statistic = NonInferiority(margin=setup.margin) if setup.experiment.by_evidence else setup.experiment.statistic
    longer = replace(setup.experiment, statistic=statistic, max_pairs=setup.margin_pairs)
    asked = replace(setup, experiment=longer)
    for key, loss in (("", 0.0), (" -5", 0.05), (" -15", 0.15)):
        one = Kind(key=f"shorter{key}", words="", make=partial(settled, gain=-loss))
        made = [one.make(rng, setup.tasks) for _ in range(repetitions)]
        seen = [trial(rng, one, rates, asked, evidence.level(Place(index=1), 0, alpha)) for rates in made]
        lost = f"loses {100 * loss:.0f} points" if loss else "changes nothing"
        words = f"shorter text that {lost} accepted, a loss of less than {100 * setup.margin:.0f} being allowed"
        effect = float(np.mean([o.effect for o in seen]))
        yield Line(key=one.key, words=words, figure=share([o.accepted for o in seen]), effect=effect)


def _riding(rng: np.random.Generator, setup: Setup, alpha: float, repetitions: int) -> Iterator[Line]:  # noqa: ARG001
    """Edits left out of their bundle: the level is that of `AttributionConfig`, not the account's."""
    how = setup.attribution
    apart = how.most > 0 and setup.experiment.by_evidence
    for gain in (0.0, -0.15, 0.12, 0.2, 0.3):
        made = [shifted(rng, setup.tasks, gain) for _ in range(repetitions)]
        pairs = [drawn(rng, kind("none"), rates, max(how.most, 1), 1) for rates in made]
        decisions = [experiment.decide(how.experiment, c.scores) if apart else None for c in pairs]
        stays = [one is None or one.verdict is Verdict.ACCEPTED for one in decisions]
        name = f"edit of {100 * gain:+.0f} points" if gain else "edit without effect"
        words = f"{name} dropped from its bundle" if gain > 0 else f"{name} that stays in its bundle"
        figure = share([stay != (gain > 0) for stay in stays])
        effect = float(np.mean([rates.effect for rates in made]))
        yield Line(key=f"rides {100 * gain:+.0f}", words=words, figure=figure, effect=effect)


def _varying(gain: float, sd: float) -> Kind:
    return Kind(key=f"varying {gain}", words="", make=lambda rng, tasks: varying(rng, tasks, gain, sd))


_ASKED: Final = (_fortnights, _drag, _sixty, _population, _shortening, _riding, _drifting, _alarms, _power)
