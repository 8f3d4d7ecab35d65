"""What an adoption wrote goes; what its owner wrote since, wherever it stands, stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core.edit import Region, apply, new_skill
from sleepd.core.errors import Conflict
from sleepd.core.model import Edit, EditOp
from sleepd.core.removal import take_out, without_regions

OPEN, CLOSE = f"{Region.LEARNT.opening}\n", f"{Region.LEARNT.closing}\n"
MINE = "# Mine\nlast\n"


def add(text: str) -> Edit:
    return Edit(op=EditOp.ADD, anchor=None, text=text, reason="")


AFTER = apply(MINE, [add("b"), add("c")]).text
"""A region was put below the person's text."""
GREW = apply(AFTER, [add("d")]).text
"""A rule was added to the region."""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("current", "left"),
    [
        (AFTER + "below\n", MINE + "\nbelow\n"),
        (AFTER + "\nbelow\n", MINE + "\nbelow\n"),
        (AFTER.replace("last\n", "last\nabove\n"), MINE + "above\n"),
        (AFTER.replace(OPEN, f"above\n{OPEN}"), MINE + "\nabove\n"),
        (AFTER.replace(OPEN, f"above\n\n{OPEN}"), MINE + "\nabove\n"),
        (AFTER.replace("last\n", "Last\n") + "below\n", "# Mine\nLast\n\nbelow\n"),
        (AFTER.replace("- c\n", "") + "below\n", MINE + "\nbelow\n"),
        (AFTER.replace(OPEN, "").replace(CLOSE, ""), MINE),
    ],
)
def test_a_whole_region_goes_and_lines_around_it_stay(current: str, left: str, ending: str) -> None:
    """Directly below, directly above, between the empty line and the marker; also where a rule was deleted since.

    New lines stay a paragraph of their own.
    """
    assert left.replace("\n", ending) == take_out(*(t.replace("\n", ending) for t in (AFTER, current, MINE)))


@pytest.mark.parametrize(
    ("current", "left"),
    [
        (GREW.replace("- d\n", "- d\n- mine\n"), AFTER.replace("- c\n", "- c\n- mine\n")),
        (GREW.replace("- d\n", "- mine\n- d\n"), AFTER.replace("- c\n", "- c\n- mine\n")),
        (GREW.replace("- c\n", "- C\n"), AFTER.replace("- c\n", "- C\n")),
        (GREW.replace("- c\n", ""), AFTER.replace("- c\n", "")),
    ],
)
def test_rules_next_to_the_one_that_goes_stay(current: str, left: str) -> None:
    """A rule is taken out whole, so what stands directly above or below is not in the way."""
    assert left == take_out(GREW, current, AFTER)


def test_a_region_with_a_rule_of_the_person_keeps_its_markers() -> None:
    """The rules that were adopted go; an empty line still stands before the marker."""
    current = AFTER.replace("- c\n", "- c\n- mine\n")
    assert f"{MINE}\n{OPEN}- mine\n{CLOSE}" == take_out(AFTER, current, MINE)


def test_an_older_adoption_comes_off_below_a_newer_one() -> None:
    """The newer rule stays, in its region."""
    assert f"{MINE}\n{OPEN}- d\n{CLOSE}" == take_out(AFTER, GREW, MINE)


def test_a_replaced_and_a_deleted_rule_come_back() -> None:
    """Beside what the person added since, with the line endings that the file has now."""
    before = f"{MINE}\n{OPEN}- old\n- gone\n{CLOSE}"
    after = f"{MINE}\n{OPEN}- new\n{CLOSE}"
    current = after.replace("- new\n", "- mine\n- new\n").replace("\n", "\r\n")
    wanted = f"{MINE}\n{OPEN}- mine\n- old\n- gone\n{CLOSE}"
    assert wanted.replace("\n", "\r\n") == take_out(after, current, before)


def test_a_file_without_a_final_newline_gets_the_one_it_needs() -> None:
    """An editor that ends the last line is no change of that line."""
    before = MINE.rstrip("\n")
    after = apply(before, [add("b")]).text
    assert not after.endswith("\n")
    assert f"{MINE}\nbelow" == take_out(after, f"{after}\nbelow", before)


def test_a_last_line_that_comes_back_is_ended_before_the_next_one() -> None:
    """Two lines never become one."""
    assert "a\nb\nmine" == take_out("a\n", "a\nmine", "a\nb")


@pytest.mark.parametrize(
    ("current", "before", "after", "said"),
    [
        (
            GREW.replace("- d\n", "- D\n"),
            AFTER,
            GREW,
            "line 7: you changed '- d', which the revert takes out; delete it",
        ),
        (GREW.replace("- d\n", "- d\n  and more\n"), AFTER, GREW, "line 7: you changed '- d'"),
        (GREW.replace("- d\n", ""), AFTER.replace("- c\n", "- c\n- e\n"), GREW, "line 7: you changed '- d'.*'- e'"),
        ("top\n" + GREW.replace("- d\n", "- D\n"), AFTER, GREW, "line 8: "),
        (GREW.replace(CLOSE, ""), AFTER, GREW, "line 4: .*never closed"),
    ],
)
def test_a_change_of_the_adopted_rule_itself_is_a_conflict(current: str, before: str, after: str, said: str) -> None:
    """With the line of the person's file, and what to do about it."""
    with pytest.raises(Conflict, match=said):
        take_out(after, current, before)


@pytest.mark.parametrize(("before", "wanted"), [(AFTER, ""), (AFTER.replace("- c\n", "- c\n- e\n"), "- e\n")])
def test_doing_what_the_conflict_says_ends_it(before: str, wanted: str) -> None:
    """Deleted, or written as it was: the revert then has nothing against it."""
    assert before == take_out(GREW, GREW.replace("- d\n", wanted), before)


def test_a_file_that_sleepd_made_keeps_its_frontmatter() -> None:
    """It is the person's skill from the first own line on; without one nothing but the frontmatter is left."""
    made = new_skill("commit", "When committing.", "- b\n")
    start = without_regions(made)
    assert start.startswith("---\nname: commit\n") and start.endswith("---\n")
    assert f"{start}\nmine\n" == take_out(made, f"{made}\nmine\n", start)


LINES = st.lists(st.sampled_from(["one\n", "two\n", "\n", "- three\n"]), max_size=6).map("".join)


@settings(max_examples=150, deadline=None)
@given(LINES, LINES, LINES)
def test_lines_around_the_region_are_never_lost(text: str, above: str, below: str) -> None:
    """Whatever the person puts above and below: each of those lines is there afterwards, in their order."""
    after = apply(text, [add("b")]).text
    head, region, tail = after.partition(OPEN)
    left = take_out(after, f"{above}{head}{region}{tail}{below}", text)
    kept = [line for line in left.splitlines() if line]
    assert [line for line in f"{above}{text}{below}".splitlines() if line] == kept
