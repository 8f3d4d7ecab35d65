"""The gate's laboratory: its truth is what it says, its gate is the shipped one, its intervals are right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from sleepd.core import experiment
from sleepd.core.confirmation import ConfirmationConfig
from sleepd.core.experiment import Experiment, OnePass, VerdictRule
from sleepd.core.model import Pair, RunId, TaskId
from sleepd.lab.gate import apart, figures, lives
from sleepd.lab.gate.figures import mean, share
from sleepd.lab.gate.trials import Setup, drawn, least_pairs, trial
from sleepd.lab.gate.truth import KINDS, Rates, kind, shifted
from sleepd.store import proposals
from tests.cli.command import sleepd
from tests.pipeline.world import make

SETUP = Setup(experiment=Experiment(alpha=0.05, confirmation=ConfirmationConfig()))
STRICT = replace(SETUP, experiment=Experiment(alpha=0.05, statistic=OnePass(rule=VerdictRule.STRICT)))


@pytest.mark.parametrize(("key", "low", "high"), [
    ("none", 0, 0), ("mixed", -1e-9, 1e-9), ("-15", -0.15, -0.11), ("+20", 0.12, 0.2), ("house-rule", 0.8, 0.9),
])  # fmt: skip
def test_a_kind_has_the_effect_it_is_named_after(key: str, low: float, high: float) -> None:
    """Gains are cut at 0 and 1, so the realised mean is stated beside the one aimed at."""
    rng = np.random.default_rng(1)
    everything = [kind(key).make(rng, 13) for _ in range(300)]
    assert low <= np.mean([rates.effect for rates in everything]) <= high
    assert all(((rates.before >= 0) & (rates.after <= 1) & (rates.after >= 0)).all() for rates in everything)


def test_pairs_come_out_as_the_rates_say() -> None:
    """Means over many pairs; a timeout is missing, not 0."""
    rates = Rates(before=np.array([0.2, 0.6]), after=np.array([0.5, 0.9]))
    columns = drawn(np.random.default_rng(2), kind("+30"), rates, 20_000, 4)
    assert 0.7 == pytest.approx(columns.candidate.mean(), abs=0.02)
    assert 0.4 == pytest.approx(columns.baseline.mean(), abs=0.02)
    late = drawn(np.random.default_rng(2), kind("timeouts"), rates, 20_000, 4)
    assert 0.3 == pytest.approx(np.isnan(late.candidate).mean(), abs=0.02)
    assert {1.0} == set(late.candidate[~np.isnan(late.candidate)])


def test_calls_time_out_whatever_they_would_have_scored() -> None:
    """A share of the candidate's rollouts and of all baseline rollouts; their bounds hold the true mean."""
    rates = Rates(before=np.array([0.5]), after=np.array([0.7]))
    columns = drawn(np.random.default_rng(2), kind("lossy +20"), rates, 20_000, 4)
    assert 0.06 == pytest.approx(np.isnan(columns.candidate).mean(), abs=0.006)
    assert 0.7 == pytest.approx(np.nanmean(columns.candidate), abs=0.02)
    missing = columns.baseline_high - columns.baseline_low
    assert 0.06 == pytest.approx(missing.mean(), abs=0.004)
    assert 0.5 == pytest.approx(columns.baseline_low.mean() / 0.94, abs=0.02)
    assert bool((np.isnan(columns.baseline) == (missing > 0)).all())


def test_a_model_that_times_out_now_and_then_stops_no_acceptance() -> None:
    """6 % of all calls: what helps is found, and what does nothing is not."""
    rng = np.random.default_rng(8)
    found = {
        key: sum(trial(rng, kind(key), kind(key).make(rng, 13), SETUP, 0.0047).accepted for _ in range(40))
        for key in ("lossy none", "lossy +20")
    }
    assert found["lossy none"] <= 1
    assert found["lossy +20"] >= 24


def test_n_star_is_that_of_the_design() -> None:
    """One certain gain: ln(1/alpha) over ln(1 + bet), the bet as large as the grid allows; none: no number of pairs."""
    sure = Rates(before=np.zeros(3), after=np.ones(3))
    assert np.log(20) / np.log(1.999) == pytest.approx(least_pairs(sure, 4, 0.05), rel=1e-6)
    assert np.inf == least_pairs(Rates(before=np.full(3, 0.5), after=np.full(3, 0.5)), 4, 0.05)


@pytest.mark.parametrize("key", [one.key for one in KINDS])
def test_verdicts_are_those_of_the_database(key: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The same pairs, kept and read again, come to the verdict that the laboratory saw in memory."""
    world = make(tmp_path_factory.mktemp("lab"), sessions=1)
    rng = np.random.default_rng(5)
    rates = kind(key).make(rng, 13)
    columns = drawn(rng, kind(key), rates, 400, 4)
    seen = experiment.decide(SETUP.experiment, columns.scores)
    rows = [
        Pair(
            ordinal=n,
            task_id=TaskId(f"t{columns.task[n]}"),
            candidate=None if np.isnan(columns.candidate[n]) else columns.candidate[n],
            baseline=None if np.isnan(columns.baseline[n]) else columns.baseline[n],
            baseline_low=columns.baseline_low[n],
            baseline_high=columns.baseline_high[n],
        )
        for n in range(400)
    ]
    with world.database.writing() as connection:
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        proposals.save_pairs(connection, "c", rows, RunId(id="n1"))  # type: ignore[arg-type]
    with world.database.reading() as connection:
        kept = proposals.pairs(connection, "c")  # type: ignore[arg-type]
    world.database.close()
    alone = replace(SETUP.experiment, confirmation=ConfirmationConfig(least=0))
    stored = experiment.conclude(alone, kept, [f"t{n}" for n in range(13)]).decision  # type: ignore[misc]
    assert (seen.verdict, seen.pairs, seen.evidence) == (stored.verdict, stored.pairs, stored.evidence)


def test_the_papers_rule_adopts_what_does_nothing_and_ours_does_not() -> None:
    """On most fortnights against none of a hundred."""
    adopted = {
        setup.rule: sum(
            any(o.accepted for o in lives.nights(np.random.default_rng([3, n]), kind("none"), 14, setup, 0.05))
            for n in range(100)
        )
        for setup in (SETUP, STRICT)
    }
    assert adopted[VerdictRule.STRICT] >= 90
    assert adopted[VerdictRule.EVIDENCE] <= 5


def test_a_good_candidate_is_found_and_one_that_breaks_a_task_is_blocked() -> None:
    """Both cross; only one is accepted."""
    rng = np.random.default_rng(4)
    good = [trial(rng, kind("house-rule"), kind("house-rule").make(rng, 13), SETUP, 0.0047) for _ in range(40)]
    breaking = [trial(rng, kind("breaks-one"), kind("breaks-one").make(rng, 13), SETUP, 0.0047) for _ in range(40)]
    assert sum(o.accepted for o in good) >= 38
    assert sum(o.blocked for o in breaking) >= 38
    assert all(o.rollouts == 5 * o.pairs + 2 * o.confirming for o in good)


def test_levels_of_a_life_fall_and_rise_with_adoptions() -> None:
    """A life of candidates that help finds nearly all of them, at the account's own levels."""
    rng = np.random.default_rng(6)
    helps = kind("+50")
    lived = lives.life(rng, [(helps, shifted(rng, 13, 0.5), True) for _ in range(12)], SETUP, 0.05)
    assert not lived.has_false_adoption
    assert lived.found[0] >= 11


def test_intervals() -> None:
    """Wilson's for a share (checked against its closed form at 0 of n), the normal one for a mean."""
    none = share([False] * 100)
    assert 0.0 == none.low
    assert pytest.approx(1.959964**2 / (100 + 1.959964**2)) == none.high
    assert share([True, False] * 50).low < 0.5 < share([True, False] * 50).high
    assert 2.0 == mean([1, 2, 3]).value
    assert pytest.approx(2 - 1.959964 * np.sqrt(2 / 3) / np.sqrt(3)) == mean([1, 2, 3]).low


@pytest.mark.slow
def test_equal_seeds_give_equal_figures() -> None:
    """And another seed gives others."""
    one, again, other = ([job() for job in figures.jobs(SETUP, 0.05, 20, seed)[:6]] for seed in (1, 1, 2))
    assert one == again
    assert one != other


def test_parts_come_back_in_their_order() -> None:
    """Whichever ends first; each is counted."""
    heard: list[tuple[int, int]] = []
    given = apart.each([partial(pow, base, 2) for base in range(5)], lambda done, of: heard.append((done, of)))
    assert [0, 1, 4, 9, 16] == given
    assert [(n, 5) for n in range(1, 6)] == heard


def test_a_part_that_fails_is_no_figure() -> None:
    """The error comes out, and nothing goes on behind it."""
    with pytest.raises(ZeroDivisionError):
        apart.each([partial(divmod, 1, 0), partial(divmod, 1, 1)], lambda _done, _of: None)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="children are found under /proc")
def test_no_part_outlives_a_kill() -> None:
    """Not even kill -9 of the command leaves a process behind that calculates on."""
    code = "import functools as f, time as t; from sleepd.lab.gate.apart import each; each([f.partial(t.sleep, 90)] * 2, print)"
    parent = subprocess.Popen([sys.executable, "-c", code])
    wanted = min(2, os.cpu_count() or 1)
    try:
        eventually(lambda: len(leashed(parent.pid)) >= wanted)
        parts = leashed(parent.pid)
    finally:
        parent.kill()
        parent.wait()
    eventually(lambda: not any(Path(f"/proc/{pid}").is_dir() for pid in parts))


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until it holds, a minute at most."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def leashed(parent: int) -> list[int]:
    """The processes that calculate for this one, and are past their start."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text(encoding="ascii").split()
    return [int(pid) for pid in children if len(list(Path(f"/proc/{pid}/task").iterdir())) >= 2]


@pytest.mark.slow
def test_the_command_prints_every_figure() -> None:
    """As text and as JSON, with intervals and the realised effects. The table of our rule: `tests/benchmarks/test_gate.py`."""
    text = sleepd("gate-lab", "-n", "20", "--rule", "strict")
    assert "candidate 60 of an account at 0.05" in text.out
    data = json.loads(sleepd("gate-lab", "-n", "20", "--rule", "strict", "--json").out)
    assert [] == [one["words"] for one in (*data["rows"], *data["lines"]) if one["words"] not in text.out]
    assert ("strict", 39, 17) == (data["rule"], len(data["rows"]), len(data["lines"]))
    assert all(row["accepted"]["low"] <= row["accepted"]["value"] <= row["accepted"]["high"] for row in data["rows"])
