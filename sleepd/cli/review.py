"""`sleepd review`, `sleepd adopt`, `sleepd reject` and `sleepd revert`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Annotated

import typer

from sleepd import compose
from sleepd.cli import deciding
from sleepd.cli.completing import waiting_ids
from sleepd.cli.days import open_log
from sleepd.cli.terminal import AsJson, can_ask, show, show_json
from sleepd.core.errors import Conflict, UsageError
from sleepd.settings import config
from sleepd.store.database import Database
from sleepd.store.proposals import Proposal
from sleepd.usecases import branch, decisions
from sleepd.usecases import show as looking
from sleepd.usecases.decisions import Adopted
from sleepd.views import evidence, proposal_view, report

Edits = Annotated[
    list[int] | None, typer.Option("--edit", metavar="N", help="This edit alone, by its number; may be repeated.")
]
OnBranch = Annotated[
    bool,
    typer.Option("--git", help="Commit on a branch sleepd/<id> instead of writing the file; nothing else changes."),
]


def review(
    ctx: typer.Context,
    git: OnBranch = False,
    cards: Annotated[
        bool, typer.Option("--cards", help="Only the cards that say how often a judge model errs.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Look at each waiting proposal and decide, edit by edit: accept, reject with a reason, reword, or leave it.

    Each proposal shows the change, its reason, the sessions that taught it, scores before and after by task, the
    evidence, and the tokens that it costs every session. Each answer is one key and counts at once; Enter leaves the
    edit for later. A choice among several edits, and an edit in your own words, are shown once more: no gate measured
    that text. Without a terminal the command prints everything and changes nothing.

    Where a judge model has read your exchanges (`sleepd lessons judge`), cards follow. A card shows a past request, the
    agent's actions and a rule; you say whether the rule was kept.
    """
    from sleepd.usecases import rubrics
    from sleepd.views import rubric_view

    settings = config.load()
    with closing(compose.database(config.places())) as database:
        waiting = () if cards else looking.waiting_first(database)
        asked = [one for one in rubrics.judged(database, settings.lessons) if one.waiting]
        count = sum(len(one.waiting) for one in asked)
        if as_json:
            show_json(rubric_view.cards_json(asked) if cards else [evidence.shown_json(one) for one in waiting])
        elif not waiting and not asked:
            show("no card waits for you" if cards else "nothing waits for you")
        elif can_ask():
            open_log(ctx, settings)
            context = deciding.ReviewContext(database=database, git=git)
            if deciding.decide_all(context, waiting) and asked:
                deciding.ask_cards(context, asked, settings.lessons)
        else:
            for number, one in enumerate(waiting, 1):
                place = proposal_view.QueuePlace(number=number, of=len(waiting))
                deciding.show_page([*proposal_view.page(one, place, whole=True), proposal_view.PageLine("")])
            if cards:
                for lesson in asked:
                    for number, card in enumerate(lesson.waiting, 1):
                        deciding.show_page(rubric_view.card_page(lesson, card, number, len(lesson.waiting)))
            elif asked:
                show(f"{report.count(count, 'card')} on a judge model: sleepd review --cards")


def adopt(
    ctx: typer.Context,
    ids: Annotated[
        list[str] | None,
        typer.Argument(metavar="[ID]...", help="Beginnings of proposals' ids.", autocompletion=waiting_ids),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All waiting proposals.")] = False,
    edit: Edits = None,
    digest: Annotated[
        str | None, typer.Option("--digest", help="Adopt only if the digest is still the 12 digits that were shown.")
    ] = None,
    git: OnBranch = False,
    pr: Annotated[bool, typer.Option("--pr", help="With --git: push the branch and open a pull request (gh).")] = False,
    as_json: AsJson = False,
) -> None:
    """Write proposals to their skill files. `sleepd revert` undoes an adoption, byte for byte.

    A changed file is merged, and the result is called unproven; so is the result of a choice of edits. Where your own
    change is in the way, nothing is written and the exit status is 5. Proposals that were set aside as unsafe are never
    adopted.
    """
    named = ids or []
    if (edit or digest) and (everything or len(named) != 1):
        raise UsageError("--edit and --digest belong to one proposal; give its id alone")
    if pr and not git:
        raise UsageError("--pr needs --git: a pull request needs a branch")
    open_log(ctx, config.load())
    with closing(compose.database(config.places())) as database:
        if git:
            meant = decisions.waiting(database, named, everything=everything)
            _on_branches(database, meant, edit or (), digest=digest, pr=pr, as_json=as_json)
            return
        if edit:
            alone = decisions.adopt_edits(config.places(), database, named[0], edit, shown=digest)
            done = Adopted(written=(alone,), conflicts=())
        else:
            done = decisions.adopt(config.places(), database, named, everything=everything, shown=digest)
    if as_json:
        show_json({"adopted": [report.written_json(w) for w in done.written], "conflicts": list(done.conflicts)})
    else:
        show("\n".join(map(report.adopted_words, done.written)) or "nothing was adopted")
    if done.conflicts:
        raise Conflict("\n  ".join(done.conflicts))


def reject(
    ctx: typer.Context,
    id_: Annotated[
        str, typer.Argument(metavar="ID", help="The beginning of a proposal's id.", autocompletion=waiting_ids)
    ],
    why: Annotated[str, typer.Option("--why", help="Your reason; later reflections see it.")],
    edit: Edits = None,
    as_json: AsJson = False,
) -> None:
    """Reject a proposal, or some of its edits, and say why: rejected edits are never proposed again for this file."""
    open_log(ctx, config.load())
    with closing(compose.database(config.places())) as database:
        rejected = decisions.reject(config.places(), database, id_, why, edit or ())
    if as_json:
        show_json({"rejected": rejected.id, "edits": edit or [], "why": why})
    else:
        which = f"edit {', '.join(map(str, edit))} of " if edit else ""
        show(f"rejected {which}{rejected.id[:8]}")


def revert(
    ctx: typer.Context,
    id_: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="The beginning of a proposal's id. Default: the newest adoption."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Undo an adoption: byte for byte when the file is unchanged, else by a merge that keeps your changes."""
    open_log(ctx, config.load())
    with closing(compose.database(config.places())) as database:
        done = decisions.revert(config.places(), database, id_)
    if as_json:
        show_json(report.written_json(done))
    else:
        show(report.reverted_words(done))


def undo(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Undo the newest adoption: the same as `sleepd revert` without an id. A second undo undoes the one before."""
    revert(ctx, None, as_json)


def _on_branches(
    database: Database,
    meant: Sequence[Proposal],
    edits: Sequence[int],
    *,
    digest: str | None,
    pr: bool,
    as_json: bool,
) -> None:
    """Commit each on its branch; a conflict does not keep the others from being committed."""
    conflicts, shown = [], []
    for proposal in meant:
        try:
            if pr:
                decisions.check_pull_request(database, proposal)
            seen, done = decisions.put_on_branch(config.places(), database, proposal.id, edits, shown=digest)
            opened = branch.open_pull_request(done, config.git_env()) if pr else None
        except (Conflict, UsageError) as error:
            if len(meant) == 1:
                raise
            conflicts.append(f"{proposal.id[:8]}: {error}")
            continue
        if not as_json:
            show(proposal_view.committed_words(seen, done) + (f"\n  opened         {opened}" if opened else ""))
        shown.append({**proposal_view.committed_json(seen, done), "opened": opened})
    if as_json:
        show_json({"committed": shown, "conflicts": conflicts})
    elif not shown and not conflicts:
        show("nothing was committed")
    if conflicts:
        raise Conflict("\n  ".join(conflicts))
