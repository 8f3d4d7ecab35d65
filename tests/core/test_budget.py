"""The edit budget over the steps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleepd.core.budget import UNLIMITED, Schedule, edits, stated


@pytest.mark.parametrize(
    ("schedule", "budgets"),
    [
        (Schedule.CONSTANT, [4, 4, 4, 4, 4]),
        (Schedule.LINEAR, [4, 4, 3, 3, 2]),
        (Schedule.COSINE, [4, 4, 3, 2, 2]),
        (Schedule.AUTONOMOUS, [4, 4, 4, 4, 4]),
        (Schedule.UNBOUNDED, [UNLIMITED] * 5),
    ],
)
def test_a_schedule_goes_from_the_most_to_the_least(schedule: Schedule, budgets: list[int]) -> None:
    """Five steps from four edits to two."""
    assert budgets == [edits(schedule, step, 5, 4, 2) for step in range(5)]


@pytest.mark.parametrize("schedule", [Schedule.LINEAR, Schedule.COSINE])
def test_a_night_of_two_steps_has_both_ends(schedule: Schedule) -> None:
    """The first step may be bold, the last is careful; a single one has the whole budget."""
    assert [4, 2] == [edits(schedule, step, 2, 4, 2) for step in range(2)]
    assert 4 == edits(schedule, 0, 1, 4, 2)


@given(st.sampled_from(Schedule), st.integers(-3, 60), st.integers(0, 50), st.integers(1, 20), st.integers(0, 30))
def test_any_schedule_stays_within_its_ends(schedule: Schedule, step: int, steps: int, most: int, least: int) -> None:
    """Also beyond the last step, with a least above the most, and never below one edit."""
    got = edits(schedule, step, steps, most, least)
    assert got == UNLIMITED if schedule is Schedule.UNBOUNDED else max(1, min(least, most)) <= got <= most
    assert schedule in (Schedule.UNBOUNDED,) or got >= edits(schedule, step + 1, steps, most, least)


@pytest.mark.parametrize(
    ("said", "budget"),
    [(2, 2), (0, 0), (-1, 0), (9, 4), (2.0, 2), ("3", 3), (" 3 ", 3), (10**400, 4), (2.5, None), (float("nan"), None),
     (float("inf"), None), (True, None), (None, None), ("two", None), ("²", None), ("9" * 400, None), ([2], None), ({}, None)],
)  # fmt: skip
def test_what_a_model_states_is_clipped_or_refused(said: object, budget: int | None) -> None:
    """Anything but a whole number is none at all."""
    assert budget == stated(said, 4)
