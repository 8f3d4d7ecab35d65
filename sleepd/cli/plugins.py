"""`sleepd plugin install`, `uninstall` and `status`."""

from __future__ import annotations

from typing import Annotated

import typer

from sleepd import __version__
from sleepd.agents import plugins
from sleepd.agents.plugins import Agent, Machine, PluginResult
from sleepd.cli.terminal import AsJson, show, show_json
from sleepd.core.errors import UnknownName
from sleepd.settings import config

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    help="The plugin with the command /skillopt-sleep for your agents: install, uninstall, status.",
)


_ALL = "all"

Agents = Annotated[list[str], typer.Argument(metavar="AGENT...", help="claude-code, codex, copilot, or all.")]


@app.command()
def install(agents: Agents, as_json: AsJson = False) -> None:
    """Install the command, the skill and the hooks into an agent; for Copilot the MCP server too.

    Repeating the command updates them. `all` takes the agents that are on this machine. The exit status is 2 when one
    of the agents did not get the plugin.
    """
    _told(plugins.install(_machine(), _chosen(agents)), as_json=as_json, everything=_ALL in agents)


@app.command()
def uninstall(agents: Agents, as_json: AsJson = False) -> None:
    """Remove everything that `install` added, and nothing else."""
    _told(plugins.uninstall(_machine(), _chosen(agents)), as_json=as_json, everything=_ALL in agents)


@app.command()
def status(as_json: AsJson = False) -> None:
    """Say for each agent whether the plugin is installed and enabled, and has the version of this sleepd."""
    rows = plugins.states(_machine())
    if as_json:
        show_json(
            [
                {
                    "agent": row.agent,
                    "program": None if row.program is None else str(row.program),
                    "installed": row.installed,
                    "enabled": row.enabled,
                    "version": row.version,
                    "sleepd": __version__,
                    "current": row.current,
                    "mcp": [str(file) for file in row.servers],
                    "trouble": row.trouble or None,
                }
                for row in rows
            ]
        )
    else:
        show("\n".join(f"{row.agent:<12} {'; '.join(filter(None, plugins.in_words(row)))}" for row in rows))


def _machine() -> Machine:
    return Machine(places=config.places(), env=config.agent_env(), home=config.home())


def _chosen(wanted: list[str]) -> tuple[Agent, ...]:
    """The agents that were named, in a stable order. Raises `UnknownName`."""
    known = [*(agent.value for agent in Agent), _ALL]
    for name in wanted:
        if name not in known:
            raise UnknownName("agent", name, known)
    return tuple(agent for agent in Agent if agent in wanted or _ALL in wanted)


def _told(outcomes: tuple[PluginResult, ...], *, as_json: bool, everything: bool) -> None:
    """Print the result for each agent. With `all`, an agent that is not on the machine is no failure."""
    if as_json:
        show_json([{"agent": o.agent, "done": o.done, "here": o.here, "said": list(o.said)} for o in outcomes])
    else:
        show("\n".join(f"{o.agent}: {line}" for o in outcomes for line in o.said))
    failed = [o for o in outcomes if not o.done and (o.here or not everything)]
    if failed or not any(o.here for o in outcomes):
        raise typer.Exit(2)
