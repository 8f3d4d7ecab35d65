"""What the same error buys, in lives whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sleepd.core import evidence, experiment, race
from sleepd.core.evidence import Given
from sleepd.core.experiment import Experiment, Superiority
from sleepd.core.model import Candidate, Digest, Pair, RunId, SkillTarget, TaskId, Verdict
from sleepd.lab.gate.figures import ratio
from sleepd.lab.gate.power import CANDIDATES, PowerTerms, even, found_within, life
from sleepd.lab.gate.trials import Setup, drawn
from sleepd.lab.gate.truth import kind
from sleepd.pipeline.trial import GateTerms
from sleepd.store import proposals
from tests.pipeline.world import World, make

SETUP = Setup(experiment=GateTerms().experiment(0.05))
FORMER = PowerTerms(stated=None, runners=0, leftover=False)
FIXED = replace(SETUP, experiment=replace(SETUP.experiment, statistic=Superiority(adaptive=False), max_pairs=400))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A database without anything in it."""
    world = make(tmp_path_factory.mktemp("lab"), sessions=1)
    with world.database.writing() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
    return world


def test_a_life_through_the_database_is_that_of_the_laboratory(kept: World) -> None:
    """Places, levels and verdicts of a life, with the account and the pairs read again from the database each time."""
    rng, given, adoptions, verdicts = np.random.default_rng(4), Given(), 0, set()
    target = SkillTarget(agent="", name="", path="", project="", description="")
    for number in range(12):
        stated = number % 3 == 0
        place, held = given.next(stated=stated), proposals_given(kept)
        assert (given, place) == (held, held.next(stated=stated))
        alpha = evidence.level(place, adoptions, 0.05)
        asked = replace(SETUP.experiment, alpha=alpha)
        columns = drawn(rng, kind("none"), even(13, 0.3 if number % 2 else 0.0), asked.max_pairs, 4)
        seen = experiment.decide(asked, columns.scores)
        candidate = Candidate(
            id=Digest(f"c{number}"), index=place.index, stated=place.stated, alpha=alpha, target=target,
            base=Digest(""), text=Digest(""), edits=(), tasks=(), model="",
        )  # fmt: skip
        stored = through(kept, candidate, columns.candidate, columns.baseline)
        assert (seen.verdict, seen.pairs, seen.evidence) == (stored.verdict, stored.pairs, stored.evidence)
        given, adoptions = given.after(place), adoptions + (seen.verdict is Verdict.ACCEPTED)
        with kept.database.reading() as connection:
            assert adoptions == proposals.acceptances(connection)
        verdicts.add(seen.verdict)
    assert {Verdict.ACCEPTED, Verdict.REJECTED} <= verdicts


def proposals_given(world: World) -> Given:
    with world.database.reading() as connection:
        return proposals.given(connection)


def through(world: World, candidate: Candidate, own: np.ndarray, live: np.ndarray) -> experiment.Decision:
    """The verdict over the same pairs, kept and read again, under the terms that are asked of the kept candidate."""
    rows = [
        Pair(ordinal=n, task_id=TaskId("t"), candidate=float(c), baseline=float(b))
        for n, (c, b) in enumerate(zip(own, live, strict=True))
    ]
    with world.database.writing() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        proposals.start(connection, candidate, RunId(id="n1"))
        proposals.save_pairs(connection, candidate.id, rows, RunId(id="n1"))
        trial = proposals.trial(connection, candidate.id)
        decision = experiment.decide(
            GateTerms().asked_of(trial.candidate), evidence.scores_of(proposals.pairs(connection, candidate.id))
        )
        proposals.decide(connection, candidate.id, decision, 1)
    return decision


def test_a_race_costs_what_it_says_and_sends_two_on() -> None:
    """Counted pair by pair and call by call over one life without any effect to find."""
    null = replace(SETUP, experiment=Experiment(alpha=1e-9, max_pairs=1))
    seen = life(np.random.default_rng(5), null, 1e-9, PowerTerms())
    races = CANDIDATES // 8
    rest = CANDIDATES % 8
    drawn_by = [race.HEATS[0].pairs * n + race.HEATS[1].pairs * min(n, 4) for n in [8] * races + [rest] * bool(rest)]
    gated = seen.pairs - sum(drawn_by)
    assert races + 1 <= gated <= 2 * (races + 1)
    assert seen.calls == races * race.rollouts(8) + race.rollouts(rest) + 5 * gated


@pytest.mark.slow
def test_the_same_error_finds_more() -> None:
    """Fewer pairs for each find than before, more rules within four nights, and no more false ones."""
    figures = {}
    for name, setup, terms in (("now", SETUP, PowerTerms()), ("former", FIXED, FORMER)):
        rng = np.random.default_rng(6)
        seen = [life(rng, setup, 0.05, terms) for _ in range(25)]
        within = [found_within(rng, setup, 0.05, terms, rivals=0) for _ in range(60)]
        pairs = ratio([one.pairs for one in seen], [one.found for one in seen])
        figures[name] = (pairs, sum(within) / len(within), float(np.mean([one.false_share for one in seen])))
    assert figures["now"][0].value < 1_100
    assert figures["former"][0].value > 2_000
    assert figures["now"][1] >= 0.75 > figures["former"][1]
    assert figures["now"][2] <= 0.05


def test_a_ratio_over_nothing_is_no_number() -> None:
    """No find: infinitely many pairs each; else the interval lies around the ratio of the sums."""
    assert np.inf == ratio([3, 4], [0, 0]).value
    found = ratio([100, 300, 200], [1, 1, 2])
    assert found.low < 150 == found.value < found.high
