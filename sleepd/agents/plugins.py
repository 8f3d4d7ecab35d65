"""`/skillopt-sleep`, the skill, the hooks and the MCP server: installed in the agents, removed, examined."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sleepd import __version__
from sleepd.agents import codex_skill, json_member, marketplace, mcp_servers, own_commands
from sleepd.agents.own_commands import Agent, Refused
from sleepd.core.errors import SleepdError
from sleepd.host import locks
from sleepd.host.outfile import replace_file
from sleepd.settings.places import Places, make_private

__all__ = ["Agent", "Machine", "Outcome", "Standing", "in_words", "install", "standing", "uninstall"]

_HOW = {
    Agent.CLAUDE_CODE: "start a new session and type /sleepd:skillopt-sleep",
    Agent.CODEX: "mention $sleepd:sleepd in a prompt; the next start asks whether to trust its two hooks",
    Agent.COPILOT: "start a new session and ask for the skill skillopt-sleep",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """The places of this machine."""

    places: Places
    env: Mapping[str, str]
    """The agents' own overrides."""
    home: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result for one agent."""

    agent: Agent
    done: bool
    here: bool
    """Whether the agent's command was found at all."""
    said: tuple[str, ...]
    """Lines for the user; one that says why names the remedy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The state of the plugin in one agent."""

    agent: Agent
    program: Path | None
    """The agent's command; None when it is not on PATH."""
    installed: bool
    enabled: bool
    version: str | None
    """The version the agent has; None when it has none, or does not say."""
    servers: tuple[Path, ...] = ()
    """Files that name the MCP server."""
    trouble: str = ""
    """Why it could not be found out."""

    @property
    def current(self) -> bool:
        """Whether the agent has the plugin that this sleepd would install."""
        return self.installed and self.version == __version__


def install(machine: Machine, wanted: Sequence[Agent]) -> tuple[Outcome, ...]:
    """Copy the marketplace to its place and have each agent install the plugin from there. Repeating it updates it.

    Raises `MissingPart` when this sleepd has no plugin to give, `Busy` when another install is under way.
    """
    with locks.plugins(machine.places):
        if any(own_commands.path_of(agent) for agent in wanted):
            marketplace.put(machine.places.plugins)
        return tuple(_outcome(agent, _is_here(machine, agent), _installed(machine, agent)) for agent in wanted)


def uninstall(machine: Machine, wanted: Sequence[Agent]) -> tuple[Outcome, ...]:
    """Remove the installed parts, and nothing else. The marketplace goes with the last agent that uses it."""
    with locks.plugins(machine.places):
        if not machine.places.plugins.exists():
            # Codex refuses to list or remove anything while a marketplace that it knows is gone.
            marketplace.put(machine.places.plugins)
        outcomes = tuple(_outcome(agent, _is_here(machine, agent), _uninstalled(machine, agent)) for agent in wanted)
        done = {outcome.agent for outcome in outcomes if outcome.done}
        if not any(_uses_marketplace(machine, agent) for agent in Agent if agent not in done):
            marketplace.remove(machine.places.plugins)
        return outcomes


def standing(machine: Machine) -> tuple[Standing, ...]:
    """The state of the plugin in each agent, as the agents report it."""
    return tuple(_standing(machine, agent) for agent in Agent)


def in_words(row: Standing) -> tuple[str, str]:
    """The finding and the remedy; "" when there is nothing to do."""
    again = f"run sleepd plugin install {row.agent}"
    match row:
        case Standing(trouble=str(trouble)) if trouble:
            finding, _, fix = trouble.partition("; ")
            return f"unknown: {finding}", fix
        case Standing(installed=False, program=None):
            return "the agent is not on this machine", ""
        case Standing(installed=False):
            return "not installed", again
        case Standing(enabled=False):
            return "installed, but turned off in the agent", f"turn it on there, or {again}"
    if not row.current:
        return f"version {row.version or 'unknown'}, and this sleepd is {__version__}", again
    named = "".join(f", MCP server in {file}" for file in row.servers)
    return f"installed, version {row.version}{named}", ""


# One agent ----------------------------------------------------------------------------------------------------------


def _outcome(agent: Agent, here: bool, lines: Iterator[str]) -> Outcome:
    """Run one agent's steps to their end or to the first that fails."""
    said: list[str] = []
    try:
        if not here:
            raise Refused(own_commands.missing(agent))
        for line in lines:
            said.append(line)  # noqa: PERF402  what was done before a step fails was done
    except SleepdError as error:
        return Outcome(agent=agent, done=False, here=here, said=(*said, str(error)))
    return Outcome(agent=agent, done=True, here=here, said=tuple(said))


def _is_here(machine: Machine, agent: Agent) -> bool:
    """Copilot lives in VS Code too, which needs no command."""
    return own_commands.path_of(agent) is not None or (agent is Agent.COPILOT and bool(_places(machine)))


def _places(machine: Machine) -> tuple[mcp_servers.Place, ...]:
    """The files for the MCP server, without Copilot CLI's own where there is no Copilot CLI."""
    found = mcp_servers.places(machine.env, machine.home)
    return found if own_commands.path_of(Agent.COPILOT) is not None else found[1:]


def _installed(machine: Machine, agent: Agent) -> Iterator[str]:
    if own_commands.path_of(agent) is None:
        yield from _servers_added(machine)
        return
    if own_commands.plugins_are_off(agent):
        place = codex_skill.folder(machine.env, machine.home)
        codex_skill.put(place)
        yield f"plugins are turned off there (features.plugins), so the skill is in {place}; mention it as $sleepd"
        return
    own_commands.install(agent, machine.places.plugins)
    yield f"plugin {marketplace.NAME} {__version__} installed; {_HOW[agent]}"
    if agent is Agent.COPILOT:
        yield from _servers_added(machine)


def _uninstalled(machine: Machine, agent: Agent) -> Iterator[str]:
    place = codex_skill.folder(machine.env, machine.home)
    if agent is Agent.CODEX and codex_skill.remove(place):
        yield f"skill removed from {place}"
    if own_commands.path_of(agent) is not None:
        taken = own_commands.uninstall(agent, machine.places.plugins)
        yield "plugin removed" if taken else "the plugin was not installed from here"
    if agent is Agent.COPILOT:
        yield from _servers_removed(machine)


def _uses_marketplace(machine: Machine, agent: Agent) -> bool:
    """In doubt it does: an agent that cannot say now may read the folder tomorrow."""
    if own_commands.path_of(agent) is None:
        return False
    try:
        return own_commands.knows(agent, machine.places.plugins)
    except Refused:
        return True


def _standing(machine: Machine, agent: Agent) -> Standing:
    program = own_commands.path_of(agent)
    found, trouble = None, ""
    named: tuple[Path, ...] = ()
    try:
        found = own_commands.installed(agent) if program is not None else None
        named = _named(machine) if agent is Agent.COPILOT else ()
    except SleepdError as error:
        lost = str(machine.places.plugins) in str(error) and not machine.places.plugins.exists()
        gone = f"{machine.places.plugins}, its marketplace folder, is gone; run sleepd plugin install {agent}"
        trouble = gone if lost else str(error)
    if found is None and agent is Agent.CODEX and codex_skill.is_there(codex_skill.folder(machine.env, machine.home)):
        found = own_commands.Installed(version=__version__, enabled=True)
    return Standing(
        agent=agent,
        program=program,
        installed=found is not None,
        enabled=found is not None and found.enabled,
        version=found.version if found is not None else None,
        servers=named,
        trouble=trouble,
    )


# The MCP server in the clients' files ---------------------------------------------------------------------------------


def _servers_added(machine: Machine) -> Iterator[str]:
    record, program = _record(machine.places), marketplace.program()
    for place in _places(machine):
        try:
            made = mcp_servers.add(place, program)
        except json_member.Unclear as why:
            by_hand = mcp_servers.snippet(place, program)
            yield f"{place.file} is unchanged: {why}; add under {place.container!r} yourself: {by_hand}"
            continue
        if made is not None:
            record[str(place.file)] = made
            _keep(machine.places, record)
        yield f"MCP server {marketplace.NAME} is in {place.file}"


def _servers_removed(machine: Machine) -> Iterator[str]:
    record = _record(machine.places)
    for place in mcp_servers.places(machine.env, machine.home):
        try:
            if mcp_servers.remove(place, record.pop(str(place.file), mcp_servers.Made.ENTRY)):
                yield f"MCP server {marketplace.NAME} removed from {place.file}"
        except json_member.Unclear as why:
            if mcp_servers.may_name_it(place):
                entry = f"{marketplace.NAME!r} out of {place.container!r}"
                yield f"{place.file} is unchanged: {why}; take {entry} yourself"
    _keep(machine.places, record)


def _named(machine: Machine) -> tuple[Path, ...]:
    return tuple(place.file for place in mcp_servers.places(machine.env, machine.home) if _names_it(place))


def _names_it(place: mcp_servers.Place) -> bool:
    """A file that cannot be read strictly was never written by us."""
    try:
        return mcp_servers.is_there(place)
    except json_member.Unclear:
        return False


def _record(places: Places) -> dict[str, mcp_servers.Made]:
    """The parts added to each file. Without this note only the entries themselves are removed."""
    file = places.plugin_record
    try:
        held = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except ValueError:
        held = {}
    known = set(mcp_servers.Made)
    return {str(k): mcp_servers.Made(v) for k, v in held.items() if v in known} if isinstance(held, dict) else {}


def _keep(places: Places, record: Mapping[str, mcp_servers.Made]) -> None:
    if not record:
        places.plugin_record.unlink(missing_ok=True)
        return
    make_private(places.plugin_record.parent)
    replace_file(places.plugin_record, (json.dumps(record, indent=2) + "\n").encode())
