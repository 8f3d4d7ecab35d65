"""`sleepd daemon`. Modules imported here stay in memory as long as the daemon runs."""

from __future__ import annotations

import typer

from sleepd.cli.terminal import ask, can_ask, note
from sleepd.settings import config
from sleepd.usecases import answers


def daemon(ctx: typer.Context) -> None:
    """Stay in the foreground: harvest as sessions grow, and run a night at night.at, local time.

    A night missed while the machine was off or asleep is run as soon as the machine is on and the conditions hold;
    before the first night no night counts as missed. SIGTERM and Ctrl-C end the daemon; a running night continues with
    the next start. The daemon reads the settings again when their file changes. Exit status 75 when a daemon is running
    already.
    """
    from sleepd.host import log
    from sleepd.resident import daemon as service

    places, settings = config.places(), config.load()
    answers.answered(settings, (answers.WINDOW, answers.SPENDING), places.config, ask if can_ask() else None)
    log.configure(places.log, level=settings.log.level, verbose=bool((ctx.obj or {}).get("verbose")))
    service.run(places, note)
