"""Recorded replies: each belongs to one prompt, letter by letter."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sleepd.core.act_reading import combined, shown
from sleepd.core.acts import Act
from sleepd.core.lesson import LessonFloors, lessons
from sleepd.core.lesson_reading import citables, taken
from sleepd.core.ports import Reply
from sleepd.models.handoff import END, waiting
from sleepd.pipeline.read_acts import Reader, read_acts
from sleepd.pipeline.read_lessons import lesson_prompts, parsed_lessons, read_lessons
from sleepd.store.database import open_database
from tests import recorded
from tests.made_up import POISON, PROJECT, history


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    with closing(open_database(tmp_path / "sleepd.db")) as database:
        yield Reader(
            database=database, model=recorded.RecordedModel(), workers=2, now=datetime(2026, 11, 22, tzinfo=UTC)
        )


def test_an_answer_becomes_a_cassette(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The prompts are put down, one is answered and kept; its reply is given to that prompt and to no other."""
    monkeypatch.setattr(recorded, "CASSETTES", tmp_path)
    folder = tmp_path / "folder"
    monkeypatch.setattr(sys, "argv", ["recorded", "write", str(folder)])
    recorded.main()
    prompts = recorded.prompts()
    assert len(prompts) == len(waiting(folder))
    asked = prompts["lessons 1"]
    (one,) = (w for w in waiting(folder) if asked.prompt in w.prompt.read_text())
    one.answer.write_text(f'{{"lessons": []}}\n{END}\n')
    monkeypatch.setattr(sys, "argv", ["recorded", "keep", str(folder), "2026-03-09", "by hand"])
    recorded.main()
    assert Reply(text='{"lessons": []}') == recorded.RecordedModel().ask(asked)
    with pytest.raises(LookupError, match="its words changed"):
        recorded.RecordedModel().ask(replace(asked, prompt=f"{asked.prompt}."))


def test_every_cassette_belongs_to_a_prompt_of_today() -> None:
    """One to words that nobody sends any more would prove nothing."""
    today = {f"{recorded.address(ask)}.json" for ask in recorded.prompts().values()}
    assert {path.name for path in recorded.CASSETTES.glob("*.json")} <= today


def test_a_recorded_model_reads_the_acts(reader: Reader) -> None:
    """It names the act of 19 of 23 turns as the history does, finds 8 of 9 corrections, and invents none."""
    known = history()
    turns = [turn for session in known.sessions for turn in shown([one.episode for one in session])]
    read = read_acts(reader, turns)
    assert () == read.troubles
    meant = {one.episode.turn: one.judged.act for session in known.sessions for one in session}
    pairs = [(meant[turn.episode.turn], read.acts[turn.key].act) for turn in turns]
    assert (23, 19) == (len(pairs), sum(one is other for one, other in pairs))
    assert (8, 9) == (
        sum(one is other is Act.CORRECTION for one, other in pairs),
        sum(one is Act.CORRECTION for one, _ in pairs),
    )
    assert all(one is Act.CORRECTION for one, other in pairs if other is Act.CORRECTION)


def test_a_pasted_page_stays_what_it_is(reader: Reader) -> None:
    """The person hands a page on that gives orders: with the model's word it is no objection to the agent."""
    turns = [turn for session in history().sessions for turn in shown([one.episode for one in session])]
    acts = read_acts(reader, turns).acts
    (pasted,) = (turn for turn in turns if POISON in turn.episode.text)
    by_signs = next(
        o.judged for session in history().sessions for o in session if o.episode.turn == pasted.episode.turn
    )
    assert Act.EVIDENCE is acts[pasted.key].act
    assert combined(by_signs, acts[pasted.key]).act is not Act.CORRECTION


def test_a_recorded_model_reads_the_lessons(reader: Reader) -> None:
    """Five standing demands, each with genuine quotes of two sessions or more; the page's order is none of them."""
    known = history()
    replies = read_lessons(reader, lesson_prompts(known.sessions, {}, 30_000), "")
    assert () == replies.troubles
    read = parsed_lessons(replies.texts)
    result = taken(read, (), citables(known.sessions, ()), {}, {})
    assert 0 == result.dropped_quotes
    folders = {session[0].episode.session: PROJECT for session in known.sessions}
    listed = lessons(result.found, folders, LessonFloors())
    assert {
        "tab indentation": 2,
        "no browser suite": 2,
        "NEWS.md line": 3,
        "American spelling": 2,
        "open the page": 2,
    } == {one.about: len(one.sessions) for one in listed}
    assert all(len(one.rule.split()) <= 40 for one in read)
    assert not any(word in one.text for one in listed for word in (".env", "collector"))
