"""`sleepd harvest` and `sleepd mine`."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Annotated

import typer

from sleepd import compose
from sleepd.cli.terminal import AsJson, Quiet, ask, can_ask, note, progress, show, show_json
from sleepd.core.errors import UsageError
from sleepd.pipeline.unread import IngestReport
from sleepd.settings import config
from sleepd.settings.settings import Settings
from sleepd.usecases import answers, harvest_sources
from sleepd.views import report

Since = Annotated[
    str | None, typer.Option("--since", help='How far back to read: "30d", or "all". Default: harvest.since.')
]


def harvest(
    ctx: typer.Context,
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SOURCE]...", help="An agent, a file or a folder. Default: all agents of the settings."
        ),
    ] = None,
    since: Since = None,
    watch: Annotated[bool, typer.Option("--watch", help="Keep running, and harvest whenever a session grows.")] = False,
    written_by: Annotated[
        str | None, typer.Option("--as", metavar="AGENT", help="Which agent wrote the named files.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Afterwards count the stored texts by their origin: whose words they are.")
    ] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Read transcripts into the database: new ones, and the lines added to known ones.

    Named files, alone or in a folder, are recognised by their content and read whatever their age. An unreadable piece
    is kept as a defect and never stops the rest.
    """
    places = config.places()
    settings = config.load(overrides={"harvest.since": since})
    named = harvest_sources.named(sources or (), written_by)
    if watch and explain:
        raise UsageError("--watch never ends by itself; run sleepd harvest --explain in another terminal")
    if watch and named.paths:
        raise UsageError("--watch follows agents, not files; leave the files out")
    if named.needs_window:
        settings = answers.answered(settings, (answers.WINDOW,), places.config, ask if can_ask() else None)
    if not watch and not explain and (same := harvest_sources.nothing_new(places, settings, named)) is not None:
        # Most harvests: what reads and stores is not even imported.
        _tell(same, as_json=as_json, quiet=quiet)
        return
    open_log(ctx, settings)
    if watch:
        from sleepd.resident import watching

        only = replace(settings.harvest, agents=named.agents or settings.harvest.agents)
        if not quiet:
            note("watching; Ctrl-C ends it")
        try:
            watching.watch(
                places,
                settings.model_copy(update={"harvest": only}),
                lambda done: _tell(done, as_json=as_json, quiet=quiet),
            )
        except KeyboardInterrupt:
            note("stopped")
        return
    import structlog

    from sleepd.usecases import harvest_sessions

    with closing(compose.database(places)) as database:
        with progress("harvesting", hidden=quiet) as told:
            done = harvest_sessions.harvest(places, database, settings, named, told)
        if explain:
            from sleepd.store.voices import voices

            with database.reading() as connection:
                heard = voices(connection)
    logger = structlog.get_logger()
    logger.info("harvest.ended", files=done.read, sessions=done.sessions, defects=done.defects)
    if explain and as_json:
        show_json({**report.harvest_json(done), "texts": report.voices_json(heard)})
        return
    _tell(done, as_json=as_json, quiet=quiet)
    if explain:
        show(report.voices_text(heard))


def mine(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Cut new sessions into tasks, embed the requests, find the recurring work, and mine its checks.

    A second run changes nothing.
    """
    import structlog

    from sleepd.host import locks
    from sleepd.pipeline.mine import mine as mine_all
    from sleepd.usecases import judging

    places, settings = config.places(), config.load()
    open_log(ctx, settings)
    with (
        closing(compose.embedder(settings)) as embedder,
        closing(compose.database(places)) as database,
        locks.night(places, settings.night.lock_wait_s),
        progress("finding recurring work") as told,
    ):
        done = mine_all(database, embedder, settings.mine, told, kinds=settings.harvest.kinds)
        judging.judge_checks(database, settings.lessons)
    logger = structlog.get_logger()
    logger.info("work.mined", sessions=done.sessions, tasks=done.tasks, clusters=done.clusters)
    if as_json:
        show_json(report.mine_json(done))
    else:
        show(report.mine_text(done))


def open_log(ctx: typer.Context, settings: Settings) -> None:
    """Send events to the log file, and to stderr with `--verbose`."""
    from sleepd.host import log

    log.configure(config.places().log, level=settings.log.level, verbose=bool((ctx.obj or {}).get("verbose")))


def _tell(done: IngestReport, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        show_json(report.harvest_json(done))
    elif not quiet:
        show(report.harvest_text(done))
