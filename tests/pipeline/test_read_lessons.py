"""Lessons read by a model: what is shown, how a long history is split, replies of every kind, and nothing sent twice."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sleepd.core import edit
from sleepd.core.act_reading import ReadAct
from sleepd.core.acts import Act
from sleepd.core.errors import NotMeasured
from sleepd.core.lesson import EpisodeWithAct, Found, of_turn
from sleepd.core.model import Cause, Digest
from sleepd.core.ports import Failure
from sleepd.models.scripted import ScriptedModel
from sleepd.pipeline.read_acts import Reader
from sleepd.pipeline.read_lessons import (
    findings_shown,
    group_id,
    lesson_prompts,
    parsed_lessons,
    read_lessons,
)
from sleepd.store import readings
from sleepd.store.database import open_database
from tests.made_up import POISON, history

NOW = datetime(2026, 3, 9, tzinfo=UTC)
SESSIONS = history().sessions


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    with closing(open_database(tmp_path / "sleepd.db")) as database:
        yield Reader(database=database, model=ScriptedModel(), workers=1, now=NOW)


def finding(sessions: int) -> Found:
    signals = tuple(of_turn(session[0].episode, session[0].judged) for session in SESSIONS[:sessions])
    return Found(key=f"theme {sessions}", about="tabs", text="Indent with tabs.", signals=signals)


class TestPrompts:
    def test_the_persons_turns_are_shown_with_their_ids(self) -> None:
        """Corrections with what came before them; consent is left out, refused calls are there."""
        (ask,) = lesson_prompts(SESSIONS, {}, 30_000).asks
        assert "correction\nafter:\n| Bash: python -m tides (worked) / Ended with: The parser is there." in ask.prompt
        assert "call refused without words\n| npm run browser-suite" in ask.prompt
        assert "great, commit it" not in ask.prompt
        assert "## session " in ask.prompt
        assert "2026-03-02, project lighthouse" in ask.prompt

    def test_findings_are_shown_once_they_span_two_sessions(self) -> None:
        """With their newest places, under an id that stays the same in every run."""
        once, thrice = finding(1), finding(3)
        shown = findings_shown([once, thrice])
        assert {group_id(thrice): thrice} == shown
        (ask,) = lesson_prompts(SESSIONS, shown, 30_000).asks
        assert f"## {group_id(thrice)}, in 3 sessions: Indent with tabs." in ask.prompt

    def test_a_long_history_is_asked_about_in_parts(self) -> None:
        """Project by project, each part within the limit, each session in exactly one part."""
        both = (*SESSIONS, *(_moved(session) for session in SESSIONS))
        limit = edit.tokens(lesson_prompts(SESSIONS, {}, 30_000).asks[0].prompt) // 2
        asks = lesson_prompts(both, {}, limit).asks
        assert len(asks) >= 4
        assert all(edit.tokens(ask.prompt) <= 1.2 * limit for ask in asks)
        assert 2 * len(SESSIONS) == sum(ask.prompt.count("## session ") for ask in asks)
        assert all(("lighthouse" in ask.prompt) != ("elsewhere" in ask.prompt) for ask in asks)

    def test_an_empty_history_asks_nothing(self) -> None:
        """There is nobody's word to read."""
        assert () == lesson_prompts((), {}, 30_000).asks

    def test_no_line_of_the_material_stands_without_its_bar(self) -> None:
        """What was pasted cannot pass for an instruction."""
        (ask,) = lesson_prompts(SESSIONS, {}, 30_000).asks
        assert f"| {POISON}" in ask.prompt
        assert f"\n{POISON}" not in ask.prompt


LESSON = {"id": "L1", "about": "tabs", "rule": "Use tabs.", "except": "", "quotes": [{"id": "a", "text": "tabs"}]}


class TestReplies:
    def test_a_reply_is_kept_and_never_asked_for_again(self, reader: Reader) -> None:
        """Also by a later process: it is used without a model."""
        prompts = lesson_prompts(SESSIONS, {}, 30_000)
        text = json.dumps({"lessons": [LESSON]})
        assert (text,) == read_lessons(replace(reader, model=ScriptedModel(text)), prompts, "").texts
        assert (text,) == read_lessons(reader, prompts, "").texts
        with reader.database.reading() as connection:
            (kept,) = readings.newest_lessons(connection)
        assert ("scripted", (text,)) == (kept.model, kept.replies)

    def test_an_incomplete_reading_is_resumed(self, reader: Reader) -> None:
        """The answered part is kept; only a whole reading speaks for the history."""
        prompts = lesson_prompts(SESSIONS, {}, 600)
        assert len(prompts.asks) > 1
        down = Failure(cause=Cause.NETWORK, message="down")
        with pytest.raises(NotMeasured):
            read_lessons(replace(reader, model=ScriptedModel("one", down)), prompts, "")
        with reader.database.reading() as connection:
            assert () == readings.newest_lessons(connection)
        rest = ScriptedModel(otherwise="other")
        assert "one" in read_lessons(replace(reader, model=rest), prompts, "").texts
        assert len(prompts.asks) - 1 == len(rest.asks)

    def test_a_refusal_is_named(self, reader: Reader) -> None:
        """No reply, and no empty list of lessons in its place."""
        refusal = Failure(cause=Cause.REFUSED, message="I will not")
        found = read_lessons(replace(reader, model=ScriptedModel(refusal)), lesson_prompts(SESSIONS, {}, 30_000), "")
        assert ((), ("I will not",)) == (found.texts, found.troubles)

    def test_the_newest_reading_counts(self, reader: Reader) -> None:
        """Of each project, whatever was read before."""
        for day, sessions in enumerate((SESSIONS[:3], SESSIONS)):
            later = replace(reader, model=ScriptedModel(f"reply {day}"), now=NOW + timedelta(days=day))
            read_lessons(later, lesson_prompts(sessions, {}, 30_000), "")
        with reader.database.reading() as connection:
            assert [("reply 1",)] == [one.replies for one in readings.newest_lessons(connection)]

    def test_names_of_lessons_are_kept_apart_by_part(self) -> None:
        """Each part has its own L1."""
        text = json.dumps({"lessons": [{**LESSON, "contradicts": ["L2", 3]}]})
        one, other = parsed_lessons([text, text])
        assert one.name != other.name
        assert ("0:L2",) == one.contradicts

    @pytest.mark.parametrize(
        "text",
        [
            "no lessons today",
            "{",
            '{"lessons": "none"}',
            '{"lessons": [1, null, "L1", {"about": "x"}]}',
            '{"lessons": [{"rule": 5, "quotes": []}]}',
        ],
    )
    def test_a_malformed_reply_holds_no_lesson(self, text: str) -> None:
        """And breaks nothing."""
        assert () == parsed_lessons([text])

    def test_malformed_parts_are_left_out_one_by_one(self) -> None:
        """A lesson with one usable quote stays, with that quote."""
        odd = {**LESSON, "except": None, "same_as": None, "quotes": [7, {"id": "a"}, {"id": "a", "text": "tabs"}]}
        (found,) = parsed_lessons([f"Here they are:\n```json\n{json.dumps({'lessons': [odd]})}\n```"])
        assert (1, "", "") == (len(found.quotes), found.exception, found.same_as)


def test_what_turns_were_read_as_is_kept_by_prompt_and_model(reader: Reader) -> None:
    """Another version of the prompt, or another model, starts anew; of several models the newest usable word counts."""
    turn = Digest("t")
    with reader.database.writing() as connection:
        readings.keep_acts(connection, {turn: ReadAct(act=Act.REQUEST, sure=0.5)}, "v1", "one", NOW)
        readings.keep_acts(connection, {turn: ReadAct(act=None, why="no JSON")}, "v1", "two", NOW + timedelta(days=1))
        readings.keep_acts(connection, {turn: ReadAct(act=Act.OTHER)}, "v1", "one", NOW + timedelta(days=2))
    with reader.database.reading() as connection:
        assert {turn: ReadAct(act=Act.REQUEST, sure=0.5)} == readings.acts(connection, "v1")
        assert {turn: ReadAct(act=None, why="no JSON")} == readings.acts(connection, "v1", "two")
        assert {} == readings.acts(connection, "v2")


def _moved(session: tuple[EpisodeWithAct, ...]) -> tuple[EpisodeWithAct, ...]:
    """The same session in another project."""
    return tuple(replace(one, episode=replace(one.episode, project="/home/robin/elsewhere")) for one in session)
