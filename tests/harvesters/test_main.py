"""`python -m harvesters AGENT FILE [--json]`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harvesters.__main__ import BUILT_IN, harvester, main
from tests.harvesters.talk import SESSION, Talk, call


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    talk = Talk()
    talk.prompt("Fix the rounding.")
    talk.reply("m1", "Looking.", call("t1", "Bash", command="ls"))
    talk.raw(b"rubbish\n")
    return talk.write(tmp_path / f"{SESSION}.jsonl")


def test_the_text_shows_turns_calls_and_defects(transcript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line for each, for a person's eyes."""
    assert 0 == main(["claude-code", str(transcript)])
    shown = capsys.readouterr().out
    for piece in (SESSION, "user/prompt: 'Fix the rounding.'", 'Bash unanswered: {"command":"ls"}', "bad-json"):
        assert piece in shown


def test_the_json_holds_the_whole_reading(transcript: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As `harvesters.records` names it; the same file gives the same text."""
    assert 0 == main(["claude-code", str(transcript), "--json"])
    first = capsys.readouterr().out
    main(["claude-code", str(transcript), "--json"])
    assert first == capsys.readouterr().out
    shown = json.loads(first)
    assert ("Fix the rounding.", "2026-05-01T09:00:00Z") == (
        shown["session"]["turns"][0]["text"],
        shown["session"]["started_at"],
    )


def test_a_file_that_cannot_be_read_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 1, and the defect in the output."""
    assert 1 == main(["claude-code", str(tmp_path / "nowhere.jsonl")])
    assert "missing" in capsys.readouterr().out


def test_an_empty_file_is_no_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.jsonl").touch()
    assert 0 == main(["claude-code", str(tmp_path / "empty.jsonl")])
    assert "no session" in capsys.readouterr().out


@pytest.mark.parametrize("agent", BUILT_IN)
def test_every_built_in_harvester_answers_to_its_name(agent: str) -> None:
    """The name on the command line is the harvester's own."""
    assert agent == harvester(agent).agent
