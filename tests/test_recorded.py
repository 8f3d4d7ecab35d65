"""Recorded replies: each belongs to one prompt, letter by letter."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from sleepd.core.ports import Reply
from sleepd.models.handoff import END, waiting
from tests import recorded


def test_an_answer_becomes_a_cassette(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The prompts are put down, one is answered and kept; its reply is given to that prompt and to no other."""
    monkeypatch.setattr(recorded, "CASSETTES", tmp_path)
    folder = tmp_path / "folder"
    monkeypatch.setattr(sys, "argv", ["recorded", "write", str(folder)])
    recorded.main()
    prompts = recorded.prompts()
    assert len(prompts) == len(waiting(folder))
    asked = prompts["lessons 1"]
    (one,) = (w for w in waiting(folder) if asked.prompt in w.prompt.read_text())
    one.answer.write_text(f'{{"lessons": []}}\n{END}\n')
    monkeypatch.setattr(sys, "argv", ["recorded", "keep", str(folder), "2026-03-09", "by hand"])
    recorded.main()
    assert Reply(text='{"lessons": []}') == recorded.RecordedModel().ask(asked)
    with pytest.raises(LookupError, match="its words changed"):
        recorded.RecordedModel().ask(replace(asked, prompt=f"{asked.prompt}."))


def test_every_cassette_belongs_to_a_prompt_of_today() -> None:
    """One to words that nobody sends any more would prove nothing."""
    today = {f"{recorded.address(ask)}.json" for ask in recorded.prompts().values()}
    assert {path.name for path in recorded.CASSETTES.glob("*.json")} <= today
