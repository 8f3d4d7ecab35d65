"""`sleepd init` and `sleepd doctor`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from typer.main import get_command

from sleepd.cli.terminal import AsJson, ask, can_ask, note, show, show_json
from sleepd.core.errors import SleepdError
from sleepd.host import clock
from sleepd.settings import config
from sleepd.usecases import doctor as examination
from sleepd.usecases import init
from sleepd.views import report
from sleepd.views.doctor_result import DoctorState
from sleepd.views.init_result import InitResult


def initialize(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing; take the defaults: 30d, 1000 calls.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the agents on this machine, write a commented settings file, make the database.

    On a terminal the command then offers the agents' plugins and, once a model is chosen, the nightly service. Nothing
    is installed unasked. A second run keeps everything, and asks and adds only missing settings.
    """
    places = config.places()
    asker = None if yes or not can_ask() else ask
    begun = init.initialize(places, asker, defaults=yes)
    if as_json:
        show_json(report.begun_json(begun, places))
    else:
        show(report.begun_text(begun, places, asked=asker is not None))
        if asker is not None:
            _offer(begun)


def doctor(
    live: Annotated[bool, typer.Option("--live", help="Make one real call to each model.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check every requirement. A failing row names its fix and gives exit status 2.

    Warnings do not fail.
    """
    rows = examination.examine(config.places(), live=live)
    if as_json:
        show_json(report.doctor_json(rows))
    else:
        show(report.doctor_text(rows))
    if any(row.state is DoctorState.FAILED for row in rows):
        raise typer.Exit(2)


def _offer(begun: InitResult) -> None:
    """Ask before changing other programs, and run the commands that the text above names."""
    agents = _without_plugin()
    if agents and _wanted(f"Install sleepd's commands into {' and '.join(agents)}?"):
        _do("plugin", "install", *agents)
    # Installing asks the model, as a night will, so one has to be chosen.
    ready = begun.model_chosen and begun.window_chosen
    if ready and not _is_scheduled() and _wanted("Run a night by itself, every night?"):
        _do("service", "install")


def _without_plugin() -> list[str]:
    """The agents on this machine that could have the plugin and have not."""
    from sleepd.agents import plugins

    machine = plugins.Machine(places=config.places(), env=config.agent_env(), home=config.home())
    rows = plugins.standing(machine)
    return [row.agent for row in rows if row.program is not None and not row.installed and not row.trouble]


def _is_scheduled() -> bool:
    """Whether something starts nights already."""
    from sleepd.usecases import service

    return bool(service.status(config.places(), sys.platform, clock.now()).schedules)


def _wanted(question: str) -> bool:
    return typer.confirm(question, default=False, err=True)


def _do(*command: str) -> None:
    """Run one of our own commands; when it cannot be done, say why and go on."""
    from sleepd.cli import app

    note(f"$ sleepd {' '.join(command)}")
    try:
        get_command(app).main(list(command), prog_name="sleepd", standalone_mode=False)
    except SleepdError as refused:
        note(f"not done: {refused}")
