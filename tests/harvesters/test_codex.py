"""Codex rollouts: every generation, whole and as they grow."""

from __future__ import annotations

import builtins
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harvesters.codex import ZSTD_NOT_INSTALLED, Codex
from harvesters.codex_text import ending_of, request_of, skills_read
from harvesters.records import Origin, Reading, Session, SessionKind, SkillTrigger, Tokens, ToolCall, ToolStatus
from tests.harvesters.adding_up import added_up
from tests.harvesters.strange import strange_objects

THREAD = "01a2b3c4-0000-7000-8000-00000000000a"
PARENT = "01a2b3c0-0000-7000-8000-00000000000b"
NAME = f"rollout-2026-05-01T10-00-00-{THREAD}.jsonl"


class Pen:
    """Writes the records of a rollout, one second apart."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.seconds = 0

    def line(self, kind: str, **payload: Any) -> Pen:
        stamp = f"2026-05-01T10:{self.seconds // 60:02}:{self.seconds % 60:02}.000Z"
        self.seconds += 1
        self.records.append({"timestamp": stamp, "type": kind, "payload": payload})
        return self

    def meta(self, **more: Any) -> Pen:
        given = {"id": THREAD, "timestamp": "2026-05-01T10:00:00Z", "cwd": "/home/u/proj", "source": "cli"}
        return self.line("session_meta", **{"originator": "codex-tui", "cli_version": "0.150.0", **given, **more})

    def task(self, turn: str) -> Pen:
        return self.line("event_msg", type="task_started", turn_id=turn)

    def event(self, kind: str, **more: Any) -> Pen:
        return self.line("event_msg", type=kind, **more)

    def asked(self, words: str) -> Pen:
        content = [{"type": "input_text", "text": words}]
        return self.line("response_item", type="message", role="user", content=content)

    def user(self, words: str) -> Pen:
        return self.asked(words).event("user_message", message=words)

    def said(self, words: str) -> Pen:
        content = [{"type": "output_text", "text": words}]
        return self.line("response_item", type="message", role="assistant", content=content)

    def reply(self, words: str) -> Pen:
        return self.event("agent_message", message=words).said(words)

    def call(self, identifier: str, command: str = "ls") -> Pen:
        arguments = json.dumps({"command": command})
        return self.line("response_item", type="function_call", name="shell", arguments=arguments, call_id=identifier)

    def output(self, identifier: str, output: Any) -> Pen:
        return self.line("response_item", type="function_call_output", call_id=identifier, output=output)

    def item(self, **item: Any) -> Pen:
        return self.event("item_completed", item=item)

    def tokens(self, total: int, last: int, cached: int = 0) -> Pen:
        def usage(number: int) -> dict[str, int]:
            return {"input_tokens": number, "cached_input_tokens": min(cached, number), "output_tokens": number}

        return self.event("token_count", info={"total_token_usage": usage(total), "last_token_usage": usage(last)})

    def lines(self) -> list[bytes]:
        return [json.dumps(record).encode() + b"\n" for record in self.records]

    def save(self, folder: Path, name: str = NAME) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(self.lines()))
        return path


def session_of(path: Path) -> Session:
    session = Codex().read(path).session
    assert session is not None
    return session


def prompts(session: Session) -> list[str]:
    return [turn.text for turn in session.turns if turn.origin is Origin.PROMPT and not turn.abandoned]


def calls(session: Session) -> dict[str, ToolCall]:
    return {call.id: call for turn in session.turns for call in turn.tool_calls}


# -- prompts ---------------------------------------------------------------------------------------------------------


def test_prompts_are_taken_from_one_kind_of_record(tmp_path: Path) -> None:
    """The event and the response item of the same prompt make one turn, and so do the two records of a reply."""
    session = session_of(Pen().meta().user("one").reply("first").user("two").reply("second").save(tmp_path))
    assert ["one", "first", "two", "second"] == [turn.text for turn in session.turns]


def test_the_same_reply_twice_stays_two_replies(tmp_path: Path) -> None:
    """Only another kind of record repeats a reply; the same kind of record means it was said again."""
    session = session_of(Pen().meta().user("a").reply("Done.").user("b").reply("Done.").save(tmp_path))
    assert ["a", "Done.", "b", "Done."] == [turn.text for turn in session.turns]


def test_the_last_message_of_a_task_is_a_reply_only_where_none_was_seen(tmp_path: Path) -> None:
    """Some clients state the final words with the task's end alone; elsewhere they may differ a little."""
    pen = Pen().meta().user("a").event("task_complete", last_agent_message="only here").user("b").reply("Done.")
    session = session_of(pen.event("task_complete", last_agent_message="Done").save(tmp_path))
    assert ["a", "only here", "b", "Done."] == [turn.text for turn in session.turns]


def test_paginated_rollouts_are_read_by_their_items(tmp_path: Path) -> None:
    """A file without user events takes its prompts from finished items, not also from response items."""
    pen = Pen().meta(history_mode="paginated").task("t1").asked("run it")
    pen.item(type="UserMessage", id="u1", content=[{"type": "text", "text": "run it"}]).said("ok")
    pen.item(type="AgentMessage", id="m1", content=[{"type": "Text", "text": "ok"}])
    assert ["run it", "ok"] == [turn.text for turn in session_of(pen.save(tmp_path)).turns]


def test_what_the_client_put_into_the_users_role_is_no_prompt(tmp_path: Path) -> None:
    """Instructions and context stand beside the prompt in one message; only the prompt is one."""
    content = [
        {"type": "input_text", "text": "# AGENTS.md instructions for /p\n\n<INSTRUCTIONS>\nx\n</INSTRUCTIONS>"},
        {"type": "input_text", "text": "<environment_context>\n</environment_context>"},
        {"type": "input_text", "text": "build it"},
    ]
    pen = Pen().meta().line("response_item", type="message", role="user", content=content)
    session = session_of(pen.said("built").save(tmp_path))
    assert [Origin.INJECTED, Origin.INJECTED, Origin.PROMPT, Origin.REPLY] == [turn.origin for turn in session.turns]
    assert len({turn.position for turn in session.turns}) == 4


def test_a_shell_line_of_the_user_is_told_apart(tmp_path: Path) -> None:
    """`!cmd` in the terminal is neither a prompt nor an injected text."""
    fragment = "<user_shell_command>\n<command>\ngit status\n</command>\n<result>clean</result>\n</user_shell_command>"
    session = session_of(Pen().meta().asked(fragment).user("go on").save(tmp_path))
    assert [("git status", Origin.SHELL), ("go on", Origin.PROMPT)] == [(t.text, t.origin) for t in session.turns]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("# Context from my IDE setup:\n\n## Open tabs:\n- a\n\n## My request for Codex:\nfix it\n", "fix it"),
        ("\n# Files mentioned by the user:\n## My request for Codex:\nold\n## My request for Codex:\nnew", "new"),
        ("# Context from my IDE setup:\n## My request for Codex:\n", ""),
        ("# A heading of my own\nplease", "# A heading of my own\nplease"),
        ("quote: \n## My request for Codex:\nnot a prefix", "quote: \n## My request for Codex:\nnot a prefix"),
    ],
)
def test_the_request_stands_behind_the_last_editor_marker(given: str, expected: str) -> None:
    """Editor context in front of a request is cut off; a text that merely mentions the marker is not."""
    assert expected == request_of(given)


# -- who drove it ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ({"source": "cli"}, SessionKind.INTERACTIVE),
        ({"source": "vscode", "originator": "Codex Desktop", "thread_source": "user"}, SessionKind.INTERACTIVE),
        ({"source": "exec"}, SessionKind.HEADLESS),
        ({"source": None, "originator": "codex_exec"}, SessionKind.HEADLESS),
        ({"source": {"subagent": "review"}}, SessionKind.SUBAGENT),
        ({"source": {"internal": "title"}}, SessionKind.SUBAGENT),
        ({"source": "cli", "thread_source": "subagent"}, SessionKind.SUBAGENT),
    ],
)
def test_the_first_meta_record_says_who_drove_the_session(
    tmp_path: Path, meta: dict[str, Any], expected: SessionKind
) -> None:
    """Scripts and other agents write prompts too; their sessions are told apart from a person's."""
    assert expected is session_of(Pen().meta(**meta).user("x").save(tmp_path)).kind


def test_a_spawned_agent_is_named_below_its_parent(tmp_path: Path) -> None:
    """A sub-agent's id is made of its parent's and its own."""
    source = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
    session = session_of(Pen().meta(source=source).user("look").save(tmp_path))
    assert (f"{PARENT}/{THREAD}", PARENT) == (session.id, session.parent_id)


@pytest.mark.parametrize(("typed", "kind"), [(True, SessionKind.INTERACTIVE), (False, SessionKind.HEADLESS)])
def test_a_bare_rollout_is_a_persons_if_its_prompts_were_typed(tmp_path: Path, typed: bool, kind: SessionKind) -> None:
    """The first generation does not say who typed; the history of typed prompts does."""
    if typed:
        (tmp_path / "history.jsonl").write_text(json.dumps({"session_id": THREAD, "ts": 1, "text": "x"}) + "\n")
    rows = [
        {"id": THREAD, "timestamp": "2025-05-07T17:24:21Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix the test"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["pytest"]}', "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": '{"output":"x","metadata":{"exit_code":2}}'},
    ]
    path = tmp_path / "sessions" / NAME
    path.parent.mkdir()
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    session = session_of(path)
    assert (kind, ["fix the test"], 2) == (session.kind, prompts(session), calls(session)["c"].exit_code)
    assert session.started_at == session.turns[0].at


def test_the_oldest_form_is_one_json_object(tmp_path: Path) -> None:
    """A file of the first client holds the session's head and its items."""
    message = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "explain"}]}
    path = tmp_path / "rollout-2025-04-18-x.json"
    path.write_text(json.dumps({"session": {"id": "old", "timestamp": "2025-04-18T10:00:00Z"}, "items": [message]}))
    session = session_of(path)
    assert ("old", ["explain"]) == (session.id, prompts(session))


# -- copies and rollbacks --------------------------------------------------------------------------------------------


def test_the_parents_beginning_in_a_forks_file_is_cut_off(tmp_path: Path) -> None:
    """Turns older than the thread itself were copied; their tokens are not counted again."""
    pen = Pen().meta(forked_from_id=PARENT).meta(id=PARENT).task("01a2b3c1-0000-7000-8000-000000000001")
    pen.user("the parent's").reply("old").tokens(1000, 1000).task("01a2b3c5-0000-7000-8000-000000000002")
    pen.user("my own").reply("new").tokens(1100, 100)
    session = session_of(pen.save(tmp_path))
    assert (["my own"], PARENT) == (prompts(session), session.parent_id)
    assert Tokens(input=100, output=100, cache_read=0) == session.tokens


def test_a_copy_without_timed_ids_ends_with_the_last_turn_of_the_first_second(tmp_path: Path) -> None:
    """Where ids tell no time, what was stamped within a second of the file's first line is the copy."""
    pen = Pen().meta(forked_from_id="p").meta(id="p").task("a").user("the parent's").task("b").user("my own")
    for record in pen.records[:5]:
        record["timestamp"] = "2026-05-01T10:00:00.100Z"
    pen.records[5]["timestamp"] = "2026-05-01T10:00:00.200Z"
    assert ["my own"] == prompts(session_of(pen.save(tmp_path)))


def test_what_was_rolled_back_is_abandoned(tmp_path: Path) -> None:
    """A rollback takes the last turns, with all that followed them."""
    pen = Pen().meta().user("keep").reply("kept").user("wrong").reply("bad").event("thread_rolled_back", num_turns=1)
    session = session_of(pen.user("right").save(tmp_path))
    assert ["wrong", "bad"] == [turn.text for turn in session.turns if turn.abandoned]


def test_a_rollback_takes_as_many_prompts_as_it_says(tmp_path: Path) -> None:
    """One where it does not say; each further rollback goes on before what is gone already."""
    words = ("one", "two", "three", "four")
    for rollbacks, kept in (([{}], 3), ([{"num_turns": 2}], 2), ([{}, {"num_turns": 2}], 1), ([{"num_turns": 9}], 0)):
        pen = Pen().meta()
        for word in words:
            pen.user(word).reply(f"on {word}")
        for said in rollbacks:
            pen.event("thread_rolled_back", **said)
        path = pen.save(tmp_path)
        assert list(words[:kept]) == prompts(session_of(path))
        assert not Codex().read(path).defects


def test_a_rollback_counts_prompts_and_not_the_records_they_are_kept_in(tmp_path: Path) -> None:
    """An injected text is no prompt, and the two records of a prompt are one."""
    pen = Pen().meta().user("keep").asked("<environment_context>x</environment_context>").user("keep too")
    pen.asked("<environment_context>y</environment_context>").user("wrong").event("thread_rolled_back", num_turns=1)
    assert ["keep", "keep too"] == prompts(session_of(pen.save(tmp_path)))


@pytest.mark.parametrize("parents", [PARENT, "no id that tells a time"])
def test_the_parents_rollbacks_take_nothing_of_a_fork(tmp_path: Path, parents: str) -> None:
    """They were copied with the parent's beginning, whichever way the end of the copy is found; no line is read twice."""
    pen = Pen().meta(forked_from_id=parents).meta(id=parents)
    timed = parents == PARENT
    pen.task("01a2b3c1-0000-7000-8000-000000000001" if timed else "a").user("the parent's")
    pen.event("thread_rolled_back", num_turns=1).task("01a2b3c5-0000-7000-8000-000000000002" if timed else "b")
    if not timed:
        for record in pen.records:
            record["timestamp"] = "2026-05-01T10:00:00.100Z"
    pen.user("my own").reply("new")
    assert ["my own"] == prompts(session_of(pen.save(tmp_path / "whole")))
    if timed:
        lines = pen.lines()
        readings = list(read_in_pieces(tmp_path / NAME, [b"".join(lines[:4]), b"".join(lines[4:])]))
        assert [True, False] == [reading.whole for reading in readings]


def test_a_rollback_within_what_is_new_reads_no_more(tmp_path: Path) -> None:
    """What an earlier reading gave stays as it was."""
    early = Pen().meta().user("x").reply("y")
    late = Pen().event("user_message", message="wrong").reply("bad")
    late.event("thread_rolled_back", num_turns=1).user("right")
    readings = list(read_in_pieces(tmp_path / NAME, [b"".join(early.lines()), b"".join(late.lines())]))
    assert readings[1].session is not None
    assert (False, ["right"]) == (readings[1].whole, prompts(readings[1].session))


def test_a_call_after_a_rollback_does_not_belong_to_what_was_rolled_back(tmp_path: Path) -> None:
    """It is the work that counts, though no words came before it."""
    pen = Pen().meta().user("x").user("wrong").reply("bad").event("thread_rolled_back", num_turns=1).call("c1")
    assert [("bad", True), ("", False)] == [
        (turn.text, turn.abandoned) for turn in session_of(pen.save(tmp_path)).turns if turn.origin is Origin.REPLY
    ]


def test_the_text_of_a_compaction_is_not_harvested(tmp_path: Path) -> None:
    """A compaction repeats earlier messages; they are no new ones."""
    copied = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "one"}]}]
    pen = Pen().meta().user("one").line("compacted", message="", replacement_history=copied).user("two")
    assert ["one", "two"] == prompts(session_of(pen.save(tmp_path)))


@pytest.mark.parametrize(("reason", "count"), [("interrupted", 1), ("replaced", 1), ("budget_limited", 0)])
def test_a_stopped_turn_is_an_interrupt(tmp_path: Path, reason: str, count: int) -> None:
    """A turn that the user stopped says so; one that a budget stopped was not the user's doing."""
    session = session_of(Pen().meta().user("x").event("turn_aborted", reason=reason).save(tmp_path))
    assert count == sum(turn.origin is Origin.INTERRUPT for turn in session.turns)


# -- tools -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("output", "status", "code"),
    [
        ("Exit code: 0\nWall time: 1 seconds\nOutput:\nfine", ToolStatus.OK, 0),
        ("Exit code: 124\nOutput:\n", ToolStatus.ERROR, 124),
        ("Exit code: 0\nOutput:\nExit code: 1", ToolStatus.OK, 0),
        ("Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 3\nOutput:\nx", ToolStatus.ERROR, 3),
        ("Chunk ID: a\nProcess running with session ID 7\nOutput:\nProcess exited with code 9", ToolStatus.OK, None),
        ('{"output":"x","metadata":{"exit_code":2}}', ToolStatus.ERROR, 2),
        ("exec command rejected by user", ToolStatus.DENIED, None),
        ("Wall time: 17.0 seconds\naborted by user", ToolStatus.UNANSWERED, None),
        ("apply_patch verification failed: no such file", ToolStatus.ERROR, None),
        ("unsupported call: frobnicate", ToolStatus.ERROR, None),
        ("Plan updated", ToolStatus.OK, None),
        ("", ToolStatus.OK, None),
    ],
)
def test_an_output_tells_how_its_call_went(output: str, status: ToolStatus, code: int | None) -> None:
    """Success is no field: it is read from the client's own header, never from what the command printed."""
    assert (status, code) == tuple(ending_of(output))


def test_stronger_evidence_overrules_the_output_text(tmp_path: Path) -> None:
    """A finished item counts more than an end event, and that more than the text, in whatever order they come."""
    pen = Pen().meta().user("x").call("c1").call("c2").call("c3").call("c4")
    pen.item(type="CommandExecution", id="c1", status="declined").output("c1", "Exit code: 0\nOutput:\n")
    pen.output("c2", "Exit code: 0\nOutput:\nlog").event("exec_command_end", call_id="c2", exit_code=1)
    pen.event("patch_apply_end", call_id="c3", success=False).output("c3", "Done")
    pen.event("mcp_tool_call_end", call_id="c4", result={"Ok": {"content": [], "isError": True}}).output("c4", "text")
    found = calls(session_of(pen.save(tmp_path)))
    assert ToolStatus.DENIED is found["c1"].status
    assert (ToolStatus.ERROR, 1, "Exit code: 0\nOutput:\nlog") == (
        found["c2"].status,
        found["c2"].exit_code,
        found["c2"].output,
    )
    assert (ToolStatus.ERROR, ToolStatus.ERROR) == (found["c3"].status, found["c4"].status)


def test_calls_belong_to_the_reply_before_them(tmp_path: Path) -> None:
    """A call without words before it makes a reply without text; one without an output stays unanswered."""
    session = session_of(Pen().meta().user("x").call("c1").reply("now").call("c2").call("c3").save(tmp_path))
    assert [("", ["c1"]), ("now", ["c2", "c3"])] == [
        (turn.text, [call.id for call in turn.tool_calls]) for turn in session.turns[1:]
    ]
    assert ToolStatus.UNANSWERED is calls(session)["c1"].status


def test_arguments_that_are_no_json_are_kept_as_they_are(tmp_path: Path) -> None:
    """A free-text tool's input is its text; an object is written compactly."""
    pen = Pen().meta().user("x").call("c1", "echo  1")
    pen.line("response_item", type="custom_tool_call", name="apply_patch", input="*** Begin Patch", call_id="c2")
    pen.line("response_item", type="function_call", name="shell", arguments='{"broken": ', call_id="c3")
    found = calls(session_of(pen.save(tmp_path)))
    assert ['{"command":"echo  1"}', "*** Begin Patch", '{"broken": '] == [found[c].input for c in ("c1", "c2", "c3")]


def test_skills_are_used_by_mention_and_by_reading(tmp_path: Path) -> None:
    """A `<skill>` fragment is the user's use; reading a SKILL.md is the agent's, once however often it is read."""
    fragment = "<skill>\n<name>team:deploy</name>\n<path>/s/deploy/SKILL.md</path>\n---\nbody\n</skill>"
    pen = Pen().meta().user("$deploy").asked(fragment).call("c1", "sed -n 1,9p /s/review/SKILL.md")
    session = session_of(pen.call("c2", "sed -n 10,99p /s/review/SKILL.md").save(tmp_path))
    assert [("deploy", SkillTrigger.USER), ("review", SkillTrigger.AGENT)] == [
        (use.name, use.trigger) for use in session.skills
    ]
    assert ["$deploy"] == prompts(session)


def test_a_skill_is_found_in_a_windows_path() -> None:
    """Backslashes divide folders too."""
    assert ["notes"] == [skill.name for skill in skills_read(r"Get-Content C:\Users\u\.codex\skills\notes\SKILL.md")]


# -- cost, model, place ----------------------------------------------------------------------------------------------


def test_repeated_counts_are_counted_once(tmp_path: Path) -> None:
    """The cumulative count is written again with every ping; only a changed one adds, also after it starts anew."""
    pen = Pen().meta().user("x").tokens(100, 100, cached=40).tokens(100, 100, cached=40).event("token_count", info=None)
    session = session_of(pen.tokens(150, 50, cached=40).tokens(30, 30).save(tmp_path))
    assert Tokens(input=100, output=180, cache_read=80) == session.tokens


def test_tokens_go_to_the_reply_before_them(tmp_path: Path) -> None:
    """Those that come before any reply of an exchange go to its first one."""
    pen = Pen().meta().user("x").tokens(10, 10).reply("One.").tokens(110, 100, cached=40).user("y").reply("Two.")
    turns = session_of(pen.tokens(130, 20).save(tmp_path)).turns
    assert [
        ("x", Tokens()),
        ("One.", Tokens(input=70, output=110, cache_read=40)),
        ("y", Tokens()),
        ("Two.", Tokens(input=20, output=20, cache_read=0)),
    ] == [(turn.text, turn.tokens) for turn in turns]


def test_a_reply_takes_its_tokens_from_one_kind_of_record(tmp_path: Path) -> None:
    """From the kind that comes first: the other one states the same response again."""
    usage = {"input_tokens": 10, "cached_input_tokens": 2, "output_tokens": 5}
    pen = Pen().meta().user("x").reply("One.").line("token_usage_record", response_id="r1", usage=usage)
    turns = session_of(pen.tokens(10, 10).save(tmp_path)).turns
    assert Tokens(input=8, output=5, cache_read=2) == turns[1].tokens


def test_usage_records_stand_for_the_counts_beside_them(tmp_path: Path) -> None:
    """Where each response states its use, that is added up by response and the cumulative counts are ignored."""
    usage = {"input_tokens": 10, "cached_input_tokens": 2, "cache_write_input_tokens": 1, "output_tokens": 5}
    pen = Pen().meta().user("x").tokens(900, 900)
    for response in ("r1", "r1", "r2"):
        pen.line("token_usage_record", response_id=response, usage=usage)
    assert Tokens(input=14, output=10, cache_read=4, cache_write=2) == session_of(pen.save(tmp_path)).tokens


def test_model_and_folder_follow_the_turn_context(tmp_path: Path) -> None:
    """Each reply carries the model that was set when it was given."""
    pen = Pen().meta(git={"branch": "main"}).line("turn_context", model="m1", cwd="/a").user("x").reply("one")
    session = session_of(pen.line("turn_context", model="m2", cwd="/b").user("y").reply("two").save(tmp_path))
    assert [("m1", "/a"), ("m2", "/b")] == [(t.model, t.cwd) for t in session.turns if t.origin is Origin.REPLY]
    assert (("m1", "m2"), "main", "0.150.0") == (session.models, session.branch, session.version)


def test_the_title_is_the_last_name_in_the_index(tmp_path: Path) -> None:
    """The index of sessions is appended to; its last line about a thread counts."""
    rows = [{"id": THREAD, "thread_name": "old"}, {"id": THREAD, "thread_name": "new"}, {"id": "x", "thread_name": "y"}]
    (tmp_path / "session_index.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "new" == session_of(Pen().meta().user("x").save(tmp_path / "sessions")).title


def test_a_thread_that_was_renamed_has_its_last_name(tmp_path: Path) -> None:
    """An empty name renames nothing, and the index of sessions goes before what the rollout itself says."""
    pen = Pen().meta().user("x").event("thread_name_updated", thread_name="first")
    pen.event("thread_name_updated", thread_name="second").event("thread_name_updated", thread_name="")
    path = pen.save(tmp_path / "sessions")
    assert "second" == session_of(path).title
    (tmp_path / "session_index.jsonl").write_text(json.dumps({"id": "another", "thread_name": "theirs"}) + "\n")
    assert "second" == session_of(path).title
    (tmp_path / "session_index.jsonl").write_text(json.dumps({"id": THREAD, "thread_name": "indexed"}) + "\n")
    assert "indexed" == session_of(path).title


# -- files -----------------------------------------------------------------------------------------------------------


def test_every_place_is_searched_and_each_session_found_once(tmp_path: Path) -> None:
    """Live, flat and archived rollouts are found; temporary files and second copies are not."""
    base = tmp_path / ".codex"
    wanted = ["sessions/2026/05/01/rollout-a.jsonl", "sessions/rollout-b.json", "archived_sessions/rollout-c.jsonl"]
    wanted.append("sessions/2026/05/02/rollout-d.jsonl.zst")
    others = ["sessions/2026/05/01/rollout-a.jsonl.zst", "archived_sessions/rollout-a.jsonl", "history.jsonl"]
    others += ["sessions/rollout-compress-x.tmp", "sessions/.rollout-e.jsonl.paginated.tmp", "sessions/notes.jsonl"]
    for name in wanted + others:
        (base / name).parent.mkdir(parents=True, exist_ok=True)
        (base / name).touch()
    assert sorted(base / name for name in wanted) == list(Codex().find({}, tmp_path))
    assert sorted(base / name for name in wanted) == list(Codex().find({"CODEX_HOME": str(base)}, tmp_path / "other"))
    assert [] == list(Codex().find({}, tmp_path / "nobody"))


def test_a_compressed_rollout_reads_like_the_plain_one(tmp_path: Path) -> None:
    """Compression changes nothing of what is read; an unchanged file costs nothing."""
    zstandard = pytest.importorskip("zstandard")
    plain = Pen().meta().user("x").reply("y").save(tmp_path)
    packed = tmp_path / f"{NAME}.zst"
    packed.write_bytes(zstandard.ZstdCompressor(level=3).compress(plain.read_bytes()))
    reading = Codex().read(packed)
    assert (session_of(plain), ()) == (reading.session, reading.defects)
    again = Codex().read(packed, reading.cursor)
    assert (0, None) == (again.bytes_read, again.session)


def test_damage_in_a_compressed_rollout_is_a_defect(tmp_path: Path) -> None:
    """A file that is no zstd at all, and one that was cut off, give a defect and no exception."""
    zstandard = pytest.importorskip("zstandard")
    path = tmp_path / f"{NAME}.zst"
    path.write_bytes(b"no frame at all")
    assert ["truncated"] == [defect.reason for defect in Codex().read(path).defects]
    whole = zstandard.ZstdCompressor().compress(b"".join(Pen().meta().user("x").lines()))
    path.write_bytes(whole[: len(whole) // 2])
    assert [] != [defect.reason for defect in Codex().read(path).defects]


def test_without_the_package_a_compressed_rollout_is_one_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The optional package is missing on most machines: the file says so, and is tried again next time."""
    real = builtins.__import__

    def without(name: str, *args: Any, **more: Any) -> Any:
        if name == "zstandard":
            raise ImportError(name)
        return real(name, *args, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    path = tmp_path / f"{NAME}.zst"
    path.write_bytes(b"\x28\xb5\x2f\xfd")
    reading = Codex().read(path)
    assert ([ZSTD_NOT_INSTALLED], None) == ([defect.reason for defect in reading.defects], reading.cursor)


@pytest.mark.parametrize(
    "content", [b"", b"\0" * 64, b"# notes\n", b"[1, 2]\n", b"null\n", b'{"type": 3}\n', b"SQLite format 3\0\x10\x00"]
)
@pytest.mark.parametrize("name", [NAME, "rollout-x.json", "notes.md", "rollout-x.jsonl.zst"])
def test_what_is_no_rollout_gives_no_session_and_no_exception(tmp_path: Path, name: str, content: bytes) -> None:
    """Whatever lies in the folder, reading it ends in an empty reading or in defects."""
    path = tmp_path / name
    path.write_bytes(content)
    assert Codex().read(path).session is None


KINDS = ["session_meta", "turn_context", "response_item", "event_msg", "token_usage_record", "compacted"]
NAMES = [
    "type",
    "id",
    "call_id",
    "role",
    "content",
    "text",
    "message",
    "item",
    "output",
    "arguments",
    "input",
    "turn_id",
]
NAMES += ["info", "total_token_usage", "last_token_usage", "usage", "input_tokens", "source", "git", "model", "action"]
NAMES += ["num_turns", "status", "exit_code", "result", "success", "name", "response_id", "timestamp", "command"]
WORDS = [
    "message",
    "user",
    "assistant",
    "user_message",
    "item_completed",
    "UserMessage",
    "CommandExecution",
    "token_count",
]
WORDS += [
    "function_call",
    "function_call_output",
    "thread_rolled_back",
    "task_started",
    "task_complete",
    "local_shell_call",
]
WORDS += [
    "mcp_tool_call_end",
    "exec_command_end",
    "turn_aborted",
    "web_search_call",
    "completed",
    "c1",
    "t1",
    "AgentMessage",
]


@pytest.mark.slow
@settings(max_examples=80)
@given(st.lists(st.tuples(st.sampled_from(KINDS), strange_objects(NAMES, WORDS)), min_size=2, max_size=8))
def test_no_shape_of_a_record_raises(
    tmp_path_factory: pytest.TempPathFactory, records: list[tuple[str, dict[str, Any]]]
) -> None:
    """Fields change their type between versions; reading, and reading on, survive that."""
    pen = Pen().meta().user("x").call("c1")
    for kind, payload in records:
        pen.line(kind).records[-1]["payload"] = payload
    lines = pen.lines()
    pieces = [b"".join(lines[:4]), b"".join(lines[4:])]
    readings = list(read_in_pieces(tmp_path_factory.mktemp("strange") / NAME, pieces))
    assert [True, True] == [reading.session is not None for reading in readings]


def test_no_text_is_longer_than_the_clip(tmp_path: Path) -> None:
    """Prompts, replies, arguments and outputs are cut to the length asked for."""
    pen = Pen().meta().user("p" * 99).reply("r" * 99).call("c", "x" * 99).output("c", "o" * 99)
    session = Codex().read(pen.save(tmp_path), clip=20).session
    assert session is not None
    texts = [turn.text for turn in session.turns] + [
        text for c in calls(session).values() for text in (c.input, c.output)
    ]
    assert {20} == {len(text) for text in texts if text is not None}


# -- growing ---------------------------------------------------------------------------------------------------------


def read_in_pieces(path: Path, pieces: list[bytes]) -> Iterator[Reading]:
    cursor = None
    for piece in pieces:
        with path.open("ab") as stream:
            stream.write(piece)
        reading = Codex().read(path, cursor)
        cursor = reading.cursor
        yield reading


def test_only_what_is_new_is_read(tmp_path: Path) -> None:
    """A grown rollout gives its new turns, and the result of a call that was open."""
    pen = Pen().meta().user("x").reply("y").call("c1")
    path = pen.save(tmp_path)
    first = Codex().read(path)
    before = path.stat().st_size
    pen.output("c1", "Exit code: 0\nOutput:\n").call("c2").user("again").save(tmp_path)
    second = Codex().read(path, first.cursor)
    assert second.session is not None
    assert (False, True) == (second.whole, second.bytes_read < before + 4096 + 256 + 512)
    assert [("c1", "", ToolStatus.OK)] == [(late.id, late.name, late.status) for late in second.session.late_results]
    assert ["", "again"] == [turn.text for turn in second.session.turns]


def test_a_rollback_behind_what_is_new_reads_the_file_whole(tmp_path: Path) -> None:
    """An earlier reading returned turns that are abandoned now: they are returned once more, marked."""
    pen = Pen().meta().user("x").reply("y")
    first, rest = b"".join(pen.lines()), b"".join(Pen().event("thread_rolled_back", num_turns=1).lines())
    readings = list(read_in_pieces(tmp_path / NAME, [first, rest]))
    assert readings[1].whole
    assert readings[1].session is not None
    assert [True, True] == [turn.abandoned for turn in readings[1].session.turns]


def test_late_evidence_does_not_erase_an_output(tmp_path: Path) -> None:
    """A late result replaces the whole earlier one; where it knows less, the file is read whole instead."""
    early = Pen().meta().user("x").call("c1").output("c1", "Exit code: 0\nOutput:\nfine")
    late = Pen().item(type="CommandExecution", id="c1", status="failed", exit_code=1)
    readings = list(read_in_pieces(tmp_path / NAME, [b"".join(early.lines()), b"".join(late.lines())]))
    assert readings[1].session is not None
    call = calls(readings[1].session)["c1"]
    assert (True, ToolStatus.ERROR, "Exit code: 0\nOutput:\nfine") == (readings[1].whole, call.status, call.output)


def test_a_cursor_of_another_version_reads_the_file_whole(tmp_path: Path) -> None:
    """A memory that this version did not write is not guessed at."""
    path = Pen().meta().user("x").save(tmp_path)
    cursor = Codex().read(path).cursor
    assert cursor is not None
    Pen().meta().user("x").user("y").save(tmp_path)
    state = json.loads(cursor.state["memory"])
    state["format"] = 0
    object.__setattr__(cursor, "state", {"memory": json.dumps(state)})
    assert Codex().read(path, cursor).whole


SCENES = {
    "task": lambda pen, n: pen.task(f"turn-{n}"),
    "prompt": lambda pen, n: pen.user(f"prompt {n}"),
    "reply": lambda pen, n: pen.reply(f"reply {n % 3}"),
    "call": lambda pen, n: pen.call(f"c{n}").output(f"c{n}", f"Exit code: {n % 2}\nOutput:\n{n}"),
    "ended": lambda pen, n: (
        pen.call(f"c{n}").event("exec_command_end", call_id=f"c{n}", exit_code=n % 2).output(f"c{n}", "x")
    ),
    "item": lambda pen, n: (
        pen.call(f"c{n}").output(f"c{n}", "x").item(type="CommandExecution", id=f"c{n}", status="failed", stdout="y")
    ),
    "open": lambda pen, n: pen.call(f"c{n}"),
    "skill": lambda pen, n: pen.call(f"c{n}", f"cat /s/skill{n % 2}/SKILL.md"),
    "tokens": lambda pen, n: pen.tokens(n * 10, 10).tokens(n * 10, 10),
    "record": lambda pen, n: pen.line("token_usage_record", response_id=f"r{n // 2}", usage={"input_tokens": n}),
    "model": lambda pen, n: pen.line("turn_context", model=f"m{n % 2}", cwd=f"/{n}"),
    "injected": lambda pen, n: pen.asked("<environment_context>x</environment_context>"),
    "abort": lambda pen, n: pen.event("turn_aborted", reason="interrupted"),
    "complete": lambda pen, n: pen.event("task_complete", last_agent_message=f"reply {n % 3}"),
    "rollback": lambda pen, n: pen.event("thread_rolled_back", num_turns=1 + n % 2),
    "paginated": lambda pen, n: pen.asked(f"q {n}").item(
        type="UserMessage", content=[{"type": "text", "text": f"q {n}"}]
    ),
    "response": lambda pen, n: pen.asked(f"only {n}"),
}


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(st.sampled_from(sorted(SCENES)), min_size=1, max_size=12), st.booleans(), st.data())
def test_two_readings_add_up_to_one(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], fork: bool, data: Any
) -> None:
    """Wherever a growing rollout is read in between, the readings together give what one reading of it all gives."""
    pen = Pen().meta()
    if fork:
        pen.meta(id=PARENT).task("01a2b3c1-0000-7000-8000-000000000001").user("old").tokens(7, 7)
        pen.task("01a2b3c5-0000-7000-8000-000000000001")
    for number, name in enumerate(names):
        SCENES[name](pen, number)
    lines = pen.lines()
    cut = data.draw(st.integers(1, len(lines)))
    folder = tmp_path_factory.mktemp("codex")
    (folder / "grown").mkdir()
    pieces = [b"".join(lines[:cut]), b"".join(lines[cut:])]
    readings = list(read_in_pieces(folder / "grown" / NAME, pieces))
    whole = Codex().read(pen.save(folder / "whole"))
    assert added_up([whole]) == added_up(readings)
