"""The functions that sleepd offers to a coding agent: the same as the command's, as text and as plain values.

Each call reads the settings and opens the database for itself, so a server that lives for days holds nothing and sees
every change at once. No call makes a database, asks a question or prints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from sleepd import compose
from sleepd.core.errors import Conflict, UsageError
from sleepd.host import clock
from sleepd.pipeline import adopt as writing
from sleepd.settings import config
from sleepd.settings.settings import Settings
from sleepd.store import listing
from sleepd.store.database import Database
from sleepd.store.proposals import Status
from sleepd.usecases import answers, decisions, recurring_work
from sleepd.usecases.answers import Question
from sleepd.usecases.run_options import RunOptions, RunProgress
from sleepd.usecases.show import proposal_shown, proposals_shown
from sleepd.usecases.status import status as read_status
from sleepd.views import evidence, proposal_list, report, status_view, task_view
from sleepd.views.evidence import Proposed
from sleepd.views.report import Plain
from sleepd.views.tool_answer import ToolAnswer

_MOST_DIFF = 4000
"""Characters of a diff in a question; `show` gives the whole diff."""


def status() -> ToolAnswer:
    """As `sleepd status`."""
    found = read_status(config.places(), config.load(), clock.now())
    return ToolAnswer(text=status_view.as_text(found), data=status_view.as_json(found))


def proposals(*, everything: bool) -> ToolAnswer:
    """As `sleepd proposals`, shorter: the subject of each, without its evidence."""
    with _database() as database:
        found = proposals_shown(database, everything=everything)
    return ToolAnswer(
        text=proposal_list.as_text(
            listing.proposals(config.places().database, everything=everything), everything=everything
        ),
        data={"proposals": [_brief(one) for one in found]},
    )


def show(id_: str) -> ToolAnswer:
    """All that a person needs to judge a proposal, and the digest that proves they were shown it."""
    with _database() as database:
        proposal = writing.find(database, id_, tuple(Status))
        one = proposal_shown(database, proposal)
        if one.digest is None:
            # Adopting or reverting by it then says what is in the way. A file that cannot be read has none.
            with suppress(Conflict, UsageError):
                one = replace(one, digest=decisions.shown_digest(database, proposal))
    adoptable = proposal.status in writing.ADOPTABLE and one.conflict is None
    lines = [evidence.proposal_text(one), ""]
    if one.conflict is not None:
        lines.append(f"cannot be adopted now: {report.clean(one.conflict)}")
    if one.diff is not None:
        lines.append("the file changed since, or edits were rejected; adopting would write this (unproven):")
        lines.append(report.clean(one.diff).rstrip("\n"))
    lines.append(f"digest  {one.digest or 'none'}")
    return ToolAnswer(text="\n".join(lines), data={**evidence.shown_json(one), "adoptable": adoptable})


def recall(text: str, k: int) -> ToolAnswer:
    """As `sleepd recall`."""
    settings = config.load()
    embedder = compose.embedder(settings)
    try:
        with _database() as database:
            found = recurring_work.nearest(database, embedder, text, k)
            near = recurring_work.nearest_lessons(database, embedder, text, k)
    finally:
        embedder.close()
    data: Plain = {"tasks": task_view.near_json(found), "lessons": task_view.near_lessons_json(near)}
    return ToolAnswer(text=task_view.near_text(found, near), data=data)


def preview(options: RunOptions, progress: RunProgress) -> ToolAnswer:
    """As `sleepd run --dry-run`. Raises `UsageError` when the settings do not say how far back to read."""
    # Here and in `run`: all that a night needs takes a second to import, and most calls only look.
    from sleepd.usecases import run_night
    from sleepd.views import preview_view

    places = config.places()
    settings = _stated(answers.WINDOW)
    seen = run_night.preview(places, settings, options, progress)
    return ToolAnswer(text=preview_view.preview_text(seen), data={"dry_run": True, **preview_view.preview_json(seen)})


def run(options: RunOptions, progress: RunProgress, stopped: Callable[[], bool]) -> ToolAnswer:
    """As `sleepd run`; the settings must state a budget.

    Raises `UsageError` when it does not, `Busy`, and `NotMeasured` or `BudgetSpent` for a night that was not run to
    its end.
    """
    from sleepd.usecases import run_night
    from sleepd.views import night_result

    settings = _stated(answers.WINDOW, answers.SPENDING)
    ran = run_night.run(config.places(), settings, options, progress, stopped)
    run_night.check_measured(ran.night)
    data = {
        "dry_run": False,
        **report.night_json(ran.night),
        "harvest": report.harvest_json(ran.harvest),
        "proposals": [p.id for p in ran.proposals],
    }
    return ToolAnswer(text=night_result.ran_text(ran), data=data)


def adoption_question(id_: str, digest: str) -> str:
    """The question to the person before writing. Raises as `adopt` does, so that no question is asked in vain."""
    with _database() as database:
        (proposal,) = decisions.waiting(database, [id_], everything=False)
        decisions.check_shown(database, (proposal,), digest)
        one = proposal_shown(database, proposal)
    if one.conflict is not None:
        raise Conflict(one.conflict)
    rent = f"{one.tried.tokens_added:+d} tokens in every session that loads it"
    diff = report.clean(one.diff if one.diff is not None else proposal.diff)
    more = "\n(longer; `sleepd review` shows all of it)" if len(diff) > _MOST_DIFF else ""
    path = report.clean(one.tried.trial.candidate.target.path)
    return f"Adopt proposal {proposal.id[:8]}? It changes {path}, {rent}:\n\n{diff[:_MOST_DIFF].rstrip()}{more}"


def adopt(id_: str, digest: str) -> ToolAnswer:
    """Write the proposal that a person was shown, and nothing else.

    Raises `UsageError` when it is not waiting any more, was set aside, or differs from the shown proposal; `Conflict`
    as `sleepd adopt`.
    """
    with _database() as database:
        done = decisions.adopt(config.places(), database, [id_], everything=False, shown=digest)
    if done.conflicts:
        raise Conflict("; ".join(done.conflicts))
    return ToolAnswer(
        text="\n".join(report.adopted_words(w) for w in done.written),
        data={"done": True, **report.written_json(done.written[0])},
    )


def check_unasked() -> None:
    """Raises `UsageError` unless the user's settings let an agent decide where the client cannot ask them."""
    if not config.load().mcp.decide_unasked:
        raise UsageError(
            "this client cannot ask the user, so they decide in a terminal: sleepd review, or sleepd revert ID "
            f"(mcp.decide_unasked in {config.places().config} would leave the decision to the agent)"
        )


def revert_question(id_: str, digest: str) -> str:
    """The question to the person before an adoption is undone. Raises as `revert` does."""
    with _database() as database:
        proposal = writing.find(database, id_, (Status.ADOPTED,))
        decisions.check_shown(database, (proposal,), digest)
        adoption = writing.last_adoption(database, proposal.id)
    return f"Undo the adoption of proposal {proposal.id[:8]}? It changes {report.clean(adoption.path)} back."


def revert(id_: str, digest: str) -> ToolAnswer:
    """Undo the adoption of one proposal, byte for byte where the file is unchanged. Raises `UsageError` when it is not
    adopted or the digest is not the digest of `show`; `Conflict` as `sleepd revert`."""
    with _database() as database:
        proposal = writing.find(database, id_, (Status.ADOPTED,))
        done = decisions.revert(config.places(), database, proposal.id, shown=digest)
    return ToolAnswer(text=report.reverted_words(done), data={"done": True, **report.written_json(done)})


def _stated(*questions: Question) -> Settings:
    """The settings, when the user answered these questions there: an agent may not answer them."""
    settings = config.load()
    missing = " and ".join(q.key for q in answers.open_questions(settings, questions))
    if missing:
        raise UsageError(f"the user has not stated {missing}: ask them to set it in {config.places().config}")
    return settings


@contextmanager
def _database() -> Iterator[Database]:
    places = config.places()
    if not places.database.exists():
        raise UsageError(
            f"nothing was harvested yet: there is no database in {places.database.parent}; begin with sleepd init"
        )
    database = compose.database(places)
    try:
        yield database
    finally:
        database.close()


def _brief(one: Proposed) -> Plain:
    p, candidate = one.proposal, one.tried.trial.candidate
    return {
        "id": p.id,
        "status": p.status.value,
        "night": p.night_id,
        "skill": candidate.target.name,
        "path": candidate.target.path,
        "tokens_added": one.tried.tokens_added,
        "sealed": evidence.sealed_json(p),
        "findings": list(p.findings),
    }
