"""The stub model server: Anthropic Messages, OpenAI Responses and OpenAI Chat Completions on 127.0.0.1.

In a test: `with Stub() as stub: … stub.url … stub.requests`. By hand: `python -m tests.stub.server --port 0`.
Every request is logged with its keys hidden, so that a test can assert that a skill's text really reached the model.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.stub.responses import Responses
from tests.stub.script import SCENARIOS, Call, Cut, Drip, Fail, Hang, Raw, Request, Say, Step, due
from tests.stub.wires import Chat, Event, Messages, Wire, usage_in

_HIDDEN = {"authorization", "x-api-key", "api-key", "cookie", "proxy-authorization"}
_WIRES: Mapping[str, Wire] = {"/messages": Messages(), "/chat/completions": Chat(), "/responses": Responses()}
WRONG_KEY = "wrong-key"
"""A client that presents this key is told 401, whatever it asks."""


@dataclass(frozen=True, slots=True)
class Logged:
    """One request as it arrived; header names are lower-case, keys read `[hidden]`."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]
    scenario: str | None
    step: int | None


class Stub:
    """A running stub. `url` is without `/v1`; `requests` grows while it runs."""

    def __init__(
        self,
        *,
        port: int = 0,
        scenarios: Mapping[str, Sequence[Step]] = SCENARIOS,
        answer: Callable[[str, str], str] = lambda system, prompt: "ok",
        log: Path | None = None,
    ) -> None:
        self.scenarios, self.answer, self.log = scenarios, answer, log
        self.requests: list[Logged] = []
        self.closing = threading.Event()
        self._failed: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def record(self, entry: Logged) -> None:
        with self._lock:
            self.requests.append(entry)
            if self.log is not None:
                with self.log.open("a", encoding="utf-8") as out:
                    out.write(json.dumps(asdict(entry)) + "\n")

    def step_for(self, request: Request) -> Step:
        with self._lock:
            step = due(request, self.scenarios, self.answer, self._failed[request.prompt])
            self._failed[request.prompt] += isinstance(step, Fail)
        return step


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64
    """With the default of 5, eight clients at once cost one of them a second."""

    def __init__(self, address: tuple[str, int], stub: Stub) -> None:
        self.stub = stub
        super().__init__(address, _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, *args: Any) -> None:
        """Requests are logged by the stub, not on stderr."""

    def do_HEAD(self) -> None:
        self._log({}, None)
        self._send(200, b"", "text/plain")

    def do_GET(self) -> None:
        self._log({}, None)
        path = self.path.split("?")[0].rstrip("/")
        models = [_model(name) for name in ("stub", "gpt-4.1", "gpt-5.5", "claude-sonnet-5")]
        if path.endswith("/models"):
            ends = {"has_more": False, "first_id": models[0]["id"], "last_id": models[-1]["id"]}
            self._json(200, {"object": "list", "data": models, **ends})
        elif "/models/" in path:
            self._json(200, _model(path.rsplit("/", 1)[1]))
        else:
            self._json(404, Messages().error(Fail(404, "not_found_error", f"no such path: {path}")))

    def do_POST(self) -> None:
        body = json.loads(self._body() or b"{}")
        path = self.path.split("?")[0].rstrip("/")
        wire = next((wire for suffix, wire in _WIRES.items() if path.endswith(suffix)), None)
        if wire is None:
            self._log(body, None)
            known = path.endswith("/count_tokens")
            refusal = Messages().error(Fail(404, "not_found_error", f"no such path: {path}"))
            self._json(200 if known else 404, {"input_tokens": usage_in(body)} if known else refusal)
            return
        request = wire.request(body)
        self._log(body, request)
        step: Step = Fail(401, "authentication_error", "invalid x-api-key", code="invalid_api_key")
        if WRONG_KEY not in self.headers.get("authorization", "") + self.headers.get("x-api-key", ""):
            step = self.server.stub.step_for(request)
        self._perform(wire, body, step)

    def _perform(self, wire: Wire, body: dict[str, Any], step: Step) -> None:
        stream = bool(body.get("stream"))
        match step:
            case Say() | Call() if stream:
                self._events(wire.events(body, step), whole=True)
            case Say() | Call():
                self._json(200, wire.reply(body, step))
            case Fail():
                self._json(step.status, wire.error(step), step.headers)
            case Raw():
                self._send(200, step.body.encode(), step.content_type, step.headers)
            case Cut() if stream:
                self._events(wire.events(body, Say(step.text)), whole=False)
            case Cut():
                self._half(json.dumps(wire.reply(body, Say(step.text))).encode())
            case Hang():
                self.server.stub.closing.wait(step.seconds)
                self.close_connection = True
            case Drip():
                self._drip(json.dumps(wire.reply(body, Say("drip " * 100))).encode(), step.seconds)
            case _:
                raise TypeError(f"no tool was chosen for {step!r}")

    def _events(self, events: Iterator[Event], *, whole: bool) -> None:
        lines = [_event_lines(event) for event in events]
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("cache-control", "no-cache")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for line in lines if whole else lines[: len(lines) // 2]:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            self.wfile.flush()
        if whole:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = not whole

    def _half(self, body: bytes) -> None:
        self._head(200, len(body), "application/json", {})
        self.wfile.write(body[: len(body) // 2])
        self.close_connection = True

    def _drip(self, body: bytes, seconds: float) -> None:
        """A byte every 50 ms; the client leaves first, or the stub closes."""
        self._head(200, len(body), "application/json", {})
        self.close_connection = True
        for index in range(min(len(body) - 1, int(seconds / 0.05))):
            try:
                self.wfile.write(body[index : index + 1])
            except OSError:
                return
            if self.server.stub.closing.wait(0.05):
                return

    def _json(self, status: int, data: dict[str, Any], headers: Mapping[str, str] | None = None) -> None:
        self._send(status, json.dumps(data).encode(), "application/json", headers)

    def _send(self, status: int, body: bytes, kind: str, headers: Mapping[str, str] | None = None) -> None:
        self._head(status, len(body), kind, headers or {})
        self.wfile.write(body)

    def _head(self, status: int, length: int, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(length))
        self.send_header("request-id", "req_stub")
        self.send_header("x-request-id", "req_stub")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("transfer-encoding", "").lower():
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        chunks = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)

    def _log(self, body: dict[str, Any], request: Request | None) -> None:
        headers = {n.lower(): "[hidden]" if n.lower() in _HIDDEN else v for n, v in self.headers.items()}
        scenario, step = (request.scenario, request.step) if request else (None, None)
        self.server.stub.record(Logged(self.command, self.path, headers, body, scenario, step))


def _model(name: str) -> dict[str, Any]:
    """One model in both providers' shapes at once."""
    openai = {"id": name, "object": "model", "created": 1_755_000_000, "owned_by": "stub"}
    return openai | {"type": "model", "display_name": name, "created_at": "2026-01-01T00:00:00Z"}


def _event_lines(event: Event) -> bytes:
    name, data = event
    text = data if isinstance(data, str) else json.dumps(data)
    return (f"event: {name}\n" if name else "").encode() + f"data: {text}\n\n".encode()


def main() -> None:
    """Serves until interrupted; the first line on stdout is the address."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0: any free port")
    parser.add_argument("--log", type=Path, default=None, help="a JSONL file that every request is appended to")
    options = parser.parse_args()
    with Stub(port=options.port, log=options.log) as stub:
        sys.stdout.write(f"{stub.url}\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
