"""A table fits the narrowest usual terminal, and nothing of it is lost."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sleepd.views.report import table

WORDS = st.lists(
    st.sampled_from(["a", "request", "of", "yours", "an-identifier", "/home/you/", "work", "提交信息"]), max_size=30
)


def width(line: str) -> int:
    return sum(2 if char > "\u2e80" else 1 for char in line)


def test_what_fits_is_one_line_a_row() -> None:
    """Numbers to the right, headings above."""
    assert "skill   calls\ncommit      7\nreview    120" == table(["skill", "calls"], [["commit", 7], ["review", 120]])


def test_a_long_cell_goes_on_below_itself() -> None:
    """The other columns stay as they are."""
    rows = [["ab12", "in one line", "Start the subject with the ticket key in brackets, and end with a line Tested."]]
    assert table(["id", "state", "change"], rows).splitlines() == [
        "id    state        change",
        "ab12  in one line  Start the subject with the ticket key in brackets, and end",
        "                   with a line Tested.",
    ]


def test_a_long_heading_goes_first() -> None:
    """Before any cell is broken: two words above a number need not stand side by side."""
    rows = [["x" * 30, 1, "y" * 30, 2]]
    shown = table(["a", "asked again", "b", "seen before"], rows).splitlines()
    assert ["asked", "again"] == [shown[0].split()[1], shown[1].split()[0]]
    assert 3 == len(shown) and max(map(len, shown)) <= 80


def test_a_preview_loses_its_end() -> None:
    """Its whole text is shown elsewhere; a list with a line for each task is easier to read."""
    shown = table(["task", "request"], [["ab12", "word " * 30], ["cd34", "short"]], cut="request").splitlines()
    assert [80, 3] == [len(shown[1]), len(shown)] and shown[1].endswith("…")


@given(st.lists(st.tuples(WORDS, WORDS, st.integers(0, 10**6)), min_size=1, max_size=4))
def test_no_line_is_longer_than_80_and_no_word_is_lost(rows: list[tuple[list[str], list[str], int]]) -> None:
    """Whatever the cells hold, as long as their words are short enough."""
    cells = [[" ".join(left), " ".join(right), number] for left, right, number in rows]
    shown = table(["left", "right side", "number"], cells)
    assert max(map(width, shown.splitlines())) <= 80
    expected = sorted("".join(f"leftrightsidenumber{''.join(str(c) for row in cells for c in row)}".split()))
    cut = [str(cell) for row in cells for cell in row if len(str(cell)) > 200]
    assert cut or expected == sorted("".join(shown.split()))
