"""An edit changes rules inside our region, and nothing else, ever."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core import edit as edits
from sleepd.core.edit import Region
from sleepd.core.errors import Conflict, UsageError
from sleepd.core.model import Edit, EditOp

OPEN, CLOSE = Region.LEARNT.opening, Region.LEARNT.closing


def add(text: str, anchor: str | None = None) -> Edit:
    return Edit(op=EditOp.ADD, anchor=anchor, text=text, reason="seen twice")


def delete(anchor: str | None) -> Edit:
    return Edit(op=EditOp.DELETE, anchor=anchor, text="", reason="no longer true")


def replace(anchor: str | None, text: str) -> Edit:
    return Edit(op=EditOp.REPLACE, anchor=anchor, text=text, reason="sharper")


def skill(*rules: str, user: str = "# Commits\n", after: str = "", end: str = "\n") -> str:
    body = "".join(rule.replace("\n", end) + end for rule in rules)
    return f"{user}{end}{OPEN}{end}{body}{CLOSE}{end}{after}"


def reasons(text: str, *changes: Edit, **options: int) -> list[str]:
    outcome = edits.apply(text, changes, **options)
    assert text == outcome.text
    return [refused.reason for refused in outcome.unmatched]


def outside(text: str) -> list[str]:
    return [part.text for part in edits.split_regions(text) if part.region is None]


class TestAdd:
    def test_appends_after_the_last_rule(self) -> None:
        """A rule without an anchor goes to the end of the region."""
        assert skill("- one", "- two") == edits.apply(skill("- one"), [add("two")]).text

    def test_goes_after_its_anchor(self) -> None:
        """A rule with an anchor goes right after the whole anchor rule, continuation lines included."""
        before = skill("- one\n  more of one", "- three")
        assert (
            skill("- one\n  more of one", "- two", "- three")
            == edits.apply(before, [add("- two", "one more of one")]).text
        )

    def test_keeps_every_line_of_a_rule(self) -> None:
        """A rule of several lines keeps them all, indented under its bullet."""
        after = edits.apply(skill(), [add("- Run these:\n```\nmake lint\n\nmake test\n```")]).text
        assert ("- Run these:\n  ```\n  make lint\n\n  make test\n  ```",) == edits.learnt_lines(after)

    @pytest.mark.parametrize("again", ["two", "- two", "  -   two ", "TWO", "* two", "ｔｗｏ"])
    def test_refuses_what_is_there(self, again: str) -> None:
        """The same rule in other spacing, bullets, letter case or width is already there."""
        assert ["already there"] == reasons(skill("- one", "- two"), add(again))

    def test_refuses_a_rule_of_several_lines_that_is_there(self) -> None:
        """However its lines are broken."""
        before = skill("- one\n  and more", "- two")
        again = [add("one\nand more"), add("one and\nmore"), replace("two", "one and more")]
        assert ["already there"] * 3 == reasons(before, *again)

    def test_takes_a_rule_with_either_line_ending(self) -> None:
        """The file's own ending is written."""
        assert edits.apply(skill(), [add("one\nmore")]).text == edits.apply(skill(), [add("one\r\nmore")]).text

    @pytest.mark.parametrize("rule", ["X", "x - x", "+1"])
    def test_takes_short_rules(self, rule: str) -> None:
        """A single letter says something."""
        assert (f"- {rule}",) == edits.learnt_lines(edits.apply(skill(), [add(rule)]).text)

    def test_stands_before_trailing_blank_lines(self) -> None:
        """Blank lines that a formatter put before the end marker stay last."""
        before = f"x\n\n{OPEN}\n\n- one\n\n{CLOSE}\n"
        assert f"x\n\n{OPEN}\n\n- one\n- two\n\n{CLOSE}\n" == edits.apply(before, [add("two")]).text

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("", "empty"),
            (" - ", "empty"),
            ("-", "empty"),
            ("x" * 601, "longer than 600 characters"),
            (f"a\n{CLOSE}\nb", "holds a comment marker"),
            ("a <!-- for the agent only -->", "holds a comment marker"),
            ("a\n---\nname: b", "holds a frontmatter fence"),
            ("a\u200bb", "holds a character that does not show: U+200B ZERO WIDTH SPACE"),
            ("a\u202eb", "holds a character that does not show: U+202E RIGHT-TO-LEFT OVERRIDE"),
            ("a\x1b[8mb", "holds a character that does not show: U+001B"),
            ("a\u2028b", "holds a character that does not show: U+2028 LINE SEPARATOR"),
            ("a\U000e0041", "holds a character that does not show: U+E0041 TAG LATIN CAPITAL LETTER A"),
            ("a\ufe01", "holds a character that does not show: U+FE01 VARIATION SELECTOR-2"),
            ("a\rb", "holds a character that does not show: U+000D"),
            ("- a\n- b", "holds more than one rule"),
        ],
    )
    def test_refuses_text_that_is_no_rule(self, text: str, why: str) -> None:
        """Empty, overlong, hidden or structural text is refused with its reason."""
        assert [why] == reasons(skill("- one"), add(text))
        assert [why] == reasons(skill("- one"), replace("one", text))

    def test_allows_emoji_and_any_script(self) -> None:
        """Characters that show are fine, whatever the script."""
        rules = ("- Начинай с ключа задачи ✔️", "- 金额保留两位小数", "- Beträge in EUR")
        assert rules == edits.learnt_lines(edits.apply(skill(), [add(rule) for rule in rules]).text)


class TestAnchors:
    @pytest.mark.parametrize(
        ("anchor", "expected"),
        [("a", ("- a", "- x", "- b", "- c")), ("b", ("- a", "- b", "- x", "- c")), ("c", ("- a", "- b", "- c", "- x"))],
    )
    def test_a_new_rule_stands_right_below_its_anchor(self, anchor: str, expected: tuple[str, ...]) -> None:
        """And all others stay where they are."""
        assert expected == edits.learnt_lines(edits.apply(skill("- a", "- b", "- c"), [add("x", anchor)]).text)

    def test_what_could_not_be_applied_is_given_back(self) -> None:
        """Each refused edit with its reason, in order; the others are applied."""
        change = [delete("none"), add("x"), add("x"), add("y" * 601)]
        outcome = edits.apply(skill("- a"), change)
        assert ([change[1]], [change[0], *change[2:]]) == ([*outcome.applied], [u.edit for u in outcome.unmatched])

    @pytest.mark.parametrize("anchor", ["us", "use", "use EUR always and", "Use EUR", "- use USD"])
    def test_never_match_part_of_a_rule(self, anchor: str) -> None:
        """An anchor that is not one whole rule matches nothing; `us` once removed three lines elsewhere."""
        assert ["the anchor matches no rules"] == reasons(
            skill("- use EUR", "- use us units", "- trust us"), delete(anchor)
        )

    @pytest.mark.parametrize("anchor", ["use EUR", "- use EUR", " -  use   EUR ", "use\n  EUR"])
    def test_ignore_spacing_and_the_bullet(self, anchor: str) -> None:
        """Spacing and the leading bullet do not matter."""
        assert skill("- b") == edits.apply(skill("- use EUR", "- b"), [delete(anchor)]).text

    def test_must_match_once(self) -> None:
        """A rule that stands there twice cannot be an anchor."""
        assert ["the anchor matches 2 rules, not one"] == reasons(skill("- a", "- a"), delete("a"))

    @pytest.mark.parametrize("change", [delete(None), delete("- "), replace(None, "x")])
    def test_are_needed(self, change: Edit) -> None:
        """Deleting and replacing without an anchor is refused."""
        assert [f"{change.op} needs an anchor"] == reasons(skill("- a"), change)

    def test_do_not_reach_the_users_own_text(self) -> None:
        """A bullet of the user's is not a rule of ours."""
        assert ["the anchor matches no rules"] == reasons(skill("- a", user="- mine\n"), delete("mine"))

    def test_do_not_reach_another_region(self) -> None:
        """Edits of the learnt region leave the protected regions alone, and the other way round."""
        both = edits.set_region(skill("- a"), Region.SLOW_UPDATE, "- slow\n")
        assert ["the anchor matches no rules"] == reasons(both, delete("slow"))
        gone = edits.apply(both, [delete("slow")], region=Region.SLOW_UPDATE).text
        assert (("- a",), ()) == (edits.learnt_lines(gone), edits.learnt_lines(gone, Region.SLOW_UPDATE))


class TestDeleteAndReplace:
    def test_take_the_whole_rule(self) -> None:
        """Continuation lines, and lines a person wrapped without indenting, go with their rule."""
        before = skill("- one\n  two\n\n  three", "- four\nwrapped by hand", "- five")
        assert skill("- five") == edits.apply(before, [delete("one two three"), delete("four wrapped by hand")]).text

    def test_leave_other_lines_of_the_region(self) -> None:
        """Headings and paragraphs that stand in the region stay."""
        assert skill("## Money", "- b") == edits.apply(skill("## Money", "- a", "- b"), [delete("a")]).text

    def test_replace_in_place(self) -> None:
        """The new rule stands where the old one stood."""
        assert skill("- a", "- B", "- c") == edits.apply(skill("- a", "- b", "- c"), [replace("b", "B")]).text

    def test_replace_never_writes_a_rule_twice(self) -> None:
        """Replacing one rule by another that exists, or by itself, is refused."""
        assert ["already there", "already there"] == reasons(
            skill("- a", "- b"), replace("a", "B"), replace("a", "- a")
        )


class TestRegions:
    def test_is_appended_with_an_empty_line(self) -> None:
        """A text without the region gets it at its end when the first edit applies."""
        assert f"# Mine\n\n{OPEN}\n- a\n{CLOSE}\n" == edits.apply("# Mine\n", [add("a")]).text

    def test_is_not_appended_for_nothing(self) -> None:
        """When no edit applies the text is the very same."""
        assert "# Mine" == edits.apply("# Mine", [delete("a")]).text

    def test_keeps_crlf(self) -> None:
        """A CRLF file keeps CRLF, in our lines too."""
        after = edits.apply("# Mine\r\ntext\r\n", [add("a\nb")]).text
        assert f"# Mine\r\ntext\r\n\r\n{OPEN}\r\n- a\r\n  b\r\n{CLOSE}\r\n" == after

    def test_keeps_a_missing_final_newline(self) -> None:
        """A file that ends without a newline ends without one afterwards."""
        assert f"# Mine\n\n{OPEN}\n- a\n{CLOSE}" == edits.apply("# Mine", [add("a")]).text

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_lines_that_are_whole_get_no_further_ending(self, end: str) -> None:
        """Whichever ending they have; a last line without one gets that of the text."""
        text, expected = (f"x{end}{OPEN}{end}{body}{CLOSE}{end}" for body in ("", f"- a{end}"))
        assert expected == edits.set_region(text, Region.LEARNT, f"- a{end}")
        assert edits.set_region("x\n", Region.LEARNT, "- a\n") == edits.set_region("x\n", Region.LEARNT, "- a")

    def test_of_an_empty_file_stands_first(self) -> None:
        """An empty text becomes the region alone."""
        assert f"{OPEN}\n- a\n{CLOSE}\n" == edits.apply("", [add("a")]).text

    def test_a_mention_in_a_sentence_is_text(self) -> None:
        """A marker inside a line is the user's text."""
        user = f"Rules stand after `{OPEN}`.\n"
        assert [user + "\n"] == outside(edits.apply(user, [add("a")]).text)

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            (f"a\n{OPEN}\n- b\nmine\n", 2),
            (f"a\n{CLOSE}\nmine\n", 2),
            (f"{OPEN}\n{CLOSE}\n{CLOSE}\n", 3),
            (f"{OPEN}\n{CLOSE}\nmine\n{OPEN}\n{CLOSE}\n", 4),
            (f"{OPEN}\n{OPEN}\n{CLOSE}\n", 2),
            (f"{CLOSE}\n- a\n{OPEN}\n", 1),
            (f"{OPEN}\n{Region.APPENDIX.opening}\n{Region.APPENDIX.closing}\n{CLOSE}\n", 2),
            (f"{OPEN}\n{Region.APPENDIX.closing}\n{CLOSE}\n", 2),
            (f"```md\n{OPEN}\n{CLOSE}\n```\n", 2),
            (f"- ~~~\n{OPEN}\n{CLOSE}\n", 2),
            (f"---\nname: a\n{OPEN}\n{CLOSE}\n---\n", 3),
            (f"a\n  {OPEN}\n{CLOSE}\n", 2),
            (f"a\n<!-- sleepd:learned -->\n{CLOSE}\n", 2),
            (f"a\n{OPEN} and more\n{CLOSE}\n", 2),
            ("a\n<!--sleepd:learnt-->\n<!--/sleepd:learnt-->\n", 2),
        ],
    )
    def test_broken_markers_are_a_conflict(self, text: str, line: int) -> None:
        """Markers that are missing, doubled, nested, reversed or hidden in code stop everything and name the line."""
        with pytest.raises(Conflict, match=f"^line {line}: .*") as caught:
            edits.apply(text, [add("x")])
        assert "\n" not in str(caught.value)

    def test_an_open_fence_is_a_conflict(self) -> None:
        """A region appended inside an unclosed code fence would be code; the fence is named instead."""
        with pytest.raises(Conflict, match=r"^line 2: .*never closed"):
            edits.apply("a\n```sh\nmake\n", [add("x")])

    @pytest.mark.parametrize(
        "user", ["```a\n```\n", "~~~\n```\n~~~\n", "- ```\n  x\n  ```\n", "``` `a` ```\n", "````\n```\n````\n"]
    )
    def test_closed_fences_do_no_harm(self, user: str) -> None:
        """Well-formed code before the region is text like any other."""
        assert ("- x",) == edits.learnt_lines(edits.apply(user, [add("x")]).text)


class TestBudget:
    def test_is_a_quarter_of_the_characters(self) -> None:
        """Tokens are estimated as characters / 4, rounded up."""
        assert [0, 1, 1, 2] == [edits.tokens("a" * n) for n in (0, 1, 4, 5)]

    def test_refuses_the_edit_that_goes_over(self) -> None:
        """An edit that does not fit is refused; a shorter one after it may still fit."""
        before = skill("- a")
        outcome = edits.apply(before, [add("x" * 90), add("y")], max_tokens=edits.tokens(before) + 1)
        assert (["over the token budget"], ("- a", "- y")) == (
            [refused.reason for refused in outcome.unmatched],
            edits.learnt_lines(outcome.text),
        )

    def test_lets_a_long_text_shrink(self) -> None:
        """A text over the budget can be shortened."""
        assert skill() == edits.apply(skill("- " + "x" * 300), [delete("x" * 300)], max_tokens=5).text


class TestNewSkill:
    def test_is_valid(self) -> None:
        """Frontmatter with name and quoted description, then the region with the given lines."""
        text = edits.new_skill("commit-subject", 'When a commit is "made": \\ subject', "- a")
        expected = '---\nname: commit-subject\ndescription: "When a commit is \\"made\\": \\\\ subject"\n---\n'
        assert f"{expected}\n{OPEN}\n- a\n{CLOSE}\n" == text

    @pytest.mark.parametrize("name", ["", "Commit", "a_b", "-a", "a-", "a--b", "a b", "é", "a" * 65, "a\n"])
    def test_refuses_a_bad_name(self, name: str) -> None:
        """Names are at most 64 lowercase letters, digits and single hyphens."""
        with pytest.raises(UsageError, match="skill name"):
            edits.new_skill(name, "when")

    @pytest.mark.parametrize("description", ["", "  ", "a\nb", "x" * 1025, "a\u200b", "use <system>x</system>"])
    def test_refuses_a_bad_description(self, description: str) -> None:
        """Descriptions are one line of plain text."""
        with pytest.raises(UsageError, match="skill description"):
            edits.new_skill("a", description)


class TestDiff:
    def test_is_unified(self) -> None:
        """A reader sees the change with its context; equal texts give nothing."""
        shown = edits.diff("a\nb\n", "a\nc", name="X")
        assert "--- X (before)\n+++ X (after)\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n" == shown
        assert "" == edits.diff("a\n", "a\n")
        assert edits.diff("a", "b").startswith("--- SKILL.md (before)\n+++ SKILL.md (after)\n")


WORD = st.text("abcXé中 .-*`#", min_size=1, max_size=12).filter(lambda text: bool(text.strip(" -*.`#")))
LINE = st.one_of(
    st.text(max_size=12), st.sampled_from(["- a", "  b", "```", "~~~", "---", OPEN, CLOSE, Region.APPENDIX.opening, ""])
)
USER = st.lists(st.tuples(LINE, st.sampled_from(["\n", "\r\n", "\r", ""])), max_size=8).map(
    lambda rows: "".join(line + ending for line, ending in rows)
)
CHANGE = st.one_of(st.builds(add, WORD, st.none() | WORD), st.builds(delete, WORD), st.builds(replace, WORD, WORD))
RULES = st.lists(WORD, max_size=4)


class TestProperties:
    @settings(max_examples=150, deadline=None)
    @given(USER, st.lists(CHANGE, max_size=4))
    def test_bytes_outside_are_the_same(self, user: str, changes: list[Edit]) -> None:
        """For any text of the user's: either a conflict, or the text is a prefix, untouched."""
        try:
            before = outside(user)
            outcome = edits.apply(user, [add("first"), *changes])
        except Conflict:
            return
        after = outside(outcome.text)
        joined = "".join(after)
        assert joined.startswith("".join(before)) if not edits.learnt_lines(user) else before == after
        assert "first" in outcome.text

    @settings(max_examples=100, deadline=None)
    @given(
        RULES, st.lists(CHANGE, max_size=4), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "tail", "tail\n"])
    )
    def test_both_sides_of_a_region_are_the_same(
        self, rules: list[str], changes: list[Edit], end: str, after: str
    ) -> None:
        """Text before and after an existing region comes back byte for byte."""
        before = skill(*(f"- {' '.join(rule.split())}" for rule in rules), after=after, end=end)
        assert outside(before) == outside(edits.apply(before, changes).text)

    @settings(max_examples=100, deadline=None)
    @given(RULES, CHANGE)
    def test_applying_again_changes_nothing(self, rules: list[str], change: Edit) -> None:
        """An edit applied to its own result is unmatched."""
        seeded = edits.apply(skill(), [add(rule) for rule in rules]).text
        once = edits.apply(seeded, [change])
        assert once.text == edits.apply(once.text, [change]).text

    @pytest.mark.parametrize("bullet", ["-", "*", "+", "•"])
    def test_an_anchor_may_have_another_bullet_than_the_file(self, bullet: str) -> None:
        """The rule is the same, whatever a model writes in front of it."""
        assert skill() == edits.apply(skill("- X"), [delete(f"{bullet} X")]).text

    @settings(max_examples=100, deadline=None)
    @given(RULES, WORD, st.sampled_from(["\n", "\r\n"]), st.booleans())
    def test_delete_undoes_add(self, rules: list[str], rule: str, end: str, blank: bool) -> None:
        """Deleting the rule just added gives back the text byte for byte."""
        base = edits.apply(skill(end=end), [add(other) for other in rules]).text
        before = base.replace(CLOSE, end + CLOSE) if blank else base
        outcome = edits.apply(before, [add(rule)])
        if outcome.applied:
            assert before == edits.apply(outcome.text, [delete(rule)]).text

    @settings(max_examples=100, deadline=None)
    @given(USER)
    def test_parts_join_to_the_text(self, text: str) -> None:
        """Splitting loses nothing."""
        try:
            parts = edits.split_regions(text)
        except Conflict:
            return
        assert text == "".join(part.text for part in parts)
