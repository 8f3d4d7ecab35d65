"""What is kept of a Claude Code transcript beside its words: edits, durations, hooks, errors, modes, links."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from harvesters.records import Answered, EventKind, FileAction, FileChange, RecordCount, Session, SessionEvent, ToolCall
from tests.harvesters.talk import Talk, call

ToSession = Callable[..., Session]
HUNK = {"oldStart": 4, "oldLines": 2, "newStart": 4, "newLines": 2, "lines": [" a", "-b", "+c"]}
PATCH = "@@ -4,2 +4,2 @@\n a\n-b\n+c"


def only_call(session: Session) -> ToolCall:
    return next(one for turn in session.turns for one in turn.tool_calls)


def answered(result: Any, *, name: str = "Edit") -> Talk:
    """One call with its structured result."""
    talk = Talk()
    talk.prompt("Go.")
    talk.reply("m1", call("t1", name))
    talk.result("t1", "done", toolUseResult=result)
    return talk


def test_an_edit_is_kept_with_its_patch(session: ToSession) -> None:
    """The hunks of the client's own patch, as a unified diff without the file's header."""
    result = {"filePath": "/home/dev/shop/a.py", "structuredPatch": [HUNK], "originalFile": "a\nb\n"}
    change = FileChange(path="/home/dev/shop/a.py", action=FileAction.UPDATE, patch=PATCH)
    assert (change,) == only_call(session(answered(result))).changes


def test_a_new_file_is_a_change_without_a_patch(session: ToSession) -> None:
    """Its text stands in the call's input."""
    result = {"type": "create", "filePath": "/home/dev/shop/b.py", "content": "x", "structuredPatch": []}
    change = FileChange(path="/home/dev/shop/b.py", action=FileAction.CREATE)
    assert (change,) == only_call(session(answered(result, name="Write"))).changes


def test_a_patch_is_no_longer_than_the_clip(session: ToSession) -> None:
    """A long patch is cut like every other text."""
    result = {"filePath": "/a.py", "structuredPatch": [HUNK | {"lines": ["+" + "x" * 50] * 9}]}
    change = only_call(session(answered(result), clip=100)).changes[0]
    assert (100, "@@ -4,2 +4,2 @@\n+xxx") == (len(change.patch or ""), (change.patch or "")[:20])


def test_a_result_of_an_unexpected_shape_keeps_what_can_be_read(session: ToSession) -> None:
    """A field of another type is left out, the others are kept."""
    result = {"filePath": "/a.py", "structuredPatch": [HUNK], "durationMs": "long", "userModified": True}
    found = only_call(session(answered(result)))
    assert ("user-modified", "/a.py") == (found.feedback, found.changes[0].path)


@pytest.mark.parametrize(
    ("result", "expected"),
    [({"totalDurationMs": 4200}, 4200), ({"durationMs": 12.7}, 12), ({"durationSeconds": 1.5}, 1500), ("text", 1000)],
)
def test_a_call_says_how_long_it_took(session: ToSession, result: Any, expected: int) -> None:
    """As the tool states it, else the time between the call's line and that of its result."""
    assert expected == only_call(session(answered(result, name="WebFetch"))).duration_ms


def test_an_answered_question_is_kept_with_the_question(session: ToSession) -> None:
    """One answer for each question; several choices are joined."""
    result = {"questions": [], "answers": {"Which?": "the first", "Which more?": ["a", "b"], "None?": None}}
    expected = (Answered(question="Which?", answer="the first"), Answered(question="Which more?", answer="a, b"))
    assert expected == only_call(session(answered(result, name="AskUserQuestion"))).answers


def test_a_call_names_the_sub_agent_it_started(session: ToSession) -> None:
    """With the tokens that the sub-agent used, as the caller's transcript states them."""
    found = only_call(session(answered({"agentId": "a1b2", "totalTokens": 900, "totalDurationMs": 7}, name="Task")))
    assert ("a1b2", 900, 7) == (found.subagent, found.subagent_tokens, found.duration_ms)


def test_a_sub_agent_still_at_work_is_linked_too(session: ToSession) -> None:
    """Its progress names it before the call has a result."""
    talk = Talk()
    talk.prompt("Go.")
    talk.reply("m1", call("t1", "Agent"))
    talk.line("progress", parentToolUseID="t1", data={"type": "agent_progress", "agentId": "a1b2"})
    assert "a1b2" == only_call(session(talk)).subagent


def test_turns_and_results_carry_the_ids_of_their_lines(session: ToSession) -> None:
    """A label keyed by a line's uuid finds its turn or its call."""
    talk = Talk()
    asked = talk.prompt("Go.")
    line = talk.reply("m1", "Doing.", call("t1", "Bash"))
    result = talk.result("t1", "ok")
    found = session(talk)
    assert ([asked, line], result) == ([turn.source_id for turn in found.turns], only_call(found).result_id)


EVENTS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "compaction": (
        {"subtype": "compact_boundary", "compactMetadata": {"trigger": "auto", "preTokens": 155_103}},
        {"kind": EventKind.COMPACTION, "name": "auto", "tokens": 155_103},
    ),
    "end of a turn": (
        {"subtype": "turn_duration", "durationMs": 549_737},
        {"kind": EventKind.TURN_ENDED, "duration_ms": 549_737},
    ),
    "error of the API": (
        {"subtype": "api_error", "error": {"message": "overloaded", "status": 529}, "retryAttempt": 1},
        {"kind": EventKind.API_ERROR, "name": "529", "text": "overloaded", "failed": True},
    ),
    "stop hooks": (
        {
            "subtype": "stop_hook_summary",
            "hookInfos": [{"command": "make lint"}],
            "hookErrors": ["lint failed"],
            "preventedContinuation": True,
            "stopReason": "fix it",
        },
        {"kind": EventKind.HOOK, "name": "Stop", "text": "make lint\nlint failed\nfix it", "failed": True},
    ),
}


@pytest.mark.parametrize("case", EVENTS)
def test_what_happens_between_the_messages_is_kept(session: ToSession, case: str) -> None:
    """Each such line of the client is an event at its place."""
    line, expected = EVENTS[case]
    talk = Talk()
    talk.prompt("Go.")
    talk.line("system", **line)
    event = session(talk).events[0]
    assert SessionEvent(position=event.position, at=event.at, **expected) == event
    assert (len(talk.lines[0]), 1) == (event.position, event.at.second if event.at else None)


def test_the_result_of_a_hook_is_an_event(session: ToSession) -> None:
    """With the output, the status and how long it took."""
    hook = {
        "type": "hook_non_blocking_error",
        "hookName": "PostToolUse:Edit",
        "stderr": "no such file",
        "exitCode": 1,
        "durationMs": 80,
    }
    talk = Talk()
    talk.prompt("Go.")
    talk.line("attachment", attachment=hook)
    event = session(talk).events[0]
    assert ("PostToolUse:Edit", "no such file", True, 1, 80) == (
        event.name,
        event.text,
        event.failed,
        event.exit_code,
        event.duration_ms,
    )


def test_a_change_of_the_permission_mode_is_one_event(session: ToSession) -> None:
    """The mode that holds already is not told again."""
    talk = Talk()
    for mode in ("plan", "plan", "acceptEdits"):
        talk.prompt("Go.", permissionMode=mode)
    talk.raw({"type": "permission-mode", "permissionMode": "default"})
    assert ["plan", "acceptEdits", "default"] == [event.name for event in session(talk).events]


def test_a_pull_request_is_an_event(session: ToSession) -> None:
    """With its number and address."""
    talk = Talk()
    talk.prompt("Go.")
    talk.raw({"type": "pr-link", "prNumber": 7, "prUrl": "https://example.org/shop/pull/7"})
    assert [(EventKind.PULL_REQUEST, "#7", "https://example.org/shop/pull/7")] == [
        (event.kind, event.name, event.text) for event in session(talk).events
    ]


def test_lines_that_the_harvester_does_not_know_are_counted_by_version(read: Callable[..., Any]) -> None:
    """A renamed type, a new kind of system line, a message without content, a new block: each by its name."""
    talk = Talk(version="9.0.1")
    talk.prompt("Go.")
    talk.line("answer", message={"role": "assistant"})
    talk.line("system", subtype="weather")
    talk.line("assistant", message={"role": "assistant", "body": "x"})
    talk.line("assistant", message={"role": "assistant", "content": [{"type": "song"}]})
    talk.line("attachment", attachment={"type": "smell"})
    counts = read(talk).records
    unknown = [
        "answer",
        "assistant with a song block",
        "assistant without content",
        "attachment/smell",
        "system/weather",
    ]
    assert [RecordCount(version="9.0.1", unknown=name, count=1) for name in unknown] == [c for c in counts if c.unknown]
    assert (4,) == tuple(c.count for c in counts if c.unknown is None)
