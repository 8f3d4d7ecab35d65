"""The proof-run's mixed bundles meet the gate of the run: its rule and its level."""

from __future__ import annotations

from pathlib import Path

import pytest

from sleepd.core.experiment import VerdictRule
from sleepd.lab.proof.bundles import Mixed, mixed
from sleepd.lab.proof.truth import Truth
from sleepd.lab.proof.world import HISTORY, Terms, Variant, World
from sleepd.models.hashed import HashedTfidf
from sleepd.models.memoized import Memoized
from sleepd.pipeline.trial import GateTerms
from sleepd.simulate.cast import persona

WHO = persona("programmer")
GOOD = [rule.wordings[0] for family in WHO.families for rule in family.rules]
HARMFUL = [f"It is wrong, so never: {words[0].lower()}{words[1:]}" for words in GOOD[:2]]


def terms(folder: Path, rule: VerdictRule, alpha: float = 0.05) -> Terms:
    return Terms(
        who=WHO,
        seed=1,
        nights=1,
        gate=GateTerms(rule=rule, alpha=alpha),
        workers=1,
        embedder=Memoized(HashedTfidf()),
        folder=folder,
    )


def made(folder: Path, rule: VerdictRule) -> tuple[Mixed, ...]:
    base = World(terms(folder, rule), Variant(name="the same days"))
    base.live(0, HISTORY)
    base.harvest()
    base.mine()
    found = mixed(base, Truth(WHO), GOOD, HARMFUL)
    base.close()
    return found


@pytest.mark.slow
def test_under_the_papers_rule_harm_rides_along(tmp_path: Path) -> None:
    """So the claim about riders fails under `--gate-rule strict`, and holds under the rule by evidence."""
    ours, theirs = made(tmp_path / "ours", VerdictRule.EVIDENCE), made(tmp_path / "theirs", VerdictRule.STRICT)
    assert [True] * len(HARMFUL) == [one.crossed for one in ours] == [one.crossed for one in theirs]
    assert not any(one.rides for one in ours)
    assert all(one.rides for one in theirs)


def test_the_gate_of_a_world_is_that_of_the_run(tmp_path: Path) -> None:
    """Every world's, whatever is different about it."""
    world = World(terms(tmp_path, VerdictRule.STRICT, 0.01), Variant(name="w", pairs=7))
    assert (VerdictRule.STRICT, 0.01, 7) == (world.gate.rule, world.gate.alpha, world.gate.pairs_per_night)
    world.close()
