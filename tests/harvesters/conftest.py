"""Fixtures for the tests of harvesters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harvesters.claude_code import ClaudeCode
from harvesters.records import Reading, Session
from tests.harvesters.talk import SESSION, Talk

Read = Callable[..., Reading]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads a Claude Code transcript that `Talk` wrote, below a project folder; `name` is the path there."""

    def from_talk(talk: Talk, name: str = f"{SESSION}.jsonl", **options: int) -> Reading:
        return ClaudeCode().read(talk.write(tmp_path / "projects" / "-home-dev-shop" / name), **options)

    return from_talk


@pytest.fixture
def session(read: Read) -> Callable[..., Session]:
    """Like `read`, but gives the session, which must be there."""

    def from_talk(talk: Talk, name: str = f"{SESSION}.jsonl", **options: int) -> Session:
        found = read(talk, name, **options).session
        assert found is not None
        return found

    return from_talk
