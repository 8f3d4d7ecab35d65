"""Checks of behaviour: when each applies, when it is kept and when it is broken; and their written form."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harvesters.records import ToolStatus
from sleepd.core.behaviour import (
    KINDS,
    AddedLinesLack,
    CommandCheck,
    Judged,
    LessonCheck,
    NeverRan,
    NoEditsOnQuestion,
    NotJudged,
    RanAfterLastEdit,
    RanBefore,
    ReadBeforeWrite,
    RubricCheck,
    TestWithCode,
    is_objective,
    judge,
    read,
    written,
)
from sleepd.core.episode import FileEdit
from sleepd.core.facts import Action, Facts, programs_of

KEPT, BROKEN, IDLE = "kept", "broken", "does not apply"
OK, ERROR, DENIED, UNANSWERED = ToolStatus.OK, ToolStatus.ERROR, ToolStatus.DENIED, ToolStatus.UNANSWERED


def sh(line: str, status: ToolStatus = OK) -> Action:
    return Action(
        tool="Bash",
        programs=programs_of(line),
        paths=(),
        status=status,
        exit_code=1 if status is ERROR else None,
        edits=(),
    )


def edit(path: str, *added: str, removed: tuple[str, ...] = ("old",)) -> Action:
    one = FileEdit(path=path, added=added or ("new",), removed=removed)
    return Action(tool="Edit", programs=(), paths=(path,), status=OK, exit_code=None, edits=(one,))


def look(path: str) -> Action:
    return Action(tool="Read", programs=(), paths=(path,), status=OK, exit_code=None, edits=())


def facts(
    *actions: Action,
    before: tuple[Action, ...] = (),
    said: str = "go on",
    question: bool | None = None,
    interrupted: bool = False,
) -> Facts:
    return Facts(
        session_actions=(*before, *actions),
        start=len(before),
        stop=len(before) + len(actions),
        said=(said,),
        question=question,
        answer="Done.",
        interrupted=interrupted,
    )


def result(check: LessonCheck, seen: Facts) -> str:
    found = judge(check, seen)
    assert isinstance(found, Judged)
    assert found.reason
    return found.keeping.value


LINT = RanAfterLastEdit(command="make lint", edited="*.py")


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (facts(edit("a.py"), sh("make lint")), KEPT),
        (facts(edit("a.py"), sh("cd app && make lint --all 2>&1")), KEPT),
        (facts(sh("make lint"), edit("a.py")), BROKEN),
        (facts(edit("a.py"), sh("make lint"), edit("b.py")), BROKEN),
        (facts(edit("a.py"), sh("make lint"), edit("b.md")), KEPT),
        (facts(edit("a.py"), sh("make lint", ERROR)), BROKEN),
        (facts(edit("a.py"), sh("make lint", ERROR), sh("make lint")), KEPT),
        (facts(edit("a.py"), sh("make lint | tail")), IDLE),
        (facts(edit("a.py"), sh("make lint", DENIED)), IDLE),
        (facts(edit("a.py"), sh("make lint", UNANSWERED)), BROKEN),
        (facts(edit("a.py"), interrupted=True), IDLE),
        (facts(edit("a.md")), IDLE),
        (facts(), IDLE),
        (facts(sh("ls"), before=(edit("a.py"),)), IDLE),
    ],
)
def test_a_command_after_the_last_edit(seen: Facts, expected: str) -> None:
    """With exit status 0; a hidden status, a refusal and an interruption prove nothing."""
    assert expected == result(LINT, seen)


def test_an_exit_status_counts_where_the_client_reports_no_error() -> None:
    """Some clients call every finished command a success and give its exit status."""
    ended = replace(sh("make lint"), exit_code=2)
    assert BROKEN == result(LINT, facts(edit("a.py"), ended))


def test_having_run_may_be_enough() -> None:
    """With `succeeded: false` a failing run and a hidden status count."""
    ran = RanAfterLastEdit(command="make lint", succeeded=False)
    assert KEPT == result(ran, facts(edit("a.py"), sh("make lint", ERROR)))
    assert KEPT == result(ran, facts(edit("a.py"), sh("make lint | tail")))
    assert BROKEN == result(ran, facts(edit("a.py"), sh("make lint", UNANSWERED)))


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (facts(sh("make test:slow")), BROKEN),
        (facts(sh("make test:slow", DENIED)), BROKEN),
        (facts(sh("make test")), KEPT),
        (facts(sh("make test:slow"), said="now run test:slow"), IDLE),
        (facts(edit("a.py")), IDLE),
    ],
)
def test_a_command_that_nobody_asked_for(seen: Facts, expected: str) -> None:
    """A refused call was called; the person's own words are a permission."""
    assert expected == result(NeverRan(command="test:slow"), seen)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (facts(look("a.py"), edit("a.py")), KEPT),
        (facts(edit("a.py")), BROKEN),
        (facts(edit("a.py"), look("a.py")), BROKEN),
        (facts(edit("a.py"), before=(look("a.py"),)), KEPT),
        (facts(sh("cat a.py"), edit("a.py")), KEPT),
        (facts(sh("cat a.py", DENIED), edit("a.py")), BROKEN),
        (facts(edit("a.py", removed=())), IDLE),
        (facts(edit("a.py", removed=()), edit("a.py")), KEPT),
        (facts(edit("a.md")), IDLE),
    ],
)
def test_a_file_is_read_before_it_is_changed(seen: Facts, expected: str) -> None:
    """Reading in an earlier episode counts; a new file needs no reading."""
    assert expected == result(ReadBeforeWrite(edited="*.py"), seen)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (facts(edit("src/a.py"), edit("tests/test_a.py")), KEPT),
        (facts(edit("tests/test_a.py"), edit("src/a.py")), KEPT),
        (facts(edit("src/a.py")), BROKEN),
        (facts(edit("src/a.py"), interrupted=True), IDLE),
        (facts(edit("tests/test_a.py")), IDLE),
        (facts(edit("src/a.md")), IDLE),
    ],
)
def test_code_comes_with_a_test(seen: Facts, expected: str) -> None:
    """A test alone is no code."""
    assert expected == result(TestWithCode(code="*.py", tests="test_*.py"), seen)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (facts(edit("a.py"), question=True), BROKEN),
        (facts(look("a.py"), question=True), KEPT),
        (facts(edit("a.py"), question=False), IDLE),
        (facts(edit("a.py")), IDLE),
    ],
)
def test_a_question_is_answered_without_edits(seen: Facts, expected: str) -> None:
    """Where nobody knows whether it was a question, the check does not apply."""
    assert expected == result(NoEditsOnQuestion(), seen)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (facts(edit("a_test.go", "if strings.Contains(x, y) {")), BROKEN),
        (facts(edit("a_test.go", "if x == y {")), KEPT),
        (facts(edit("a.go", "if strings.Contains(x, y) {")), IDLE),
        (facts(edit("a_test.go", "strings.Contains(x)", removed=("strings.Contains(x)",))), KEPT),
        (facts(), IDLE),
    ],
)
def test_added_lines_lack_a_text(seen: Facts, expected: str) -> None:
    """Only below the pattern; a line that was only moved is not added."""
    assert expected == result(AddedLinesLack(text="strings.Contains(", edited="*_test.go"), seen)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (facts(sh("make fmt && git commit -m x")), KEPT),
        (facts(sh("git commit -m x"), sh("make fmt")), BROKEN),
        (facts(sh("git commit -m x"), before=(edit("a.py"), sh("make fmt"))), KEPT),
        (facts(sh("git commit -m x"), before=(sh("make fmt"), edit("a.py"))), BROKEN),
        (facts(sh("make fmt", DENIED), sh("git commit -m x")), BROKEN),
        (facts(sh("make fmt"), before=(sh("git commit -m x"),)), IDLE),
        (facts(edit("a.py")), IDLE),
    ],
)
def test_one_command_before_another(seen: Facts, expected: str) -> None:
    """Since the last edit of the session; both may be on one line."""
    assert expected == result(RanBefore(first="make fmt", then="git commit"), seen)


ALL: tuple[LessonCheck, ...] = (
    LINT,
    RanAfterLastEdit(command="make lint", succeeded=False),
    NeverRan(command="test:slow"),
    ReadBeforeWrite(),
    TestWithCode(code="*.py", tests="test_*.py"),
    NoEditsOnQuestion(),
    AddedLinesLack(text="strings.Contains(", edited="*_test.go"),
    RanBefore(first="make fmt", then="git commit"),
    CommandCheck(command="make lint && make test"),
    RubricCheck(name="tone", question="Is the answer polite?"),
)


def test_every_kind_is_written_and_read_back() -> None:
    """A parameter at its default is left out."""
    assert list(ALL) == [read(written(check)) for check in ALL]
    assert {"kind": "ran-after-last-edit", "command": "make lint", "edited": "*.py"} == written(LINT)
    assert set(KINDS) == {check.kind for check in ALL}
    assert all(check.sentence for check in ALL)


@pytest.mark.parametrize("check", [CommandCheck(command="make"), RubricCheck(name="tone", question="Polite?")])
def test_what_nothing_can_run_is_no_score(check: LessonCheck) -> None:
    """A sentence instead of kept or broken."""
    found = judge(check, facts(edit("a.py")))
    assert isinstance(found, NotJudged)
    assert found.reason.startswith("cannot be judged yet")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("never-ran", "a check is a mapping with a `kind`, found str"),
        ({"kind": "never-run", "command": "x"}, "unknown kind of check 'never-run' (did you mean never-ran?)"),
        ({"command": "x"}, "unknown kind of check None"),
        ({"kind": "never-ran"}, "never-ran: `command` is missing"),
        ({"kind": "never-ran", "command": 3}, "never-ran: `command` wants a text in quotes, found 3"),
        ({"kind": "never-ran", "command": "x", "path": "y"}, "never-ran: unknown parameter 'path'; it takes command"),
        ({"kind": "never-ran", "command": " "}, "never-ran: `command` is empty"),
        ({"kind": "never-ran", "command": "*"}, "never-ran: `command` would be met by every command"),
        ({"kind": "never-ran", "command": "a && b"}, "never-ran: `command` holds '&&'"),
        ({"kind": "never-ran", "command": "a\nb"}, "never-ran: `command` has more than one line"),
        ({"kind": "never-ran", "command": "x" * 500}, "never-ran: `command` has 500 characters"),
        ({"kind": "ran-after-last-edit", "command": "x", "succeeded": "yes"}, "`succeeded` wants true or false"),
        ({"kind": "ran-before", "first": "a b", "then": "a  b"}, "ran-before: `first` and `then` are the same command"),
        ({"kind": "read-before-write", "edited": "/etc/"}, "`edited` must be relative to the project"),
        ({"kind": "test-with-code", "code": "*.py|", "tests": "t"}, "test-with-code: `code` has an empty alternative"),
    ],
)
def test_a_malformed_check_is_one_clear_line(value: object, expected: str) -> None:
    """When it is read, and not a zero at night."""
    with pytest.raises(ValueError) as error:
        read(value)
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (LINT, True),
        (NeverRan(command="make slow"), True),
        (ReadBeforeWrite(), True),
        (AddedLinesLack(text="print("), True),
        (RanBefore(first="make fmt", then="git commit"), True),
        (TestWithCode(code="*.py", tests="test_*"), False),
        (NoEditsOnQuestion(), False),
        (CommandCheck(command="make"), False),
        (RubricCheck(name="plain", question="Is the text plain?"), False),
    ],
)
def test_what_a_transcript_states_is_objective_and_what_is_guessed_is_not(check: LessonCheck, expected: bool) -> None:
    """Commands, exit statuses, paths and lines are stated; what is a test file or a mere question is guessed."""
    assert expected is is_objective(check)
