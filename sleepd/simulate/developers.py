"""What a simulated developer is made of: work that is new every day, and needs that come back.

Each need is planted as real histories show it: a call that fails and works in another form, a linter's rule, a step
asked for after finished work, an objection to what the agent did, a refused command, a written rule that nobody keeps.
Only the simulation and the proof-run import this module.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A repair: a call fails, and the same in another form works. `{test}` and `{name}` are filled in."""

    key: str
    failing: str
    error: str
    working: str
    output: str
    names: str
    """What a lesson about this must name."""
    sessions: int
    """In how many sessions it happens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """A linter stops at the same rule; the agent mends the code."""

    key: str
    command: str
    error: str
    names: str
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowUp:
    """A step that the person asks for after finished work."""

    key: str
    words: tuple[str, ...]
    command: str
    """What the agent runs then; empty: it writes a test."""
    names: str
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Objection:
    """The person objects to what the agent did, never to how an answer is worded."""

    key: str
    words: tuple[str, ...]
    command: str
    """What the agent should have run, and runs now; empty: it edited when it was only asked something."""
    names: str
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """A command that the person never lets pass, every other time without a word."""

    key: str
    command: str
    words: tuple[str, ...]
    names: str
    sessions: int


Need = Mended | Failing | FollowUp | Objection | Refused
"""What comes back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """A line of the project's file that the agent does not keep to."""

    key: str
    file: str
    lines: tuple[str, ...]
    command: str
    names: str
    done: float
    """Share of the work in which the agent runs the command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOff:
    """Something that happens once: an objection, a failed or refused call, or a further request."""

    words: str = ""
    """An objection."""
    command: str = ""
    error: str = ""
    then: str = ""
    """The call that works instead."""
    denied: bool = False
    request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Developer:
    """A person whose work is another every day. `{name}` in a text stands for a part of the project."""

    name: str
    project: str
    file: str
    test: str
    names: tuple[str, ...]
    requests: tuple[str, ...]
    consents: tuple[str, ...]
    """To something that the agent proposed."""
    thanks: tuple[str, ...]
    questions: tuple[str, ...]
    mended: Mended | None = None
    failing: Failing | None = None
    follow_up: FollowUp | None = None
    objection: Objection | None = None
    refused: Refused | None = None
    ignored: Ignored | None = None
    once: tuple[OneOff, ...] = ()
    kept_file: str = ""
    """A file with a rule that the agent keeps."""
    kept_lines: tuple[str, ...] = ()
    kept_command: str = ""

    @property
    def needs(self) -> tuple[Need, ...]:
        """What comes back, without the written rule."""
        planted = (self.mended, self.failing, self.follow_up, self.objection, self.refused)
        return tuple(need for need in planted if need is not None)

    @property
    def instructions(self) -> tuple[str, str]:
        """The name and the text of the project's own file."""
        name, lines = (
            (self.ignored.file, self.ignored.lines) if self.ignored is not None else (self.kept_file, self.kept_lines)
        )
        return name, "\n".join(lines) + "\n"
