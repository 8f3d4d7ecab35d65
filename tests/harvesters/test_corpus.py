"""Every transcript of the golden corpus still gives the reading that was checked in with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.harvesters import golden


def _name(transcript: Path) -> str:
    return "/".join(transcript.parts[-3:-1])


@pytest.mark.parametrize("transcript", golden.cases(), ids=_name)
def test_a_transcript_gives_its_golden_reading(transcript: Path) -> None:
    """Reading the case gives exactly what stands in its expected.json."""
    expected = json.loads(golden.expected_path(transcript).read_text(encoding="utf-8"))
    assert expected == json.loads(golden.as_stored(golden.view(transcript)))


def test_the_corpus_has_cases_for_claude_code() -> None:
    """The corpus is found at all, so that an empty list of cases cannot pass for success."""
    assert {"claude-code"} <= {path.parent.parent.name for path in golden.cases()}
