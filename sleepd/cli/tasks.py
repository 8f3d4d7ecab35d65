"""`sleepd tasks`: the recurring work, listed, shown, exported, imported, dropped."""

from __future__ import annotations

import os
import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from sleepd import compose
from sleepd.cli.terminal import AsJson, note, show, show_json, show_json_text
from sleepd.settings import config
from sleepd.store import recurring
from sleepd.views import report, work_view

app = typer.Typer(
    help="The recurring work: list it, show a task, export all tasks for review, import the reviewed file.",
    add_completion=False,
    rich_markup_mode=None,
)

_KINDS_ON_A_PAGE = 50

Id = Annotated[str, typer.Argument(metavar="ID", help="The beginning of a task's id.")]


@app.command("list", short_help="List the recurring work.")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="Also print each task on a line of its own.")] = False,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Kinds of work on a page: 50, and all of them with --json.")
    ] = None,
    page: Annotated[int, typer.Option("--page", min=1, help="Which page.")] = 1,
    as_json: AsJson = False,
) -> None:
    """List the recurring work, the most costly first: sessions, how often you asked again, checkable tasks."""
    count = limit if limit is not None or (as_json and page == 1) else _KINDS_ON_A_PAGE
    first = 1 if count is None else (page - 1) * count + 1
    path = config.places().database
    found = recurring.page(path, config.load().mine.min_sessions, first=first, count=count)
    members = recurring.members(path, [r.kind for r in found.found]) if everything or as_json else ()
    if as_json:
        show_json(work_view.kinds_json(found, members))
    else:
        show(work_view.kinds_text(found, members))


@app.command("show", short_help="Show one task whole.")
def show_(id_: Id, as_json: AsJson = False) -> None:
    """Show one task whole: the request, each answer with its outcome, its checks."""
    from sleepd.usecases import recurring_work, task_file
    from sleepd.views import task_view

    with closing(compose.database(config.places())) as database:
        found = recurring_work.task(database, id_)
    if as_json:
        show_json(task_file.plain(found))
    else:
        show(task_view.task_text(found))


@app.command("export", short_help="Write all tasks to a file for review.")
def export(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="Where to write: YAML if the name ends in .yaml, else JSON; - is stdout."),
    ],
    as_json: AsJson = False,
) -> None:
    """Write all tasks and the checks of your lessons to a file: set `dropped`, edit `checks`, import it again.

    The file quotes you and your agents; only you can read it.
    """
    from sleepd.store import tasks
    from sleepd.usecases import lessons, task_file

    with closing(compose.database(config.places())) as database:
        with database.reading() as connection:
            stored = tasks.load(connection)
        known = lessons.checkable(database, config.load().lessons)
    text = task_file.exported(stored, known, yaml=task_file.is_yaml(file))
    if file == "-":
        show_json_text(text)
        return
    descriptor = os.open(Path(file), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
        stream.write(text)
    if as_json:
        show_json({"file": file, "tasks": len(stored), "lessons": len(known)})
    else:
        of_lessons = f" and the checks of {report.count(len(known), 'lesson')}" if known else ""
        note(f"wrote {len(stored)} tasks{of_lessons} to {file}; when you have reviewed it: sleepd tasks import {file}")


@app.command("import", short_help="Import your changes of the file.")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An exported file; - is stdin.")],
    as_json: AsJson = False,
) -> None:
    """Import your changes of an exported file: all of them, or none and one line for each mistake."""
    from sleepd.usecases import lessons, task_file

    text = sys.stdin.read() if file == "-" else task_file.read_text(Path(file))
    from sleepd.host import locks

    settings = config.load()
    with (
        closing(compose.database(config.places())) as database,
        locks.night(config.places(), settings.night.lock_wait_s),
    ):
        done = task_file.import_file(database, text, file, lessons.checkable(database, settings.lessons))
    if as_json:
        told = {"dropped": done.dropped, "checked": done.checked, "unchanged": done.unchanged}
        show_json({**told, "lessons": done.lessons})
    else:
        also = f"; {report.count(done.lessons, 'lesson')} with your checks" if done.lessons else ""
        show(f"{done.dropped} dropped, {done.checked} with your checks, {done.unchanged} unchanged{also}")


@app.command("drop", short_help="Remove one task for good.")
def drop(id_: Id, as_json: AsJson = False) -> None:
    """Remove one task for good: it teaches nothing, measures nothing and does not return."""
    from sleepd.host import locks
    from sleepd.usecases import recurring_work

    settings = config.load()
    with (
        closing(compose.database(config.places())) as database,
        locks.night(config.places(), settings.night.lock_wait_s),
    ):
        dropped = recurring_work.drop(database, id_)
    if as_json:
        show_json({"dropped": dropped})
    else:
        show(f"dropped {dropped}")
