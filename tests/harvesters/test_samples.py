"""Our readings of public sample transcripts against an independent reading of the same files.

The samples are no part of the repository; the tests are skipped where they are not at hand. Every disagreement is
explained in docs/explanation/reading-samples.md; a new one fails the test.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harvesters.__main__ import harvester
from harvesters.records import Origin, Reading, Session, SessionKind, Turn

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT.parent / "shared" / "transcripts" / "samples"

pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the public samples are not at hand")

AGENTS = {
    "claude": "claude-code",
    "codex": "codex",
    "copilot_vscode": "copilot-vscode",
    "copilot_cli": "copilot-cli",
}
"""Top folder of the samples -> agent."""

KNOWN_DISAGREEMENTS = {
    "claude/…/237326ca-5e6a-4313-b3dd-44df36143943.jsonl",
    "claude/…/4bd5ca10-d7dc-4472-8780-dd8c62dbbcbf.jsonl",
    "claude/…/7280d7ee-fb42-42c7-a7eb-e8f636279107.jsonl",
    "claude/…/d77d85c6-0a43-4253-8f37-ec6ae3fb8daa.jsonl",
    "codex/…/small.jsonl",
    "copilot_cli/…/legacy_history_human.json",
}
"""In number of prompts or first prompt; top folder and file name."""

KNOWN_DIFFERENT_CALLS = {
    "small.jsonl",
    "5c0375b4-57a5-4f26-b12d-d022ee4e51b7.jsonl",
    "fe5e1c67-53e7-4862-81ae-d0e013e3270b.jsonl",
    "agent-acompact-a897fe51ff61acd8.jsonl",
    "agent-aside_question-01cf1d29f160c73d.jsonl",
    "agent-aside_question-33bf2535777cd0a2.jsonl",
    "agent-aside_question-7a81e4850e48fc1e.jsonl",
    "agent-aside_question-f0d9d80758d763dd.jsonl",
}
"""Claude Code: sub-agents inside the main file, and copies that are skipped."""

SETTINGS = {"model"}
"""Slash commands of the samples whose arguments set something."""

Row = dict[str, Any]


def listed() -> list[str]:
    with (SAMPLES / "MANIFEST.tsv").open(encoding="utf-8", newline="") as file:
        return [row["file"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


@cache
def reference(top: str) -> tuple[Row, ...]:
    """The other reader's rows. Split at newlines only: the texts hold other line separators."""
    with (SAMPLES / top / "reference_reading.jsonl").open(encoding="utf-8", newline="\n") as file:
        return tuple(json.loads(line) for line in file)


@cache
def reading(file: str) -> Reading:
    return harvester(AGENTS[file.split("/", 1)[0]]).read(SAMPLES / file)


def only_queued(session: Session, turn: Turn) -> bool:
    """Typed while the agent worked, and never written as a message of its own: its id is made of the session's."""
    return turn.queued and turn.id.startswith(session.id)


def prompts(session: Session | None) -> list[str]:
    """What the driver said. The reference counts neither prompts of Claude Code's sub-agents, which an agent wrote, nor
    messages that are nowhere but in the queue; it reads a command's words without the command's name.
    """
    if session is None or (session.agent == "claude-code" and session.kind is SessionKind.SUBAGENT):
        return []
    said = [turn.text for turn in session.turns if turn.origin is Origin.PROMPT and not only_queued(session, turn)]
    return [re.sub(r"^/[\w:-]+ ", "", text) for text in said]


def commands_with_words(row: Row) -> list[str]:
    """The reference lists a slash command's words among the commands, we among the prompts."""
    pairs = [command for command in row.get("commands") or () if isinstance(command, list) and len(command) == 2]
    return [words for name, words in pairs if words and name not in SETTINGS]


def agrees(row: Row) -> bool:
    ours = prompts(reading(row["file"]).session)
    others = commands_with_words(row)
    first = ours[0][:80].strip() if ours else ""
    return len(ours) == row["human"] + len(others) and first in {str(row.get("first", "")).strip(), *others}


def short(file: str) -> str:
    return f"{file.split('/', 1)[0]}/…/{Path(file).name}"


@pytest.mark.parametrize("file", [pytest.param(None)] if not SAMPLES.is_dir() else sorted(listed()))
def test_no_sample_makes_a_harvester_raise(file: str) -> None:
    """Whatever a file is, reading it ends with a reading, and its text stays below the clip."""
    found = reading(file)
    assert found.bytes_read >= 0
    if found.session is not None:
        assert [] == [turn.id for turn in found.session.turns if len(turn.text) > 16_512]


def test_all_samples_are_there() -> None:
    """So that a moved folder cannot pass for agreement."""
    assert 402 == len(listed())
    assert {"claude": 164, "codex": 57, "copilot_vscode": 41, "copilot_cli": 49} == {
        top: len(reference(top)) for top in AGENTS
    }


def test_prompts_agree_with_the_reference() -> None:
    """At least 98 of 100 files have the same number of prompts and the same first one; the others are known."""
    has_zstd = importlib.util.find_spec("zstandard") is not None
    rows = [row for top in AGENTS for row in reference(top) if has_zstd or not row["file"].endswith(".zst")]
    different = {short(row["file"]) for row in rows if not agrees(row)}
    assert set() == different ^ KNOWN_DISAGREEMENTS
    assert len(different) <= 0.02 * len(rows)


def test_the_disagreements_are_explained() -> None:
    """The page names each file."""
    page = (ROOT / "docs" / "explanation" / "reading-samples.md").read_text(encoding="utf-8")
    names = [Path(name).name for name in (*KNOWN_DISAGREEMENTS, *KNOWN_DIFFERENT_CALLS)]
    assert [] == [name for name in names if name not in page]


def test_outcomes_of_claude_code_s_calls_agree_with_the_reference() -> None:
    """Calls by status, file by file: about 8 000 calls."""
    different = set()
    for row in reference("claude"):
        session = reading(row["file"]).session
        turns = session.turns if session is not None else ()
        if Counter(row["tools"]) != Counter(str(call.status) for turn in turns for call in turn.tool_calls):
            different.add(Path(row["file"]).name)
    assert different == KNOWN_DIFFERENT_CALLS


def test_tokens_of_claude_code_s_responses_agree_with_the_reference() -> None:
    """Where responses have ids; without ids the reference takes all of a file for one response."""
    different = []
    for row in reference("claude"):
        session = reading(row["file"]).session
        if session is None or row["api_calls"] == 0 or "/idaho_vault/" not in f"/{row['file']}":
            continue
        names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
        tokens = session.tokens
        ours = (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write)
        if tuple(row["tokens"][name] for name in names) != ours:
            different.append(row["file"])
    assert [] == different
