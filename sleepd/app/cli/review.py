"""`sleepd proposals`, `sleepd review`, `sleepd adopt`, `sleepd reject` and `sleepd revert`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from sleepd.app import compose, config, decisions, evidence, report
from sleepd.app.cli.days import open_log
from sleepd.app.cli.terminal import AsJson, ask, can_ask, note, show, show_json
from sleepd.app.evidence import Proposed
from sleepd.core.errors import Conflict
from sleepd.store.database import Database
from sleepd.store.proposals import Status

_ANSWERS = {"a": "adopt", "r": "reject", "s": "skip", "q": "quit"}


def proposals(
    everything: Annotated[bool, typer.Option("--all", help="Also those decided on.")] = False, as_json: AsJson = False
) -> None:
    """List the proposals that need you: those that wait, and those that were set aside as unsafe, with the rule."""
    with _database() as database:
        found = evidence.listed(database, everything=everything)
    if as_json:
        show_json([evidence.proposed_json(one) for one in found])
    else:
        show(evidence.proposals_text(found, everything=everything))


def review(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Look at each waiting proposal and decide: adopt, reject with a reason, or leave it for later.

    Shows the change, why it was proposed, the sessions that taught it, scores before and after by task, the evidence,
    and what it costs every session. Without a terminal it prints the same and changes nothing.
    """
    with _database() as database:
        waiting = [p for p in evidence.listed(database, everything=False) if p.proposal.status is Status.WAITING]
        if as_json:
            show_json([evidence.proposed_json(one) for one in waiting])
            return
        if not waiting:
            show("nothing waits for you")
            return
        open_log(ctx, config.load())
        for number, one in enumerate(waiting, 1):
            show(f"{number} of {len(waiting)}\n{evidence.proposal_text(one)}\n")
            if can_ask() and not _decide(database, one):
                return


def adopt(
    ctx: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Beginnings of proposals' ids.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All that wait.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write proposals to their skill files. `sleepd revert` undoes it, byte for byte.

    A file that changed since is merged, and the result called unproven; where both changes meet, nothing is written
    and the exit status is 5. What was set aside as unsafe is never adopted.
    """
    open_log(ctx, config.load())
    with _database() as database:
        done = decisions.adopt(config.places(), database, ids or (), everything=everything)
    if as_json:
        show_json({"adopted": [report.written_json(w) for w in done.written], "conflicts": list(done.conflicts)})
    else:
        show("\n".join(map(report.adopted_words, done.written)) or "nothing was adopted")
    if done.conflicts:
        raise Conflict("\n  ".join(done.conflicts))


def reject(
    ctx: typer.Context,
    id_: Annotated[str, typer.Argument(metavar="ID", help="The beginning of a proposal's id.")],
    why: Annotated[str, typer.Option("--why", help="Your reason; it is kept.")],
    as_json: AsJson = False,
) -> None:
    """Turn a proposal down and say why."""
    open_log(ctx, config.load())
    with _database() as database:
        rejected = decisions.reject(config.places(), database, id_, why)
    if as_json:
        show_json({"rejected": rejected.id, "why": why})
    else:
        show(f"rejected {rejected.id[:8]}")


def revert(
    ctx: typer.Context,
    id_: Annotated[
        str | None, typer.Argument(metavar="[ID]", help="The beginning of a proposal's id; else the newest adoption.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Undo an adoption: byte for byte when the file is as it was written, else by a merge that keeps your changes."""
    open_log(ctx, config.load())
    with _database() as database:
        done = decisions.revert(config.places(), database, id_)
    if as_json:
        show_json(report.written_json(done))
    else:
        show(report.reverted_words(done))


def _decide(database: Database, one: Proposed) -> bool:
    """Ask what to do with a proposal and do it; False to stop asking."""
    id_ = one.proposal.id
    match ask("a(dopt), r(eject), s(kip) or q(uit)?", "s", _known)[:1].lower():
        case "a":
            done = decisions.adopt(config.places(), database, [id_], everything=False)
            note("\n".join([*map(report.adopted_words, done.written), *(f"not adopted: {c}" for c in done.conflicts)]))
        case "r":
            decisions.reject(config.places(), database, id_, ask("why?", "no reason given", str))
            note(f"rejected {id_[:8]}")
        case "q":
            return False
    return True


def _known(answer: str) -> None:
    if answer.lower() not in (*_ANSWERS, *_ANSWERS.values()):
        raise ValueError("one of a, r, s, q")


@contextmanager
def _database() -> Iterator[Database]:
    database = compose.database(config.places())
    try:
        yield database
    finally:
        database.close()
