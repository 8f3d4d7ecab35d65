"""The real Copilot CLI, offline, with `sleepd mcp` as its server; the stub plays the model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import uuid
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sleepd.usecases import agent
from tests.cli.command import SESSIONS, configure, live_in, sleepd
from tests.e2e.clients import Terminal, a_person, eventually
from tests.stub.script import Call, Say, Step
from tests.stub.server import Logged, Stub

ROOT = Path(__file__).parent.parent.parent
CLIENTS = ROOT / ".e2e" / "node_modules" / "@github"
PATIENCE_S = 120
TOOLS = {"status", "run", "proposals", "show", "adopt", "revert", "recall"}

pytestmark = pytest.mark.e2e


@pytest.fixture
def copilot() -> Path:
    """The client's own program, which needs no Node."""
    found = sorted(CLIENTS.glob("copilot-*/copilot"))
    if not found:
        pytest.skip(f"no Copilot CLI below {CLIENTS}; `make e2e` installs it")
    return found[0]


@pytest.fixture
def home(own_home: Path) -> Path:
    """A home in which a night was run, and Copilot knows the server."""
    configure(own_home)
    live_in(own_home, SESSIONS)
    assert 0 == sleepd("run").code
    enter(own_home)
    return own_home


def enter(home: Path) -> None:
    """Tell Copilot of the server, as docs/how-to/copilot.md says."""
    entry = {"type": "local", "command": sys.executable, "args": ["-m", "sleepd", "mcp"], "tools": ["*"]}
    file = home / ".copilot" / "mcp-config.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"mcpServers": {"sleepd": entry}}))


def prompt(copilot: Path, home: Path, steps: Sequence[Step]) -> tuple[str, list[Logged]]:
    """What the client printed when its model took these steps, and the requests the model got.

    On a busy machine the client may begin before the server is up; then it is asked again.
    """
    for _ in range(3):
        printed, requests = prompted_once(copilot, home, steps)
        if offered([r for r in requests if r.body.get("tools")][:1]):
            break
    return printed, requests


def prompted_once(copilot: Path, home: Path, steps: Sequence[Step]) -> tuple[str, list[Logged]]:
    folder = home / "elsewhere"
    folder.mkdir(exist_ok=True)
    with Stub(scenarios={"steps": [*steps, Say("All seen.")]}) as stub:
        words = [str(copilot), "-p", "stub:steps", "--session-id", str(uuid.uuid4()), "--allow-all-tools"]
        done = subprocess.run(
            [*words, "--disable-builtin-mcps", "-s"],
            cwd=folder,
            env=environment(stub.url),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    assert 0 == done.returncode, done.stderr
    return done.stdout, stub.requests


def environment(url: str) -> Mapping[str, str]:
    """Nothing but this machine is asked."""
    copilot = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": "made-up",
        "COPILOT_MODEL": "gpt-4.1",
    }
    return {**os.environ, **copilot}  # noqa: TID251  handed to a child process


def told(requests: Sequence[Logged]) -> list[str]:
    """The results of its tool calls as the model got them, in order."""
    asked = [r.body["messages"] for r in requests if r.body.get("messages")]
    messages: list[dict[str, Any]] = asked[-1] if asked else []
    return [str(m["content"]) for m in messages if m["role"] == "tool"]


def offered(requests: Sequence[Logged]) -> set[str]:
    """The tools of the server that the model was offered."""
    names = {t["function"]["name"] for r in requests for t in r.body.get("tools", [])}
    return {name.removeprefix("sleepd-") for name in names if name.startswith("sleepd-")}


def waiting() -> dict[str, Any]:
    return next(p for p in sleepd("proposals", "--json").json if p["status"] == "waiting")


def test_the_agent_looks_and_recalls(copilot: Path, home: Path) -> None:
    """It is offered every tool; what `status` and `recall` say reaches the model."""
    steps = [Call("sleepd-status", {}), Call("sleepd-recall", {"text": "write a commit message", "k": 2})]
    printed, requests = prompt(copilot, home, steps)
    assert "All seen." in printed
    assert TOOLS == offered(requests)
    status, recalled = told(requests)
    assert f"{sleepd('status', '--json').json['sessions']} sessions" in status
    nearest = sleepd("recall", "write a commit message", "-k", "2", "--json").json
    assert 2 == len(nearest) and all(n["task"][:8] in recalled for n in nearest)


def test_the_agent_alone_adopts_nothing(copilot: Path, home: Path) -> None:
    """A made-up digest is refused; for the right one this client asks its user, and with `-p` nobody sits there."""
    proposal = waiting()
    file = Path(proposal["candidate"]["path"])
    id_ = {"id": proposal["id"]}
    _, requests = prompt(copilot, home, [Call("sleepd-show", id_), Call("sleepd-adopt", {**id_, "digest": "0" * 12})])
    shown, refused = told(requests)
    assert "show it to the person again" in refused and not file.exists()
    digest = shown.split("digest  ")[1][:12]
    _, requests = prompt(copilot, home, [Call("sleepd-adopt", {**id_, "digest": digest})])
    assert "nothing was changed: the user" in told(requests)[0] and not file.exists()
    assert "waiting" == waiting()["status"]


@pytest.mark.parametrize(("keys", "written"), [(b"\r", True), (b"\x1b[B\r", False)], ids=["yes", "no"])
def test_the_person_decides_in_the_client(own_home: Path, tmp_path: Path, keys: bytes, written: bool) -> None:
    """In a terminal Copilot shows them file and diff, and only their yes writes."""
    with a_person(own_home, tmp_path, {}) as person:
        live_in(own_home, SESSIONS)
        person.dreams()
        enter(own_home)
        proposal = waiting()
        shown = agent.show(proposal["id"]).data
        call = Call("sleepd-adopt", {"id": shown["id"], "digest": shown["digest"]})
        person.stub.scenarios = {"adopt": (call, Say("All seen."))}
        (own_home / ".copilot" / "config.json").write_text(json.dumps({"trusted_folders": [str(person.project)]}))
        with closing(Terminal(person, "copilot", "--allow-all-tools", "--disable-builtin-mcps")) as terminal:
            terminal.waits_for("1 MCP server")
            terminal.types("stub:adopt")
            terminal.waits_for("Adopt proposal")
            terminal.waits_for(proposal["candidate"]["edits"][0]["text"])
            terminal.waits_for("decline")
            os.write(terminal._stream, keys)
            eventually(lambda: told(person.stub.requests) != [], "the model is told")
        (said,) = told(person.stub.requests)
    assert f'"done":{str(written).lower()}' in said, said
    assert written == Path(proposal["candidate"]["path"]).exists()
