"""`sleepd lessons` and `sleepd episodes`: what comes back again and again, and what was read to find it."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from sleepd import compose
from sleepd.cli.terminal import AsJson, show, show_json
from sleepd.core.errors import UsageError
from sleepd.settings import config
from sleepd.store.lessons import LessonChoice
from sleepd.usecases import lessons as usecase
from sleepd.views import lesson_view, reading_view, skill_view

app = typer.Typer(
    help="List the lessons: rules that you had to state again and again. Show, drop, pin or write one.",
    add_completion=False,
    rich_markup_mode=None,
)

Id = Annotated[str, typer.Argument(metavar="ID", help="The beginning of a lesson's id.")]
Project = Annotated[
    str | None,
    typer.Option("--project", metavar="FOLDER", help="Only sessions of this project: its folder or the end of it."),
]


@app.callback(invoke_without_command=True)
def list_(
    ctx: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Also list the lessons that you dropped.")] = False,
    project: Project = None,
    read: Annotated[
        bool,
        typer.Option("--read", help="First let the reflection model read unsure turns, and group and word lessons."),
    ] = False,
    every_turn: Annotated[
        bool, typer.Option("--every-turn", help="With --read: all turns, not only unsure ones.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --read: print the calls and tokens, and ask no model.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the lessons of your own sessions, worth most first. Without --read, no model is asked, nothing spent."""
    if ctx.invoked_subcommand is not None:
        return
    if (every_turn or dry_run) and not read:
        raise UsageError("--every-turn and --dry-run belong to --read")
    if read and _read(project, every_turn=every_turn, dry_run=dry_run, as_json=as_json):
        return
    floors = config.load().lessons
    with closing(compose.database(config.places())) as database:
        known = usecase.history(database, project)
        found = usecase.book(database, floors, known)
        tried = usecase.tried(found.lessons, floors, known) if as_json else ()
        tried = usecase.with_rubrics(database, tried)
        if tried and project is None:
            usecase.keep_verdicts(database, tried)
    if as_json:
        show_json([lesson_view.lesson_json(one.lesson, one) for one in tried])
    elif project is not None and not found.sessions:
        show(f"No session of a project {project} is stored; all lessons: sleepd lessons")
    else:
        show(lesson_view.book_text(found, everything=everything))


def _read(project: str | None, *, every_turn: bool, dry_run: bool, as_json: bool) -> bool:
    """Ask the model, or only say what would be asked; whether there is nothing left to print."""
    from sleepd.usecases import read_lessons

    settings = config.load()
    every = every_turn or settings.lessons.turns == "all"
    with closing(compose.database(config.places())) as database:
        if dry_run:
            planned = read_lessons.plan(database, settings, every=every, project=project)
            if as_json:
                show_json(reading_view.plan_json(planned))
            else:
                show(reading_view.plan_text(planned))
            return True
        report = read_lessons.read(database, settings, every=every, project=project)
    if not as_json:
        show(reading_view.reading_text(report.model, report.agreement, report.lessons, report.troubles))
    return False


@app.command("show", short_help="Show one lesson whole.")
def show_(id_: Id, as_json: AsJson = False) -> None:
    """Show one lesson whole: the rule, each quote with its place, the cost."""
    floors = config.load().lessons
    with closing(compose.database(config.places())) as database:
        tried = usecase.shown(database, floors, id_)
    if as_json:
        show_json(lesson_view.lesson_json(tried.lesson, tried))
    else:
        show(lesson_view.lesson_text(tried))


@app.command("judge", short_help="Let the model read whether a rule was kept.")
def judge(
    id_: Id,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the calls and tokens, and ask no model.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let the reflection model judge in past exchanges whether a rule was kept that no command or edit shows.

    The command says how good these verdicts are. They gate (may decide) only if they agree with your corrections on
    held-out sessions, and your answers to at most 20 cards in `sleepd review` show that it seldom errs. Nothing is read
    twice.
    """
    from sleepd.usecases import rubrics
    from sleepd.views import rubric_view

    settings = config.load()
    with closing(compose.database(config.places())) as database:
        if dry_run:
            planned = rubrics.plan(database, settings, id_)
            if as_json:
                show_json(rubric_view.plan_json(planned))
            else:
                show(rubric_view.plan_text(planned))
            return
        done = rubrics.judge(database, settings, id_)
    if as_json:
        show_json(rubric_view.judged_json(done))
    else:
        show(rubric_view.judged_text(done))


@app.command("rules", short_help="How well the rules in your own files are kept.")
def rules(as_json: AsJson = False) -> None:
    """List the lines of your AGENTS.md and CLAUDE.md that name a command, and how often your agents broke them."""
    with closing(compose.database(config.places())) as database:
        found = usecase.tried_rules(usecase.history(database), config.load().lessons)
    if as_json:
        show_json(lesson_view.rules_json(found))
    else:
        show(lesson_view.rules_text(found))


@app.command("skills", short_help="The skills that were loaded, version by version.")
def skills(project: Project = None, as_json: AsJson = False) -> None:
    """List the texts of skills and commands that your sessions loaded, and what went wrong under each version."""
    with closing(compose.database(config.places())) as database:
        found = usecase.skills(database, config.load().lessons, usecase.history(database, project))
    if as_json:
        show_json(skill_view.skills_json(found))
    else:
        show(skill_view.skills_text(found))


Why = Annotated[str, typer.Option("--why", help="Your reason; it is kept with the decision.")]


@app.command("drop", short_help="Drop a lesson; take its rule out again.")
def drop(id_: Id, why: Why = "", as_json: AsJson = False) -> None:
    """Drop a lesson: it is not listed again.

    A rule that `write` put into a file is taken out of the file; your later changes stay.
    """
    places = config.places()
    with closing(compose.database(places)) as database:
        done = usecase.drop(places, database, config.load().lessons, id_, why)
    if as_json:
        show_json(lesson_view.lesson_json(done))
    else:
        show(f"dropped {done.id[:6]}: {done.text}")


@app.command("pin", short_help="Keep a lesson on top of the list.")
def pin(id_: Id, as_json: AsJson = False) -> None:
    """Pin a lesson: it is listed first."""
    with closing(compose.database(config.places())) as database:
        done = usecase.choose(database, config.load().lessons, id_, LessonChoice.PINNED)
    if as_json:
        show_json(lesson_view.lesson_json(done))
    else:
        show(f"pinned {done.id[:6]}: {done.text}")


@app.command("write", short_help="Write a lesson's rule into your file now, unproven.")
def write(
    id_: Id,
    rule: Annotated[
        str | None, typer.Option("--text", help="Your own words for the rule, in place of the lesson's.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a lesson's rule into the project's AGENTS.md or CLAUDE.md, between sleepd's markers.

    No night has tested the rule: the rule is unproven, and on probation. `sleepd lessons drop ID` takes it out again.
    """
    places = config.places()
    with closing(compose.database(places)) as database:
        done = usecase.write(places, database, config.load().lessons, id_, rule)
    if as_json:
        show_json({"lesson": done.lesson.id, "path": done.path, "rule": done.rule, "proven": False})
    else:
        show(
            f"wrote to {done.path}: {done.rule}\nunproven, on probation; take it out again: "
            f"sleepd lessons drop {done.lesson.id[:6]}"
        )


def episodes(project: Project = None, as_json: AsJson = False) -> None:
    """List your messages to your agents, turn by turn, each with the act that it is, such as request or correction."""
    with closing(compose.database(config.places())) as database:
        known = usecase.with_work(usecase.history(database, project))
        if as_json:
            found = usecase.book(database, config.load().lessons, known)
            show_json(lesson_view.episodes_json(usecase.own_turns(known), found.lessons))
        else:
            show(lesson_view.episodes_text(usecase.own_turns(known)))
