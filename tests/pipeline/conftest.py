"""Worlds that are made once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pipeline.world import World, copies, make


@pytest.fixture(scope="session")
def mined(tmp_path_factory: pytest.TempPathFactory) -> World:
    """Forty sessions of the programmer, ingested and mined; not to be written to."""
    from sleepd.pipeline.mine import mine
    from sleepd.settings.sections import MineConfig

    world = make(tmp_path_factory.mktemp("mined"))
    world.ingest()
    mine(world.database, world.ctx().embedder, MineConfig())
    return world


@pytest.fixture(scope="session")
def copy_of_mined(mined: World, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], World]:
    """A fresh copy of its database under a name of one's own."""
    return copies(mined, tmp_path_factory.mktemp("copies"))


@pytest.fixture
def world(copy_of_mined: Callable[[str], World], request: pytest.FixtureRequest, tmp_path: Path) -> World:
    """A mined world to write to."""
    return copy_of_mined(tmp_path.name)
