"""`sleepd proposals`. The list answers in a blink, like `sleepd status`; `--json` holds everything and takes longer."""

from __future__ import annotations

from contextlib import closing
from typing import Annotated

import typer

from sleepd.cli.terminal import AsJson, show, show_json
from sleepd.settings import config


def proposals(
    everything: Annotated[bool, typer.Option("--all", help="Include decided proposals.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the waiting proposals, and those that were set aside as unsafe, with the rule that they broke."""
    if not as_json:
        from sleepd.store import listing
        from sleepd.views import proposal_list

        show(
            proposal_list.as_text(
                listing.proposals(config.places().database, everything=everything), everything=everything
            )
        )
        return
    from sleepd import compose
    from sleepd.usecases import show as looking
    from sleepd.views import evidence

    with closing(compose.database(config.places())) as database:
        found = looking.proposals_shown(database, everything=everything)
    show_json([evidence.proposed_json(one) for one in found])
