"""`sleepd init` and `sleepd doctor`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer
from typer.main import get_command

from sleepd.cli.terminal import AsJson, ask, can_ask, note, show, show_json
from sleepd.core import plaintext
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
        _show_rows(report.doctor_text(rows))
    if any(row.state is DoctorState.FAILED for row in rows):
        raise typer.Exit(2)


_STYLES = {DoctorState.OK: "green", DoctorState.WARNING: "bold yellow", DoctorState.FAILED: "bold red"}


def _show_rows(text: str) -> None:
    """Print the rows; on a terminal each begins in the colour of its state, unless `NO_COLOR` is set."""
    if not sys.stdout.isatty():
        show(text)
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, markup=False, emoji=False)
    if console.no_color:
        show(text)
        return
    for line in text.split("\n"):
        shown = Text(plaintext.shown(line))
        first = line.partition(" ")[0]
        if first in set(DoctorState):
            shown.stylize(_STYLES[DoctorState(first)], 0, len(first))
        console.print(shown, soft_wrap=True)


def _offer(begun: InitResult) -> None:
    """Ask before changing other programs, and run the commands that the text above names."""
    from sleepd.agents import plugins
    from sleepd.usecases import service

    rows = plugins.states(plugins.Machine(places=config.places(), env=config.agent_env(), home=config.home()))
    agents = [row.agent for row in rows if row.program is not None and not row.installed and not row.trouble]
    if agents and _wanted(f"Install sleepd's commands into {' and '.join(agents)}?"):
        _do("plugin", "install", *agents)
    # Installing asks the model, as a night will, so one has to be chosen.
    if not begun.model_chosen or not begun.window_chosen:
        return
    scheduled = bool(service.status(config.places(), sys.platform, clock.now()).schedules)
    if not scheduled and _wanted("Run a night by itself, every night?"):
        _do("service", "install")


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
