"""What is written is what was gated, or a clean merge that says so, or nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core import edit as edits
from sleepd.core.adoption import AdoptionPlan, RevertPlan, merge, plan, revert_plan
from sleepd.core.edit import Region, new_skill
from sleepd.core.errors import Conflict
from sleepd.core.model import Edit, EditOp

BASE = f"# Mine\nfirst\nsecond\n\n{Region.LEARNT.opening}\n- a\n- b\n{Region.LEARNT.closing}\n\nlast\n"
GATED = BASE.replace("- b\n", "- b\n- c\n")


class TestPlan:
    def test_writes_the_gated_text(self) -> None:
        """An unchanged file becomes the gated text, proven."""
        assert AdoptionPlan(text=GATED, live=BASE, proven=True) == plan(BASE, BASE, GATED)

    def test_makes_a_new_file(self) -> None:
        """Where no file was and none is, the gated text is written."""
        assert AdoptionPlan(text=GATED, live=None, proven=True) == plan(None, None, GATED)

    def test_has_nothing_to_do_twice(self) -> None:
        """A file that already holds the gated text needs no writing."""
        done = plan(GATED, BASE, GATED)
        assert (True, False) == (done.proven, done.changes)

    @pytest.mark.parametrize(("old", "new"), [("first\n", "First\n"), ("last\n", ""), ("# Mine\n", "\ufeff# Mine\n")])
    def test_merges_a_change_elsewhere(self, old: str, new: str) -> None:
        """The user's change elsewhere is kept, and the text is no longer proven."""
        assert AdoptionPlan(text=GATED.replace(old, new), live=BASE.replace(old, new), proven=False) == plan(
            BASE.replace(old, new), BASE, GATED
        )

    def test_a_part_of_the_gated_change_stays_proven(self) -> None:
        """When the merge gives exactly the gated text it is the gated text."""
        two = GATED.replace("first\n", "First\n")
        assert AdoptionPlan(text=two, live=GATED, proven=True) == plan(GATED, BASE, two)

    @pytest.mark.parametrize(
        "live",
        [
            BASE.replace("- b\n", "- b\n- mine\n"),
            BASE.replace("- b\n", ""),
            BASE.replace("\n", "\r\n"),
            "",
        ],
    )
    def test_stops_at_the_same_place(self, live: str) -> None:
        """Changes of the same or touching lines are a conflict, with the line."""
        with pytest.raises(Conflict, match="line "):
            plan(live, BASE, GATED)

    def test_the_line_of_a_conflict_is_the_line_in_the_users_own_file(self) -> None:
        """Counted from 1, where the two changes begin; lines that either side added above do not confuse the count."""
        live = "two lines\nmore\n" + BASE.replace("- b\n", "- b\n- mine\n")
        gated = GATED.replace("second\n", "second\nthird\n")
        assert "- mine\n" == live.splitlines(keepends=True)[10 - 1]
        with pytest.raises(Conflict, match=r"^line 10: "):
            plan(live, BASE, gated)

    @pytest.mark.parametrize(("live", "base"), [(None, BASE), ("mine\n", None)])
    def test_stops_when_the_file_came_or_went(self, live: str | None, base: str | None) -> None:
        """A file made or removed since the proposal is never overwritten or revived."""
        with pytest.raises(Conflict, match="since the proposal"):
            plan(live, base, GATED)

    def test_never_plans_an_empty_file(self) -> None:
        """An empty result is refused."""
        with pytest.raises(Conflict, match="empty"):
            plan(BASE, BASE, " \n")

    def test_never_plans_broken_markers(self) -> None:
        """A merge that would leave half a region is refused."""
        head = f"a\nb\nc\nd\n{Region.LEARNT.opening}\n- x\n{Region.LEARNT.closing}\n"
        live = head.replace(f"{Region.LEARNT.closing}\n", "")
        with pytest.raises(Conflict, match="never closed"):
            plan(live, head, head.replace("a\n", "A\n"))


class TestRevert:
    def test_restores_exactly(self) -> None:
        """An untouched file goes back to what it was, byte for byte."""
        assert RevertPlan(text=BASE, current=GATED, exact=True) == revert_plan(GATED, GATED, BASE)

    def test_removes_what_was_made(self) -> None:
        """A file that did not exist before is removed."""
        assert RevertPlan(text=None, current=GATED, exact=True) == revert_plan(GATED, GATED, None)

    def test_keeps_what_was_added_to_a_file_that_was_made(self) -> None:
        """The learnt part goes; a file that got nothing but empty lines since is removed."""
        made = new_skill("commit", "d", "- c\n")
        left = revert_plan(f"{made}\nmine\n", made, None)
        assert (new_skill("commit", "d").partition(Region.LEARNT.opening)[0] + "mine\n", False) == (
            left.text,
            left.exact,
        )
        assert RevertPlan(text=None, current=f"{made}\n", exact=False) == revert_plan(f"{made}\n", made, None)

    @pytest.mark.parametrize("before", [BASE, None])
    def test_has_nothing_to_do_twice(self, before: str | None) -> None:
        """A file that is already back needs no writing."""
        assert not revert_plan(before, GATED, before).changes

    def test_keeps_later_changes(self) -> None:
        """A later change elsewhere survives the revert."""
        current = GATED.replace("last\n", "Last\n")
        expected = RevertPlan(text=BASE.replace("last\n", "Last\n"), current=current, exact=False)
        assert expected == revert_plan(current, GATED, BASE)

    @pytest.mark.parametrize(
        ("current", "before", "why"),
        [
            (GATED.replace("- c\n", "- C\n"), BASE, "line 8: you changed '- c', which the revert takes out; delete it"),
            (None, BASE, "there is nothing to revert"),
        ],
    )
    def test_stops_when_it_would_lose_something(self, current: str | None, before: str | None, why: str) -> None:
        """A later change of the same lines, or a removed file, stops the revert; the way out is said."""
        with pytest.raises(Conflict, match=why):
            revert_plan(current, GATED, before)


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "\n", "e\r\n"]), max_size=8).map("".join)


class TestMerge:
    @pytest.mark.slow
    @settings(max_examples=150, deadline=None)
    @given(LINES, LINES)
    def test_one_sided_changes_win(self, base: str, other: str) -> None:
        """With one side unchanged, or both the same, the merge is the other."""
        assert [other] * 3 == [merge(base, base, other), merge(base, other, base), merge(base, other, other)]

    @settings(max_examples=150, deadline=None)
    @given(LINES, LINES, LINES)
    def test_is_symmetric(self, base: str, ours: str, theirs: str) -> None:
        """Which side is called ours does not matter, and no line is lost that both sides kept."""
        results = []
        for left, right in ((ours, theirs), (theirs, ours)):
            try:
                results.append(merge(base, left, right))
            except Conflict:
                results.append(None)
        assert results[0] == results[1]

    @settings(max_examples=60, deadline=None)
    @given(st.text(max_size=20), st.text("xyz", min_size=1, max_size=8))
    def test_adopt_and_revert_around_a_users_line(self, line: str, rule: str) -> None:
        """Adopting over a user's new first line and reverting gives back the user's text."""
        live = f"{line.replace(chr(13), '')}\n{BASE}"
        gated = edits.apply(BASE, [Edit(op=EditOp.ADD, anchor=None, text=rule, reason="r")]).text
        adopted = plan(live, BASE, gated).text
        assert (
            live == revert_plan(adopted, adopted, live).text == revert_plan(adopted + "end\n", adopted, live).text[:-4]
        )
