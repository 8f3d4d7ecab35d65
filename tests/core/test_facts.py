"""What an episode shows: programs of shell lines, prompts so far, patterns of paths."""

from __future__ import annotations

import pytest

from harvesters.records import Origin, Role, ToolCall, ToolStatus, Turn
from sleepd.core import facts
from sleepd.core.episode import episodes
from sleepd.core.facts import Program, names_command, path_fits, programs_of, runs_command
from sleepd.core.model import SessionId
from sleepd.core.segment import Transcript


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("make test", [("make test", False)]),
        ("cd app && CI=1 sudo make test > out.txt 2>&1", [("cd app", False), ("make test", False)]),
        ("make test 2>/dev/null | tail -5", [("make test", True), ("tail -5", False)]),
        ("make test || true", [("make test", True), ("true", False)]),
        ("make lint; make test", [("make lint", True), ("make test", False)]),
        ("make lint\nmake test\n", [("make lint", True), ("make test", False)]),
        ("make lint # then make test\nls", [("make lint", True), ("ls", False)]),
        ("bash -lc 'make test | tail'", [("make test", True), ("tail", False)]),
        ("(cd app && make)", [("cd app", False), ("make", False)]),
        ("if make; then echo ok; fi", [("make", True), ("echo ok", True), ("fi", False)]),
        ("git commit -m 'run make test'", [("git commit -m run make test", False)]),
        ("cat > notes <<'END'\nmake test\nEND\nls", [("cat", True), ("ls", False)]),
        ("echo 'an open quote && make", [("echo 'an open quote", False), ("make", False)]),
        ("npm test &> out.txt", [("npm test", False)]),
        ("sudo bash -c 'make test'", [("make test", False)]),
        ("git add \\\n a.py b.py", [("git add a.py b.py", False)]),
        ("cat $(go env ROOT)/x | head", [("cat $(go env ROOT)/x", True), ("head", False)]),
        ("make lint && make test; ls", [("make lint", True), ("make test", True), ("ls", False)]),
        ("set -o pipefail; make test | tail", [("set -o pipefail", True), ("make test", False), ("tail", False)]),
        ("", []),
    ],
)
def test_a_shell_line_is_the_programs_it_starts(line: str, expected: list[tuple[str, bool]]) -> None:
    """Each with whether the line hides its exit status; quoted text and here-documents start nothing."""
    assert expected == [(" ".join(program.words), program.masked) for program in programs_of(line)]


def test_a_text_in_quotes_is_one_word() -> None:
    """A commit message that names a command runs nothing."""
    (program,) = programs_of('git commit -m "run make test"')
    assert not runs_command(program, ["make", "test"])
    assert runs_command(program, ["git", "commit"])


@pytest.mark.parametrize(
    ("ran", "command", "expected"),
    [
        ("mise run lint --fix", "mise run lint", True),
        ("mise run lint:fix", "mise run lint", False),
        ("mise run lint:fix", "mise run lint*", True),
        ("mise run test:ci", "test:ci", True),
        ("grep test:ci Makefile", "test:ci", False),
        ("grep -r TODO", "grep", True),
        ("make", "make test", False),
        ("go test ./[a]", "go test ./[a]", True),
    ],
)
def test_a_command_is_words_in_a_row(ran: str, command: str, expected: bool) -> None:
    """With `*` for any text; programs that search or print name a command without running it."""
    assert expected == runs_command(Program(words=tuple(ran.split()), masked=False), command.split())


@pytest.mark.parametrize(
    ("text", "command", "expected"),
    [
        ("Please PUSH.", "git push", True),
        ("push it", "git push --force", False),
        ("force it", "git push --force", True),
        ("run `test:ci` now", "mise run test:ci", True),
        ("the tests", "make test", False),
        ("", "make test", False),
    ],
)
def test_words_name_a_command_by_its_last_word(text: str, command: str, expected: bool) -> None:
    """In any letter case, and without the signs around it."""
    assert expected == names_command([text], command.split())


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("cmd/main.go", "*.go", True),
        ("cmd/main.gotpl", "*.go", False),
        ("src/a/b.py", "src/", True),
        ("/home/me/app/src/b.py", "src/", True),
        ("mysrc/b.py", "src/", False),
        ("src/a/b.py", "src/*.py", True),
        ("lib/a.py", "src/*.py", False),
        ("a_test.go", "*.py|*_test.go", True),
        ("src\\a.py", "src/*.py", True),
        ("anything", "*", True),
    ],
)
def test_a_pattern_is_a_name_a_folder_or_a_whole_path(path: str, pattern: str, expected: bool) -> None:
    """Alternatives are separated by `|`."""
    assert expected == path_fits(path, pattern)


def said(text: str, number: int, origin: Origin = Origin.PROMPT) -> Turn:
    return Turn(id=f"u{number}", position=number, role=Role.USER, origin=origin, text=text)


def called(number: int, *calls: ToolCall) -> Turn:
    return Turn(
        id=f"a{number}", position=number, role=Role.ASSISTANT, origin=Origin.REPLY, text="done", tool_calls=calls
    )


def test_episodes_of_a_session_share_its_actions() -> None:
    """Each has its own actions, those before it, and the prompts so far; a denial's words and a plan are no prompts."""
    ran = ToolCall(id="c1", name="Bash", input='{"command": "make lint"}', status=ToolStatus.OK)
    refused = ToolCall(
        id="c2", name="Bash", input='{"command": "make slow"}', status=ToolStatus.DENIED, feedback="not make slow"
    )
    edited = ToolCall(
        id="c3",
        name="Write",
        input='{"file_path": "/app/a.py", "content": "x = 1"}',
        status=ToolStatus.OK,
    )
    turns = (
        said("first", 1), called(1, ran, refused), called(2, edited), said("a plan", 2, Origin.PLAN), said("third", 3),
    )  # fmt: skip
    transcript = Transcript(id=SessionId("s"), agent="claude-code", project="/app", turns=turns)
    one, denial, plan, last = facts.of_session(episodes(transcript), [None, None, False, True])
    assert ["make", "make"] == [action.programs[0].words[0] for action in one.actions]
    assert [("a.py", ("x = 1",))] == [(edit.path, edit.added) for action in denial.actions for edit in action.edits]
    assert () == plan.actions == last.actions
    assert one.session_actions is last.session_actions
    assert [("first",), ("first",), ("first",), ("first", "third")] == [one.said, denial.said, plan.said, last.said]
    assert [None, None, False, True] == [one.question, denial.question, plan.question, last.question]
