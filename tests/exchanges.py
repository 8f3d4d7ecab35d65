"""Episodes made by hand: what a person said and what the agent then called."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from harvesters.records import ToolStatus
from sleepd.core.episode import Call, Episode, FileEdit, Source
from sleepd.core.model import SessionId

_START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def shell(line: str, output: str = "done", *, code: int = 0, tool: str = "Bash") -> Call:
    """A line given to a shell; it failed when `code` is not 0."""
    return Call(
        turn="reply",
        id="call",
        tool=tool,
        command=line,
        input=line,
        output=output,
        status=ToolStatus.ERROR if code else ToolStatus.OK,
        exit_code=code or None,
        denial=None,
        edits=(),
        paths=(),
        duration_ms=30_000,
    )


def edit(path: str, *, added: int = 5, removed: int = 1) -> Call:
    """A file was changed."""
    change = FileEdit(path=path, added=("new",) * added, removed=("old",) * removed)
    return Call(
        turn="reply",
        id="call",
        tool="Edit",
        command=None,
        input="{}",
        output="",
        status=ToolStatus.OK,
        exit_code=None,
        denial=None,
        edits=(change,),
        paths=(path,),
        duration_ms=None,
    )


def refused(line: str | None = None, *, tool: str = "Bash", words: str | None = None, given: str = "{}") -> Call:
    """A call that the person did not let pass."""
    return Call(
        turn="reply",
        id="call",
        tool=tool,
        command=line,
        input=given,
        output="",
        status=ToolStatus.DENIED,
        exit_code=None,
        denial=words,
        edits=(),
        paths=(),
        duration_ms=None,
    )


def exchange(
    text: str,
    *calls: Call,
    session: int = 0,
    number: int = 0,
    source: Source = Source.PROMPT,
    interrupted: bool = False,
    answer: str = "Done.",
) -> Episode:
    """What was said and what was called after it. Sessions are a day apart."""
    return Episode(
        session=SessionId(f"session-{session}"),
        agent="an-agent",
        project="/home/someone/project",
        number=number,
        turn=f"turn-{session}-{number}",
        at=_START + timedelta(days=session, minutes=10 * number),
        source=source,
        text=text,
        denied=None,
        calls=calls,
        opening="",
        answer=answer,
        interrupted=interrupted,
        abandoned=False,
        skill=None,
        minutes=2.0,
    )


def in_sessions(count: int, *calls: Call) -> Sequence[Episode]:
    """The same exchange in so many sessions."""
    return [exchange("please", *calls, session=session) for session in range(count)]
