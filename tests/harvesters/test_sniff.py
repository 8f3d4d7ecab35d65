"""Transcripts are recognised by what stands in them, wherever they lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harvesters.__main__ import harvester
from harvesters.sniff import HEAD_BYTES, UNKNOWN_FORMAT, Unknown, agent_of
from tests.harvesters.test_samples import AGENTS, SAMPLES, listed

CORPUS = Path(__file__).parents[1] / "corpus"
CASES = sorted(p for p in CORPUS.glob("*/*/transcript.*"))


@pytest.mark.parametrize("path", CASES, ids=lambda p: f"{p.parents[1].name}/{p.parent.name}")
def test_every_transcript_of_the_corpus_is_recognised(path: Path) -> None:
    """By its content: the corpus' files are all named alike."""
    assert path.parents[1].name == agent_of(path)


def test_a_first_line_longer_than_the_head_is_recognised_by_its_beginning(tmp_path: Path) -> None:
    """A pasted log as first prompt is usual."""
    long = "x" * (HEAD_BYTES * 2)
    lines = {
        "claude-code": f'{{"type":"queue-operation","sessionId":"s","content":"{long}"}}\n',
        "codex": f'{{"timestamp":"t","type":"session_meta","payload":{{"id":"{long}"}}}}\n',
        "copilot-vscode": f'{{"kind":0,"v":{{"requests":[],"x":"{long}"}}}}\n',
        "copilot-cli": f'{{"type":"session.start","data":{{"x":"{long}"}}}}\n',
    }
    for agent, line in lines.items():
        file = tmp_path / f"{agent}.jsonl"
        file.write_text(line)
        assert agent == agent_of(file)


def test_the_extensions_own_transcripts_are_told_by_their_folder(tmp_path: Path) -> None:
    """VS Code's extension and the command line tool write the same events."""
    line = '{"type":"session.start","data":{}}\n'
    (tmp_path / "transcripts").mkdir()
    for file, agent in ((tmp_path / "a.jsonl", "copilot-cli"), (tmp_path / "transcripts/a.jsonl", "copilot-vscode")):
        file.write_text(line)
        assert agent == agent_of(file)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", b""),
        ("a.jsonl", b"\x00\x01\x02"),
        ("a.jsonl", b'{"level":"info","msg":"a log"}\n'),
        ("a.json", b"[1, 2"),
        ("a.json", b'{"name": "package", "version": "1"}'),
        ("README.md", b'{"type":"user","sessionId":"s","message":{}}\n'),
    ],
)
def test_other_files_are_no_transcripts(tmp_path: Path, name: str, content: bytes) -> None:
    """Nobody's format: None."""
    file = tmp_path / name
    file.write_bytes(content)
    assert agent_of(file) is None


def test_what_cannot_be_opened_is_unknown(tmp_path: Path) -> None:
    """A folder, a file that is not there."""
    assert agent_of(tmp_path) is None and agent_of(tmp_path / "gone.jsonl") is None


def test_an_unknown_file_is_one_defect_until_it_changes(tmp_path: Path) -> None:
    """Read again unchanged it gives nothing new."""
    file = tmp_path / "a.txt"
    file.write_text("hello")
    first = Unknown().read(file)
    assert [(str(file), 0, UNKNOWN_FORMAT)] == [(d.path, d.offset, d.reason) for d in first.defects]
    again = Unknown().read(file, first.cursor)
    assert ((), first.cursor) == (again.defects, again.cursor)
    assert ["missing"] == [d.reason for d in Unknown().read(tmp_path / "gone").defects]


@settings(max_examples=100)
@given(st.binary(max_size=400), st.sampled_from([".jsonl", ".json", ""]))
def test_no_content_raises(tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str) -> None:
    """Whatever the bytes, the answer is a known agent or None."""
    file = tmp_path_factory.mktemp("any") / f"x{suffix}"
    file.write_bytes(content)
    assert agent_of(file) in {None, *AGENTS.values()}


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the public samples are not at hand")
def test_every_sample_that_gives_a_session_is_recognised() -> None:
    """Whoever's harvester finds a session in a file is the agent that the file is given to."""
    wrong = []
    for name in listed():
        agent = AGENTS[name.split("/", 1)[0]]
        if harvester(agent).read(SAMPLES / name).session is not None and agent_of(SAMPLES / name) != agent:
            wrong.append(name)
    assert [] == wrong


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Reading it would never end."""
    pipe = tmp_path / "a.jsonl"
    os.mkfifo(pipe)
    assert None is agent_of(pipe)
