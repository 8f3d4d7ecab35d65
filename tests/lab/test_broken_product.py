"""The proof-run fails when the product is broken: each mechanism taken away fails the claims that are about it.

That the papers' rules fail theirs is shown by the command, in `tests/e2e/test_proof_run.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sleepd.core import schedule
from sleepd.core.evidence import Scores
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


def failing(folder: Path, gate: GateTerms) -> set[str]:
    """The claims of one run that do not pass."""
    terms = Terms(who=WHO, seed=1, nights=2, gate=gate, workers=1, embedder=Memoized(HashedTfidf()), folder=folder)
    return {claim.name for claim in assertions(WHO, prove(terms, lambda _: None)) if not claim.passed}


def without_watch(monkeypatch: pytest.MonkeyPatch, gate: GateTerms) -> GateTerms:
    monkeypatch.setattr(drift, "watched", lambda _: False)
    return gate


def missing_pairs_dropped(monkeypatch: pytest.MonkeyPatch, gate: GateTerms) -> GateTerms:
    """A difference of nothing leaves a bet as it was, as if the pair had not been drawn."""
    dropped = property(lambda scores: np.nan_to_num(scores.candidate - scores.baseline, nan=0.0))
    monkeypatch.setattr(Scores, "cautious", dropped)
    monkeypatch.setattr(Scores, "hopeful", dropped)
    return gate


def validation_shown(monkeypatch: pytest.MonkeyPatch, gate: GateTerms) -> GateTerms:
    """Where a reflection asks for work to learn from, it is given the work that judges."""
    usable = Work.usable
    monkeypatch.setattr(Work, "usable", lambda work, split: usable(work, Split.VAL if split is Split.TRAIN else split))
    return gate


def baselines_of_other_nights(monkeypatch: pytest.MonkeyPatch, gate: GateTerms) -> GateTerms:
    """What a night measured of the live text counts in all later ones."""

    def kept(ordinal: int, _night: str, _index: int = 0) -> Sample:
        return Sample(purpose=Purpose.BASELINE, ordinal=ordinal, night="the first")

    monkeypatch.setattr(schedule, "baseline", kept)
    return gate


def without_screen(monkeypatch: pytest.MonkeyPatch, gate: GateTerms) -> GateTerms:
    monkeypatch.setattr(stage, "_findings", lambda *_: ())
    return gate


def bundles_whole(monkeypatch: pytest.MonkeyPatch, gate: GateTerms) -> GateTerms:
    """A bundle that crosses is not taken apart."""
    return replace(gate, attribution=AttributionConfig(most=0))


Break = Callable[[pytest.MonkeyPatch, GateTerms], GateTerms]
CLAIMS: dict[Break, set[str]] = {
    without_watch: {ANOTHER},
    missing_pairs_dropped: {STALLING},
    validation_shown: {OVERFITTED},
    baselines_of_other_nights: {USELESS},
    without_screen: {POISON_OF_A_TOOL, POISON_OF_A_TURN},
    bundles_whole: {HARM_RIDES, USELESS_RIDES},
}
"""What each mechanism is claimed for: these fail without it, and no others."""
ALSO = {baselines_of_other_nights: {HARMFUL}}
"""Claims that may fail as well: among other nights' baselines a harmful edit may cross like a useless one, or not."""
RUNS: dict[str, tuple[Break, ...]] = {
    "first": (without_watch, validation_shown, bundles_whole),
    "second": (without_screen, missing_pairs_dropped, bundles_whole),
    "third": (validation_shown, missing_pairs_dropped, baselines_of_other_nights),
}
"""Each mechanism is gone from other runs than any other, so the runs in which a claim fails say what it depends on.

Three runs tell six mechanisms apart, as six runs with one break each would. A run with no break is that of
`test_proof_run.py::test_two_runs_are_equal_to_the_byte`.
"""


def test_the_runs_tell_the_mechanisms_apart() -> None:
    """No two mechanisms are gone from the same runs, and each claim is about one of them."""
    gone_from = {broken: tuple(name for name, gone in RUNS.items() if broken in gone) for broken in CLAIMS}
    assert len(CLAIMS) == len(set(gone_from.values()) - {()})
    assert sum(map(len, CLAIMS.values())) == len(set().union(*CLAIMS.values()))


@pytest.mark.slow(16)
@pytest.mark.parametrize("gone", RUNS.values(), ids=RUNS)
def test_mechanisms_that_are_gone_fail_their_claims_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: tuple[Break, ...]
) -> None:
    """Each mechanism has a claim that fails without it; none of the other claims fails."""
    gate = GATE
    for take_away in gone:
        gate = take_away(monkeypatch, gate)
    fails = set().union(*(CLAIMS[broken] for broken in gone))
    failed = failing(tmp_path, gate)
    assert fails <= failed <= fails.union(*(ALSO.get(broken, set()) for broken in gone))
