"""The agents' own commands for plugins. Only this module parses their output."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from sleepd.agents.marketplace import NAME
from sleepd.core.errors import SleepdError

_LONGEST_S: Final = 60.0
"""Each of these commands takes less than a second; one that asks a question it cannot ask here must not hang us."""

_ID: Final = f"{NAME}@{NAME}"


class Agent(StrEnum):
    """An agent that can take a plugin."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    COPILOT = "copilot"


class AgentRefusal(SleepdError):
    """An agent's command failed; the message holds its own words."""

    code = "plugin-refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """An agent's command line."""

    agent: Agent
    program: str
    product: str
    install: tuple[str, ...]
    uninstall: tuple[str, ...]


CLIENTS: Final = {
    client.agent: client
    for client in (
        Client(
            agent=Agent.CLAUDE_CODE,
            program="claude",
            product="Claude Code",
            install=("install", _ID),
            uninstall=("uninstall", _ID),
        ),
        Client(agent=Agent.CODEX, program="codex", product="Codex", install=("add", _ID), uninstall=("remove", _ID)),
        Client(
            agent=Agent.COPILOT,
            program="copilot",
            product="Copilot CLI",
            install=("install", _ID),
            uninstall=("uninstall", _ID),
        ),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPlugin:
    """The plugin as the agent itself lists it."""

    version: str | None
    enabled: bool


def path_of(agent: Agent) -> Path | None:
    """The path of the agent's command; None when it is not on PATH."""
    found = shutil.which(CLIENTS[agent].program)
    return None if found is None else Path(found)


def missing(agent: Agent) -> str:
    """The message for a missing command."""
    client = CLIENTS[agent]
    return f"{client.program} is not on PATH; install {client.product}, or add its folder to PATH, and try again"


def install(agent: Agent, folder: Path) -> None:
    """Make the agent know the marketplace `folder` and install the plugin from it. Raises `AgentRefusal`."""
    known = _marketplace(agent)
    if known is not None and known != folder:
        program = CLIENTS[agent].program
        raise AgentRefusal(
            f"{program} has another marketplace named {NAME}, from {known}; "
            f"run {program} plugin marketplace remove {NAME} and try again"
        )
    if known is None:
        _run(agent, "plugin", "marketplace", "add", str(folder))
    _run(agent, "plugin", *CLIENTS[agent].install)


def uninstall(agent: Agent, folder: Path) -> bool:
    """Take out the plugin and the marketplace, if it is the one in `folder`; whether there was anything.

    Raises `AgentRefusal`.
    """
    if not knows(agent, folder):
        return False
    if installed(agent) is not None:
        _run(agent, "plugin", *CLIENTS[agent].uninstall)
    _run(agent, "plugin", "marketplace", "remove", NAME)
    return True


def knows(agent: Agent, folder: Path) -> bool:
    """Whether the agent reads the marketplace in this folder. Raises `AgentRefusal`."""
    return _marketplace(agent) == folder


def installed(agent: Agent) -> ListedPlugin | None:
    """How the agent lists the plugin; None when it does not. Raises `AgentRefusal`."""
    for row in _rows(_run(agent, "plugin", "list", "--json")):
        match row:
            case (
                {"id": id_, "enabled": bool(enabled)}  # Claude Code
                | {"pluginId": id_, "enabled": bool(enabled)}  # Codex
            ) if id_ == _ID:
                return ListedPlugin(version=_version(row), enabled=enabled)
            case {"name": "sleepd", "marketplace": "sleepd", "enabled": bool(enabled)}:  # Copilot
                return ListedPlugin(version=_version(row), enabled=enabled)
    return None


def plugins_are_off(agent: Agent) -> bool:
    """Whether the user turned plugins off; only Codex can."""
    if agent is not Agent.CODEX:
        return False
    features = (line.split() for line in _run(agent, "features", "list").splitlines())
    return any(words[0] == "plugins" and words[-1] == "false" for words in features if words)


def _marketplace(agent: Agent) -> Path | None:
    """The place of the agent's marketplace of our name; None when it has none."""
    for row in _rows(_run(agent, "plugin", "marketplace", "list", "--json")):
        match row:
            case {"name": "sleepd", "path": str(place)} | {"name": "sleepd", "root": str(place)}:
                return Path(place)
            case {"name": "sleepd", "source": str(place)} | {"name": "sleepd", "repo": str(place)}:
                return Path(place.removeprefix("Local: "))
    return None


def _rows(text: str) -> Iterator[object]:
    try:
        value: object = json.loads(text)
    except ValueError as error:
        raise AgentRefusal(f"its list is not the expected JSON ({error}); update it, or sleepd") from None
    match value:
        case list(rows) | {"installed": list(rows)} | {"marketplaces": list(rows)}:
            yield from rows


def _version(row: object) -> str | None:
    match row:
        case {"version": str(version)}:
            return version
    return None


def _run(agent: Agent, *arguments: str) -> str:
    """The command's output. Raises `AgentRefusal` with the command's own words when it fails."""
    program = path_of(agent)
    if program is None:
        raise AgentRefusal(missing(agent))
    said = f"{program.name} {' '.join(arguments)}"
    try:
        done = subprocess.run(  # noqa: S603  the agent's own command, without a shell
            [str(program), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_LONGEST_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise AgentRefusal(f"{said} did not end in {_LONGEST_S:.0f} s; run it by hand and see what it asks") from None
    except OSError as error:
        raise AgentRefusal(
            f"{program} cannot be run ({error.strerror}); install {CLIENTS[agent].product} anew"
        ) from None
    if done.returncode != 0:
        # The line with the error: clients print warnings before it and traces after it.
        lines = [
            line.strip(" ✘")
            for line in (done.stderr + done.stdout).splitlines()
            if line.strip() and not line.startswith("WARNING")
        ]
        at = next((i for i, line in enumerate(lines) if line.startswith(("Error", "error", "Failed", "failed"))), 0)
        told = lines[at : at + 2] if lines[at:] and lines[at].endswith(":") else lines[at : at + 1]
        why = " ".join(told)[:300].rstrip(".") or f"exit status {done.returncode}"
        raise AgentRefusal(f"{said} failed: {why}; run that command by hand to see its whole output")
    return done.stdout
