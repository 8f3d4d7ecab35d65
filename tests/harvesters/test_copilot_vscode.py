"""VS Code chat: replaying the log of changes, plain files, and where both lie."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harvesters.copilot_vscode import CopilotVSCode
from harvesters.records import Origin, Session, SkillTrigger, Tokens, ToolCall, ToolStatus
from harvesters.vscode_log import replayed
from harvesters.vscode_parts import path_of

STATE: dict[str, Any] = {"version": 3, "sessionId": "s-1", "creationDate": 1780000000000, "requests": []}


def request(words: Any = "hi", *response: Any, **more: Any) -> dict[str, Any]:
    return {
        "requestId": more.pop("requestId", "r-1"),
        "responseId": more.pop("responseId", "a-1"),
        "timestamp": 1780000001000,
        "message": {"text": words} if isinstance(words, str) else words,
        "response": list(response),
        **more,
    }


def tool(call: str = "c", **more: Any) -> dict[str, Any]:
    return {"kind": "toolInvocationSerialized", "toolId": "run", "toolCallId": call, "isComplete": True, **more}


def log(folder: Path, *operations: dict[str, Any], name: str = "s-1.jsonl") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(operation) + "\n" for operation in operations))
    return path


def session_of(path: Path) -> Session:
    session = CopilotVSCode().read(path).session
    assert session is not None
    return session


def with_requests(folder: Path, *requests: Any, **more: Any) -> Session:
    return session_of(log(folder, {"kind": 0, "v": {**STATE, "requests": list(requests), **more}}))


def told(session: Session) -> list[tuple[Origin, str]]:
    return [(turn.origin, turn.text) for turn in session.turns]


def calls(session: Session) -> dict[str, ToolCall]:
    return {call.id: call for turn in session.turns for call in turn.tool_calls}


# -- the log ---------------------------------------------------------------------------------------------------------


def set_(path: list[Any], *value: Any) -> dict[str, Any]:
    return {"kind": 1, "k": path, **({"v": value[0]} if value else {})}


def push(path: list[Any], *values: Any, **more: Any) -> dict[str, Any]:
    return {"kind": 2, "k": path, **({"v": list(values)} if values else {}), **more}


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ([set_(["a"], 1)], {"l": [1, 2], "a": 1}),
        ([set_(["l", 0], 9)], {"l": [9, 2]}),
        ([set_(["l", "1"], 9)], {"l": [1, 9]}),
        ([set_(["l", 3], 9)], {"l": [1, 2, None, 9]}),
        ([set_(["l", 10**9], 9)], {"l": [1, 2]}),
        ([set_(["x", "y"], 9)], {"l": [1, 2]}),
        ([set_(["l"])], {"l": None}),
        ([push(["l"], 3, 4)], {"l": [1, 2, 3, 4]}),
        ([push(["l"], 3, i=1)], {"l": [1, 3]}),
        ([push(["l"], i=1)], {"l": [1]}),
        ([push(["l"], 3, i=9)], {"l": [1, 2, 3]}),
        ([push(["new"], 3)], {"l": [1, 2], "new": [3]}),
        ([set_(["s"], "x"), push(["s"], 3)], {"l": [1, 2], "s": "x"}),
        ([{"kind": 3, "k": ["l"]}], {}),
        ([{"kind": 3, "k": ["l", 0]}], {"l": [None, 2]}),
        ([{"kind": 3, "k": ["none", "at", "all"]}], {"l": [1, 2]}),
        ([{"kind": 9, "k": ["l"], "v": 1}, {"kind": 1, "k": "l"}, {"kind": 1, "k": []}], {"l": [1, 2]}),
        ([{"kind": 0, "v": {"again": 1}}], {"again": 1}),
    ],
)
def test_each_kind_of_operation(operations: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    """Set, push (cut, then append), delete and start again; what leads nowhere is skipped."""
    assert expected == replayed([{"kind": 0, "v": {"l": [1, 2]}}, *operations])


def test_a_log_may_begin_without_a_state() -> None:
    """The first line can be missing; objects that are no operations are no session."""
    assert {"requests": [1]} == replayed([push(["requests"], 1)])
    assert replayed([{"type": "user.message"}]) is None


OPERATION = st.fixed_dictionaries(
    {"kind": st.integers(0, 4)},
    optional={
        "k": st.one_of(
            st.none(),
            st.lists(st.one_of(st.sampled_from(["requests", "response", "0"]), st.integers(-2, 3)), max_size=4),
        ),
        "v": st.one_of(st.none(), st.integers(), st.lists(st.integers()), st.just({"requests": [{"response": []}]})),
        "i": st.one_of(st.integers(-2, 5), st.text(max_size=2)),
    },
)


@pytest.mark.slow
@given(st.lists(OPERATION, max_size=8))
def test_no_log_of_changes_raises(operations: list[dict[str, Any]]) -> None:
    """Any run of operations ends in a state or in none."""
    state = replayed(operations)
    assert state is None or isinstance(state, dict)


# -- turns -----------------------------------------------------------------------------------------------------------


def test_a_session_is_the_state_at_the_logs_end(tmp_path: Path) -> None:
    """A reply that was pushed, cut and pushed again counts as it stands last; results come in later lines."""
    path = log(
        tmp_path,
        {"kind": 0, "v": {**STATE, "inputState": {"inputText": "never sent"}}},
        push(["requests"], request("fix it", {"value": "half"})),
        push(["requests", 0, "response"], {"value": "all of it"}, i=0),
        set_(["requests", 0, "result"], {"metadata": {"resolvedModel": "m-1", "promptTokens": 9, "outputTokens": 2}}),
        set_(["requests", 0, "modelState"], {"value": 1, "completedAt": 1780000009000}),
        set_(["customTitle"], "A title"),
    )
    session = session_of(path)
    assert [(Origin.PROMPT, "fix it"), (Origin.REPLY, "all of it")] == told(session)
    assert ("s-1", "A title", ("m-1",)) == (session.id, session.title, session.models)
    assert Tokens(input=9, output=2) == session.tokens
    assert 1780000009 == (session.ended_at.timestamp() if session.ended_at else None)


@pytest.mark.parametrize(
    ("state", "title"),
    [
        ({"computedTitle": "made"}, "made"),
        ({"computedTitle": "made", "customTitle": "own"}, "own"),
        ({"computedTitle": "made", "customTitle": ""}, "made"),
        ({}, None),
    ],
)
def test_the_users_own_title_goes_before_the_machines(tmp_path: Path, state: dict[str, str], title: str | None) -> None:
    """An empty one is none."""
    path = log(tmp_path, {"kind": 0, "v": {**STATE, **state}}, push(["requests"], request("fix it", {"value": "done"})))
    assert title == session_of(path).title


def test_text_is_joined_over_references_and_parted_at_tools(tmp_path: Path) -> None:
    """A reference inside a sentence is part of it; the last turn holds the words after the last tool call."""
    reference = {"kind": "inlineReference", "inlineReference": {"fsPath": "/w/a.txt", "scheme": "file"}}
    named = {"kind": "inlineReference", "name": "b", "inlineReference": {"uri": "file:///w/b"}}
    parts = [{"value": "See "}, reference, {"value": "."}, tool(), {"value": "\n"}, named, {"value": " is done."}]
    thinking = {"kind": "thinking", "value": "secret"}
    session = with_requests(tmp_path, request("x", thinking, *parts, {"kind": "brandNew", "value": "?"}))
    assert [(Origin.PROMPT, "x"), (Origin.REPLY, "See /w/a.txt."), (Origin.REPLY, "b is done.")] == told(session)
    assert ["r-1", "a-1", "a-1#1"] == [turn.id for turn in session.turns]


def test_the_oldest_shapes_are_read(tmp_path: Path) -> None:
    """Message and reply were plain strings once, or lists of them; Markdown parts had another kind."""
    old = {**STATE, "requests": [{"message": "one", "response": "first"}, {"message": "two", "response": ["a ", "b"]}]}
    markdown = {"kind": "markdownContent", "content": {"value": "third"}}
    old["requests"] += [{"message": {"text": "three"}, "response": [markdown]}, "garbage", None, {"message": 4}]
    path = tmp_path / "s-1.json"
    path.write_text(json.dumps(old))
    assert ["one", "first", "two", "a b", "three", "third"] == [text for _, text in told(session_of(path))]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, [(Origin.PROMPT, False), (Origin.REPLY, False)]),
        ({"isSystemInitiated": True}, [(Origin.INJECTED, False), (Origin.REPLY, False)]),
        ({"isHidden": True}, [(Origin.INJECTED, True), (Origin.REPLY, True)]),
        ({"modelState": {"value": 2}}, [(Origin.PROMPT, False), (Origin.REPLY, False), (Origin.INTERRUPT, False)]),
        ({"isCanceled": True}, [(Origin.PROMPT, False), (Origin.REPLY, False), (Origin.INTERRUPT, False)]),
        (
            {"result": {"errorDetails": {"code": "canceled", "message": "Canceled"}}},
            [(Origin.PROMPT, False), (Origin.REPLY, False), (Origin.INTERRUPT, False)],
        ),
        ({"modelState": {"value": 3}}, [(Origin.PROMPT, False), (Origin.REPLY, False)]),
    ],
)
def test_the_state_of_a_request(tmp_path: Path, more: dict[str, Any], expected: list[tuple[Origin, bool]]) -> None:
    """Requests by the client, undone, stopped by the user or failed are told apart."""
    session = with_requests(tmp_path, request("x", {"value": "y"}, **more))
    assert expected == [(turn.origin, turn.abandoned) for turn in session.turns]


@pytest.mark.parametrize(("vote", "expected"), [(1, {"a-1#1": 1}), (0, {"a-1#1": -1}), (None, {}), (7, {})])
def test_a_vote_goes_to_the_final_words(tmp_path: Path, vote: int | None, expected: dict[str, int]) -> None:
    """Thumbs up is 1 on disk, thumbs down 0."""
    assert expected == with_requests(tmp_path, request("x", {"value": "y"}, tool(), {"value": "z"}, vote=vote)).votes


def test_a_session_without_a_prompt_or_reply_is_none(tmp_path: Path) -> None:
    """A chat that was opened and never used is no session."""
    assert CopilotVSCode().read(log(tmp_path, {"kind": 0, "v": STATE})).session is None


def test_the_model_of_automatic_mode_is_the_resolved_one(tmp_path: Path) -> None:
    """What the router chose stands in the reply; else the metadata, else the request say the model."""
    resolution = {"kind": "autoModeResolution", "resolved": {"id": "m-auto"}}
    asked = request("0", {"value": "0"}, modelId="copilot/auto")
    told_by_reply = request("1", resolution, {"value": "a"}, modelId="copilot/auto")
    told_by_result = request("2", {"value": "b"}, modelId="copilot/x", result={"metadata": {"resolvedModel": "m-meta"}})
    session = with_requests(
        tmp_path, asked, told_by_reply, told_by_result, request("3", {"value": "c"}, modelId="copilot/y")
    )
    assert ("m-auto", "m-meta", "copilot/y") == session.models
    assert [None, "m-auto"] == [turn.model for turn in session.turns if turn.origin is Origin.REPLY][:2]


def test_tokens_are_taken_from_one_place(tmp_path: Path) -> None:
    """The same numbers stand in several places; none at all is unknown and not zero."""
    twice = request(promptTokens=5, completionTokens=1, result={"metadata": {"promptTokens": 5, "outputTokens": 1}})
    usage = request("y", result={"usage": {"promptTokens": 3, "completionTokens": 2}})
    assert Tokens(input=8, output=3) == with_requests(tmp_path, twice, usage).tokens
    assert Tokens() == with_requests(tmp_path, request("x")).tokens
    answered = [{**one, "response": [{"value": "Yes."}]} for one in (twice, usage)]
    turns = with_requests(tmp_path, *answered).turns
    replies = [turn.tokens for turn in turns if turn.origin is Origin.REPLY]
    assert [Tokens(input=5, output=1), Tokens(input=3, output=2)] == replies


# -- tools -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"isConfirmed": {"type": 1}}, ToolStatus.OK),
        ({"isConfirmed": True}, ToolStatus.OK),
        ({"isConfirmed": False}, ToolStatus.DENIED),
        ({"isConfirmed": {"type": 0}}, ToolStatus.DENIED),
        ({"isConfirmed": {"type": 5}}, ToolStatus.DENIED),
        ({"resultDetails": {"input": "x", "output": [], "isError": True}}, ToolStatus.ERROR),
        ({"resultError": "boom"}, ToolStatus.ERROR),
        ({"toolSpecificData": {"kind": "terminal", "terminalCommandState": {"exitCode": 2}}}, ToolStatus.ERROR),
        ({"isComplete": False}, ToolStatus.UNANSWERED),
    ],
)
def test_a_tool_part_tells_how_the_call_went(tmp_path: Path, more: dict[str, Any], status: ToolStatus) -> None:
    """Complete is not successful, and an answer of the user other than yes is a refusal."""
    assert status is calls(with_requests(tmp_path, request("x", tool(**more))))["c"].status


@pytest.mark.parametrize(
    ("data", "expected", "feedback"),
    [
        ({"kind": "terminal", "commandLine": {"original": "ls"}}, "ls", None),
        ({"kind": "terminal", "commandLine": {"original": "ls", "userEdited": "ls -l"}}, "ls -l", "user-modified"),
        ({"kind": "terminal", "command": "npm test"}, "npm test", None),
        ({"kind": "input", "rawInput": {"a": 1}}, '{"a":1}', None),
        ({}, '{"p":2}', None),
    ],
)
def test_the_input_of_a_call(tmp_path: Path, data: dict[str, Any], expected: str, feedback: str | None) -> None:
    """The part itself says it, or the metadata of the request; a command that the user changed is marked."""
    rounds = [{"toolCalls": [{"id": "c__vscode-7", "name": "run", "arguments": '{"p":2}'}]}]
    session = with_requests(
        tmp_path, request("x", tool(toolSpecificData=data), result={"metadata": {"toolCallRounds": rounds}})
    )
    assert [(expected, feedback)] == [(call.input, call.feedback) for call in calls(session).values()]


def test_the_output_of_a_call_stands_in_the_part_or_in_the_metadata(tmp_path: Path) -> None:
    """Texts, files and results by id are all outputs."""
    results = {"toolCallResults": {"c3__vscode-1": {"content": [{"value": "three"}]}}}
    parts = [
        tool("c1", resultDetails={"output": [{"value": "one"}, {"value": "more"}]}),
        tool("c2", resultDetails=[{"fsPath": "/w/a", "scheme": "file"}]),
        tool("c3"),
    ]
    found = calls(with_requests(tmp_path, request("x", *parts, result={"metadata": results})))
    assert ["one\nmore", "/w/a", "three"] == [found[name].output for name in ("c1", "c2", "c3")]


def test_ids_are_unique_even_when_requests_were_copied(tmp_path: Path) -> None:
    """The same request twice gives turns and calls that can be told apart; so do calls without an id."""
    twice = [request("x", tool(), {"value": "y"}, tool(""), tool(""))] * 2
    session = with_requests(tmp_path, *twice)
    assert (6, 6) == (len({turn.id for turn in session.turns}), len(calls(session)))


def test_reading_a_skill_file_is_using_the_skill(tmp_path: Path) -> None:
    """There is no event for it: the call that reads the SKILL.md tells."""
    message = {"value": "Read", "uris": {"file:///home/u/.copilot/skills/review/SKILL.md": {}}}
    session = with_requests(tmp_path, request("x", tool(invocationMessage=message)))
    assert [("review", SkillTrigger.AGENT)] == [(use.name, use.trigger) for use in session.skills]


# -- places ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("file:///home/u/my%20proj", "/home/u/my proj"),
        ("file:///c%3A/Users/u/p", "c:/Users/u/p"),
        ("vscode-remote://ssh-remote%2Bhost/w", "vscode-remote://ssh-remote%2Bhost/w"),
        ({"scheme": "file", "fsPath": "/w", "path": "/x"}, "/w"),
        ({"scheme": "vscode-remote", "external": "vscode-remote://h/w", "path": "/w"}, "vscode-remote://h/w"),
        (None, None),
        (7, None),
    ],
)
def test_a_uri_names_a_path(uri: object, expected: str | None) -> None:
    """Local URIs are decoded, remote ones kept."""
    assert expected == path_of(uri)


def test_the_folder_stands_beside_the_sessions_or_in_them(tmp_path: Path) -> None:
    """The workspace's own description is used unless the session names a folder."""
    chats = tmp_path / "workspaceStorage" / "h1" / "chatSessions"
    path = log(chats, {"kind": 0, "v": {**STATE, "requests": [request("x")]}})
    (tmp_path / "workspaceStorage" / "h1" / "workspace.json").write_text('{"folder": "file:///home/u/a%20b"}')
    assert "/home/u/a b" == session_of(path).cwd
    log(chats, {"kind": 0, "v": {**STATE, "requests": [request("x")], "workingDirectory": "file:///w"}})
    assert "/w" == session_of(path).cwd


def test_every_place_is_searched_and_each_session_found_once(tmp_path: Path) -> None:
    """All systems' folders below the home, and what the environment names; a log stands for the file of its session."""
    home, moved, portable = tmp_path / "home", tmp_path / "moved", tmp_path / "portable"
    storage = "User/workspaceStorage/h1/chatSessions"
    wanted = [
        home / ".config/Code" / storage / "a.json",
        home / ".config/Code - Insiders" / storage / "b.jsonl",
        home / "Library/Application Support/Code/User/globalStorage/emptyWindowChatSessions/c.jsonl",
        home / "AppData/Roaming/VSCodium/User/globalStorage/transferredChatSessions/d.json",
        home / ".vscode-server/data" / storage / "e.jsonl",
        home / ".config/Code/User/workspaceStorage/no-workspace/chatSessions/f.json",
        home / ".config/Code/User/workspaceStorage/h1/GitHub.copilot-chat/transcripts/g.jsonl",
        portable / "user-data" / storage / "h.jsonl",
    ]
    others = [
        home / ".config/Code" / storage / "b.json",
        home / ".config/Code" / storage / "notes.txt",
        home / ".config/Code/User/workspaceStorage/h1/GitHub.copilot-chat/transcripts/a.jsonl",
        home / ".config/Code/User/workspaceStorage/h1/workspace.json",
    ]
    for path in wanted + others:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert sorted(wanted) == list(CopilotVSCode().find({"VSCODE_PORTABLE": str(portable)}, home))
    log(moved / "Code" / storage, name="z.jsonl")
    found = CopilotVSCode().find({"XDG_CONFIG_HOME": str(moved), "APPDATA": str(moved)}, home)
    assert {"c.jsonl", "e.jsonl", "z.jsonl"} == {path.name for path in found}


def test_of_two_copies_the_one_that_changed_last_is_found(tmp_path: Path) -> None:
    """A window that became a workspace leaves the original behind."""
    for age, workspace in ((200, "old"), (100, "new")):
        path = log(tmp_path / ".config/Code/User/workspaceStorage" / workspace / "chatSessions")
        os.utime(path, (1_780_000_000 - age, 1_780_000_000 - age))
    assert ["new"] == [path.parent.parent.name for path in CopilotVSCode().find({}, tmp_path)]


def test_a_transcript_of_the_extension_is_read_by_its_events(tmp_path: Path) -> None:
    """The third place holds events like those of the command line tool."""
    rows = [
        {"type": "session.start", "data": {"sessionId": "t-1"}, "timestamp": "2026-09-01T10:00:00Z"},
        {"type": "user.message", "data": {"content": "why"}, "timestamp": "2026-09-01T10:00:01Z"},
        {"type": "assistant.message", "data": {"content": "because"}, "timestamp": "2026-09-01T10:00:02Z"},
    ]
    session = session_of(log(tmp_path / "transcripts", *rows, name="t-1.jsonl"))
    assert ("copilot-vscode", "t-1") == (session.agent, session.id)
    assert [(Origin.PROMPT, "why"), (Origin.REPLY, "because")] == told(session)


# -- files -----------------------------------------------------------------------------------------------------------


def test_a_changed_log_is_read_whole_and_an_unchanged_one_not_at_all(tmp_path: Path) -> None:
    """Changes cannot be replayed from the middle."""
    path = log(tmp_path, {"kind": 0, "v": {**STATE, "requests": [request("x")]}})
    cursor = CopilotVSCode().read(path).cursor
    again = CopilotVSCode().read(path, cursor)
    assert (0, None) == (again.bytes_read, again.session)
    with path.open("a") as stream:
        stream.write(json.dumps(push(["requests"], request("y", requestId="r-2"))) + "\n")
    grown = CopilotVSCode().read(path, cursor)
    assert grown.session is not None
    assert (True, ["x", "y"]) == (grown.whole, [turn.text for turn in grown.session.turns])


def test_a_half_written_last_change_is_left_for_later(tmp_path: Path) -> None:
    """The state up to it is read."""
    path = log(tmp_path, {"kind": 0, "v": {**STATE, "requests": [request("x")]}})
    with path.open("a") as stream:
        stream.write('{"kind":1,"k":["requests",0,"mess')
    assert [(Origin.PROMPT, "x")] == told(session_of(path))


@pytest.mark.parametrize("name", ["s.jsonl", "s.json", "workspace.json", "state.vscdb"])
@pytest.mark.parametrize(
    "content", [b"", b"\0" * 64, b"[]", b"null", b'{"folder": "file:///w"}', b"# notes\n", b"SQLite format 3\0\1\0"]
)
def test_what_is_no_chat_gives_no_session_and_no_exception(tmp_path: Path, name: str, content: bytes) -> None:
    """The files beside the sessions may be handed in by mistake."""
    path = tmp_path / name
    path.write_bytes(content)
    assert CopilotVSCode().read(path).session is None


FIELDS = ["message", "response", "text", "value", "kind", "toolCallId", "isConfirmed", "result", "metadata", "vote"]
FIELDS += [
    "toolSpecificData",
    "resultDetails",
    "output",
    "modelState",
    "timestamp",
    "inlineReference",
    "uri",
    "content",
]
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-3, 10**15), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(FIELDS),
            st.one_of(inner, st.just("toolInvocationSerialized"), st.just("inlineReference")),
            max_size=5,
        ),
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(st.lists(JSON, max_size=3))
def test_no_shape_of_a_request_raises(tmp_path_factory: pytest.TempPathFactory, requests: list[Any]) -> None:
    """Fields change their type between versions; a reading survives that."""
    path = tmp_path_factory.mktemp("shapes") / "s.json"
    path.write_text(json.dumps({**STATE, "requests": requests}))
    reading = CopilotVSCode().read(path)
    assert () == reading.defects


def test_no_text_is_longer_than_the_clip(tmp_path: Path) -> None:
    """Prompts, replies, inputs and outputs are cut to the length asked for."""
    part = tool(toolSpecificData={"command": "i" * 99}, resultDetails={"output": "o" * 99})
    path = log(tmp_path, {"kind": 0, "v": {**STATE, "requests": [request("p" * 99, {"value": "r" * 99}, part)]}})
    session = CopilotVSCode().read(path, clip=10).session
    assert session is not None
    call = calls(session)["c"]
    assert {10} == {len(text) for text in (*(text for _, text in told(session)), call.input, call.output or "")}
