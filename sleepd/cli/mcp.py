"""`sleepd mcp`."""

from __future__ import annotations

import contextlib

import typer

from sleepd.cli.terminal import can_ask, note
from sleepd.core.errors import SleepdError
from sleepd.host import log
from sleepd.settings import config


def mcp(ctx: typer.Context) -> None:
    """Serve an agent on standard input and output by the Model Context Protocol, until standard input ends.

    Tools: status, run (a dry run unless asked otherwise), proposals, show, adopt, revert, recall. An agent starts
    this server by itself; docs/how-to/copilot.md says how to set the server up.
    """
    from sleepd.mcp.server import serve

    log.silence()
    # The server starts even with broken settings or an unwritable log: its tools name the fault.
    with contextlib.suppress(SleepdError, OSError):
        verbose = bool((ctx.obj or {}).get("verbose"))
        log.configure(config.places().log, level=config.load().log.level, verbose=verbose)
    if can_ask():
        note("waiting for a client of the Model Context Protocol; agents start this by themselves. Ctrl-D ends it.")
    serve()
