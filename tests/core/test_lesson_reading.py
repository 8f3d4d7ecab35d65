"""How much of a model's word about lessons is believed: what the person said, and no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from sleepd.core.acts import Act
from sleepd.core.lesson import Author, Found, LessonFloors, LessonState, lesson_id, lessons
from sleepd.core.lesson_reading import (
    Fate,
    LessonsRead,
    ReadLesson,
    ReadQuote,
    citable_id,
    citables,
    own_words,
    taken,
    unsupported,
    verified,
)
from sleepd.core.model import SessionId
from sleepd.core.signal import Signal, SignalKind
from tests.made_up import POISON, history

HISTORY = history()
KNOWN = citables(HISTORY.sessions, ())
FOLDERS = {session[0].episode.session: session[0].episode.project for session in HISTORY.sessions}


def id_of(words: str) -> str:
    """The id of the turn with these words."""
    (found,) = (one.id for one in KNOWN.values() if words in one.signal.text)
    return found


def quote(words: str) -> ReadQuote:
    return ReadQuote(id=id_of(words), text=words)


def lesson(name: str, rule: str, *quotes: ReadQuote, **more: object) -> ReadLesson:
    made = ReadLesson(name=name, rule=rule, exception="", about="a thing", quotes=quotes)
    return replace(made, **more)  # type: ignore[arg-type]


def take(
    *read: ReadLesson,
    found: Sequence[Found] = (),
    groups: Mapping[str, str] | None = None,
    before: Mapping[str, frozenset[str]] | None = None,
) -> LessonsRead:
    return taken(read, found, citables(HISTORY.sessions, found), groups or {}, before or {})


TABS = lesson(
    "L1",
    "Indent with tabs, as .editorconfig says.",
    quote("This repository indents with tabs"),
    quote("Tabs please!"),
    exception="Not in Markdown.",
)


class TestQuotes:
    def test_a_quote_stands_word_for_word_in_its_turn(self) -> None:
        """White space and the marks around it are free; a letter is not."""
        turn = id_of("This repository indents with tabs")
        assert verified(ReadQuote(id=turn, text=' "repository  indents\nwith tabs" '), KNOWN) is not None
        for text in ("repository indents with spaces", "Repository indents with tabs", "tab", ""):
            assert verified(ReadQuote(id=turn, text=text), KNOWN) is None, text

    def test_a_quote_of_another_turn_is_none(self) -> None:
        """The words have to stand in the turn that the quote names."""
        assert verified(ReadQuote(id=id_of("Tabs please!"), text="indents with tabs"), KNOWN) is None
        assert verified(ReadQuote(id="0000000", text="indents with tabs"), KNOWN) is None

    def test_what_a_tool_returned_is_never_the_persons(self) -> None:
        """The person pasted it to ask about it: no quote of it authorises anything."""
        turn = id_of("The page says this")
        assert verified(ReadQuote(id=turn, text=POISON), KNOWN) is None
        assert verified(ReadQuote(id=turn, text=POISON[:70]), KNOWN) is None
        assert verified(ReadQuote(id=turn, text="is it serious?"), KNOWN) is not None

    def test_refused_calls_may_be_quoted(self) -> None:
        """With the person's words they are the person's; without, the call itself is what is quoted."""
        (silent,) = (one for one in KNOWN.values() if one.signal.kind is SignalKind.DENIAL)
        assert "npm run browser-suite" == silent.own
        assert verified(ReadQuote(id=silent.id, text="browser-suite"), KNOWN) is not None
        assert verified(quote("not the browser suite"), KNOWN) is not None

    @pytest.mark.parametrize(
        ("text", "pasted", "own"),
        [
            ("do this:\n```\nnever test\n```\nnow", False, "do this:\n\n\n\nnow"),
            ("> never test\nI disagree", False, "I disagree"),
            ("look <log>never test</log> here", False, "look \n\n here"),
            ("address this:\n\nNever test. Always push.", True, "address this:"),
            ("some feedback:\nNever test.", True, "some feedback:"),
            ("one\n\ntwo", False, "one\n\ntwo"),
        ],
    )
    def test_pasted_parts_are_not_own_words(self, text: str, pasted: bool, own: str) -> None:
        """Fences, tags and cited lines; of a text from outside all but its first lines."""
        assert own == own_words(text, pasted=pasted)


class TestTaken:
    def test_a_lesson_of_the_model_is_worded_and_quoted(self) -> None:
        """Its rule holds the exception, its quotes are the exact words, its texts name their authors."""
        read = take(TABS)
        assert ((TABS.rule, Fate.NEW),) == read.fates
        (made,) = lessons(read.found, FOLDERS, LessonFloors())
        assert "Indent with tabs, as .editorconfig says. Not in Markdown." == made.text
        assert ["This repository indents with tabs", "Tabs please!"] == [q.text for q in made.quotes]
        assert ["u01", "u21"] == [q.turn for q in made.quotes]
        assert [Author.MODEL, Author.PERSON] == [w.by for w in made.wordings]
        assert "Not in Markdown." == made.wordings[0].exception
        assert "This repository indents with tabs" == made.wordings[1].text

    def test_a_lesson_without_a_genuine_quote_is_dropped(self) -> None:
        """Whatever it says, and however many quotes it invents."""
        invented = lesson("L1", "Publish .env first.", ReadQuote(id=id_of("The page says this"), text=POISON))
        empty = lesson("L2", "  ", quote("Tabs please!"))
        read = take(invented, empty, lesson("L3", "Test it."))
        assert () == read.found
        assert [Fate.NO_QUOTE, Fate.NO_RULE, Fate.NO_QUOTE] == [fate for _, fate in read.fates]
        assert 1 == read.dropped_quotes

    def test_one_session_is_not_enough(self) -> None:
        """Two quotes of one session are one occurrence."""
        once = lesson("L1", "Look at the page.", quote("It does not work"), quote("you wrote colour again"))
        assert () == lessons(take(once).found, FOLDERS, LessonFloors())

    def test_requests_need_three_sessions(self) -> None:
        """A step that is merely asked for counts as a follow-up."""
        news = lesson(
            "L1", "Add a line to NEWS.md.", quote("and add a line to NEWS.md"), quote("put it into NEWS.md too")
        )
        assert () == lessons(take(news).found, FOLDERS, LessonFloors())
        corrected = replace(news, quotes=(*news.quotes, quote("NEWS.md is missing again")))
        assert 1 == len(lessons(take(corrected).found, FOLDERS, LessonFloors()))

    def test_what_was_known_already_is_one_lesson(self) -> None:
        """It keeps its id and text, and gains the model's wording and the sessions that only the model saw."""
        known = _finding("Tabs please!", "You used spaces")
        read = take(
            lesson("L1", "Indent with tabs.", quote("Tabs please!"), same_as="g1"),
            found=[known],
            groups={"g1": known.key},
        )
        assert [Fate.JOINED] == [fate for _, fate in read.fates]
        (made,) = lessons(read.found, FOLDERS, LessonFloors())
        assert (lesson_id(known), known.text) == (made.id, made.text)
        assert "Indent with tabs." == made.wordings[0].text

    def test_shared_turns_show_what_is_the_same(self) -> None:
        """Also where the model does not say so, or names a finding that has nothing to do with it."""
        known = _finding("Tabs please!", "You used spaces")
        other = replace(_finding("It does not work"), key="another")
        read = take(replace(TABS, same_as="g2"), found=[known, other], groups={"g1": known.key, "g2": other.key})
        assert [Fate.JOINED] == [fate for _, fate in read.fates]
        assert [1, 0] == [len(one.wordings) for one in read.found]

    def test_a_wide_finding_does_not_swallow_narrow_lessons(self) -> None:
        """Of three turns one is the finding's: the lesson is about something else, whatever the model names."""
        known = _finding("Tabs please!", "You used spaces")
        page = [quote(words) for words in ("Open the page before", "did you look at the page?", "Tabs please!")]
        read = take(lesson("L1", "Open the page.", *page, same_as="g1"), found=[known], groups={"g1": known.key})
        assert [Fate.NEW] == [fate for _, fate in read.fates]

    def test_the_same_rule_of_two_prompts_is_one(self) -> None:
        """A long history is asked about in parts; each part sees some of the sessions."""
        first = replace(TABS, quotes=TABS.quotes[:1])
        second = replace(
            TABS, name="1:L4", rule="Always indent with tabs, as .editorconfig says.", quotes=TABS.quotes[1:]
        )
        read = take(first, second)
        assert [Fate.NEW, Fate.JOINED] == [fate for _, fate in read.fates]
        assert 1 == len(lessons(read.found, FOLDERS, LessonFloors()))

    def test_a_lesson_keeps_its_id_in_other_words(self) -> None:
        """It is known again by its turns."""
        (first,) = take(TABS).found
        before = {first.key: frozenset(signal.turn for signal in first.signals)}
        (again,) = take(replace(TABS, rule="Use tabs and never spaces here."), before=before).found
        assert first.key == again.key
        (other,) = take(lesson("L1", "Open the page first.", quote("Open the page before")), before=before).found
        assert first.key != other.key


BRITISH = "Colour, not color: we write British English"
AMERICAN = "From now on American spelling"
AGAIN = "you wrote colour again, American spelling!"


class TestChangesOfMind:
    def test_the_newer_word_holds(self) -> None:
        """The older lesson is superseded, and shows the word that did it."""
        (found,) = take(lesson("L1", "British spelling.", quote(BRITISH), reversed_by=(quote(AMERICAN),))).found
        assert LessonState.SUPERSEDED is found.state
        assert AMERICAN in found.why
        assert "2026-03-06" in found.why

    def test_of_two_lessons_the_newer_holds(self) -> None:
        """Both are listed, and only the older one is marked."""
        old = lesson("L1", "Write British English.", quote(BRITISH), contradicts=("L2",))
        new = lesson("L2", "Write American spelling: color, meter.", quote(AMERICAN), quote(AGAIN))
        assert [LessonState.SUPERSEDED, LessonState.NEW] == [one.state for one in take(old, new).found]

    def test_a_word_said_again_is_the_newer_one(self) -> None:
        """What was said against it lies before all of its quotes."""
        (found,) = take(lesson("L1", "American.", quote(AMERICAN), quote(AGAIN), reversed_by=(quote(BRITISH),))).found
        assert LessonState.NEW is found.state

    def test_to_and_fro_is_for_the_person_to_decide(self) -> None:
        """One thing, the other, the one again, and the other: nobody can know."""
        said = (quote("This repository indents with tabs"), quote(AGAIN))
        (found,) = take(lesson("L1", "One thing.", *said, reversed_by=(quote(AMERICAN), quote("put it into")))).found
        assert LessonState.CONFLICTING is found.state
        assert "you also said" in found.why

    def test_an_invented_reversal_changes_nothing(self) -> None:
        """A quote against a lesson has to be as genuine as one for it."""
        forged = ReadQuote(id=id_of(AMERICAN), text="forget about British English")
        (found,) = take(lesson("L1", "British spelling.", quote(BRITISH), reversed_by=(forged,))).found
        assert LessonState.NEW is found.state


def _finding(*words: str) -> Found:
    signals = [one.signal for text in words for one in KNOWN.values() if text in one.signal.text]
    return Found(key="theme tabs", about="tabs", text="Our wording.", signals=tuple(signals))


def test_every_turn_has_an_id_of_its_own() -> None:
    """Ids are made of session and turn, and are the same in every run."""
    own = [one for session in HISTORY.sessions for one in session if one.episode.source.own]
    assert len(own) + 1 == len(KNOWN)
    assert {citable_id(one.signal) for one in KNOWN.values()} == set(KNOWN)
    assert Act.CORRECTION in {one.judged.act for one in own}
    same = Signal(
        kind=SignalKind.DENIAL,
        session=SessionId("s"),
        turn="t",
        episode=0,
        at=None,
        key="",
        text="npm run browser-suite",
    )
    assert citable_id(same) == citable_id(replace(same, text="other"))


@pytest.mark.parametrize(
    ("rule", "supported"),
    [
        ("Indent with tabs in this repository.", True),
        ("Totals of the previous quarter go above the table.", False),
        ("前の四半期の合計を必ず今週の表の上に置くこと", False),
    ],
)
def test_genuine_quotes_support_no_other_rule(rule: str, supported: bool) -> None:
    """A model can put a page's sentence above the person's quotes: such a lesson is in nobody's words but the model's."""
    read = take(replace(TABS, rule=rule))
    (made,) = (one for one in lessons(read.found, FOLDERS, LessonFloors()) if one.text.startswith(rule))
    assert supported == (() == unsupported(replace(made, text=rule)))
