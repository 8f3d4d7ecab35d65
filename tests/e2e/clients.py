"""The real agents, as `make e2e` installed them, each in a home of its own and pointed at the stub on 127.0.0.1."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import configure
from tests.stub.server import Stub

ROOT = Path(__file__).resolve().parents[2]
SLEEPD = Path(sys.executable).parent / "sleepd"
PATIENCE_S = 60.0
"""Nothing here takes more than a few seconds; a client that hangs fails the test by then."""

KEY = "made-up-key-of-twenty-characters"

_PROGRAMS = {
    "claude": "@anthropic-ai/claude-code-*/claude",
    "codex": "@openai/codex-*/vendor/*/bin/codex",
    "copilot": "@github/copilot-*/copilot",
}

_QUIET = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "DISABLE_TELEMETRY",
    "DISABLE_ERROR_REPORTING",
    "DISABLE_AUTOUPDATER",
    "DISABLE_BUG_COMMAND",
    "DO_NOT_TRACK",
    "IS_SANDBOX",
)
"""Switches that keep the clients on this machine."""


@dataclass(frozen=True)
class Ended:
    """How a client ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """Its output as one JSON value a line."""
        return [json.loads(line) for line in self.out.splitlines() if line.startswith("{")]


@dataclass(frozen=True)
class Person:
    """Somebody with a home, a project, the agents on PATH, and a model that is the stub. `sleepd` is not on PATH."""

    home: Path
    project: Path
    stub: Stub
    env: dict[str, str] = field(default_factory=dict)

    def run(self, program: str, *arguments: str | Path, timeout: float = PATIENCE_S) -> Ended:
        """Run a program of this person to its end. What it leaves behind in its process group is ended, by its id."""
        process = subprocess.Popen(
            [program if "/" in program else self.found(program), *map(str, arguments)],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=timeout)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return Ended(process.returncode, out, err)

    def sleepd(self, *arguments: str | Path) -> Ended:
        """Run sleepd as this person; it has to end well."""
        ended = self.run(str(SLEEPD), *arguments)
        assert 0 == ended.code, ended
        return ended

    def found(self, program: str) -> str:
        return str(self.home / "bin" / program)

    def dreams(self) -> None:
        """Sleep until a night proposes something: evidence adds up from night to night."""
        for _ in range(5):
            self.sleepd("run")
            if any(p["status"] == "waiting" for p in json.loads(self.sleepd("proposals", "--json").out)):
                return
        pytest.fail("five nights proposed nothing")

    @property
    def marketplace(self) -> Path:
        """Where `sleepd plugin install` puts what the agents read."""
        return self.home / ".local" / "share" / "sleepd" / "plugins"

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of sleepd's database; none while it is not there yet."""
        file = self.home / ".local" / "share" / "sleepd" / "sleepd.db"
        with contextlib.suppress(sqlite3.OperationalError):
            connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
            try:
                return connection.execute(query).fetchall()
            finally:
                connection.close()
        return []

    def prompts(self, agent: str) -> list[str]:
        """What sleepd knows that the person said to this agent, in order."""
        return [text for (text,) in self.rows(PROMPTS.format(agent=agent))]

    def asked(self, path: str) -> list[Mapping[str, Any]]:
        """The bodies of the requests to this path that carry a scenario, in order."""
        return [r.body for r in self.stub.requests if r.path.split("?")[0].endswith(path) and r.scenario is not None]


PROMPTS = """\
SELECT turns.text FROM turns JOIN sessions ON sessions.id = turns.session_id
WHERE sessions.agent = '{agent}' AND turns.role = 'user' AND turns.origin = 'prompt' ORDER BY turns.position
"""


def eventually(look: Callable[[], bool], what: str, patience: float = PATIENCE_S) -> None:
    """Wait until something holds that another process brings about."""
    end = time.monotonic() + patience
    while not look():
        assert time.monotonic() < end, f"this did not come about in {patience} s: {what}"
        time.sleep(0.05)


def program(name: str) -> Path:
    """The client's native program, which needs no Node."""
    found = sorted((ROOT / ".e2e" / "node_modules").glob(_PROGRAMS[name]))
    if not found:
        pytest.fail(f"{name} is not installed below .e2e; run make e2e, which installs it")
    return found[0]


def move_in(home: Path, stub: Stub, folder: Path) -> Person:
    """Give a home the three agents and a project; `folder` is for what programs throw away."""
    links = home / "bin"
    links.mkdir()
    for name in _PROGRAMS:
        (links / name).symlink_to(program(name))
    project, scratch = home / "project", folder / "scratch"
    project.mkdir()
    scratch.mkdir()
    env = {
        "HOME": str(home),
        "PATH": f"{links}:/usr/bin:/bin",
        "TMPDIR": str(scratch),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        **dict.fromkeys(_QUIET, "1"),
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "CODEX_HOME": str(home / ".codex"),
        "COPILOT_HOME": str(home / ".copilot"),
        "ANTHROPIC_BASE_URL": stub.url,
        "ANTHROPIC_API_KEY": KEY,
        "STUB_KEY": KEY,
        "COPILOT_OFFLINE": "true",
        "COPILOT_AUTO_UPDATE": "false",
        "COPILOT_PROVIDER_BASE_URL": f"{stub.url}/v1",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_PROVIDER_API_KEY": KEY,
        "COPILOT_MODEL": "gpt-4.1",
    }
    _settle_in(home, project, stub)
    return Person(home=home, project=project, stub=stub, env=env)


def _settle_in(home: Path, project: Path, stub: Stub) -> None:
    """What a first interactive start would ask, answered; and Codex's model provider."""
    claude = home / ".claude"
    claude.mkdir()
    trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    settled = {
        "hasCompletedOnboarding": True,
        "lastOnboardingVersion": "2.1.328",
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
        "projects": {str(project): trusted},
    }
    (claude / ".claude.json").write_text(json.dumps(settled), encoding="utf-8")
    codex = home / ".codex"
    codex.mkdir()
    (codex / "config.toml").write_text(
        'model = "gpt-5.5"\nmodel_provider = "stub"\nsandbox_mode = "danger-full-access"\n'
        f'[model_providers.stub]\nname = "stub"\nbase_url = "{stub.url}/v1"\nwire_api = "responses"\n'
        'env_key = "STUB_KEY"\n[features]\ndaemon_auto_start = false\n',
        encoding="utf-8",
    )


@contextlib.contextmanager
def a_person(home: Path, folder: Path, scenarios: Mapping[str, Sequence[Any]]) -> Iterator[Person]:
    """A person with settings that need no key, while the stub runs."""
    with Stub(scenarios=scenarios) as stub:
        configure(home)
        yield move_in(home, stub, folder)


class Terminal:
    """A client in a terminal, as a person sits before it. Its window is wide, so that nothing is wrapped."""

    def __init__(self, person: Person, name: str, *arguments: str) -> None:
        self.seen = ""
        self._pid, self._stream = pty.fork()
        if self._pid == 0:
            os.chdir(person.project)
            os.execve(person.found(name), [name, *arguments], person.env)
        fcntl.ioctl(self._stream, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 220, 0, 0))

    def waits_for(self, text: str) -> None:
        """Read until the text was shown, spaces and line ends aside: a terminal moves its cursor instead."""
        wanted = re.sub(r"\s", "", text)
        eventually(lambda: self._read() and wanted in re.sub(r"\s", "", self.seen), f"{text!r} in {self.seen!r}")

    def types(self, text: str) -> None:
        """Type a line. The pause tells it from pasting."""
        os.write(self._stream, text.encode())
        self.waits_for(text)
        os.write(self._stream, b"\r")

    def ends(self) -> int:
        """Wait until the client ended by itself; its exit status."""
        eventually(lambda: not self._read(), "the client ends")
        _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        if self._pid:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        os.close(self._stream)

    def _read(self) -> bool:
        """Take in what was printed; False once the client is gone."""
        while select.select([self._stream], [], [], 0)[0]:
            try:
                data = os.read(self._stream, 65536)
            except OSError:
                return False
            self.seen += _ESCAPES.sub("", data.decode("utf-8", "replace"))
        return True


_ESCAPES = re.compile(r"\x1b\[[0-9;?<>=]*[a-zA-Z]|\x1b\][^\x07]*\x07|\x1b.")
