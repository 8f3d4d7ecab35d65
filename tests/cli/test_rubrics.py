"""`sleepd lessons judge` and the cards of `sleepd review`, with a judge model that is answered by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import configure, sleepd
from tests.cli.keyboard import terminal
from tests.cli.test_lessons import ran, said
from tests.cli.test_read_lessons import BY_HAND

pytestmark = pytest.mark.slow(20)

SESSIONS = 16


@pytest.fixture
def lived(own_home: Path) -> Path:
    """Sessions with one piece of work each; after every odd one the person speaks of the linter."""
    project = own_home / "work" / "app"
    project.mkdir(parents=True)
    folder = own_home / ".claude" / "projects" / "-work-app"
    folder.mkdir(parents=True)
    for number in range(SESSIONS):
        id_ = f"000000{number:02}-1111-4222-8333-444444444444"
        edit = {"file_path": f"{project}/a{number}.py", "old_string": "a", "new_string": "b"}
        reaction = f"fix lint errors in a{number}.py" if number % 2 else f"Which colours does theme {number} have?"
        rows = [
            said(0, id_, project, f"Add option {number} to the parser"),
            ran(1, id_, project, "Edit", edit),
            said(3, id_, project, reaction),
            ran(4, id_, project, "Bash", {"command": f"npm run lint a{number}.py" if number % 2 else "ls docs"}),
        ]
        (folder / f"{id_}.jsonl").write_text("\n".join(rows) + "\n")
    configure(own_home, BY_HAND)
    sleepd("harvest")
    return project


def lesson() -> str:
    (found,) = sleepd("lessons", "--json").json
    assert found["rubric"] is None
    return str(found["id"])


def answer(broken: frozenset[int]) -> None:
    """Answer the prompts that wait: work of these sessions broke the rule."""
    for one in sleepd("handoff", "--json").json:
        shown = re.findall(r"^## (\d+)\n(.*?)(?=^## |\Z)", Path(one["prompt"]).read_text(), re.DOTALL | re.MULTILINE)
        entries = []
        for n, text in shown:
            option = re.search(r"Add option (\d+) to", text)
            said_ = "does not apply" if option is None else "broken" if int(option[1]) in broken else "kept"
            entries.append({"n": int(n), "rule": said_, "why": "as shown"})
        Path(one["answer"]).write_text(json.dumps({"outcomes": entries}) + "\n<<end of answer>>\n")


def judged(id_: str, broken: frozenset[int]) -> str:
    assert 3 == sleepd("lessons", "judge", id_).code
    answer(broken)
    told = sleepd("lessons", "judge", id_)
    assert 0 == told.code, told.err
    return told.out


ODD = frozenset(range(1, SESSIONS, 2))


def test_a_dry_run_counts_and_asks_nothing(lived: Path) -> None:
    """One prompt for the sixteen exchanges whose next turn is known would be two calls."""
    id_ = lesson()
    planned = sleepd("lessons", "judge", id_, "--dry-run", "--json").json
    assert (id_, SESSIONS, 2) == (planned["lesson"], planned["exchanges"], planned["calls"])
    assert "Nothing was asked now" in sleepd("lessons", "judge", id_, "--dry-run").out
    assert "No prompt waits" in sleepd("handoff").out
    assert "no card waits for you" in sleepd("review", "--cards").out


def test_a_judge_that_agrees_gates_only_after_the_persons_cards(lived: Path) -> None:
    """Before: observed, with the cards that wait. A card names neither verdict nor reaction. After: it gates."""
    id_ = lesson()
    told = judged(id_, (ODD | {2}) - {1})
    assert "observed: its judge agrees with you on held-out sessions; 0 of 16 cards" in told
    cards = sleepd("review", "--cards", "--json").json
    assert SESSIONS == len(cards) and {id_} == {card["lesson"] for card in cards}
    assert not any("lint errors" in card["request"] + card["done"] for card in cards)
    assert "16 cards on a judge model: sleepd review --cards" in sleepd("review").out
    with terminal("review") as at:
        for _ in range(SESSIONS):
            page = at.expect("[skip] ")
            number = int(re.findall(r"Add option (\d+) to", page)[-1])
            at.press("b" if number in ODD else "k")
        assert 0 == at.end(), at.text
    assert "gates: it tells what you corrected" in at.text and "by 16 of your cards" in at.text
    (found,) = sleepd("lessons", "--json").json
    assert (True, "cards") == (found["rubric"]["gates"], found["rubric"]["ground"])
    assert "by 16 of your cards" in sleepd("lessons", "show", id_).out
    assert "nothing waits for you" in sleepd("review").out


def test_cards_that_contradict_the_judge_keep_it_observed(lived: Path) -> None:
    """It agrees with the signs, and the person says that both are wrong."""
    id_ = lesson()
    judged(id_, ODD)
    with terminal("review", "--cards") as at:
        for number in range(SESSIONS):
            at.press_at("[skip] ", "c" if number == 0 else "bk"[number % 2])
        assert 0 == at.end(), at.text
    assert "observed: its judge errs too often to be believed" in at.text


def test_a_judge_that_says_the_same_of_everything_costs_the_person_no_card(lived: Path) -> None:
    """It agrees with nobody: observed, and nothing is asked."""
    told = judged(lesson(), frozenset(range(SESSIONS)))
    assert "observed: on held-out sessions it agrees with you no better than shuffled labels would" in told
    assert [] == sleepd("review", "--cards", "--json").json
    assert "nothing waits for you" in sleepd("review").out


def test_a_person_may_stop_in_the_middle_and_go_on_later(lived: Path) -> None:
    """What was answered counts; a skipped card comes again."""
    judged(lesson(), ODD)
    with terminal("review", "--cards") as at:
        for key in ("k", "s", "q"):
            at.press_at("[skip] ", key)
        assert 0 == at.end(), at.text
    assert "1 of 16 cards are answered" in at.text
    assert SESSIONS - 1 == len(sleepd("review", "--cards", "--json").json)
