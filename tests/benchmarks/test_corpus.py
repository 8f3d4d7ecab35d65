"""The made-up corpus of the benchmarks is what its description says."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from benchmarks import agents, corpus
from benchmarks.prose import Mill
from harvesters.claude_code import ClaudeCode
from harvesters.codex import Codex
from harvesters.copilot_cli import CopilotCLI
from harvesters.copilot_vscode import CopilotVSCode
from harvesters.records import Harvester
from sleepd.core.redact import redact

MB = 4.0


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, corpus.Tally]:
    home = tmp_path_factory.mktemp("corpus")
    return home, corpus.write(home, megabytes=MB, seed=5)


def digest(home: Path) -> str:
    sha = hashlib.sha256()
    for path in sorted(p for p in home.rglob("*") if p.is_file()):
        sha.update(path.relative_to(home).as_posix().encode() + path.read_bytes())
    return sha.hexdigest()


def test_equal_seeds_give_equal_bytes_and_other_seeds_others(
    written: tuple[Path, corpus.Tally], tmp_path: Path
) -> None:
    """A published figure can be measured again on the same files."""
    corpus.write(tmp_path / "again", megabytes=MB, seed=5)
    corpus.write(tmp_path / "other", megabytes=MB, seed=6)
    assert digest(written[0]) == digest(tmp_path / "again")
    assert digest(written[0]) != digest(tmp_path / "other")


def test_each_generation_has_its_share_of_the_bytes(written: tuple[Path, corpus.Tally]) -> None:
    """The shares add up to one and hold within two points, on disk as in the report."""
    home, tally = written
    total = sum(path.stat().st_size for path in home.rglob("*.jsonl"))
    assert pytest.approx(1.0) == sum(corpus.SHARES.values())
    assert sum(tally.bytes_of.values()) == total
    assert pytest.approx(MB * 1_000_000, rel=0.1) == total
    for name, share in corpus.SHARES.items():
        assert pytest.approx(share, abs=0.02) == tally.bytes_of[name] / total


@pytest.mark.parametrize(("generation", "stated"), [("claude-classic", agents.CLASSIC), ("claude-328", agents.V328)])
def test_the_kinds_of_lines_have_the_stated_shares(
    written: tuple[Path, corpus.Tally], generation: str, stated: dict[str, float]
) -> None:
    """What dominates a real session of that version dominates here."""
    kinds = written[1].kinds[generation]
    assert pytest.approx(1.0) == sum(stated.values())
    for kind, share in stated.items():
        assert pytest.approx(share, abs=0.03) == kinds[kind] / sum(kinds.values())


@pytest.mark.parametrize("harvester", [ClaudeCode(), Codex(), CopilotCLI(), CopilotVSCode()], ids=lambda h: h.agent)
def test_every_file_is_found_and_gives_a_talk(written: tuple[Path, corpus.Tally], harvester: Harvester) -> None:
    """The harvesters read a prompt, a reply and an answered call out of every file."""
    paths = list(harvester.find({}, written[0]))
    assert paths
    for path in paths:
        session = harvester.read(path).session
        assert session is not None
        assert {"prompt", "reply"} <= {turn.origin.value for turn in session.turns}
        assert {"ok"} <= {call.status.value for turn in session.turns for call in turn.tool_calls}


def test_the_planted_secrets_are_there_and_are_counted(written: tuple[Path, corpus.Tally]) -> None:
    """Each is a secret to the redactor."""
    mill = Mill(5)
    bodies = [json.loads(f'"{mill.body()}"') for _ in range(1_100)]
    assert 5 == mill.secrets
    assert 5 == sum(len(redact(body, len(body)).found) for body in bodies)
    assert written[1].secrets > 0


@pytest.mark.slow
def test_a_big_corpus_has_giant_lines_and_damaged_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Giants come by the megabyte, defects by the file; both are counted."""
    monkeypatch.setattr(corpus, "MB_A_GIANT", 30)
    monkeypatch.setattr(corpus, "FILES_A_DEFECT", 5)
    tally = corpus.write(tmp_path / "home", megabytes=30, seed=2)
    lines = [line for path in (tmp_path / "home").rglob("*.jsonl") for line in path.read_bytes().split(b"\n")]
    assert 1 == tally.giants
    assert 1 == sum(len(line) >= 5_000_000 for line in lines)
    assert tally.files // 5 - 1 <= sum(tally.defects.values()) <= tally.files // 5
    assert set(tally.defects) <= set(corpus.DEFECTS)
    assert {} == corpus.write(tmp_path / "clean", megabytes=30, seed=2, damaged=False).defects


def test_a_folder_with_files_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The generator writes into new folders only."""
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(SystemExit):
        corpus.main([str(tmp_path), "--mb", "1"])
    assert "is not empty" in capsys.readouterr().err
    assert 0 == corpus.main([str(tmp_path / "new"), "--mb", "1"])
    assert "planted secrets" in capsys.readouterr().out
