"""The model whose prompts and answers are files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from sleepd.core.errors import BadSettings
from sleepd.core.model import Cause
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.models.handoff import END, Handoff, from_settings, waiting
from sleepd.models.metered import Ledger, Metered
from sleepd.models.settings import ModelSettings


def ask(prompt: str, purpose: CallPurpose = CallPurpose.READ) -> Ask:
    return Ask(purpose=purpose, system="Be exact.", prompt=prompt)


def answer(folder: Path, text: str | bytes) -> None:
    """Put the answer of the only prompt there."""
    (prompt,) = folder.glob("*.prompt.md")
    target = prompt.with_name(prompt.name.replace(".prompt.", ".answer."))
    target.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_a_prompt_waits_in_its_file(tmp_path: Path) -> None:
    """The whole prompt is in one private file, and the failure is one that ends a run without loss."""
    folder = tmp_path / "out" / "folder"
    outcome = Handoff(folder).ask(ask("What is this?"))
    assert isinstance(outcome, Failure)
    assert Cause.WAITING is outcome.cause
    assert outcome.cause.outside
    assert "1 prompt waits" in outcome.message
    assert str(folder) in outcome.message
    (prompt,) = folder.iterdir()
    assert "Be exact.\n\nWhat is this?\n" in prompt.read_text()
    assert 0o600 == stat.S_IMODE(prompt.stat().st_mode)
    assert 0o700 == stat.S_IMODE(folder.stat().st_mode)


def test_an_answer_is_taken_in_a_later_run(tmp_path: Path) -> None:
    """Another process finds the answer by the prompt's content, and asks nothing again."""
    Handoff(tmp_path).ask(ask("a"))
    answer(tmp_path, f'{{"turns": []}}\n{END}\n')
    assert Reply(text='{"turns": []}') == Handoff(tmp_path).ask(ask("a"))
    assert 2 == len(list(tmp_path.iterdir()))
    assert () == waiting(tmp_path)


def test_prompts_differ_by_content_model_and_sample(tmp_path: Path) -> None:
    """What is not exchangeable has a file of its own; the same prompt has one."""
    for _ in range(2):
        Handoff(tmp_path, key="one").ask(ask("a"))
    Handoff(tmp_path, key="two").ask(ask("a"))
    Handoff(tmp_path, key="one").ask(ask("b"))
    again = Ask(purpose=CallPurpose.READ, system="Be exact.", prompt="a", sample=1)
    Handoff(tmp_path, key="one").ask(again)
    assert 4 == len(waiting(tmp_path))


@pytest.mark.parametrize(
    ("written", "trouble"),
    [
        ("", "empty or cut off"),
        ('{"turns": [', "empty or cut off"),
        (f"  \n{END}", "holds no answer"),
        (b"\xff\xfe\x00" + END.encode(), "not UTF-8"),
        (b"a" * 1_000_001, "longer than"),
    ],
)
def test_a_file_that_is_no_answer_is_named(tmp_path: Path, written: str | bytes, trouble: str) -> None:
    """It may be one that is being written: the prompt waits on, and nothing is concluded."""
    model = Handoff(tmp_path)
    model.ask(ask("a"))
    answer(tmp_path, written)
    outcome = model.ask(ask("a"))
    assert isinstance(outcome, Failure)
    assert Cause.WAITING is outcome.cause
    assert trouble in outcome.message
    (one,) = waiting(tmp_path)
    assert trouble in one.trouble


def test_a_prompt_is_charged_once_in_a_run(tmp_path: Path) -> None:
    """Handing over a new prompt is a call; finding it still there is none."""
    ledger = Ledger(max_calls=1)
    model = Metered(Handoff(tmp_path), ledger)
    model.ask(ask("a"))
    refused = model.ask(ask("b"))
    assert isinstance(refused, Failure)
    assert Cause.SPENT is refused.cause
    assert 1 == len(waiting(tmp_path))
    later = Metered(Handoff(tmp_path), Ledger(max_calls=1))
    later.ask(ask("a"))
    later.ask(ask("b"))
    assert 2 == len(waiting(tmp_path))


def test_the_preflight_needs_nobody(tmp_path: Path) -> None:
    """Whether there is somebody to ask is known without a prompt."""
    assert isinstance(Handoff(tmp_path).ask(ask("ready?", CallPurpose.PREFLIGHT)), Reply)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.skipif(os.name == "nt", reason="needs a file where a folder should be")
def test_a_folder_that_cannot_be_written_is_an_outage(tmp_path: Path) -> None:
    """Nothing is raised, and the run ends as for a model that cannot be reached."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    outcome = Handoff(blocked / "folder").ask(ask("a"))
    assert isinstance(outcome, Failure)
    assert Cause.NETWORK is outcome.cause
    assert "cannot be written" in outcome.message


def test_it_needs_a_folder() -> None:
    """The settings say where; no folder is guessed."""
    with pytest.raises(BadSettings, match=r"model\.folder"):
        from_settings(ModelSettings(name="handoff", model="me"))
