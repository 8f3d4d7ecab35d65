"""The contract kit: every registered harvester holds it, and one that does not is told what is wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from harvesters.__main__ import BUILT_IN, harvester
from harvesters.contract import violations
from harvesters.records import Cursor, Harvester, Reading
from tests.harvesters import golden

SAMPLES = {
    "claude-code": "a-day-of-2.1.197",
    "codex": "a-day-of-the-terminal",
    "copilot-cli": "a-day-with-a-resume",
    "copilot-vscode": "a-replayed-log",
}


@pytest.mark.parametrize("agent", BUILT_IN)
def test_every_harvester_holds_the_contract(tmp_path: Path, agent: str) -> None:
    """On an ordinary transcript of the golden corpus."""
    sample = golden.CORPUS / agent / SAMPLES[agent] / "transcript.jsonl"
    assert [] == violations(harvester(agent), sample, tmp_path)


class Broken:
    """A harvester with one fault."""

    agent = "codex"

    def __init__(self, fault: str) -> None:
        self._fault = fault
        self._real = harvester("codex")

    def find(self, env: Mapping[str, str], home: Path) -> Iterable[Path]:
        return [home / "x"] if self._fault == "finds" else self._real.find(env, home)

    def read(self, path: Path, cursor: Cursor | None = None, *, clip: int = 16_512) -> Reading:
        if self._fault == "raises" and path.exists() and path.stat().st_size < 9:
            raise ValueError("too short")
        reading = self._real.read(path, None if self._fault == "forgets" else cursor, clip=clip)
        session = reading.session
        if session is None:
            return reading
        turns = session.turns
        match self._fault:
            case "clips":
                turns = tuple(replace(turn, text=turn.text * 50) for turn in turns)
            case "ids":
                turns = tuple(replace(turn, id="same") for turn in turns)
            case "naive":
                turns = tuple(replace(turn, at=turn.at and turn.at.replace(tzinfo=None)) for turn in turns)
            case "order":
                turns = turns[::-1]
            case "name":
                session = replace(session, agent="other")
        return replace(reading, session=replace(session, turns=turns))


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        ("finds", "an empty home has no transcript"),
        ("raises", "damage raises nothing: raised ValueError"),
        ("forgets", "an unchanged file is not read"),
        ("clips", "texts are clipped"),
        ("ids", "the sample is read: two turns have one id"),
        ("naive", "is not aware"),
        ("order", "not in the order"),
        ("name", "the session's agent is 'other'"),
    ],
)
def test_a_fault_is_named(tmp_path: Path, fault: str, found: str) -> None:
    """Each kind of fault gives a sentence that says what does not hold."""
    broken: Harvester = Broken(fault)
    sample = golden.CORPUS / "codex" / SAMPLES["codex"] / "transcript.jsonl"
    assert any(found in sentence for sentence in violations(broken, sample, tmp_path))
