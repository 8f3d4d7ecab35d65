"""The planted cases: all that were once thought of stay caught, and what people really write passes.

`planted/*.jsonl` holds one case to a line; signs that do not show are written as escapes. `unseen.jsonl` was
once written after the patterns. `evaluation.jsonl` was written before the notions of `screen_notions.py`, in rounds; what each round
met when it was new is told in `docs/explanation/screen.md`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from sleepd.core import screen as screening
from sleepd.core.model import Edit, EditOp
from sleepd.core.screen import LIKENESS, screen
from sleepd.core.screen_rules import RULES

CLEAN = "clean"
LANGUAGES = {"en", "de", "fr", "es", "it", "pt", "ru", "zh", "ja", "ar"}
FALSE_ALARMS = 0.03
"""Of the innocent rules at most so many are held back. A person who wants one of them writes it into the file."""


@dataclass(frozen=True, slots=True)
class Case:
    id: str
    family: str
    kind: str
    rule: str
    text: str | list[str]

    @property
    def found(self) -> set[str]:
        if isinstance(self.text, str):
            return {finding.rule for finding in screen(self.text)}
        edits = [Edit(op=EditOp.ADD, anchor=None, text=text, reason="r") for text in self.text]
        return {finding.rule for finding in screen(edits)}


PLANTED_FOLDER = Path(__file__).parent / "planted"


def cases(name: str) -> list[Case]:
    lines = (PLANTED_FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [Case(**json.loads(line)) for line in lines]


PLANTED, INNOCENT, UNSEEN = cases("planted"), cases("innocent"), cases("unseen")


@pytest.mark.parametrize("family", sorted({case.family for case in PLANTED}))
def test_is_caught(family: str) -> None:
    """Under the rule that it breaks, or by the model; what is hidden by its own rule."""
    by_model = set() if family == "hidden-text" else {LIKENESS}
    assert [] == [case.id for case in PLANTED if case.family == family and not case.found & {case.rule, *by_model}]


def test_there_are_enough_of_each() -> None:
    """At least 100 in all, of every rule, language and way of hiding; and at least 150 innocent ones."""
    families = Counter(case.family for case in PLANTED)
    kinds = Counter(case.kind for case in PLANTED)
    assert set(RULES) == set(families) and min(families.values()) >= 15
    assert all(kinds[language] >= 10 for language in LANGUAGES)
    assert kinds["split"] >= 10 and kinds["obf"] >= 20
    assert len(PLANTED) >= 100 and len(INNOCENT) >= 150
    assert LANGUAGES == {case.kind for case in INNOCENT}
    assert len({case.id for case in (*PLANTED, *INNOCENT, *UNSEEN)}) == len(PLANTED) + len(INNOCENT) + len(UNSEEN)


def held_back(some: Sequence[Case]) -> list[str]:
    return [case.id for case in some if case.found]


@pytest.mark.slow
def test_innocent_rules_pass() -> None:
    """As developers, analysts and researchers write them: at most 3 in 100 are held back, none outside English."""
    innocent = [*INNOCENT, *(case for case in UNSEEN if case.rule == CLEAN)]
    wrong = held_back(innocent)
    assert len(wrong) <= FALSE_ALARMS * len(innocent), wrong
    assert [] == held_back([case for case in innocent if case.kind != "en"])


def test_plain_speech_is_read_for_what_it_would_do() -> None:
    """A guard against regressions: the patterns were widened on these 92 sentences without a command or an address."""
    unseen = [case for case in UNSEEN if case.rule != CLEAN]
    assert 92 == len(unseen)
    assert 85 <= len(held_back(unseen))


EVALUATION = [
    json.loads(line) for line in (PLANTED_FOLDER / "evaluation.jsonl").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.slow(4)
def test_poisons_of_fifteen_languages_are_caught() -> None:
    """At least 98 in 100, of each family and in each language at least three quarters."""
    poisons = [case for case in EVALUATION if case["poison"]]
    missed = [case["id"] for case in poisons if not screen(case["text"])]
    assert len(poisons) >= 480 and len(missed) <= 0.02 * len(poisons), missed
    for by in ("family", "kind"):
        counts = Counter(case[by] for case in poisons)
        lost = Counter(case[by] for case in poisons if case["id"] in missed)
        assert all(lost[name] <= 0.25 * count for name, count in counts.items()), (by, lost)
    assert len({case["kind"] for case in poisons}) >= 15


@pytest.mark.slow(2)
def test_rules_of_developers_pass() -> None:
    """As they stand in files for agents, in fifteen languages: at most 1 in 100 is held back."""
    rules = [case for case in EVALUATION if not case["poison"]]
    wrong = [case["id"] for case in rules if screen(case["text"])]
    assert len(rules) >= 500 and len(wrong) <= 0.01 * len(rules), wrong


@pytest.mark.slow(2)
def test_good_rules_side_by_side_stay_good() -> None:
    """What stands in one edit is not read into the next, unless that one goes on in the middle of a sentence."""
    passing = [case.text for case in INNOCENT if not case.found and isinstance(case.text, str)]
    edits = [Edit(op=EditOp.ADD, anchor=None, text=text, reason="r") for text in passing]
    assert () == screen(edits)
    assert () == screen("\n".join(f"- {text}" for text in passing))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    ["curl a ", "do what the wiki says ", "a0a0a0a", "a.b-c.", "- a\n", "把文件发送", "أرسل نسخة ", "\u0301", "`"],
)
def test_work_is_bounded(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sign is read a bounded number of times, in stretches of a bounded length, however long the text is."""
    stretches: list[int] = []
    readings = screening.readings

    def counted(stretch: str) -> tuple[str, ...]:
        stretches.append(len(stretch))
        return readings(stretch)

    monkeypatch.setattr(screening, "readings", counted)
    long = (text * 4_000)[:4_000]
    screen(long)
    assert max(stretches) <= screening.WINDOW_CHARS
    assert sum(stretches) <= 6 * len(long)
