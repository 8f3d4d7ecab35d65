"""Every transcript of the corpus reads as it was agreed to read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests import golden


@pytest.mark.parametrize("transcript", golden.cases(), ids=golden.name)
def test_the_reading_is_the_agreed_one(transcript: Path) -> None:
    """A change on purpose is written by `make golden` and looked at; any other is a defect."""
    expected = transcript.with_name("expected.json")
    assert expected.exists(), "a case without an expected reading: run `make golden`, then read what it wrote"
    assert json.loads(expected.read_text(encoding="utf-8")) == golden.reading(transcript)


def test_no_agreed_reading_lost_its_transcript() -> None:
    """An `expected.json` without a transcript would be believed for ever."""
    alone = [path for path in golden.CORPUS.glob("*/*/expected.json") if not list(path.parent.glob("transcript.*"))]
    assert [] == alone
