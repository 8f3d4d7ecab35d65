"""`sleepd service`: let it run by itself."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sleepd.cli.terminal import AsJson, note, show, show_json, steps
from sleepd.host import clock
from sleepd.schedulers import choice, output
from sleepd.schedulers.plan import plan
from sleepd.settings import config
from sleepd.settings.settings import Settings
from sleepd.usecases import service
from sleepd.views import report, service_view

app = typer.Typer(
    help="Let sleepd run by itself each night: install, check and remove the schedule.",
    add_completion=False,
    rich_markup_mode=None,
)


@app.command("install", short_help="Run by itself each night.")
def install(
    timer: Annotated[
        bool, typer.Option("--timer", help="Start one run each night; no process stays in between.")
    ] = False,
    cron: Annotated[bool, typer.Option("--cron", help="Start one run each night, by a line in your crontab.")] = False,
    linger: Annotated[
        bool, typer.Option("--linger", help="Run also while you are not logged in (systemd only).")
    ] = False,
    keep_key: Annotated[
        bool,
        typer.Option(
            "--keep-key", help="Store this shell's provider key as plain text in a file that only you can read."
        ),
    ] = False,
    preflight: Annotated[
        bool,
        typer.Option("--preflight/--no-preflight", help="First check the machine with the scheduler's environment."),
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Install the schedule that starts sleepd by itself. Only one can exist: a schedule of another kind is replaced.

    Without options a daemon stays resident: systemd's user unit on Linux, a launchd agent on macOS, a task on Windows.
    Before anything is installed, `sleepd doctor --live` is run with the scheduler's environment alone.
    """
    options = service.ServiceOptions(timer=timer, cron=cron, linger=linger, keep_key=keep_key, preflight=preflight)
    places = config.places()
    with steps("looking at this machine", hidden=as_json) as step:
        done = service.install(places, options, sys.platform, step)
    next_at = service.status(config.places(), sys.platform, clock.now()).next_at
    if as_json:
        told = {"kind": done.kind, "environment": str(done.environment), "kept": list(done.kept)}
        show_json({**told, "replaced": list(done.removed), "next": report.iso(next_at), "notes": list(done.notes)})
        return
    replaced = f", in place of: {', '.join(done.removed)}" if done.removed else ""
    upcoming = f"; next night {report.moment(next_at)}" if next_at is not None else ""
    show(f"installed: {done.kind}{replaced}{upcoming}")
    show(f"variables kept in {done.environment}: {', '.join(done.kept)}")
    for line in done.notes:
        note(line)


@app.command("uninstall", short_help="Remove the schedule.")
def uninstall(as_json: AsJson = False) -> None:
    """Remove every schedule of sleepd. Settings, database and waiting proposals stay."""
    done = service.uninstall(config.places(), sys.platform)
    if as_json:
        show_json({"removed": list(done.things), "waiting": done.waiting})
        return
    show("\n".join(f"removed {thing}" for thing in done.things) or "nothing was installed")
    if done.waiting:
        wait = "proposal waits; it stays" if done.waiting == 1 else "proposals wait; they stay"
        note(f"{done.waiting} {wait}: sleepd review")
    if done.lingers and done.things:
        note("lingering is still on, because other services may need it: loginctl disable-linger")


@app.command("status", short_help="Show the installed schedule and its state.")
def status(as_json: AsJson = False) -> None:
    """Show the installed schedule: whether it runs, its next start, its last result, whether its files are current."""
    found = service.status(config.places(), sys.platform, clock.now())
    if as_json:
        show_json(service_view.as_json(found))
    else:
        show(service_view.as_text(found))


@app.command("logs", short_help="Show the output of scheduled starts.")
def logs(
    lines: Annotated[int, typer.Option("--lines", "-n", min=0, help="How many lines, the newest.")] = 50,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Follow new lines, until Ctrl-C.")] = False,
) -> None:
    """Show the output of scheduled starts: the unit's journal where it can be read, else the log file."""
    # The settings may be the fault: the logs must show all the same.
    usual = plan(config.places(), Settings())
    units = [one.unit for one in choice.known(sys.platform) if one.unit is not None and one.look(usual) is not None]
    text = output.journal(units[0], max(lines, 1)) if units else ""
    log = config.places().log
    end = output.end(log)
    shown = text if text and lines else output.tail(log, lines, end.size)
    if shown:
        show(shown)
    elif not follow:
        note(f"nothing was written yet; the log will be {log}")
    if follow and text:
        output.follow_journal(units[0])
    elif follow:
        output.follow(log, end, show)
