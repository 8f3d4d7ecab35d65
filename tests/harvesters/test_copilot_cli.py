"""Copilot CLI: event logs, whole and as they grow, and the oldest form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harvesters.copilot_cli import CopilotCLI, workspace_of
from harvesters.records import Origin, Reading, Session, SessionKind, SkillTrigger, Tokens, ToolCall, ToolStatus
from tests.harvesters.adding_up import added_up
from tests.harvesters.strange import strange_objects

ID = "7d3e5a10-0000-4000-8000-000000000001"


class Pen:
    """Writes events, one second apart."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def event(self, kind: str, envelope: dict[str, Any] | None = None, **data: Any) -> Pen:
        number = len(self.events)
        stamp = f"2026-06-01T09:{number // 60:02}:{number % 60:02}.000Z"
        line = {"type": kind, "data": data, "id": f"e-{number}", "timestamp": stamp, "parentId": None}
        self.events.append({**line, **(envelope or {})})
        return self

    def start(self, **more: Any) -> Pen:
        context = {"cwd": "/home/u/proj", "branch": "main"}
        return self.event("session.start", sessionId=ID, copilotVersion="1.0.90", context=context, **more)

    def user(self, words: str, **more: Any) -> Pen:
        return self.event("user.message", content=words, transformedContent=f"<now/>\n{words}", **more)

    def reply(self, words: str, *calls: str, **more: Any) -> Pen:
        requests = [{"toolCallId": call, "name": "bash", "arguments": {"command": f"run {call}"}} for call in calls]
        message = {"messageId": f"m-{len(self.events)}", "content": words, "toolRequests": requests, **more}
        return self.event("assistant.message", **message)

    def done(self, call: str, **more: Any) -> Pen:
        return self.event("tool.execution_complete", **{"toolCallId": call, "success": True, **more})

    def shutdown(self, taken: int, given: int, read: int = 0, written: int = 0) -> Pen:
        usage = {"inputTokens": taken, "outputTokens": given, "cacheReadTokens": read, "cacheWriteTokens": written}
        return self.event("session.shutdown", modelMetrics={"m1": {"usage": usage}})

    def lines(self) -> list[bytes]:
        return [json.dumps(event).encode() + b"\n" for event in self.events]

    def save(self, folder: Path) -> Path:
        path = folder / ID / "events.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(self.lines()))
        return path


def session_of(path: Path) -> Session:
    session = CopilotCLI().read(path).session
    assert session is not None
    return session


def told(session: Session) -> list[tuple[Origin, str]]:
    return [(turn.origin, turn.text) for turn in session.turns]


def calls(session: Session) -> dict[str, ToolCall]:
    return {call.id: call for turn in session.turns for call in turn.tool_calls}


# -- words -----------------------------------------------------------------------------------------------------------


def test_prompts_are_what_was_typed_and_not_what_was_made_of_it(tmp_path: Path) -> None:
    """The text sent to the model repeats the prompt with reminders around it; it is no second prompt."""
    session = session_of(Pen().start().user("hi").reply("hello").save(tmp_path))
    assert [(Origin.PROMPT, "hi"), (Origin.REPLY, "hello")] == told(session)
    assert (ID, "/home/u/proj", "main", "1.0.90") == (session.id, session.cwd, session.branch, session.version)


@pytest.mark.parametrize(
    ("words", "more", "expected"),
    [
        ("body", {"source": "skill-review"}, (Origin.INJECTED, "body")),
        ("brief", {"source": "agent-explore"}, (Origin.INJECTED, "brief")),
        ("<skill-context name='x'>", {}, (Origin.INJECTED, "<skill-context name='x'>")),
        ("go on", {"isAutopilotContinuation": True}, (Origin.INJECTED, "go on")),
        ("look into it", {}, (Origin.INJECTED, "look into it")),
        ("!git status", {"agentMode": "shell"}, (Origin.SHELL, "git status")),
        ("/init", {}, (Origin.COMMAND, "/init")),
        ("/review the last commit", {}, (Origin.PROMPT, "/review the last commit")),
        ("/home/u/notes.md is wrong", {}, (Origin.PROMPT, "/home/u/notes.md is wrong")),
        ("stop that", {"delivery": "steering"}, (Origin.PROMPT, "stop that")),
    ],
)
def test_user_messages_are_told_apart_by_who_wrote_them(
    tmp_path: Path, words: str, more: dict[str, Any], expected: tuple[Origin, str]
) -> None:
    """Skill bodies, briefs of sub-agents and continuations stand in the user's name without being the user's."""
    brief = [{"toolCallId": "t", "name": "task", "arguments": '{"prompt": "look into it"}'}]
    session = session_of(Pen().start().user("x").reply("", toolRequests=brief).user(words, **more).save(tmp_path))
    assert expected == told(session)[-1]


@pytest.mark.parametrize("mark", [{"envelope": {"agentId": "a1"}}, {"parentToolCallId": "t"}])
def test_what_sub_agents_say_and_do_is_not_the_sessions(tmp_path: Path, mark: dict[str, Any]) -> None:
    """Their messages and calls are left out; their output tokens and models count."""
    pen = Pen().start().user("x").event("user.message", content="brief", **mark)
    pen.event("assistant.message", content="found", outputTokens=7, model="small", **mark)
    pen.event("tool.execution_start", toolCallId="c", toolName="view", **mark)
    session = session_of(pen.reply("done", outputTokens=3, model="big").save(tmp_path))
    assert [(Origin.PROMPT, "x"), (Origin.REPLY, "done")] == told(session)
    assert (Tokens(output=10), ("small", "big"), {}) == (session.tokens, session.models, calls(session))


def test_chunks_of_one_answer_are_one_turn(tmp_path: Path) -> None:
    """A long answer is written in chunks that share the id of the model call."""
    pen = Pen().start().user("x")
    for index, words in enumerate(("one ", "two ", "three")):
        pen.reply(words, apiCallId="api-1", chunkIndex=index, chunkCount=3)
    assert [(Origin.PROMPT, "x"), (Origin.REPLY, "one two three")] == told(session_of(pen.save(tmp_path)))


def test_a_reply_has_its_output_tokens(tmp_path: Path) -> None:
    """The only ones that the log states for a single message; of chunks each states its own."""
    pen = Pen().start().user("x").reply("one", outputTokens=3)
    pen.reply("two ", outputTokens=4, apiCallId="api-1", chunkCount=2)
    pen.reply("three", outputTokens=5, apiCallId="api-1", chunkCount=2)
    turns = session_of(pen.save(tmp_path)).turns
    assert [Tokens(), Tokens(output=3), Tokens(output=9)] == [turn.tokens for turn in turns]


def test_a_copied_event_counts_once(tmp_path: Path) -> None:
    """After a resume the last event may stand in the file again, with its id."""
    pen = Pen().start().user("x").reply("y", outputTokens=5)
    pen.events.append(pen.events[-1])
    session = session_of(pen.save(tmp_path))
    assert ([(Origin.PROMPT, "x"), (Origin.REPLY, "y")], Tokens(output=5)) == (told(session), session.tokens)


def test_a_glued_prefix_is_skipped_and_reported(tmp_path: Path) -> None:
    """A truncated event in front of a whole one costs the truncated one only."""
    lines = Pen().start().user("x").reply("y").lines()
    path = tmp_path / "session.jsonl"
    path.write_bytes(lines[0] + lines[1][:40] + lines[1] + lines[2])
    reading = CopilotCLI().read(path)
    assert reading.session is not None
    assert [(Origin.PROMPT, "x"), (Origin.REPLY, "y")] == told(reading.session)
    assert ["truncated"] == [defect.reason for defect in reading.defects]


@pytest.mark.parametrize(("reason", "count"), [("user_initiated", 1), ("user_abort", 1), ("autopilot_credit_limit", 0)])
def test_an_abort_by_the_user_is_an_interrupt(tmp_path: Path, reason: str, count: int) -> None:
    """A limit that ends a run is not the user's doing."""
    session = session_of(Pen().start().user("x").event("abort", reason=reason).save(tmp_path))
    assert count == [origin for origin, _ in told(session)].count(Origin.INTERRUPT)


# -- tools and skills ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("completion", "status", "code"),
    [
        ({"success": True, "result": {"content": "fine"}}, ToolStatus.OK, None),
        ({"success": True, "result": "fine\n<shellId: 0 completed with exit code 0>"}, ToolStatus.OK, 0),
        ({"success": True, "result": {"content": "x\n<shellId: 3 completed with exit code 2>"}}, ToolStatus.ERROR, 2),
        ({"success": True, "result": {"content": "x\n<exited with exit code 1>\n"}}, ToolStatus.ERROR, 1),
        ({"success": True, "result": "<exited with exit code 1> was printed"}, ToolStatus.OK, None),
        ({"success": False, "error": {"message": "no such file"}}, ToolStatus.ERROR, None),
        ({"success": False, "error": {"message": "no", "code": "denied"}}, ToolStatus.DENIED, None),
        ({"success": True, "shellExecution": {"exitCode": 4}, "result": "x"}, ToolStatus.ERROR, 4),
        ({"success": None, "result": {"output": "x", "exitCode": 0}}, ToolStatus.OK, 0),
        ({"success": None, "error": {"message": "x"}}, ToolStatus.ERROR, None),
    ],
)
def test_a_completion_tells_how_the_call_went(
    tmp_path: Path, completion: dict[str, Any], status: ToolStatus, code: int | None
) -> None:
    """A shell command may fail in a call that succeeded: the end of its output says so."""
    call = calls(session_of(Pen().start().user("x").reply("", "c").done("c", **completion).save(tmp_path)))["c"]
    assert (status, code) == (call.status, call.exit_code)
    assert call.output


@pytest.mark.parametrize("named", [True, False])
def test_a_refused_call_is_denied(tmp_path: Path, named: bool) -> None:
    """The answer names the call, or only the question that named it; nothing later makes the call a mere failure."""
    pen = Pen().start().user("x").reply("", "c", "d")
    pen.event("permission.requested", requestId="q", permissionRequest={"kind": "shell", "toolCallId": "c"})
    answer = {"kind": "denied-interactively-by-user", "feedback": "use make"}
    pen.event("permission.completed", requestId="q", result=answer, **({"toolCallId": "c"} if named else {}))
    pen.event("permission.completed", requestId="r", result={"kind": "approved"}, toolCallId="d")
    found = calls(session_of(pen.done("c", success=False).save(tmp_path)))
    assert (ToolStatus.DENIED, "use make") == (found["c"].status, found["c"].feedback)
    assert ToolStatus.UNANSWERED is found["d"].status


def test_a_call_is_joined_from_its_request_start_and_end(tmp_path: Path) -> None:
    """Three events tell of one call; one that only ended is a call too."""
    pen = Pen().start().user("x").reply("", "c").event("tool.execution_start", toolCallId="c", toolName="bash")
    session = session_of(pen.done("c", result="ok").done("orphan", toolName="view").save(tmp_path))
    assert [("c", "bash", '{"command":"run c"}'), ("orphan", "view", "")] == [
        (call.id, call.name, call.input) for call in calls(session).values()
    ]


def test_a_loaded_skill_says_who_loaded_it(tmp_path: Path) -> None:
    """The trigger tells a person's mention from the agent's choice and from the client's context."""
    pen = Pen().start().user("x")
    for trigger in ("user-invoked", "agent-invoked", "context-load"):
        pen.event("skill.invoked", name=f"team:{trigger}", path="/s/SKILL.md", trigger=trigger)
    assert [
        ("user-invoked", SkillTrigger.USER),
        ("agent-invoked", SkillTrigger.AGENT),
        ("context-load", SkillTrigger.CONTEXT),
    ] == [(use.name, use.trigger) for use in session_of(pen.save(tmp_path)).skills]


# -- cost, model, place ----------------------------------------------------------------------------------------------


def test_each_run_states_its_use_when_it_ends(tmp_path: Path) -> None:
    """The runs of a session add up; what went through the cache is taken out of the input."""
    pen = Pen().start().user("x").reply("y", outputTokens=30).shutdown(100, 30, read=60, written=10)
    pen.event("session.resume", context={"cwd": "/other", "branch": "dev"}).user("z").shutdown(50, 20)
    session = session_of(pen.save(tmp_path))
    assert Tokens(input=80, output=50, cache_read=60, cache_write=10) == session.tokens
    assert ("/other", "dev") == (session.cwd, session.branch)


def test_a_version_that_keeps_accounts_states_all_runs_at_once(tmp_path: Path) -> None:
    """Its figures at the end of a run stand for the runs before it as well."""
    pen = Pen().start().user("x").shutdown(100, 30).user("y").shutdown(250, 50)
    for event in pen.events:
        event["data"] |= {"accountingSnapshot": {}} if event["type"] == "session.shutdown" else {}
    assert Tokens(input=250, output=50, cache_read=0, cache_write=0) == session_of(pen.save(tmp_path)).tokens


def test_the_records_of_single_calls_are_added_up_for_all_agents(tmp_path: Path) -> None:
    """They tell what a live session used; what it stated at an earlier end is part of them."""
    usage = {"inputTokens": 100, "outputTokens": 5, "cacheReadTokens": 60, "cacheWriteTokens": 10}
    pen = Pen().start().user("x").event("session.usage_record", usage=usage).shutdown(100, 5, read=60, written=10)
    pen.event("session.usage_record", {"agentId": "a1"}, usage=usage)
    assert Tokens(input=60, output=10, cache_read=120, cache_write=20) == session_of(pen.save(tmp_path)).tokens


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("You are running in non-interactive mode and have no way to ask.", SessionKind.HEADLESS),
        ("You are an interactive tool.", SessionKind.INTERACTIVE),
    ],
)
def test_the_system_prompt_tells_a_script_from_a_person(tmp_path: Path, prompt: str, kind: SessionKind) -> None:
    """It is the only mark of a run in prompt mode; that of a sub-agent says nothing about the session."""
    pen = Pen().start().event("system.message", {"agentId": "a1"}, content="running in non-interactive mode")
    assert kind is session_of(pen.user("x").event("system.message", content=prompt).save(tmp_path)).kind


def test_a_sub_agents_model_is_not_the_sessions(tmp_path: Path) -> None:
    """Its change of model leaves the replies of the main agent alone."""
    pen = Pen().start(selectedModel="big").user("x").event("session.model_change", {"agentId": "a"}, newModel="small")
    assert "big" == session_of(pen.reply("y").save(tmp_path)).turns[-1].model


def test_a_shell_line_is_the_users_and_no_call_of_the_agent(tmp_path: Path) -> None:
    """`!cmd` is told as a tool that the user asked for."""
    pen = Pen().start().user("x").reply("y")
    pen.event("tool.user_requested", toolCallId="u", toolName="local_shell", arguments={"command": "git status"})
    session = session_of(pen.done("u", isUserRequested=True, result="clean").save(tmp_path))
    assert ((Origin.SHELL, "git status"), {}) == (told(session)[-1], calls(session))


def test_a_live_session_counts_the_output_of_its_messages(tmp_path: Path) -> None:
    """Nothing is known of input before the first run has ended."""
    assert Tokens(output=12) == session_of(Pen().start().user("x").reply("y", outputTokens=12).save(tmp_path)).tokens


def test_the_model_in_automatic_mode_is_the_resolved_one(tmp_path: Path) -> None:
    """`auto` is no model."""
    pen = Pen().start(selectedModel="auto").event("session.model_change", newModel="auto").user("x")
    session = session_of(pen.event("session.auto_mode_resolved", chosenModel="m9").reply("y").save(tmp_path))
    assert (("m9",), "m9") == (session.models, session.turns[-1].model)


def test_a_session_spawned_in_the_background_is_a_sub_agent(tmp_path: Path) -> None:
    """Such a session names the one that started it."""
    session = session_of(Pen().start(detachedFromSpawningParentSessionId="p").user("x").save(tmp_path))
    assert (SessionKind.SUBAGENT, "p") == (session.kind, session.parent_id)


def test_the_workspace_file_fills_what_events_leave_open(tmp_path: Path) -> None:
    """After a trim the first event may be gone: folder, branch and name stand beside the log."""
    path = Pen().user("x").save(tmp_path)
    path.with_name("workspace.yaml").write_text("id: 1\ncwd: /w/p\nbranch: main\nname: 'It''s fine'\n")
    session = session_of(path)
    assert (ID, "/w/p", "main", "It's fine") == (session.id, session.cwd, session.branch, session.title)


@pytest.mark.parametrize(
    ("lines", "title"),
    [("summary: S", "S"), ("summary: S\nname: N", "N"), ("name: N\nsummary: S", "N"), ("cwd: /w", None)],
)
def test_a_session_is_called_by_its_name_else_by_its_summary(tmp_path: Path, lines: str, title: str | None) -> None:
    """In whichever order the workspace file states them."""
    path = Pen().user("x").save(tmp_path)
    path.with_name("workspace.yaml").write_text(f"id: 1\n{lines}\n")
    assert title == session_of(path).title


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("summary: |-\n  First line\n\n  Second", "First line"),
        ('summary: "Quoted \\"so\\"\\r\n\n  more"', 'Quoted "so"'),
        ("summary: plain: with a colon", "plain: with a colon"),
        ("summary: null", None),
        ("summary: >", None),
        ("- summary: x", None),
    ],
)
def test_the_workspace_file_is_read_without_a_yaml_library(tmp_path: Path, line: str, expected: str | None) -> None:
    """Only top-level values are needed; of a text block, its first line."""
    path = tmp_path / "workspace.yaml"
    path.write_text(f"id: 1\n{line}\ncwd: /w\n")
    assert (expected, "/w") == (workspace_of(path).get("summary"), workspace_of(path).get("cwd"))


# -- files -----------------------------------------------------------------------------------------------------------


def test_all_forms_are_found(tmp_path: Path) -> None:
    """Folders with events, flat logs and the oldest form are found; a folder that was never used is not."""
    base = tmp_path / ".copilot"
    wanted = ["session-state/a/events.jsonl", "session-state/b.jsonl", "history-session-state/c.json"]
    others = ["session-state/d/workspace.yaml", "session-state/a.jsonl", "config.json", "command-history-state.json"]
    for name in wanted + others:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).touch()
    assert sorted(base / name for name in wanted) == list(CopilotCLI().find({}, tmp_path))
    assert sorted(base / name for name in wanted) == list(
        CopilotCLI().find({"COPILOT_HOME": str(base)}, tmp_path / "x")
    )
    assert sorted(base / name for name in wanted) == list(
        CopilotCLI().find({"XDG_STATE_HOME": str(tmp_path)}, tmp_path / "x")
    )


def test_the_oldest_form_lists_messages(tmp_path: Path) -> None:
    """One JSON object with roles; what has another role is left out."""
    messages = [
        {"role": "user", "content": "hi", "timestamp": 1700003000000},
        {"role": "system", "content": "rules"},
        {"role": "assistant", "content": [{"text": "hello"}]},
    ]
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"sessionId": "s", "chatMessages": messages}))
    session = session_of(path)
    assert ("s", [(Origin.PROMPT, "hi"), (Origin.REPLY, "hello")]) == (session.id, told(session))


@pytest.mark.parametrize("name", ["events.jsonl", "old.json", "workspace.yaml", "plan.md", "session-store.db"])
@pytest.mark.parametrize(
    "content", [b"", b"\0" * 64, b"cwd: /w\n", b"[1]\n", b"null", b'{"type": "user.message"}\n', b"SQLite format 3\0\1"]
)
def test_what_is_no_transcript_gives_no_session_and_no_exception(tmp_path: Path, name: str, content: bytes) -> None:
    """The files beside a log may be handed in by mistake."""
    path = tmp_path / name
    path.write_bytes(content)
    assert CopilotCLI().read(path).session is None


KINDS = ["session.start", "session.resume", "session.model_change", "session.shutdown", "user.message", "skill.invoked"]
KINDS += ["assistant.message", "tool.execution_start", "tool.execution_complete", "permission.requested", "abort"]
KINDS += ["permission.completed", "session.usage_record", "system.message", "tool.user_requested", "unheard.of"]
NAMES = [
    "content",
    "source",
    "agentMode",
    "toolRequests",
    "toolCallId",
    "name",
    "arguments",
    "prompt",
    "success",
    "result",
]
NAMES += ["error", "kind", "message", "outputTokens", "model", "modelMetrics", "usage", "inputTokens", "context", "cwd"]
NAMES += [
    "requestId",
    "permissionRequest",
    "apiCallId",
    "chunkCount",
    "messageId",
    "shellExecution",
    "exitCode",
    "trigger",
]


@pytest.mark.slow
@settings(max_examples=80)
@given(st.lists(st.tuples(st.sampled_from(KINDS), strange_objects(NAMES, ["task", "c1", "shell"])), max_size=8))
def test_no_shape_of_an_event_raises(
    tmp_path_factory: pytest.TempPathFactory, events: list[tuple[str, dict[str, Any]]]
) -> None:
    """Fields change their type between versions; reading, and reading on, survive that."""
    pen = Pen().start().user("x").reply("", "c1")
    for kind, data in events:
        pen.event(kind).events[-1]["data"] = data
    lines = pen.lines()
    path = tmp_path_factory.mktemp("strange") / ID / "events.jsonl"
    readings = list(read_in_pieces(path, [b"".join(lines[:3]), b"".join([*lines[3:], *Pen().user("y").lines()])]))
    assert readings[1].session is not None


def test_no_text_is_longer_than_the_clip(tmp_path: Path) -> None:
    """Prompts, replies and results are cut to the length asked for."""
    pen = Pen().start().user("p" * 99).reply("r" * 99, "c").done("c", result="o" * 99)
    session = CopilotCLI().read(pen.save(tmp_path), clip=10).session
    assert session is not None
    assert {10} == {len(text) for _, text in told(session)} | {len(calls(session)["c"].output or "")}


# -- growing ---------------------------------------------------------------------------------------------------------


def read_in_pieces(path: Path, pieces: list[bytes]) -> Iterator[Reading]:
    cursor = None
    path.parent.mkdir(parents=True)
    for piece in pieces:
        with path.open("ab") as stream:
            stream.write(piece)
        reading = CopilotCLI().read(path, cursor)
        cursor = reading.cursor
        yield reading


def test_an_unchanged_log_costs_nothing(tmp_path: Path) -> None:
    """Nothing is read, and nothing returned."""
    path = Pen().start().user("x").save(tmp_path)
    again = CopilotCLI().read(path, CopilotCLI().read(path).cursor)
    assert (0, None) == (again.bytes_read, again.session)


def test_a_rewound_log_is_read_whole(tmp_path: Path) -> None:
    """Undo removes events from the file: what was stored of it is replaced."""
    pen = Pen().start().user("x").reply("y").user("wrong")
    path = pen.save(tmp_path)
    cursor = CopilotCLI().read(path).cursor
    del pen.events[-1]
    pen.save(tmp_path)
    reading = CopilotCLI().read(path, cursor)
    assert reading.session is not None
    assert (True, 2) == (reading.whole, len(reading.session.turns))


def test_a_late_refusal_reaches_the_call_of_an_earlier_reading(tmp_path: Path) -> None:
    """The question was read before, the answer comes now."""
    pen = Pen().start().user("x").reply("", "c")
    pen.event("permission.requested", requestId="q", permissionRequest={"toolCallId": "c"})
    early = b"".join(pen.lines())
    late = Pen()
    late.events = [{}] * 50
    late.event("permission.completed", requestId="q", result={"kind": "denied-by-rules"})
    readings = list(read_in_pieces(tmp_path / ID / "events.jsonl", [early, late.lines()[-1]]))
    assert readings[1].session is not None
    assert [("c", ToolStatus.DENIED)] == [(call.id, call.status) for call in readings[1].session.late_results]


SCENES: dict[str, Callable[[Pen, int], Pen]] = {
    "prompt": lambda pen, n: pen.user(f"prompt {n}"),
    "command": lambda pen, n: pen.user("/clear"),
    "reply": lambda pen, n: pen.reply(f"reply {n}", outputTokens=n),
    "call": lambda pen, n: pen.reply("", f"c{n}").done(f"c{n}", result=f"x\n<exited with exit code {n % 2}>"),
    "open": lambda pen, n: pen.reply("w", f"c{n}").event("tool.execution_start", toolCallId=f"c{n}", toolName="bash"),
    "denied": lambda pen, n: (
        pen.reply("", f"c{n}")
        .event("permission.requested", requestId=f"q{n}", permissionRequest={"toolCallId": f"c{n}"})
        .event("permission.completed", requestId=f"q{n}", result={"kind": "denied-by-user"})
        .done(f"c{n}", success=False)
    ),
    "orphan": lambda pen, n: pen.done(f"o{n}", toolName="view", result="x"),
    "chunks": lambda pen, n: pen.reply("a", f"k{n}", apiCallId=f"api{n}", chunkCount=2).reply(
        "b", apiCallId=f"api{n}", chunkCount=2
    ),
    "skill": lambda pen, n: pen.event("skill.invoked", name=f"s{n}", trigger="user-invoked").user(
        "b", source="skill-s"
    ),
    "task": lambda pen, n: pen.reply(
        "", toolRequests=[{"toolCallId": f"t{n}", "name": "task", "arguments": {"prompt": f"brief {n}"}}]
    ).user(f"brief {n}"),
    "model": lambda pen, n: pen.event("session.model_change", newModel=f"m{n % 2}"),
    "place": lambda pen, n: pen.event("session.context_changed", cwd=f"/{n}"),
    "abort": lambda pen, n: pen.event("abort", reason="user_abort"),
    "usage": lambda pen, n: pen.event("session.usage_record", usage={"inputTokens": n, "outputTokens": 1}),
    "shell": lambda pen, n: pen.event("tool.user_requested", toolCallId=f"u{n}", arguments={"command": "ls"}).done(
        f"u{n}", isUserRequested=True
    ),
    "shutdown": lambda pen, n: pen.shutdown(n * 10, n, read=n),
}


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.sampled_from(sorted(SCENES)), min_size=1, max_size=12), st.data())
def test_two_readings_add_up_to_one(tmp_path_factory: pytest.TempPathFactory, names: list[str], data: Any) -> None:
    """Wherever a growing log is read in between, the readings together give what one reading of it all gives."""
    pen = Pen().start()
    for number, name in enumerate(names):
        SCENES[name](pen, number)
    if data.draw(st.booleans()):
        pen.events.append(pen.events[-1])
    lines = pen.lines()
    cut = data.draw(st.integers(1, len(lines)))
    folder = tmp_path_factory.mktemp("copilot")
    pieces = [b"".join(lines[:cut]), b"".join(lines[cut:])]
    readings = list(read_in_pieces(folder / "grown" / ID / "events.jsonl", pieces))
    whole = CopilotCLI().read(pen.save(folder / "whole"))
    assert added_up([whole]) == added_up(readings)
