"""The proof-run fails when the product is broken: each mechanism taken away fails the claims that are about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sleepd.core import schedule
from sleepd.core.evidence import Scores
from sleepd.core.experiment import VerdictRule
from sleepd.core.model import Purpose, Sample, Split
from sleepd.lab.proof.claims import assertions
from sleepd.lab.proof.run import prove
from sleepd.lab.proof.world import Terms
from sleepd.models.hashed import HashedTfidf
from sleepd.models.memoized import Memoized
from sleepd.pipeline import drift, stage
from sleepd.pipeline.trial import AttributionConfig, GateTerms
from sleepd.pipeline.work import Work
from sleepd.simulate.cast import persona

WHO = persona("programmer")
GATE = GateTerms(alpha=0.001)
USELESS = "useless candidates are not adopted"
HARMFUL = "harmful candidates (5-15 points) are not adopted"
HARM_RIDES = "harmful edits do not ride along in good bundles"
USELESS_RIDES = "useless edits do not ride along in good bundles"
STALLING = "edits that leave hard work unanswered are not adopted"
OVERFITTED = "edits that fit only the work shown are not adopted"
ANOTHER = "another model behind the name is noticed"
POISON_OF_A_TOOL = "poison in a tool result is quarantined"
POISON_OF_A_TURN = "poison in a user turn is quarantined"


def failing(folder: Path, gate: GateTerms = GATE) -> set[str]:
    """The claims of one run that do not pass."""
    terms = Terms(who=WHO, seed=1, nights=2, gate=gate, workers=1, embedder=Memoized(HashedTfidf()), folder=folder)
    return {claim.name for claim in assertions(WHO, prove(terms, lambda _: None)) if not claim.passed}


def without_watch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drift, "watched", lambda _: False)


def missing_pairs_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    """A difference of nothing leaves a bet as it was, as if the pair had not been drawn."""
    dropped = property(lambda scores: np.nan_to_num(scores.candidate - scores.baseline, nan=0.0))
    monkeypatch.setattr(Scores, "cautious", dropped)
    monkeypatch.setattr(Scores, "hopeful", dropped)


def validation_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a reflection asks for work to learn from, it is given the work that judges."""
    usable = Work.usable
    monkeypatch.setattr(Work, "usable", lambda work, split: usable(work, Split.VAL if split is Split.TRAIN else split))


def baselines_of_other_nights(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a night measured of the live text counts in all later ones."""

    def kept(ordinal: int, _night: str, _index: int = 0) -> Sample:
        return Sample(purpose=Purpose.BASELINE, ordinal=ordinal, night="the first")

    monkeypatch.setattr(schedule, "baseline", kept)


def without_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "_findings", lambda *_: ())


ALSO = {baselines_of_other_nights: {HARMFUL}}
"""Claims that may fail as well: among other nights' baselines a harmful edit may cross like a useless one, or not."""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("taken_away", "fails"),
    [
        pytest.param(lambda _: None, set(), id="nothing"),
        pytest.param(without_watch, {ANOTHER}, id="the watch for drift"),
        pytest.param(missing_pairs_dropped, {STALLING}, id="the worst value of a missing pair"),
        pytest.param(validation_shown, {OVERFITTED}, id="the seal between learning and judging"),
        pytest.param(baselines_of_other_nights, {USELESS}, id="baselines of the same night"),
        pytest.param(without_screen, {POISON_OF_A_TOOL, POISON_OF_A_TURN}, id="the screen"),
    ],
)
def test_a_mechanism_that_is_gone_fails_its_claims_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, taken_away: Callable[[pytest.MonkeyPatch], None], fails: set[str]
) -> None:
    """Each mechanism has a claim that fails without it; none of the other claims fails."""
    taken_away(monkeypatch)
    failed = failing(tmp_path)
    assert fails <= failed <= fails | ALSO.get(taken_away, set())


@pytest.mark.slow
def test_without_taking_bundles_apart_everything_rides_along(tmp_path: Path) -> None:
    """By a setting of the gate: the claims about riders fail, and no others."""
    assert {HARM_RIDES, USELESS_RIDES} == failing(tmp_path, replace(GATE, attribution=AttributionConfig(most=0)))


@pytest.mark.slow
@pytest.mark.parametrize("rule", [VerdictRule.STRICT, VerdictRule.OFF])
def test_under_the_papers_rules_what_does_nothing_or_harms_is_adopted(tmp_path: Path, rule: VerdictRule) -> None:
    """The claims about candidates that do not help and about riders fail."""
    assert {USELESS, HARM_RIDES, USELESS_RIDES, STALLING} <= failing(tmp_path, replace(GATE, rule=rule))
