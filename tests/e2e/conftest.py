"""Persons with real agents."""

from __future__ import annotations

import fcntl
import tempfile
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
def own_schedules() -> Iterator[None]:
    """The schedules of this user, for one test at a time: whoever installs one kind takes the other kinds out."""
    with Path(tempfile.gettempdir(), "sleepd-e2e-schedules.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def person(own_home: Path, tmp_path: Path) -> Iterator[Person]:
    """A person who has agents and sleepd, and has put neither into the other."""
    with a_person(own_home, tmp_path, OUR_SCENARIOS) as somebody:
        yield somebody
