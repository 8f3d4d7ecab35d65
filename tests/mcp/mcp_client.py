"""The server as a client meets it: through the SDK's own client, or as raw bytes on a pipe."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, Self

import anyio
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, ElicitResult

from sleepd.mcp.server import build
from sleepd.mcp.work import RunningTools
from tests.cli.command import environment

COMMAND = [sys.executable, "-m", "sleepd", "mcp"]
PATIENCE_S = 30.0
"""How long a test waits for what must come at once."""


class Talk:
    """A client of one server, spoken to from tests that are no coroutines."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal, self._client = portal, client

    def __call__(self, tool: str, arguments: dict[str, Any] | None = None, **options: Any) -> CallToolResult:
        return self._portal.call(lambda: self._client.call_tool(tool, arguments or {}, **options))

    def do(self, function: Callable[[Client], Awaitable[Any]]) -> Any:
        """What the coroutine gives."""

        async def main() -> Any:
            with anyio.fail_after(PATIENCE_S * 2):
                return await function(self._client)

        return self._portal.call(main)


@contextlib.contextmanager
def talking(**options: Any) -> Iterator[Talk]:
    """Speak with a new server in this home."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(connected(**options)) as client:
        yield Talk(portal, client)


@contextlib.contextmanager
def talking_here(**options: Any) -> Iterator[Talk]:
    """Speak with a server in this process, in lines of JSON as well: without what a process takes to start."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(connected_here(**options)) as client:
        yield Talk(portal, client)


@contextlib.asynccontextmanager
async def connected_here(**options: Any) -> AsyncIterator[Client]:
    work = RunningTools()
    # By the older protocol the messages are framed as on a pipe.
    async with Client(build(work), mode="legacy", **options) as client:
        yield client
    work.end()


@contextlib.asynccontextmanager
async def connected(mode: str = "auto", command: list[str] = COMMAND, **options: Any) -> AsyncIterator[Client]:
    """A client of a new server in this home."""
    server = StdioServerParameters(command=command[0], args=command[1:], env=environment())
    async with Client(stdio_client(server), mode=mode, **options) as client:
        yield client


def text(result: CallToolResult) -> str:
    (block,) = result.content
    return block.text  # type: ignore[union-attr]


class Person:
    """Answers what the server asks by way of the client."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answer: tuple[str, dict[str, Any] | None] = ("cancel", None)

    async def __call__(self, _context: Any, params: Any) -> ElicitResult:
        self.asked.append(params.message)
        action, content = self.answer
        return ElicitResult(action=action, content=content)  # type: ignore[arg-type]


class Pipe:
    """A server fed with bytes. Every line it says must be JSON."""

    def __init__(self, command: list[str] = COMMAND, **env: str) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**env)
        )
        self._left = b""
        self._id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    def say(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, method: str, params: dict[str, Any] | None = None, **more: Any) -> None:
        self.say(json.dumps({"jsonrpc": "2.0", "method": method, "params": params or {}, **more}).encode() + b"\n")

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """The answer to a request, whatever else is said before it."""
        self._id += 1
        id_ = f"asked-{self._id}"
        self.send(method, params, id=id_)
        return next(message for message in self.messages() if message.get("id") == id_)

    def begin(self) -> Self:
        self.ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
        )
        self.send("notifications/initialized")
        return self

    def messages(self) -> Iterator[dict[str, Any]]:
        """What it says, for as long as it goes on saying something in time."""
        assert self.process.stdout is not None
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            line, newline, rest = self._left.partition(b"\n")
            if newline:
                self._left = rest
                yield json.loads(line)
                continue
            ready, _, _ = select.select([self.process.stdout], [], [], 1.0)
            chunk = os.read(self.process.stdout.fileno(), 1 << 16) if ready else None
            assert chunk != b"", f"the server ended: {self.process.poll()}"
            self._left += chunk or b""
        raise AssertionError("the server said nothing in time")

    def end(self) -> int:
        """Close its input; its exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)
