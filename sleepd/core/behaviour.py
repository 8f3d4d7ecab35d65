"""Checks of what an agent did: a closed little language over calls, edits and their order.

Each check is a frozen value with a moment at which it applies and a condition. The result is kept, broken or "does not
apply", with the reason; a moment at which nothing can be seen is never counted as broken. Parameters are examined when
the value is made, so a check that exists can be computed.

Two more families have a name and parameters only: nothing runs a command or a judge model yet. Asked for a result, they
say so.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import ClassVar, Final

from sleepd.core.facts import Action, Facts, names_command, path_fits, runs_command

_MOST_CHARACTERS: Final = 400


class Keeping(StrEnum):
    """What a check says of one episode."""

    KEPT = "kept"
    BROKEN = "broken"
    DOES_NOT_APPLY = "does not apply"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A result with its reason, in words that a person can check in the transcript."""

    keeping: Keeping
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotJudged:
    """Nothing can compute the check."""

    reason: str


# The checks -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class RanAfterLastEdit:
    """A command ran with exit status 0 after the last edit, before the agent ended its turn."""

    kind: ClassVar = "ran-after-last-edit"
    command: str
    """Words in a row; `*` in a word is any text."""
    edited: str = "*"
    """Applies where a file of this pattern was edited, and counts from the last such edit."""
    succeeded: bool = True
    """False: having run is enough, whatever the exit status."""

    def __post_init__(self) -> None:
        _command(self.kind, "command", self.command)
        _pattern(self.kind, "edited", self.edited)

    @property
    def sentence(self) -> str:
        what = "" if self.edited == "*" else f" of {self.edited}"
        return f"run `{self.command}` after the last edit{what}" + (", with exit status 0" if self.succeeded else "")

    def judge(self, facts: Facts) -> Judged:
        """Does not apply without such an edit, after an interruption, and where the person refused the command.

        A run whose exit status the shell line hides, as in `make test | tail`, is no proof of either.
        """
        edits = [
            at
            for at, action in enumerate(facts.actions)
            if any(path_fits(edit.path, self.edited) for edit in action.edits)
        ]
        if not edits:
            return _idle("no such file was edited")
        later = [a for a in facts.actions[edits[-1] + 1 :] if _runs(a, self.command)]
        if any(_ran_well(a, self.command) if self.succeeded else a.ran for a in later):
            return _kept(f"ran `{self.command}` after the last edit")
        if any(a.denied for a in later):
            return _idle(f"the person refused `{self.command}`")
        if facts.interrupted:
            return _idle("the person stopped the agent before its end")
        if any(a.succeeded for a in later):
            return _idle(f"the shell line hides the exit status of `{self.command}`")
        if later:
            return _broken(f"`{self.command}` failed after the last edit, or gave no result")
        return _broken(f"`{self.command}` did not run after the last edit")


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverRan:
    """A command is not called unless the person's prompts of the session name it."""

    kind: ClassVar = "never-ran"
    command: str

    def __post_init__(self) -> None:
        _command(self.kind, "command", self.command)

    @property
    def sentence(self) -> str:
        return f"never run `{self.command}` unless asked for it"

    def judge(self, facts: Facts) -> Judged:
        """Applies where the agent gave a line to a shell. A call that the person refused was called."""
        if not any(action.programs for action in facts.actions):
            return _idle("no command ran")
        if names_command(facts.said, self.command.split()):
            return _idle("the person named the command")
        if any(_runs(action, self.command) for action in facts.actions):
            return _broken(f"called `{self.command}` unasked")
        return _kept(f"did not call `{self.command}`")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadBeforeWrite:
    """Each file that is changed was read, or written, earlier in the session."""

    kind: ClassVar = "read-before-write"
    edited: str = "*"

    def __post_init__(self) -> None:
        _pattern(self.kind, "edited", self.edited)

    @property
    def sentence(self) -> str:
        return f"read a file before changing it ({self.edited})"

    def judge(self, facts: Facts) -> Judged:
        """Applies where a call changed a file that was there: an edit that removed lines."""
        seen = {path for action in facts.session_actions[: facts.start] for path in _touched(action)}
        changed = False
        for action in facts.actions:
            for edit in action.edits:
                if edit.removed and path_fits(edit.path, self.edited):
                    changed = True
                    if edit.path not in seen:
                        return _broken(f"changed {edit.path} without reading it")
            seen |= _touched(action)
        return _kept("read every file that it changed") if changed else _idle("no such file was changed")


@dataclass(frozen=True, slots=True, kw_only=True)
class TestWithCode:
    """Where code gets new lines, a test file gets new lines, too."""

    __test__: ClassVar = False
    kind: ClassVar = "test-with-code"
    code: str
    tests: str

    def __post_init__(self) -> None:
        _pattern(self.kind, "code", self.code)
        _pattern(self.kind, "tests", self.tests)

    @property
    def sentence(self) -> str:
        return f"change a test ({self.tests}) together with code ({self.code})"

    def judge(self, facts: Facts) -> Judged:
        """Applies where lines were added to code that is no test, and the agent was not stopped."""
        written = {edit.path for action in facts.actions for edit in action.edits if edit.added}
        tests = {path for path in written if path_fits(path, self.tests)}
        code = sorted(path for path in written - tests if path_fits(path, self.code))
        if not code:
            return _idle("no code got new lines")
        if tests:
            return _kept(f"changed {min(tests)} with {code[0]}")
        if facts.interrupted:
            return _idle("the person stopped the agent before its end")
        return _broken(f"changed {code[0]} and no test")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoEditsOnQuestion:
    """A mere question is answered, and no file is edited."""

    kind: ClassVar = "no-edits-on-a-question"

    @property
    def sentence(self) -> str:
        return "answer a question without editing files"

    def judge(self, facts: Facts) -> Judged:
        """Does not apply where nobody knows whether the person only asked."""
        if not facts.question:
            return _idle(
                "the person did not only ask" if facts.question is False else "unknown whether it was a question"
            )
        edited = [edit.path for action in facts.actions for edit in action.edits]
        return _broken(f"edited {edited[0]} on a question") if edited else _kept("edited nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedLinesLack:
    """Lines added to some files do not hold a text."""

    kind: ClassVar = "added-lines-lack"
    text: str
    """Compared to the letter."""
    edited: str = "*"

    def __post_init__(self) -> None:
        _text(self.kind, "text", self.text)
        _pattern(self.kind, "edited", self.edited)

    @property
    def sentence(self) -> str:
        return f"add no line with `{self.text}`" + ("" if self.edited == "*" else f" to {self.edited}")

    def judge(self, facts: Facts) -> Judged:
        """Applies where such a file got lines. A line that the same edit also removed was only moved."""
        applies = False
        for action in facts.actions:
            for edit in action.edits:
                if edit.added and path_fits(edit.path, self.edited):
                    applies = True
                    if any(self.text in line and line not in edit.removed for line in edit.added):
                        return _broken(f"added `{self.text}` to {edit.path}")
        return _kept(f"added no `{self.text}`") if applies else _idle("no such file got lines")


@dataclass(frozen=True, slots=True, kw_only=True)
class RanBefore:
    """Before one command runs, another has run since the last edit of the session."""

    kind: ClassVar = "ran-before"
    first: str
    then: str

    def __post_init__(self) -> None:
        _command(self.kind, "first", self.first)
        _command(self.kind, "then", self.then)
        if self.first.split() == self.then.split():
            raise ValueError(f"{self.kind}: `first` and `then` are the same command")

    @property
    def sentence(self) -> str:
        return f"run `{self.first}` before `{self.then}`"

    def judge(self, facts: Facts) -> Judged:
        """Applies where `then` was called. The two may be on one shell line, in this order."""
        called = ready = False
        for at, action in enumerate(facts.session_actions[: facts.stop]):
            ready = ready and not action.edits
            for program in action.programs:
                if runs_command(program, self.first.split()) and action.ran:
                    ready = True
                elif at >= facts.start and runs_command(program, self.then.split()):
                    called = True
                    if not ready:
                        return _broken(f"`{self.then}` without `{self.first}` since the last edit")
        return _kept(f"ran `{self.first}` first") if called else _idle(f"`{self.then}` did not run")


_OBJECTIVE: Final = (RanAfterLastEdit, NeverRan, ReadBeforeWrite, AddedLinesLack, RanBefore)
BehaviourCheck = (
    RanAfterLastEdit | NeverRan | ReadBeforeWrite | TestWithCode | NoEditsOnQuestion | AddedLinesLack | RanBefore
)
"""A condition on calls, edits and their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandCheck:
    """A command ends with exit status 0 in a worktree of the result."""

    kind: ClassVar = "command"
    command: str

    def __post_init__(self) -> None:
        _text(self.kind, "command", self.command)

    @property
    def sentence(self) -> str:
        return f"`{self.command}` ends with exit status 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricCheck:
    """A judge model answers a question about the result with yes."""

    kind: ClassVar = "rubric"
    name: str
    question: str

    def __post_init__(self) -> None:
        _text(self.kind, "name", self.name)
        _text(self.kind, "question", self.question)

    @property
    def sentence(self) -> str:
        return f"{self.name}: {self.question}"


LessonCheck = BehaviourCheck | CommandCheck | RubricCheck
"""A check that a lesson may have, of any family."""

_KINDS: Final[dict[str, type[LessonCheck]]] = {
    one.kind: one
    for one in (
        RanAfterLastEdit,
        NeverRan,
        ReadBeforeWrite,
        TestWithCode,
        NoEditsOnQuestion,
        AddedLinesLack,
        RanBefore,
        CommandCheck,
        RubricCheck,
    )
}
KINDS: Final = tuple(_KINDS)
"""The names of the kinds, as a file writes them."""


def is_objective(check: LessonCheck) -> bool:
    """Whether two readers of a transcript always agree on the check: it reads commands, exit statuses, paths and lines.

    Which file is a test, and which turn is a mere question, are guesses by names and signs: such checks have to show
    that they agree with the person.
    """
    return isinstance(check, _OBJECTIVE)


def judge(check: LessonCheck, facts: Facts) -> Judged | NotJudged:
    """What a check says of an episode or a rollout."""
    match check:
        case CommandCheck():
            return NotJudged(reason="cannot be judged yet: nothing runs commands in a worktree of the result")
        case RubricCheck():
            return NotJudged(reason="cannot be judged yet: no judge model has been shown to agree with you")
        case _:
            return check.judge(facts)


def judged_by_text(check: LessonCheck) -> NotJudged:
    """Why a replay that only asks for an answer in words says nothing of a check: neither kept nor broken."""
    if isinstance(check, CommandCheck):
        return NotJudged(reason="observed: needs a replay that works in a worktree")
    if isinstance(check, RubricCheck):
        return NotJudged(reason="observed: needs a judge model that was shown to agree with you")
    return NotJudged(reason="observed: needs a replay that makes calls")


# In writing -----------------------------------------------------------------------------------------------------------


def written(check: LessonCheck) -> dict[str, str | bool]:
    """The check as a mapping for JSON and YAML: `kind`, then the parameters that differ from their defaults."""
    parameters = {field.name: getattr(check, field.name) for field in fields(check)}
    defaults = {field.name: field.default for field in fields(check)}
    return {"kind": check.kind, **{name: value for name, value in parameters.items() if value != defaults[name]}}


def read(value: object) -> LessonCheck:
    """The check that a mapping stands for. Raises ValueError: one line with what is wrong and what is wanted."""
    if not isinstance(value, Mapping):
        raise ValueError(f"a check is a mapping with a `kind`, found {type(value).__name__}")
    kind = value.get("kind")
    if not isinstance(kind, str) or kind not in _KINDS:
        close = difflib.get_close_matches(str(kind), KINDS, n=1)
        meant = f" (did you mean {close[0]}?)" if close else ""
        raise ValueError(f"unknown kind of check {kind!r}{meant}; known: {', '.join(KINDS)}")
    made = _KINDS[kind]
    known = {field.name: field for field in fields(made)}
    for name, given in value.items():
        if name == "kind":
            continue
        if name not in known:
            takes = ", ".join(known) or "no parameter"
            raise ValueError(f"{kind}: unknown parameter {name!r}; it takes {takes}")
        wanted = bool if known[name].type == "bool" else str
        if not isinstance(given, wanted):
            raise ValueError(f"{kind}: `{name}` wants {_TYPES[wanted]}, found {given!r}")
    missing = [name for name, field in known.items() if name not in value and not isinstance(field.default, str | bool)]
    if missing:
        raise ValueError(f"{kind}: `{missing[0]}` is missing")
    return made(**{str(name): given for name, given in value.items() if name != "kind"})


_TYPES: Final = {bool: "true or false", str: "a text in quotes"}


# Parts ----------------------------------------------------------------------------------------------------------------


def _runs(action: Action, command: str) -> bool:
    return any(runs_command(program, command.split()) for program in action.programs)


def _ran_well(action: Action, command: str) -> bool:
    """The call succeeded, and its status is that of the command."""
    return action.succeeded and any(
        runs_command(program, command.split()) and not program.masked for program in action.programs
    )


def _touched(action: Action) -> set[str]:
    """Files that a call read or wrote; the words of a shell line count as read files."""
    if action.denied:
        return set()
    return {*action.paths, *(word for program in action.programs for word in program.words[1:])}


def _kept(reason: str) -> Judged:
    return Judged(keeping=Keeping.KEPT, reason=reason)


def _broken(reason: str) -> Judged:
    return Judged(keeping=Keeping.BROKEN, reason=reason)


def _idle(reason: str) -> Judged:
    return Judged(keeping=Keeping.DOES_NOT_APPLY, reason=reason)


def _text(kind: str, name: str, value: str) -> None:
    if not value.strip():
        raise ValueError(f"{kind}: `{name}` is empty")
    if len(value) > _MOST_CHARACTERS:
        raise ValueError(f"{kind}: `{name}` has {len(value)} characters, at most {_MOST_CHARACTERS} are read")
    if "\n" in value:
        raise ValueError(f"{kind}: `{name}` has more than one line")


def _command(kind: str, name: str, value: str) -> None:
    _text(kind, name, value)
    signs = next((sign for sign in ("&&", "||", ";", "|", ">", "<", "`", "$(") if sign in value), None)
    if signs is not None:
        raise ValueError(f"{kind}: `{name}` holds {signs!r}; give the words of one command, such as `npm run lint`")
    if not any(word.strip("*") for word in value.split()):
        raise ValueError(f"{kind}: `{name}` would be met by every command")


def _pattern(kind: str, name: str, value: str) -> None:
    _text(kind, name, value)
    if any(not one.strip() for one in value.split("|")):
        raise ValueError(f"{kind}: `{name}` has an empty alternative")
    if value.startswith(("/", "~")) or ".." in value.split("/"):
        raise ValueError(f"{kind}: `{name}` must be relative to the project, found {value!r}")
