"""`sleepd backup` and `sleepd restore`."""

from __future__ import annotations

from typing import Annotated

import typer

from sleepd.cli.terminal import show, show_json
from sleepd.settings import config


def backup(as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False) -> None:
    """Make a checked copy of the database; the newest three copies are kept."""
    from sleepd.usecases import backups

    made = backups.backup(config.places())
    if as_json:
        show_json({"backup": str(made)})
    else:
        show(f"copied to {made}")


def restore(
    backup: Annotated[
        str | None, typer.Argument(help="A backup's file or name. Without one: the newest backup that is sound.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")] = False,
) -> None:
    """Put the database back from a backup. The present file is kept next to the restored one, whatever its state."""
    from sleepd.usecases import backups

    done = backups.restore(config.places(), backup)
    if as_json:
        show_json({"backup": str(done.backup), "kept_as": str(done.moved) if done.moved is not None else None})
        return
    kept = f"; the former file is now {done.moved}" if done.moved is not None else ""
    show(f"restored from {done.backup}{kept}\ntranscripts that came later are read again by: sleepd harvest")
