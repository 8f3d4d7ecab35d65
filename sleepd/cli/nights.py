"""`sleepd run`, `sleepd nights` and `sleepd show`."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from sleepd import compose
from sleepd.cli.days import Since, open_log
from sleepd.cli.deciding import show_page
from sleepd.cli.terminal import AsJson, ask, can_ask, note, show, show_json, steps
from sleepd.core.errors import UsageError
from sleepd.settings import config
from sleepd.store import nights as stored
from sleepd.store.nights import NightStatus
from sleepd.usecases import answers, night_folder
from sleepd.usecases import show as looking
from sleepd.usecases.run_options import RunOptions, RunProgress
from sleepd.views import evidence, proposal_view, report
from sleepd.views.evidence import Proposed


def run(
    ctx: typer.Context,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Harvest and mine, ask no model, and print the plan and the cost of a night."),
    ] = False,
    since: Since = None,
    budget_usd: Annotated[
        float | None,
        typer.Option("--budget-usd", help="Dollars this run may spend, in addition to the night's earlier runs."),
    ] = None,
    max_calls: Annotated[
        int | None,
        typer.Option("--max-calls", help="Model calls this run may make, in addition to the night's earlier runs."),
    ] = None,
    skill: Annotated[str | None, typer.Option("--skill", help="Work on this skill only.")] = None,
    backend: Annotated[str | None, typer.Option("--backend", help="Another model adapter than model.name.")] = None,
    project: Annotated[
        Path | None, typer.Option("--project", help="Learn from this project only. Default: all projects.")
    ] = None,
    scheduled: Annotated[
        bool,
        typer.Option(
            "--scheduled", help="For the daemon, cron and timers: ask nothing, wait, run the nights that are due."
        ),
    ] = False,
    for_daemon: Annotated[bool, typer.Option("--for-daemon", hidden=True)] = False,
    as_json: AsJson = False,
) -> None:
    """Run one night now, or continue today's stopped night: harvest, mine, replay, gate, propose.

    A night reads new sessions (harvest), finds the recurring work (mine), tries changed texts on that work (replay),
    tests whether they help (gate), and proposes those that do.

    With --scheduled everything else comes from the settings: each project of night.projects has its night, one after
    another. The command waits for the conditions, queues behind other nights, and never repeats a finished night.

    Only `sleepd adopt` writes a skill file. The exit status is 3 when the model could not be reached (finished work is
    kept), 4 when the budget is spent, 75 when another night is running.
    """
    if scheduled:
        options = dry_run, since, budget_usd, max_calls, skill, backend
        if as_json or any(option not in (None, False) for option in options):
            raise UsageError("--scheduled takes --project only; put other options into the settings file")
        raise typer.Exit(_scheduled(ctx, project, for_daemon=for_daemon))
    places = config.places()
    asked = {"harvest.since": since, "night.budget_usd": budget_usd, "night.max_calls": max_calls}
    settings = config.load(overrides={**asked, "model.name": backend})
    questions = (answers.WINDOW,) if dry_run else (answers.WINDOW, answers.SPENDING)
    settings = answers.answered(settings, questions, places.config, ask if can_ask() else None)
    fresh = frozenset(key for key in ("night.max_calls", "night.budget_usd") if asked[key] is not None)
    if project is not None and not project.expanduser().is_dir():
        raise UsageError(f"{project}: there is no such folder; --project takes the folder that your sessions ran in")
    wanted = RunOptions(project=project, skill=skill, fresh=fresh)
    open_log(ctx, settings)
    # All that a night needs takes a second to import: too long for who only looks at one.
    from sleepd.usecases import run_night
    from sleepd.views import night_result, preview_view

    with steps("working") as step:
        told = RunProgress(files=lambda done, total: step(f"harvesting: {done} of {total} files"), step=step)
        if dry_run:
            seen = run_night.preview(places, settings, wanted, told)
        else:
            ran = run_night.run(places, settings, wanted, told)
    if dry_run:
        if as_json:
            show_json(preview_view.preview_json(seen))
        else:
            show(preview_view.preview_text(seen))
        return
    if as_json:
        show_json({**report.night_json(ran.night), "harvest": report.harvest_json(ran.harvest)})
    elif ran.night.status is NightStatus.DONE:
        show(night_result.ran_text(ran))
    if ran.unwritten:
        note(ran.unwritten)
    run_night.check_measured(ran.night)


def history(
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many, newest first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List past nights, newest first."""
    with closing(compose.database(config.places())) as database, database.reading() as connection:
        found = stored.nights(connection, limit)
    if as_json:
        show_json([report.night_json(night) for night in found])
    else:
        show(report.nights_text(found))


def show_evidence(
    id_: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            help="The beginning of a night's id, such as its date, or of a proposal's. Default: the newest proposal.",
        ),
    ] = None,
    html: Annotated[
        bool, typer.Option("--html", help="Write the night's folder anew, and print the path of its report.html.")
    ] = False,
    open_: Annotated[bool, typer.Option("--open", help="With --html: show the page in the browser.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="With --html: the folder to write to. Default: one in the state folder."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a proposal as `sleepd review` does, or the full evidence of one night: candidates, verdicts with reasons,
    before and after by task, spending.

    --html writes a page with plots of a night (default: the newest): one file, which needs no network and runs no
    script.
    """
    if (open_ or out is not None) and not html:
        raise UsageError("--open and --out need --html")
    places = config.places()
    with closing(compose.database(places)) as database:
        meant = looking.meant(database, id_, night=html)
        if isinstance(meant, Proposed):
            if as_json:
                show_json(evidence.shown_json(meant))
            else:
                show_page(proposal_view.page(meant, None, whole=True))
            return
        seen = meant
        page = night_folder.report_of(places, seen.night.id)
        if html:
            own = night_folder.of(places, seen.night.id)
            page = night_folder.make(
                database, seen.night.id, own if out is None else night_folder.chosen(out, seen.night.id)
            )
    if as_json:
        show_json({**evidence.night_json(seen), "html": None if page is None else str(page)})
    else:
        show(str(page) if html else evidence.night_text(seen))
    if open_ and page is not None and typer.launch(page.as_uri()) != 0:
        note(f"no browser could be started; open {page} in yours")


def _scheduled(ctx: typer.Context, project: Path | None, *, for_daemon: bool) -> int:
    """Run the due nights; the most serious exit status of all of them."""
    from time import sleep

    from sleepd.resident import parent_watch
    from sleepd.resident import scheduled as clockwork

    open_log(ctx, config.load())
    if for_daemon:
        parent_watch.end_with_stdin()
    environment = clockwork.RunEnvironment(host=compose.host(), say=note, pause=sleep, once=for_daemon)
    came = clockwork.run(config.places(), project, environment)
    return max((one.status for one in came.values()), default=0)
