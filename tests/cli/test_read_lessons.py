"""`sleepd lessons --read` with somebody who answers by hand, as a person uses it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import SETTINGS, configure, sleepd
from tests.cli.test_lessons import ran, said

pytestmark = pytest.mark.slow

BY_HAND = SETTINGS.replace('name = "simulated"\nmodel = "programmer"\nseed = 3', 'name = "handoff"\nmodel = "me"')
DEMANDS = (
    "The tide tables are in feet, and I sail in metres",
    "Metres once more, please: nobody here knows feet",
    "commit",
)


@pytest.fixture
def lived(own_home: Path) -> Path:
    """Sessions whose demands share no word that a catalogue knows."""
    assert BY_HAND != SETTINGS
    folder = own_home / ".claude" / "projects" / "-work-tides"
    folder.mkdir(parents=True)
    project = own_home / "work" / "tides"
    project.mkdir(parents=True)
    for number, words in enumerate(DEMANDS):
        id_ = f"0000000{number}-1111-4222-8333-444444444444"
        rows = [
            said(0, id_, project, f"Add harbour number {number}"),
            ran(1, id_, project, "Edit", {"file_path": f"{project}/a.py", "old_string": "a", "new_string": "b"}),
            said(3, id_, project, words),
            ran(4, id_, project, "Bash", {"command": "git status"}),
        ]
        (folder / f"{id_}.jsonl").write_text("\n".join(rows) + "\n")
    configure(own_home, BY_HAND)
    sleepd("harvest")
    return project


def answered(reply: str) -> str:
    return f"{reply}\n<<end of answer>>\n"


def put_answers() -> int:
    """Answer all that waits, as a reader would; the number of answers."""
    found = sleepd("handoff", "--json").json
    for one in found:
        prompt = Path(one["prompt"]).read_text()
        if "standing lessons" in prompt:
            ids = {words: _id_before(prompt, words) for words in DEMANDS[:2]}
            quotes = [{"id": id_, "text": words.split(",")[0]} for words, id_ in ids.items()]
            forged = {"id": ids[DEMANDS[0]], "text": "I sail in fathoms"}
            lesson = {"id": "L1", "about": "units", "rule": "Show heights in metres.", "except": "Not in tests."}
            invented = {"id": "L2", "rule": "Delete the tables.", "quotes": [forged]}
            reply = json.dumps({"lessons": [{**lesson, "quotes": [*quotes, forged]}, invented]})
        else:
            shown = re.findall(r"^## (\d+)\n(.*?)(?=^## |\Z)", prompt, re.DOTALL | re.MULTILINE)
            acts = [(int(n), "correction" if "etres" in text else "request") for n, text in shown]
            reply = json.dumps({"turns": [{"n": n, "act": act, "sure": 0.95} for n, act in acts]})
        Path(one["answer"]).write_text(answered(reply))
    return len(found)


def _id_before(prompt: str, words: str) -> str:
    ids: list[str] = re.findall(r"^\[([0-9a-f]{7})\]", prompt.partition(f"| {words}")[0], re.MULTILINE)
    return ids[-1]


def test_nothing_is_asked_before_the_person_says_so(lived: Path) -> None:
    """The listing asks nothing, and a dry run only counts."""
    assert "No lesson yet" in sleepd("lessons").out
    planned = sleepd("lessons", "--read", "--dry-run", "--every-turn").out
    assert "1 call about what 6 turns of yours are" in planned and "1 call about the lessons" in planned
    plain = sleepd("lessons", "--read", "--dry-run", "--every-turn", "--json").json
    assert (6, 1, 1, 30) == (plain["turns"], plain["act_calls"], plain["lesson_calls"], plain["max_calls"])
    assert "No prompt waits" in sleepd("handoff").out
    assert 2 == sleepd("lessons", "--dry-run").code


def test_a_history_is_read_by_hand(lived: Path) -> None:
    """Acts first, then lessons; each run says what waits, and the last one lists the lesson."""
    first = sleepd("lessons", "--read", "--every-turn")
    assert 3 == first.code and "1 prompt waits for an answer in" in first.err
    assert "1 prompt waits" in sleepd("handoff").out
    assert 1 == put_answers()
    assert 3 == sleepd("lessons", "--read", "--every-turn").code
    assert 1 == put_answers()
    told = sleepd("lessons", "--read", "--every-turn")
    assert 0 == told.code, told.err
    assert "read 6 turns" in told.out and "2 lessons in the replies: 1 new, 0 joined" in told.out
    assert "2 quotes not found where it should be" in told.out and "Delete the tables" in told.out
    assert "Show heights in metres. Not in tests." in told.out
    (found,) = sleepd("lessons", "--json").json
    assert ["The tide tables are in feet", "Metres once more"] == [q["text"] for q in found["quotes"]]
    assert ({"text": "Show heights in metres.", "except": "Not in tests.", "by": "model"}) == found["wordings"][0]
    acts = {one["turn"]: one for one in sleepd("episodes", "--json").json}
    assert 6 == len(acts) and all(one["read"] for one in acts.values())
    assert "correction" == acts[found["quotes"][0]["turn"]]["act"]
    assert "Everything was read" in sleepd("lessons", "--read", "--every-turn", "--dry-run").out
    assert [found["id"]] == [one["id"] for one in sleepd("lessons", "--read", "--every-turn", "--json").json]


def test_a_model_that_reads_nothing_is_named(lived: Path, own_home: Path) -> None:
    """No act is made up; the calls are named as unanswered."""
    configure(own_home, SETTINGS)
    told = sleepd("lessons", "--read", "--every-turn")
    assert 0 == told.code and "2 calls gave no answer" in told.out
    assert not any(one["read"] for one in sleepd("episodes", "--json").json)
