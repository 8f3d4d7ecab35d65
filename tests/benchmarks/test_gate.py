"""The benchmark of the gate, without the peer: every figure of the design's table is in it, and judged by its bound."""

from __future__ import annotations

import pytest

from benchmarks.gate import _PEER, FORTNIGHTS, PEER_KINDS, Nights, Row, rows, shown
from sleepd.core.experiment import VerdictRule
from sleepd.lab.gate import printed
from sleepd.lab.gate.drifting import WORLDS
from sleepd.lab.gate.figures import Figure, mean, share
from sleepd.lab.gate.printed import Measured
from sleepd.settings import config

pytestmark = pytest.mark.slow

NIGHTS = Nights(per_night=share([True, False]), ever=share([True]), rate=mean([0.5, 0.6]), calls=mean([42.0]))


@pytest.fixture(scope="module")
def measured() -> Measured:
    """What `sleepd gate-lab -n 20 --seed 3` prints."""
    setup, alpha = printed.setup(config.load(), VerdictRule.EVIDENCE, tasks=13, pairs=40)
    return printed.measure(setup, alpha, 20, 3, lambda _done, _of: None)


@pytest.fixture(scope="module")
def table(measured: Measured) -> tuple[Row, ...]:
    return rows(measured, dict.fromkeys(PEER_KINDS, NIGHTS))


def figure(low: float, high: float) -> Figure:
    return Figure(value=(low + high) / 2, low=low, high=high, count=20)


def test_every_row_of_the_design_is_there(table: tuple[Row, ...]) -> None:
    """With its target, the realised effect where there is one, and a cell for each of the six columns."""
    assert ["≤ 5 %", "≤ 0.5 %", "≤ 5 %", "≤ 5 %", "≥ 0.69", "≥ 95 %", "≤ 15", "≤ 5 %", "≤ 1.5 each", "≤ 100"] == [
        row.target for row in table[:10]
    ]
    assert ["≤ 5 %", "≥ 95 %", "reported", "reported"] == [row.target for row in table[10:14]]
    assert 8 == sum("bundle" in row.what or "shorter text" in row.what for row in table[14:])
    assert ["≤ 5 %"] * len(WORLDS) == [row.target for row in table[22:-3]]
    assert ["reported"] * 3 == [row.target for row in table[-3:]]
    assert {7} == {row.markdown().count("|") for row in table}
    harmful = table[list(FORTNIGHTS).index("-15")]
    assert harmful.effect is not None and -0.15 < harmful.effect < -0.11


def test_the_command_prints_all_of_it(measured: Measured) -> None:
    """Of our rule: each place in the account, each world, and no interval that leaves out its value."""
    text = printed.as_text(measured)
    assert "candidate 60 of an account at 0.05" in text
    assert all(world.words in text for world in WORLDS)
    assert all(row.accepted.low <= row.accepted.value <= row.accepted.high for row in measured.rows)


def test_rows_that_state_pairs_state_their_price(table: tuple[Row, ...]) -> None:
    """A pair may cost five rollouts. The worlds in which the model varies give the calls of a pair."""
    until_verdict = [row for row in table[:10] if "pairs" in row.what and "N*" not in row.what]
    varying = [row for row in table[10:] if "pairs" in row.what]
    assert (2, len(WORLDS)) == (len(until_verdict), len(varying))
    assert all("rollouts" in row.beside for row in until_verdict)
    assert all("calls a pair" in row.what for row in varying)


@pytest.mark.parametrize(
    ("low", "high", "most", "least", "met"),
    [
        (0.01, 0.04, 0.05, None, "yes"),
        (0.01, 0.06, 0.05, None, "**no**"),
        (0.96, 0.99, None, 0.95, "yes"),
        (0.94, 0.99, None, 0.95, "**no**"),
        (0.1, 0.2, None, None, "–"),
    ],
)
def test_the_bound_of_the_interval_decides(
    low: float, high: float, most: float | None, least: float | None, met: str
) -> None:
    """Not the mean."""
    row = Row(what="w", effect=None, theirs="–", ours=(figure(low, high),), most=most, least=least)
    assert met == row.verdict


def test_one_figure_that_misses_is_a_miss() -> None:
    """Where a row has several."""
    row = Row(what="w", effect=None, theirs="–", ours=(figure(1.1, 1.2), figure(1.4, 1.6)), unit="ratio", most=1.5)
    assert ("≤ 1.5 each", "**no**") == (row.target, row.verdict)


def test_figures_have_their_interval() -> None:
    """In the digits that their unit deserves."""
    assert "2.5% [1.0%, 4.0%]" == shown(figure(0.01, 0.04))
    assert "0.695 [0.690, 0.700]" == shown(figure(0.69, 0.70), "rate")


def test_what_runs_in_the_peers_interpreter_is_python() -> None:
    """It is not imported here: the peer is installed elsewhere."""
    compile(_PEER, "peer", "exec")
