"""Checks of lessons in YAML: written, read, and refused with one line for each mistake."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sleepd.core.behaviour import KINDS, NeverRan, RanAfterLastEdit
from sleepd.core.errors import UsageError
from sleepd.usecases.written import checks_text, dumped, read_checks

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "checks.md"


def test_checks_are_written_as_a_person_would() -> None:
    """`kind` first; what is at its default is left out; and the text is read back."""
    checks = (RanAfterLastEdit(command="make lint", edited="*.py"), NeverRan(command="test:ci"))
    text = checks_text(checks)
    assert (
        "- kind: ran-after-last-edit\n  command: make lint\n  edited: '*.py'\n- kind: never-ran\n  command: test:ci\n"
        == text
    )
    assert checks == read_checks(text, "checks.yaml")
    assert () == read_checks("", "checks.yaml")


def test_each_mistake_has_a_line() -> None:
    """And nothing is read."""
    text = "- kind: never-run\n  command: x\n- kind: never-ran\n- never-ran\n- kind: never-ran\n  command: fine\n"
    with pytest.raises(UsageError) as error:
        read_checks(text, "checks.yaml")
    first, *lines = str(error.value).splitlines()
    assert "checks.yaml: nothing was read" == first
    assert ["check 1", "check 2", "check 3"] == [line.split(":")[0].strip() for line in lines]
    assert "did you mean never-ran?" in lines[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- kind: [", "checks.yaml: line 2: not YAML"),
        ("kind: never-ran", "checks.yaml: wanted a list of checks, found dict"),
        ("!!python/object/apply:os.getcwd []", "checks.yaml: line 1: not YAML"),
    ],
)
def test_a_text_that_is_no_list_of_checks_is_one_line(text: str, expected: str) -> None:
    """YAML is only read: it makes no object and runs nothing."""
    with pytest.raises(UsageError) as error:
        read_checks(text, "checks.yaml")
    assert str(error.value).startswith(expected)
    assert "\n" not in str(error.value)


def test_the_checks_of_the_page_can_be_read() -> None:
    """Every kind is shown there."""
    (block,) = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert set(KINDS) == {check.kind for check in read_checks(block, "page")}


def test_a_text_of_several_lines_stays_readable() -> None:
    """As a block, and not as one line with signs for its ends."""
    assert "answer: |-\n  one\n  two\n" == dumped({"answer": "one\ntwo"})
