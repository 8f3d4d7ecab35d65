"""The live text against itself, and what gains of which size would take."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sleepd.core import forecast
from sleepd.core.experiment import Experiment
from sleepd.core.model import Cause, Purpose, Sample, Split, TaskId
from sleepd.core.ports import Ask, Failure, Reply
from sleepd.core.schedule import seed
from sleepd.lab.gate.trials import Setup, trial
from sleepd.lab.gate.truth import kind, shifted
from sleepd.models.scripted import FailingAt
from sleepd.pipeline.calibrate import calibrate, foresee, remembered
from sleepd.pipeline.mine import kinds_of_work
from sleepd.pipeline.trial import Comparison, GateTerms
from sleepd.pipeline.work import find_work
from sleepd.store import tasks
from tests.pipeline.world import World, new_skill

GATING = GateTerms(baseline_samples=2)


def comparison_of(world: World) -> Comparison:
    with world.database.reading() as connection:
        everything = tasks.load(connection)
    work = find_work(kinds_of_work(everything, 2), world.surroundings, new_skill)[0]
    return Comparison(target=work.target, base="", tasks=work.usable(Split.VAL))


class Wired:
    """A model that is told, by the number of its sample, which side it is on."""

    def __init__(self, world: World, answer: str) -> None:
        self._model, self._answer = world.model, answer
        self.key = world.model.key
        own = (Sample(purpose=Purpose.CALIBRATION, ordinal=n, night="n1") for n in range(60))
        self._own = {seed(sample) for sample in own}

    def ask(self, ask: Ask) -> Reply | Failure:
        if ask.sample in self._own:
            return self._model.ask(replace(ask, system=f"{ask.system}\n{self._answer}"))
        return self._model.ask(ask)


class TestCalibrating:
    def test_a_text_does_not_beat_itself(self, world: World) -> None:
        """No alarm, whatever the text; larger gains take fewer pairs; every pair is fresh and kept."""
        counted = FailingAt(world.model, 0, Failure(cause=Cause.NETWORK, message=""))
        seen = calibrate(world.ctx(counted), comparison_of(world), GATING, 27)
        assert (27, 0, False) == (seen.pairs, seen.unscored, seen.alarm)
        assert 27 * 3 == counted.asked == len(world.rows("rollouts"))
        assert [0.1, 0.2, 0.3] == [f.gain for f in seen.foreseen]
        assert sorted((f.pairs for f in seen.foreseen), reverse=True) == [f.pairs for f in seen.foreseen]
        calibrate(world.ctx(counted), comparison_of(world), GATING, 27)
        assert 27 * 3 == counted.asked

    def test_a_side_that_is_told_which_it_is_raises_the_alarm(self, world: World) -> None:
        """Evidence between identical texts is a defect of the wiring."""
        told = Wired(world, "- Start with the ticket key in square brackets.\n- End with a Tested line.")
        assert calibrate(world.ctx(told), comparison_of(world), GATING, 60).alarm  # type: ignore[arg-type]

    def test_what_was_measured_is_remembered_without_asking(self, world: World) -> None:
        """Earlier baseline rollouts say how much the scores vary; without any, nothing is foreseen."""
        comparison = comparison_of(world)
        assert 0 == len(remembered(world.ctx(), comparison, 2))
        calibrate(world.ctx(), comparison, GATING, 27)
        assert len(remembered(world.ctx(), comparison, 2)) >= 27


class TestForeseeing:
    @pytest.mark.slow
    @pytest.mark.parametrize(("key", "gain"), [("+20", 0.2), ("+30", 0.3)])
    def test_it_foresees_what_the_gate_then_takes(self, key: str, gain: float) -> None:
        """Within a factor of two of the shipped gate's mean over many users; gains cut at 1 need a few more."""
        rng = np.random.default_rng(1)
        setup = Setup(experiment=Experiment(alpha=0.0047, max_pairs=2_000))
        ratios = []
        for _ in range(60):
            rates = shifted(rng, 13, gain)
            scores = {TaskId(str(n)): list((rng.random(10) < p).astype(float)) for n, p in enumerate(rates.before)}
            foreseen = forecast.pairs_needed(forecast.noise(scores, 4), rates.effect, 0.0047)
            taken = np.mean([trial(rng, kind(key), rates, setup).pairs for _ in range(10)])
            ratios.append(taken / foreseen)
        assert 0.5 < np.median(ratios) < 2

    def test_what_cannot_be_shown_is_said(self) -> None:
        """Coins for scores, one pair a night: even thirty points are out of reach."""
        rng = np.random.default_rng(2)
        scores = {TaskId(str(n)): list(rng.integers(0, 2, 8).astype(float)) for n in range(10)}
        few = GateTerms(pairs_per_night=1, max_nights=14)
        assert [False] * 3 == [f.in_reach for f in foresee(forecast.noise(scores, 4), 0.0047, few)]
        assert foresee(forecast.noise(scores, 4), 0.0047, GateTerms())[-1].in_reach
        assert math.isinf(forecast.pairs_needed(forecast.noise({}, 4), 0.1, 0.05))
