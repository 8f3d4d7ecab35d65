"""Persons with real agents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.clients import Person, a_person
from tests.stub.script import SCENARIOS, Load, Run, Say

OUR_SCENARIOS = {
    **SCENARIOS,
    "asks-status": (Run("sleepd status"), Say("That is how it stands.")),
    "asks-review": (Run("sleepd review"), Say("One waits: shall I adopt it?")),
    "loads-sleepd": (Load("sleepd"), Say("I know how to drive it.")),
    "loads-learnt": (Load("commit-message"), Say("OPS-7: a message.")),
}


@pytest.fixture
def person(own_home: Path, tmp_path: Path) -> Iterator[Person]:
    """A person who has agents and sleepd, and has put neither into the other."""
    with a_person(own_home, tmp_path, OUR_SCENARIOS) as somebody:
        yield somebody
