"""What is kept of Codex's and Copilot's transcripts beside their words: edits, durations, errors, modes, links."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harvesters.codex import Codex
from harvesters.copilot_cli import CopilotCLI
from harvesters.records import Answered, EventKind, FileAction, FileChange, Reading, Session, SessionKind, ToolCall
from tests.harvesters import test_codex, test_copilot_cli

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-b\n+c\n*** Add File: b.py\n+x\n*** End Patch"
DIFF = "\ndiff --git a/a.py b/a.py\nindex 0..0 100644\n--- a/a.py\n+++ b/a.py\n@@ -1,1 +1,1 @@\n-b\n+c\n"
NO_WAY_TO_ASK = "You are a coding agent."


def codex(pen: test_codex.Pen, folder: Path) -> Session:
    found = Codex().read(pen.save(folder)).session
    assert found is not None
    return found


def copilot(pen: test_copilot_cli.Pen, folder: Path) -> Session:
    found = CopilotCLI().read(pen.save(folder)).session
    assert found is not None
    return found


def only_call(session: Session) -> ToolCall:
    return next(call for turn in session.turns for call in turn.tool_calls)


def happened(session: Session) -> list[tuple[EventKind, str | None, str | None, int | None]]:
    return [(event.kind, event.name, event.text, event.duration_ms) for event in session.events]


def test_a_codex_patch_is_kept_by_file(tmp_path: Path) -> None:
    """Each file of an `apply_patch` text with its own hunks."""
    pen = test_codex.Pen().meta().user("x")
    pen.line("response_item", type="custom_tool_call", name="apply_patch", input=PATCH, call_id="c1")
    update = FileChange(path="a.py", action=FileAction.UPDATE, patch="@@\n-b\n+c")
    create = FileChange(path="b.py", action=FileAction.CREATE, patch="+x")
    assert (update, create) == only_call(codex(pen, tmp_path)).changes


@pytest.mark.parametrize(
    "told",
    [
        {"/p/a.py": {"type": "update", "unified_diff": "@@ -1,1 +1,1 @@\n-b\n+c\n", "move_path": None}},
        {"/p/a.py": {"update": {"unified_diff": "@@ -1,1 +1,1 @@\n-b\n+c\n"}}},
    ],
    ids=["tagged", "nested"],
)
def test_what_codex_says_of_an_applied_patch_overrules_the_request(tmp_path: Path, told: dict[str, Any]) -> None:
    """The end of the call holds the diff with line numbers."""
    pen = test_codex.Pen().meta().user("x")
    pen.line("response_item", type="custom_tool_call", name="apply_patch", input=PATCH, call_id="c1")
    pen.event("patch_apply_end", call_id="c1", success=True, changes=told)
    change = FileChange(path="/p/a.py", action=FileAction.UPDATE, patch="@@ -1,1 +1,1 @@\n-b\n+c")
    assert (change,) == only_call(codex(pen, tmp_path)).changes


def test_codex_keeps_durations_modes_errors_and_the_commit(tmp_path: Path) -> None:
    """Seconds become milliseconds; only a changed mode is told."""
    pen = test_codex.Pen().meta(git={"commit_hash": "ad27", "branch": "main"})
    for _ in range(2):
        pen.line("turn_context", approval_policy="on-request", sandbox_policy={"type": "workspace-write"})
    pen.user("x").call("c1").output("c1", "Exit code: 0\nWall time: 0.5 seconds\nOutput:\nWall time: 9 seconds")
    pen.event("error", message="too many requests", codex_error_info="rate_limit")
    pen.line("compacted", message="", replacement_history=[])
    pen.event("task_complete", turn_id="t1", duration_ms=4000)
    session = codex(pen, tmp_path)
    assert ("ad27", 500) == (session.commit, only_call(session).duration_ms)
    assert [
        (EventKind.PERMISSION_MODE, "on-request, workspace-write", None, None),
        (EventKind.API_ERROR, "rate_limit", "too many requests", None),
        (EventKind.COMPACTION, None, None, None),
        (EventKind.TURN_ENDED, None, None, 4000),
    ] == happened(session)


def test_codex_links_a_sub_agent_to_the_call_that_started_it(tmp_path: Path) -> None:
    """By the thread that the end of the call names."""
    pen = test_codex.Pen().meta().user("x").call("c1")
    pen.event("collab_agent_spawn_end", call_id="c1", new_thread_id="01a2-child")
    assert "01a2-child" == only_call(codex(pen, tmp_path)).subagent


def test_codex_keeps_the_answers_to_its_questions(tmp_path: Path) -> None:
    """With the question as the agent worded it."""
    asked = json.dumps({"questions": [{"id": "q1", "question": "Which name?"}]})
    answers = json.dumps({"answers": {"q1": {"answers": ["shop"]}}})
    pen = test_codex.Pen().meta().user("x")
    pen.line("response_item", type="function_call", name="request_user_input", arguments=asked, call_id="c1")
    pen.output("c1", answers)
    assert (Answered(question="Which name?", answer="shop"),) == only_call(codex(pen, tmp_path)).answers


def test_what_codex_renames_is_counted(tmp_path: Path) -> None:
    """By the version and the place of the new name."""
    pen = test_codex.Pen().meta().user("x").event("agent_says", message="y")
    pen.line("response_thing", type="message")
    found = [(c.version, c.unknown, c.count) for c in Codex().read(pen.save(tmp_path)).records if c.unknown]
    assert [("0.150.0", "event_msg/agent_says", 1), ("0.150.0", "response_thing", 1)] == found


def test_a_copilot_edit_is_kept_with_its_diff(tmp_path: Path) -> None:
    """Without the lines that name the file."""
    pen = test_copilot_cli.Pen().start().user("x").reply("", "c1")
    pen.done("c1", result={"content": "updated", "detailedContent": DIFF}, toolTelemetry={"metrics": {"durationMs": 7}})
    change = FileChange(path="a.py", action=FileAction.UPDATE, patch="@@ -1,1 +1,1 @@\n-b\n+c")
    found = only_call(copilot(pen, tmp_path))
    assert ((change,), 7) == (found.changes, found.duration_ms)


def test_copilot_keeps_hooks_errors_compactions_modes_and_the_commit(tmp_path: Path) -> None:
    """And what a sub-agent used, at the call that started it."""
    pen = test_copilot_cli.Pen()
    pen.event("session.start", sessionId="s", context={"cwd": "/p", "headCommit": "e189"})
    pen.user("x", agentMode="plan").reply("", "c1")
    pen.event("subagent.completed", toolCallId="c1", totalTokens=900, durationMs=80)
    pen.event("hook.end", hookType="preToolUse", success=False, output="no")
    pen.event("session.error", errorType="quota", message="used up")
    pen.event("session.compaction_complete", success=True, preCompactionTokens=112, summaryContent="All so far.")
    session = copilot(pen, tmp_path)
    call = only_call(session)
    assert ("e189", 900, 80) == (session.commit, call.subagent_tokens, call.duration_ms)
    assert [
        (EventKind.PERMISSION_MODE, "plan", None, None),
        (EventKind.HOOK, "preToolUse", "no", None),
        (EventKind.API_ERROR, "quota", "used up", None),
        (EventKind.COMPACTION, None, "All so far.", None),
    ] == happened(session)


def ended(prompt: str, reason: str) -> test_copilot_cli.Pen:
    pen = test_copilot_cli.Pen().start().event("system.message", content=prompt).user("x").reply("y")
    return pen.event("hook.start", hookType="sessionEnd", input={"reason": reason})


@pytest.mark.parametrize(
    ("prompt", "reason", "kind"),
    [
        (NO_WAY_TO_ASK, "complete", SessionKind.HEADLESS),
        (f"{NO_WAY_TO_ASK} Use ask_user when in doubt.", "complete", SessionKind.INTERACTIVE),
        (NO_WAY_TO_ASK, "user_exit", SessionKind.INTERACTIVE),
    ],
)
def test_a_script_that_drives_copilot_is_told_by_two_signs(
    tmp_path: Path, prompt: str, reason: str, kind: SessionKind
) -> None:
    """The session ends as complete, and its agent could ask nobody."""
    assert kind is copilot(ended(prompt, reason), tmp_path).kind


def test_a_script_known_by_its_end_only_is_read_whole_again(tmp_path: Path) -> None:
    """An earlier reading took the session for a person's: what was stored is replaced."""
    pen = ended(NO_WAY_TO_ASK, "complete")
    lines = pen.lines()
    path = pen.save(tmp_path)
    path.write_bytes(b"".join(lines[:-1]))
    first = CopilotCLI().read(path)
    path.write_bytes(b"".join(lines))
    second = CopilotCLI().read(path, first.cursor)
    assert [SessionKind.INTERACTIVE, SessionKind.HEADLESS] == [_kind(first), _kind(second)]
    assert second.whole


def _kind(reading: Reading) -> SessionKind | None:
    return reading.session.kind if reading.session is not None else None
