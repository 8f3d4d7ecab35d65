"""`sleepd mcp` and whatever else may arrive on its standard input: it goes on answering, or ends; it never hangs."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sleepd.host import locks
from sleepd.settings.config import places
from tests.cli.command import SETTINGS, configure
from tests.homes import move_into
from tests.mcp.mcp_client import PATIENCE_S, Pipe
from tests.stub.script import Hang
from tests.stub.server import Stub

pytestmark = pytest.mark.slow

NOISY = """\
import os, subprocess, sys, threading, time
from sleepd.mcp import server

def noise():
    time.sleep(0.2)
    while True:
        print("printed")
        sys.stdout.write("written\\n"); sys.stdout.flush()
        os.write(1, b"straight into the descriptor\\n")
        subprocess.run([sys.executable, "-c", "print('by a child')"])

threading.Thread(target=noise, daemon=True).start()
server.serve()
"""


@pytest.fixture(scope="module")
def pipe(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pipe]:
    """One server for all the rubbish of this file."""
    home = tmp_path_factory.mktemp("home")
    configure(home)
    with pytest.MonkeyPatch.context() as patch:
        move_into(patch, home)
        with Pipe().begin() as server:
            yield server


def answers(pipe: Pipe) -> bool:
    """Whether it still does its work."""
    return "result" in pipe.ask("ping") and not status(pipe)["isError"]


def status(pipe: Pipe) -> dict[str, Any]:
    return pipe.ask("tools/call", {"name": "status", "arguments": {}})["result"]


LINES = {
    "empty": b"",
    "blank": b"   \t ",
    "no JSON": b"hello, is this the server?",
    "half": b'{"jsonrpc": "2.0", "id": 1, "method": "ping"',
    "a batch": b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 2, "method": "ping"}]',
    "an empty batch": b"[]",
    "a number": b"7",
    "null": b"null",
    "NUL bytes": b"\0" * 1000,
    "NUL in JSON": b'{"jsonrpc": "2.0", "id": "a\\u0000", "method": "pi\\u0000ng"}',
    "no UTF-8": b'{"jsonrpc": "2.0", "id": 1, "method": "\xff\xfe"}',
    "half a character": b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}',
    "deep": b"[" * 100_000,
    "deep and closed": b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"a":' + b"[" * 5000 + b"]" * 5000 + b"}}",
    "long": b"x" * 10_000_000,
    "long JSON": b'{"jsonrpc": "2.0", "id": 4, "method": "ping", "params": {"a": "' + b"y" * 10_000_000 + b'"}}',
    "unknown method": b'{"jsonrpc": "2.0", "id": 5, "method": "resources/destroy", "params": {}}',
    "no method": b'{"jsonrpc": "2.0", "id": 6}',
    "an answer to nothing": b'{"jsonrpc": "2.0", "id": 7, "result": {}}',
    "an error to nothing": b'{"jsonrpc": "2.0", "id": 8, "error": {"code": 1, "message": "x"}}',
    "another version": b'{"jsonrpc": "1.0", "id": 9, "method": "ping"}',
    "params of no kind": b'{"jsonrpc": "2.0", "id": 10, "method": "tools/call", "params": [1, 2]}',
    "arguments of no kind": b'{"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"show","arguments":[]}}',
    "a name of no kind": b'{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":{"a":1},"arguments":{}}}',
    "an id of no kind": b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}',
    "a huge id": b'{"jsonrpc": "2.0", "id": 1' + b"0" * 5000 + b', "method": "ping"}',
    "initialized again": b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
    "cancelled what never was": b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}',
    "cancelled nothing": b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {}}',
    "progress of nothing": b'{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1}}',
    "initialize again": b'{"jsonrpc":"2.0","id":13,"method":"initialize","params":{}}',
    "the other protocol": b'{"jsonrpc":"2.0","id":14,"method":"tools/list","params":{"_meta":'
    b'{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}',
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES.keys())
def test_a_line_of_rubbish_changes_nothing(pipe: Pipe, line: bytes) -> None:
    """The next question is answered, and nothing but JSON was said."""
    pipe.say(line + b"\n")
    assert answers(pipe)


def test_lines_are_cut_where_the_client_likes(pipe: Pipe) -> None:
    """A message may come byte by byte, or ten at once, or end with CR and LF."""
    ping = json.dumps({"jsonrpc": "2.0", "id": "slow", "method": "ping"}).encode()
    for byte in ping:
        pipe.say(bytes([byte]))
    pipe.say(b"\r\n")
    assert "slow" == next(pipe.messages())["id"]
    pipe.say(b"".join(b'{"jsonrpc": "2.0", "id": %d, "method": "ping"}\n' % number for number in range(10)))
    assert set(range(10)) == {message["id"] for message in islice(pipe.messages(), 10)}


WORDS = st.sampled_from(
    [
        "jsonrpc",
        "2.0",
        "id",
        "method",
        "params",
        "ping",
        "tools/call",
        "tools/list",
        "name",
        "arguments",
        "show",
        "run",
        "dry_run",
        "recall",
        "text",
        "result",
        "error",
        "notifications/cancelled",
        "notifications/initialized",
        "initialize",
        "requestId",
        "_meta",
        "progressToken",
        "protocolVersion",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | st.text(), inner, max_size=4),
    max_leaves=8,
)
MESSAGES = st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": WORDS, "params": st.dictionaries(WORDS, VALUES, max_size=4)},
    optional={"id": VALUES},
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(line=st.binary(max_size=200) | VALUES.map(json.dumps).map(str.encode) | MESSAGES.map(json.dumps).map(str.encode))
def test_any_line_is_survived(pipe: Pipe, line: bytes) -> None:
    """Bytes, JSON, and what looks like messages."""
    pipe.say(line.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n")
    assert "result" in pipe.ask("ping")


def test_questions_before_the_greeting_are_refused_and_the_greeting_still_works(own_home: Path) -> None:
    """Notifications out of order are not a reason to end either."""
    configure(own_home)
    with Pipe() as pipe:
        pipe.say(b"rubbish first\n" * 20)
        pipe.send("notifications/initialized")
        pipe.send("notifications/cancelled", {"requestId": 1})
        assert "error" in pipe.ask("tools/list")
        assert answers(pipe.begin())
        assert 0 == pipe.end()


def test_it_ends_when_its_input_does(own_home: Path) -> None:
    """Before the first word, within a line, and in the middle of a night."""
    with Pipe() as pipe:
        assert 0 == pipe.end()
    with Pipe() as pipe:
        pipe.say(b'{"jsonrpc": "2.0", "id": 1, "meth')
        assert 0 == pipe.end()


def test_it_ends_when_nobody_reads_what_it_says(own_home: Path) -> None:
    """A client that died may leave the other pipe open."""
    with Pipe().begin() as pipe:
        assert pipe.process.stdout is not None
        pipe.process.stdout.close()
        assert 0 == pipe.process.wait(PATIENCE_S)


@pytest.mark.parametrize("how", ["closed", "terminated"])
def test_a_night_under_way_does_not_keep_it(lived_in: Path, how: str) -> None:
    """The model answers after a minute; the server is gone long before, and the lock is free."""
    model = '[model]\nname = "openai"\nmodel = "gpt-4.1"\nprice_in_per_mtok = 1\nprice_out_per_mtok = 1\n'
    with Stub(scenarios={}, answer=lambda _system, _prompt: "ok") as stub:
        stub.step_for = lambda _request: Hang(60.0)  # type: ignore[method-assign]
        simulated = SETTINGS[SETTINGS.index("[model]") : SETTINGS.index("[night]")]
        configure(lived_in, SETTINGS.replace(simulated, f'{model}base_url = "{stub.url}/v1"\ntimeout_s = 55\n\n'))
        with Pipe(OPENAI_API_KEY="made-up").begin() as pipe:
            pipe.send("tools/call", {"name": "run", "arguments": {"dry_run": False}}, id="night")
            while not stub.requests:
                assert answers(pipe)
            if how == "terminated":
                pipe.process.send_signal(signal.SIGTERM)
                assert 130 == pipe.process.wait(PATIENCE_S)
            else:
                assert 0 == pipe.end()
    assert not locks.is_held(places().lock)


def test_nothing_but_the_protocol_reaches_standard_output(own_home: Path) -> None:
    """Whoever prints, writes to the descriptor or starts a child that does."""
    configure(own_home)
    with Pipe([sys.executable, "-c", NOISY]).begin() as pipe:
        for _ in range(20):
            assert answers(pipe)
        pipe.process.kill()
        assert pipe.process.stderr is not None
        noise = pipe.process.stderr.read()
    assert all(words in noise for words in (b"printed", b"written", b"straight", b"by a child"))


def test_it_starts_without_what_the_tools_need(own_home: Path) -> None:
    """A client waits for the first answer: the database, numbers and models are imported with the first call."""
    heavy = ("sqlalchemy", "numpy", "openai", "anthropic", "torch")
    code = f"import sys, sleepd.mcp.server; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "[]\n" == done.stdout
