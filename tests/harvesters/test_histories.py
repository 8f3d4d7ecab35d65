"""Readings of real, labelled histories. They are no part of the repository: name their folder in `LABELLED_HISTORIES`.

Each history has `projects/` with Claude Code transcripts, `gold.jsonl` with one label for each turn of the person's,
keyed by uuid, and `hidden.gold.jsonl` with what the person said elsewhere. Differences that are known are counted
here, without a word of the histories:

- a hand-over of a plan has a label (accepting it is an act of the person's) and is not the person's words
- the reader took output of a hook for a turn, and labelled it `other`
- words sent again after the client or a hook had stopped the first attempt have one label and two turns
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from harvesters.claude_code import ClaudeCode
from harvesters.records import Origin, Role, Session, SessionKind, ToolStatus, Turn

ROOT = Path(os.environ.get("LABELLED_HISTORIES", "/nowhere"))  # noqa: TID251  a developer's own folder
HISTORIES = sorted(ROOT.glob("*/gold.jsonl"))
SENT_AGAIN = {"dev-a": 0, "dev-b": 2, "dev-c": 7}
HOOKS_WITH_A_LABEL = {"dev-a": 0, "dev-b": 0, "dev-c": 3}

pytestmark = pytest.mark.skipif(not HISTORIES, reason="no labelled histories at hand")


def labels(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def sessions(history: Path) -> list[Session]:
    harvester = ClaudeCode()
    found = harvester.find({"CLAUDE_CONFIG_DIR": str(history)}, history)
    read = [harvester.read(path).session for path in found]
    return [one for one in read if one is not None and one.kind is not SessionKind.SUBAGENT]


def turns(history: Path, *origins: Origin) -> dict[str, Turn]:
    users = [turn for session in sessions(history) for turn in session.turns if turn.role is Role.USER]
    return {turn.source_id or turn.id: turn for turn in users if turn.origin in origins}


@pytest.mark.parametrize("gold", HISTORIES, ids=lambda path: path.parent.name)
def test_the_persons_turns_are_those_that_a_reader_labelled(gold: Path) -> None:
    """Every labelled uuid is a turn of the person's, and nothing else is one, up to the differences named above."""
    history, labelled = gold.parent, {label["uuid"] for label in labels(gold)}
    own = turns(history, Origin.PROMPT, Origin.PLAN)
    typed = {key for key, turn in own.items() if not turn.queued or turn.source_id}
    missing, more = labelled - typed, typed - labelled
    hooks = set(turns(history, Origin.HOOK))
    again = {key for key in more if own[key].text in [turn.text for k, turn in own.items() if k != key]}
    assert (HOOKS_WITH_A_LABEL.get(history.name, 0), set()) == (len(missing & hooks), missing - hooks)
    assert (SENT_AGAIN.get(history.name, 0), set()) == (len(again), more - again)


@pytest.mark.parametrize("gold", HISTORIES, ids=lambda path: path.parent.name)
def test_what_the_person_said_elsewhere_is_found(gold: Path) -> None:
    """Words beside denials, answers, and queued messages; a denial without words by the uuid of its result."""
    everything = sessions(gold.parent)
    calls = {call.result_id: call for s in everything for turn in s.turns for call in turn.tool_calls}
    queued = {turn.text for s in everything for turn in s.turns if turn.queued}
    lost = []
    for label in labels(gold.with_name("hidden.gold.jsonl")):
        call = calls.get(label["uuid"])
        if label["uuid"] is None:
            found = label["said"] in queued
        elif call is None:
            found = False
        elif label["source"] == "question-answer":
            found = any(answer.answer in label["said"] for answer in call.answers)
        else:
            said = label["said"] or ""
            boilerplate = said.startswith("The user wants to clarify")
            found = call.status is ToolStatus.DENIED and (call.feedback or "") == ("" if boilerplate else said)
        if not found:
            lost.append(label["n"])
    assert [] == lost
