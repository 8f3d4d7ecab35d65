"""The stub speaks the providers' formats: the real SDKs read its JSON and its events."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import httpx2
import openai
import pytest

from tests.stub.script import Call, Request, Run, Say, Write, due
from tests.stub.server import Stub

BASH: dict[str, Any] = {"name": "Bash", "description": "Runs a command", "input_schema": {"type": "object"}}


@pytest.fixture
def claude(stub: Stub) -> Iterator[anthropic.Anthropic]:
    with anthropic.Anthropic(api_key="k", base_url=stub.url, max_retries=0) as client:
        yield client


@pytest.fixture
def gpt(stub: Stub) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(api_key="k", base_url=f"{stub.url}/v1", max_retries=0) as client:
        yield client


def test_messages_stream_text_and_tools(claude: anthropic.Anthropic) -> None:
    """Anthropic's events join to the same message as the JSON: first a tool call, then, after its result, a text."""
    prompt: Any = [{"role": "user", "content": "stub:run please"}]
    tools: Any = [BASH]
    with claude.messages.stream(model="m", max_tokens=9, messages=prompt, tools=tools) as stream:
        first = stream.get_final_message()
    plain = claude.messages.create(model="m", max_tokens=9, messages=prompt, tools=tools)
    call = first.content[0]
    assert call.type == "tool_use"
    assert ("tool_use", {"command": "echo from-the-stub", "description": "Run a command"}) == (
        first.stop_reason,
        call.input,
    )
    assert plain.content[0].type == "tool_use" and plain.content[0].input == call.input
    result = {"type": "tool_result", "tool_use_id": call.id, "content": "from-the-stub"}
    later: Any = [*prompt, {"role": "assistant", "content": [call.model_dump()]}, {"role": "user", "content": [result]}]
    with claude.messages.stream(model="m", max_tokens=9, messages=later, tools=tools) as stream:
        assert "The command ran." == "".join(stream.text_stream)


def test_count_tokens_and_models(claude: anthropic.Anthropic, gpt: openai.OpenAI, stub: Stub) -> None:
    """The small endpoints answer in both providers' shapes."""
    assert claude.messages.count_tokens(model="m", messages=[{"role": "user", "content": "hello"}]).input_tokens > 0
    assert "stub" in [m.id for m in claude.models.list()]
    assert "stub" in [m.id for m in gpt.models.list()]
    assert "gpt-5.5" == gpt.models.retrieve("gpt-5.5").id
    assert 200 == httpx2.head(stub.url).status_code


def test_chat_streams_text_and_tools(gpt: openai.OpenAI) -> None:
    """Chat Completions: tool call deltas join to the call, the text after the result to the text, with usage."""
    prompt: Any = [{"role": "system", "content": "s"}, {"role": "user", "content": "stub:run please"}]
    tools: Any = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}]
    chunks = list(gpt.chat.completions.create(model="m", messages=prompt, tools=tools, stream=True))
    parts = [c.choices[0].delta.tool_calls[0] for c in chunks if c.choices and c.choices[0].delta.tool_calls]
    arguments = "".join((p.function.arguments if p.function else None) or "" for p in parts)
    assert "echo from-the-stub" == json.loads(arguments)["command"]
    whole = gpt.chat.completions.create(model="m", messages=prompt, tools=tools)
    assert "tool_calls" == whole.choices[0].finish_reason
    call = whole.choices[0].message.tool_calls
    assert call
    later: Any = [
        *prompt,
        whole.choices[0].message.model_dump(exclude_none=True),
        {"role": "tool", "tool_call_id": call[0].id, "content": "x"},
    ]
    options: Any = {"include_usage": True}
    ended = list(gpt.chat.completions.create(model="m", messages=later, stream=True, stream_options=options))
    assert "The command ran." == "".join(c.choices[0].delta.content or "" for c in ended if c.choices)
    assert ended[-1].usage is not None and ended[-1].usage.total_tokens > 0


@pytest.mark.slow
def test_responses_stream_text_and_tools(gpt: openai.OpenAI) -> None:
    """Responses: events join to the same output as the JSON, for a function call and for the text after it."""
    prompt: Any = [{"role": "user", "content": [{"type": "input_text", "text": "stub:run please"}]}]
    tools: Any = [{"type": "function", "name": "exec_command", "parameters": {"type": "object"}, "strict": False}]
    with gpt.responses.stream(model="m", input=prompt, tools=tools) as stream:
        first = stream.get_final_response()
    call = first.output[0]
    assert "function_call" == call.type
    assert call.type == "function_call" and {"cmd": "echo from-the-stub"} == json.loads(call.arguments)
    plain: Any = gpt.responses.create(model="m", input=prompt, tools=tools).output[0]
    assert plain.arguments == call.arguments
    result: Any = {"type": "function_call_output", "call_id": call.call_id, "output": "x"}
    made: Any = {"type": "function_call", "call_id": call.call_id, "name": call.name, "arguments": call.arguments}
    with gpt.responses.stream(model="m", input=[*prompt, made, result], tools=tools) as stream:
        assert "The command ran." == stream.get_final_response().output_text
    assert "Hello from the stub." == gpt.responses.create(model="m", input="stub:hello").output_text


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "status"), [("max-tokens", "incomplete"), ("refusal", "completed")])
def test_responses_end_as_the_scenario_says(gpt: openai.OpenAI, scenario: str, status: str) -> None:
    """A reply cut by its limit is `incomplete`; a refusal is a refusal part."""
    with gpt.responses.stream(model="m", input=f"stub:{scenario}") as stream:
        kinds = [event.type for event in stream]
    reply = gpt.responses.create(model="m", input=f"stub:{scenario}")
    assert status == reply.status
    assert f"response.{status}" == kinds[-1]
    assert (scenario == "refusal") == ("response.refusal.delta" in kinds)


def test_a_custom_tool_gets_its_text(stub: Stub) -> None:
    """A call with a text for arguments is OpenAI's custom tool call."""
    scenarios = {"patch": (Call("apply_patch", "*** Begin Patch"), Say("Patched."))}
    with (
        Stub(scenarios=scenarios) as own,
        openai.OpenAI(api_key="k", base_url=f"{own.url}/v1") as client,
        client.responses.stream(model="m", input="stub:patch") as stream,
    ):
        item: Any = stream.get_final_response().output[0]
    assert ("custom_tool_call", "*** Begin Patch") == (item.type, item.input)


def test_a_cut_stream_breaks_off(claude: anthropic.Anthropic, gpt: openai.OpenAI) -> None:
    """The connection closes in the middle of the events."""
    said: Any = [{"role": "user", "content": "stub:cut"}]
    with (
        pytest.raises((anthropic.APIConnectionError, httpx2.TransportError)),
        claude.messages.stream(model="m", max_tokens=9, messages=said) as stream,
    ):
        stream.get_final_message()
    with pytest.raises((openai.APIConnectionError, httpx2.TransportError)):
        list(gpt.chat.completions.create(model="m", messages=said, stream=True))


TURNS = [
    ([("user", "stub:run")], 0),
    ([("user", "stub:run"), ("assistant", ""), ("tool", "x")], 1),
    ([("user", "stub:run"), ("assistant", ""), ("assistant", ""), ("tool", "x")], 1),
    ([("user", "hi"), ("assistant", "ok"), ("user", "stub:run")], 0),
    ([("user", "stub:hello"), ("assistant", "ok"), ("user", "stub:run"), ("assistant", "a"), ("user", "go on")], 1),
    ([("user", "hi"), ("assistant", "ok"), ("user", "again")], 0),
    ([], 0),
]


@pytest.mark.parametrize(("turns", "step"), TURNS)
def test_the_step_follows_from_the_conversation(turns: list[tuple[str, str]], step: int) -> None:
    """Assistant turns since the last prompt with a word are counted, whatever happened before."""
    assert step == Request("", turns).step


def test_unscripted_prompts_are_answered_by_a_function() -> None:
    """Without a scenario word the answer may depend on the system text and the prompt: that is how nights are driven."""
    messages: Any = [{"role": "system", "content": "skill"}, {"role": "user", "content": "task"}]
    with (
        Stub(answer=lambda system, prompt: f"{system}|{prompt}") as own,
        openai.OpenAI(api_key="k", base_url=f"{own.url}/v1") as client,
    ):
        reply = client.chat.completions.create(model="m", messages=messages)
    assert "skill|task" == reply.choices[0].message.content


@pytest.mark.parametrize(
    ("offered", "expected"),
    [
        ("Write", Call("Write", {"file_path": "a b", "content": "it's"})),
        ("create", Call("create", {"path": "a b", "file_text": "it's"})),
        ("shell", Call("shell", {"command": ["bash", "-lc", "printf %s 'it'\\''s' > 'a b'"]})),
        ("other", Say("No shell tool is offered.")),
    ],
)
def test_files_are_written_with_the_clients_own_tool(offered: str, expected: Call | Say) -> None:
    """One scenario serves every client: the tool is chosen from those that the request offers."""
    request = Request("", [("user", "stub:w")], tools=("x", offered))
    assert expected == due(request, {"w": (Write("a b", "it's"),)}, lambda s, p: "", 0)


def test_after_the_last_step_it_is_done() -> None:
    """A client that goes on asking is told that there is no more."""
    request = Request("", [("user", "stub:r"), ("assistant", "")], tools=("Bash",))
    assert Say("Done.") == due(request, {"r": (Run("x"),)}, lambda s, p: "", 0)


def test_the_command_prints_its_address_and_logs_requests(tmp_path: Path) -> None:
    """`python -m tests.stub.server` says where it listens and appends each request, keys hidden, to a file."""
    log = tmp_path / "log.jsonl"
    command = [sys.executable, "-m", "tests.stub.server", "--port", "0", "--log", str(log)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        body = {"model": "m", "messages": [{"role": "user", "content": "stub:hello"}]}
        reply = httpx2.post(f"{url}/v1/messages", json=body, headers={"x-api-key": "secret-key"}).json()
        process.terminate()
    assert "Hello from the stub." == reply["content"][0]["text"]
    entry = json.loads(log.read_text(encoding="utf-8"))
    assert ("hello", 0, body) == (entry["scenario"], entry["step"], entry["body"])
    assert "secret-key" not in log.read_text(encoding="utf-8")
