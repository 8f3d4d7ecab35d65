"""From the edits of many reflections to one list."""

from __future__ import annotations

import pytest

from sleepd.core import ngrams
from sleepd.core.aggregate import Backed, ProposedEdits, about, aggregate, join, near, opposed
from sleepd.core.model import Digest, Edit, EditOp
from sleepd.models.hashed import HashedTfidf
from sleepd.simulate.cast import persona, recurring

LONG = (
    "Start the subject line of the commit message with the ticket key in square brackets, then a verb in the imperative,"
    " and keep the whole line below seventy-two characters so that no tool cuts it"
)


def add(text: str, anchor: str | None = None, op: EditOp = EditOp.ADD) -> Edit:
    return Edit(op=op, anchor=anchor, text=text, reason="")


def proposed(*texts: str, session: str = "s") -> ProposedEdits:
    return ProposedEdits(edits=tuple(add(t) for t in texts), sessions=(session,))


def texts(found: tuple[Backed, ...]) -> list[str]:
    return [b.edit.text for b in found]


class TestAggregate:
    def test_support_goes_first_then_the_place_in_a_reply(self) -> None:
        """What several reflections proposed, then what one named first; sessions are gathered."""
        found = aggregate([proposed("one", "two", "three", session="a"), proposed("three", "four", session="b")])
        assert ["three", "one"] == texts(found)[:2]
        assert (2, 0, ("a", "b")) == (found[0].support, found[0].rank, found[0].sessions)
        assert {"two", "four"} == set(texts(found)[2:])

    def test_the_order_of_replies_does_not_matter(self) -> None:
        """Ties go by the edit itself."""
        replies = [proposed("one", "two", session="a"), proposed("two", "three", session="b"), proposed("four")]
        assert texts(aggregate(replies)) == texts(aggregate(replies[::-1]))

    @pytest.mark.parametrize(
        "other",
        [LONG.upper(), LONG + ".", LONG.replace(" then", "  then"), LONG.replace("brackets,", "brackets;"),
         LONG.replace("characters", "character"), LONG.replace("cuts", "cuts")],
    )  # fmt: skip
    def test_the_same_said_nearly_alike_is_one_edit(self, other: str) -> None:
        """Case, spaces, punctuation and the form of a word make no other rule."""
        assert [2] == [b.support for b in aggregate([proposed(LONG), proposed(other)])]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (LONG, "Do not " + LONG[0].lower() + LONG[1:]),
            (LONG, LONG.replace("Start", "Never start")),
            (LONG, LONG.replace("below", "above")),
            (LONG, LONG.replace("seventy-two", "seventy-five")),
            ("Always " + LONG, "Never " + LONG),
            ("Keep lines below 72 characters in every file of the project", "Keep lines below 75 characters in every file of the project"),
            ("You must name the command that was run at the end of it", "You mustn't name the command that was run at the end of it"),
            ("Der Betreff soll immer mit dem Schlüssel der Aufgabe beginnen", "Der Betreff soll nie mit dem Schlüssel der Aufgabe beginnen"),
            ("Тема письма должна начинаться с ключа задачи в скобках", "Тема письма не должна начинаться с ключа задачи в скобках"),
            ("提交说明的第一行要写任务编号", "提交说明的第一行不要写任务编号"),
            ("The report is possible without the table of all sources", "The report is impossible without the table of all sources"),
            ("Name the command at the end", "Name the command at the end unless nobody asked"),
            ("Use port 44720 for the service", "Use port 44721 for the service"),
            ("End with → and the name of the next step of the work", "End with ← and the name of the next step of the work"),
        ],
    )  # fmt: skip
    def test_a_sentence_and_its_opposite_are_two(self, one: str, other: str) -> None:
        """However much of their letters they share, in any language; numbers count too."""
        assert 2 == len(aggregate([proposed(one), proposed(other)]))

    def test_edits_of_different_lines_are_different(self) -> None:
        """The same text for another anchor, or another operation, is another edit."""
        edits = (add("x", "- a"), add("x", "- b"), add("x", "- a", EditOp.REPLACE), add("", "- a", EditOp.DELETE))
        deleting_b = add("", "- b", EditOp.DELETE)
        assert 5 == len(aggregate([ProposedEdits(edits=(*edits, deleting_b), sessions=())]))

    def test_what_failures_teach_goes_before_what_successes_teach(self) -> None:
        """With equal support, whatever its place in its reply."""
        kept = ProposedEdits(edits=(add("kept"),), sessions=(), of_failures=False)
        found = aggregate([kept, proposed("other", "wrong")])
        assert ["other", "wrong", "kept"] == texts(found)

    def test_what_was_tried_before_comes_in_the_words_it_was_tried_in(self) -> None:
        """So that a full stop more does not make it a new edit that is paid for again."""
        before = add(LONG)
        assert [before.id] == [b.edit.id for b in aggregate([proposed(LONG + ".")], [before])]
        assert [LONG + "."] == texts(aggregate([proposed(LONG + ".")], [add("Never " + LONG)]))

    @pytest.mark.slow
    def test_a_thousand_edits_are_joined(self) -> None:
        """None is lost, and the same in capitals counts for the same."""
        many = [f"Rule {n} about {chr(97 + n % 26)}{n} of the house" for n in range(500)]
        found = aggregate([proposed(*many), proposed(*(m.upper() for m in many))])
        assert [2] * 500 == [b.support for b in found]


def pairs(*edits: Edit) -> bool:
    return bool(opposed(edits))


class TestOpposed:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Start with the ticket key", "Never start with the ticket key"),
            ("Start with the ticket key", "Do not start with the ticket key."),
            ("Keep the summary below 50 words", "Keep the summary below 80 words"),
            ("Der Betreff beginnt mit dem Schlüssel", "Der Betreff beginnt nie mit dem Schlüssel"),
            ("Тема начинается с ключа задачи", "Тема не начинается с ключа задачи"),
            ("第一行要写任务编号", "第一行不要写任务编号"),
            ("제목은 키로 시작합니다", "제목은 절대 키로 시작합니다"),
            ("Name the command at the end", "Name the command at the end unless nobody asked"),
        ],
    )
    def test_a_sentence_with_a_word_more_or_another_number_is_a_rival(self, one: str, other: str) -> None:
        """In any language, and either way around."""
        assert pairs(add(one), add(other)) and pairs(add(other), add(one))

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Name the command that was run", "Name the file that was changed"),
            ("Start with the ticket key", "End with the name of the command"),
            ("第一行要写任务编号", "结尾要写命令"),
            ("Be brief", "Be brief and friendly"),
            ("Keep lines below 72 characters", "Keep functions below 60 lines"),
            ("", ""),
        ],
    )
    def test_rules_about_different_things_are_not(self, one: str, other: str) -> None:
        """They may share a candidate; two words alone tell nothing."""
        assert not pairs(add(one), add(other))

    def test_two_edits_of_one_line_exclude_each_other(self) -> None:
        """Unless both add below it; spacing in the anchor does not matter."""
        below, other, another = (add(t, "- Be brief.") for t in ("one", "two", "three"))
        drop, change = add("", "-  Be brief.", EditOp.DELETE), add("Be long", "- Be brief.", EditOp.REPLACE)
        assert not pairs(below, other, another)
        assert pairs(drop, change) and pairs(below, drop) and pairs(change, below)
        assert pairs(change, add("Be kind", "- Be brief.", EditOp.REPLACE))
        assert not pairs(drop, add("", "- Be kind.", EditOp.DELETE))

    def test_deleting_a_rule_excludes_saying_it_again(self) -> None:
        """A deletion is about the line that it deletes."""
        assert pairs(add("", "- Start with the ticket key", EditOp.DELETE), add("Start with the ticket key always"))


def test_an_edit_is_about_its_text_or_the_line_that_it_deletes() -> None:
    """With neither it is about nothing."""
    edits = (add("new", "- old"), add("", "-  the   old", EditOp.DELETE), add(""))
    assert ["new", "- the old", ""] == [about(e) for e in edits]


class TestNear:
    def test_edits_about_one_thing_are_told_by_their_vectors(self) -> None:
        """Whichever of them is right: this joins nothing, it only keeps them out of one candidate."""
        edits = [
            add("Start the subject with the ticket key"),
            add("Start no subject with the ticket key!"),
            add("Praise nobody"),
        ]
        texts_ = [about(e) for e in edits]
        vectors = ngrams.combine(HashedTfidf().encode(texts_), texts_, english_only=False)
        assert frozenset({frozenset((edits[0].id, edits[1].id))}) == near(edits, vectors)


class TestJoin:
    def test_what_a_reader_finds_the_same_is_joined_under_the_first(self) -> None:
        """Support and sessions are added up; unknown ids and groups of one change nothing."""
        found = aggregate([proposed("one", "two", "three", session="a"), proposed("two", session="b")])
        ids = {b.edit.text: b.edit.id for b in found}
        joined = join(found, [[ids["two"], ids["three"], Digest("?")], [ids["one"]], []], frozenset())
        assert ["two", "one"] == texts(joined)
        assert (3, ("a", "b")) == (joined[0].support, joined[0].sessions)

    def test_groups_that_overlap_are_one_group(self) -> None:
        """Whatever was joined before is found under its first wording only."""
        found = aggregate([proposed("one", "two", "three")])
        ids = [b.edit.id for b in found]
        assert 1 == len(join(found, [[ids[0], ids[1]], [ids[0], ids[2]], [ids[1], ids[2]]], frozenset()))

    def test_it_is_not_believed_against_the_words(self) -> None:
        """Two that exclude each other, or that belong to different lines, stay two."""
        found = aggregate([proposed("Start with the key", "Never start with the key")])
        ids = [b.edit.id for b in found]
        assert 2 == len(join(found, [ids], opposed([b.edit for b in found])))
        apart = aggregate([ProposedEdits(edits=(add("x", "- a"), add("x", "- b")), sessions=())])
        assert 2 == len(join(apart, [[b.edit.id for b in apart]], frozenset()))


@pytest.mark.parametrize("who", recurring())
def test_different_rules_of_one_person_are_not_near(who: str) -> None:
    """So what a person wants can be tried together: the threshold is for rules about the same thing."""
    rules = [
        (family.key, rule.key, w) for family in persona(who).families for rule in family.rules for w in rule.wordings
    ]
    edits = {add(words).id: (family, rule) for family, rule, words in rules}
    texts_ = [words for _, _, words in rules]
    vectors = ngrams.combine(HashedTfidf().encode(texts_), texts_, english_only=False)
    found = near([add(w) for w in texts_], vectors)
    assert found and not [p for p in found if len({edits[i] for i in p}) > 1 and len({edits[i][0] for i in p}) == 1]
