"""`sleepd init` and `sleepd doctor`."""

from __future__ import annotations

from typing import Annotated

import typer

from sleepd.app import config, init, report
from sleepd.app import doctor as examination
from sleepd.app.cli.terminal import AsJson, ask, can_ask, show, show_json


def initialize(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing; take the defaults: 30d, 500 calls.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the agents on this machine, write a commented settings file, make the database.

    What is there already is kept as it is, so that it can be run again at any time.
    """
    places = config.places()
    asker = None if yes or not can_ask() else ask
    begun = init.initialize(places, asker, defaults=yes)
    if as_json:
        show_json(report.begun_json(begun, places))
    else:
        show(report.begun_text(begun, places, asked=asker is not None))


def doctor(
    live: Annotated[bool, typer.Option("--live", help="Ask each model once, for real.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check everything that must hold. A row that fails names its fix; exit status 2 when one does.

    Warnings are worth reading and do not fail.
    """
    rows = examination.examine(config.places(), live=live)
    if as_json:
        show_json(report.doctor_json(rows))
    else:
        show(report.doctor_text(rows))
    if any(row.state is examination.State.FAILED for row in rows):
        raise typer.Exit(2)
