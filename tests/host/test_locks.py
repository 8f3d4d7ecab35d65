"""Lock files belong to their owner alone."""

from __future__ import annotations

import pytest

from sleepd.host import locks
from sleepd.settings import config


@pytest.mark.parametrize("left", [False, True])
def test_a_lock_file_can_be_read_by_its_owner_alone(left: bool) -> None:
    """Whoever could open it could hold it, and no night would begin. One of an earlier sleepd is closed as well."""
    places = config.places()
    if left:
        places.state.mkdir(parents=True)
        places.lock.touch(mode=0o644)
    with locks.night(places, 0):
        assert 0o600 == places.lock.stat().st_mode & 0o777
        assert locks.is_held(places.lock)
    assert not locks.is_held(places.lock)
