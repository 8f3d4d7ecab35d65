"""Long files are read in pieces that add up to what one reading gives, so that memory is bounded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harvesters import jsonl
from harvesters.claude_code import ClaudeCode
from harvesters.codex import Codex
from harvesters.copilot_cli import CopilotCLI
from harvesters.records import Harvester, Reading
from tests.harvesters import golden, test_codex, test_copilot_cli
from tests.harvesters.adding_up import added_up
from tests.harvesters.talk import SESSION, Talk, call


def claude(folder: Path) -> Path:
    talk = Talk()
    for number in range(40):
        talk.prompt(f"Prompt {number}.")
        talk.reply(f"m{number}", "Doing.", call(f"t{number}", "Bash", command="make"))
        talk.result(f"t{number}", "ok " * 20)
        talk.reply(f"n{number}", "Done.")
    return talk.write(folder / f"{SESSION}.jsonl")


def codex(folder: Path) -> Path:
    pen = test_codex.Pen().meta()
    for number in range(40):
        pen.task(f"01a2b3c5-0000-7000-8000-{number:012}").user(f"Prompt {number}.").reply("Doing.")
        pen.call(f"c{number}").output(f"c{number}", "ok " * 20).reply(f"Done {number}.")
    return pen.save(folder)


def copilot(folder: Path) -> Path:
    pen = test_copilot_cli.Pen().start()
    for number in range(40):
        pen.user(f"Prompt {number}.").reply("Doing.", f"c{number}").done(f"c{number}", result={"content": "ok " * 20})
        pen.reply(f"Done {number}.")
    return pen.save(folder)


def in_pieces(harvester: Harvester, path: Path) -> list[Reading]:
    readings = [harvester.read(path)]
    while readings[-1].more:
        assert len(readings) < 1000
        readings.append(harvester.read(path, readings[-1].cursor))
    return readings


CASES: list[tuple[Harvester, Callable[[Path], Path]]] = [
    (ClaudeCode(), claude),
    (Codex(), codex),
    (CopilotCLI(), copilot),
]


@pytest.mark.parametrize(("harvester", "write"), CASES, ids=lambda value: getattr(value, "agent", ""))
def test_pieces_add_up_to_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, harvester: Harvester, write: Callable[[Path], Path]
) -> None:
    """The same turns, calls and sums; no piece reads much more than its share, and the last one is the file's end."""
    path = write(tmp_path)
    whole = harvester.read(path)
    monkeypatch.setattr(jsonl, "PIECE_BYTES", 2_000)
    readings = in_pieces(harvester, path)
    assert added_up([whole]) == added_up(readings)
    assert len(readings) >= path.stat().st_size // 10_000
    assert all(reading.bytes_read < 16_000 for reading in readings)
    assert [True, False] == [readings[0].whole, readings[1].whole]
    last = harvester.read(path, readings[-1].cursor)
    assert (0, False) == (last.bytes_read, last.more)


LOGS = [path for path in golden.cases() if path.suffix == ".jsonl" and path.parts[-3] != "copilot-vscode"]


@pytest.mark.parametrize("path", LOGS, ids=lambda path: "/".join(path.parts[-3:-1]))
def test_every_golden_case_can_be_read_in_pieces(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """However short the pieces are, the case gives the turns that it gives whole."""
    harvester: Harvester = {"claude-code": ClaudeCode, "codex": Codex, "copilot-cli": CopilotCLI}[path.parts[-3]]()
    whole = harvester.read(path)
    monkeypatch.setattr(jsonl, "PIECE_BYTES", 1_000)
    assert added_up([whole]) == added_up(in_pieces(harvester, path))
