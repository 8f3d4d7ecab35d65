"""How the load of a night is reckoned from its calls."""

from __future__ import annotations

import pytest

from benchmarks.night import Call, Load, gaps

CALLS = [
    Call(purpose="preflight", begun=0.0, ended=1.0),
    Call(purpose="rollout", begun=1.5, ended=2.5),
    Call(purpose="rollout", begun=1.5, ended=3.5),
    Call(purpose="reflect", begun=3.5, ended=4.0),
]


def test_idle_workers_are_counted_in_seconds() -> None:
    """Of four seconds all workers are busy in one; half a second has nothing in flight."""
    load = Load.of(CALLS, workers=2)
    assert (4, 4.0) == (load.calls, load.wall)
    assert (3.0, 0.5) == (load.partly, load.none)


def test_the_idle_time_of_workers_adds_up_over_the_night() -> None:
    """Whatever is not the time of a call is a worker's idle time."""
    load = Load.of(CALLS, workers=2)
    assert 2 * 4.0 - (1.0 + 1.0 + 2.0 + 0.5) == pytest.approx(load.idle)


def test_a_gap_names_the_calls_around_it() -> None:
    """A call that follows at once, or overlaps, leaves none."""
    assert {"preflight > rollout": 0.5} == gaps(CALLS)
