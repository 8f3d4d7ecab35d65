"""Acts: what a person's turn is, told from structure and from weak signs of words."""

from __future__ import annotations

import json

import pytest

from harvesters.records import Origin, ToolCall, ToolStatus
from sleepd.core.acts import Act, judge, probabilities
from sleepd.core.episode import Episode, episodes
from sleepd.core.model import SessionId
from sleepd.core.segment import Transcript
from tests.core.test_episode import reply, said, shell


def read(*turns: object) -> tuple[Episode, ...]:
    return episodes(Transcript(id=SessionId("s"), agent="claude-code", project="/p", turns=turns))  # type: ignore[arg-type]


def edit(old: str, new: str, n: int) -> ToolCall:
    given = json.dumps({"file_path": "/p/a.py", "old_string": old, "new_string": new})
    return ToolCall(id=f"e{n}", name="Edit", input=given, output="", status=ToolStatus.OK)


def second(words: str, *, opening: str = "I change it.") -> Act:
    """The act of what is said after an edit."""
    found = read(
        said("Add a cache to the loader", 0),
        reply("Done: the loader has a cache.", 1, edit("x = 1", "x = cache()", 1)),
        said(words, 2),
        reply(opening, 3, edit("y = 1", "y = 2", 3)),
    )
    return judge(found)[1].act


@pytest.mark.parametrize(
    "words",
    [
        "It still doesn't work, I don't see the cache being used",
        "no, that's wrong. don't change the signature",
        "fix the failing lint",
        "das funktioniert nicht, es kommt immer noch ein Fehler",
        "нет, не работает, ты сломал загрузку",
        "不对，还是报错",
    ],
)
def test_an_objection_after_work_is_a_correction(words: str) -> None:
    """In whatever language; the agent's admission is another sign of it."""
    assert Act.CORRECTION == second(words, opening="You're right, I missed that.")


@pytest.mark.parametrize(
    "words",
    ["yes", "Yes, go for it", "ok, do it", "option 2", "commit", "Commit and push", "perfect, thanks!", "ja, mach weiter",
     "oui", "да, давай", "好的", "はい、お願いします"],
)  # fmt: skip
def test_an_approval_is_never_a_rejection(words: str) -> None:
    """Nor is the usual next step."""
    assert Act.APPROVAL == second(words)


@pytest.mark.parametrize("words", ["ah, now I see. thank you", "I see"])
def test_who_has_understood_misses_nothing(words: str) -> None:
    """`I see` without an object is no complaint about what there is to see."""
    assert Act.CORRECTION != second(words)
    assert Act.CORRECTION == second("I see two errors in the log")


def test_the_words_of_a_denial_are_a_correction() -> None:
    """Whatever they say."""
    refused = shell("make slow", status=ToolStatus.DENIED, feedback="I will run it myself later", result_id="r")
    found = read(said("Build it", 0), reply("", 1, refused), reply("Fine.", 2))
    assert [Act.REQUEST, Act.CORRECTION] == [judged.act for judged in judge(found)]


def test_texts_of_others_are_no_correction() -> None:
    """Even when they say that all is wrong."""
    found = read(
        said("Add a cache", 0),
        reply("Done.", 1, shell("make")),
        said("Fix it: this is wrong and still fails", 2, origin=Origin.PLAN),
        reply("", 3),
        said("error: still failing, wrong", 4, origin=Origin.HOOK),
    )
    assert [0.0, 0.0] == [judged.correction for judged in judge(found)[1:]]


def test_probabilities_sum_to_one() -> None:
    """Also for signs nobody knows."""
    assert 1.0 == pytest.approx(sum(probabilities({"objects": 1.0, "of another day": 1.0}).values()))


def test_lines_taken_out_again_are_a_sign() -> None:
    """Structure without a word of any language."""
    work = said("xxxx", 0), reply("", 1, edit("", "wrong = 1", 1)), said("yyyy zzzz", 2)
    undone = judge(read(*work, reply("", 3, edit("wrong = 1", "right = 1", 3))))[1]
    other = judge(read(*work, reply("", 3, edit("other = 1", "right = 1", 3))))[1]
    assert undone.correction > other.correction and "undone" in undone.signs
