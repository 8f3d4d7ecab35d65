"""`sleepd recall`: a question that somebody waits for, so nothing of a night is imported."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from sleepd import compose
from sleepd.cli.terminal import AsJson, show, show_json, steps
from sleepd.settings import config
from sleepd.usecases import recurring_work
from sleepd.views import task_view


def recall(
    text: Annotated[str, typer.Argument(help="A request, in your own words.")],
    k: Annotated[int, typer.Option("-k", min=1, max=100, help="How many.")] = 5,
    lessons: Annotated[bool, typer.Option("--lessons", help="Only lessons, no tasks.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find the past tasks nearest to a text, most similar first, with their outcomes; and the lessons nearest to it."""
    settings = config.load()
    with (
        closing(compose.embedder(settings)) as embedder,
        closing(compose.database(config.places())) as database,
        steps("embedding"),
    ):
        found = () if lessons else recurring_work.nearest(database, embedder, text, k)
        near = recurring_work.nearest_lessons(database, embedder, text, k) if lessons or not as_json else ()
    if as_json:
        show_json(task_view.near_lessons_json(near) if lessons else task_view.near_json(found))
    elif lessons:
        show(task_view.near_lessons_text(near))
    else:
        show(task_view.near_text(found, near))
