"""`sleepd status`. It answers in a blink: nothing heavy is imported on its way."""

from __future__ import annotations

from sleepd.cli.terminal import AsJson, show, show_json
from sleepd.host import clock
from sleepd.settings import config
from sleepd.usecases import status as reading
from sleepd.views import status_view


def status(as_json: AsJson = False) -> None:
    """Show last night, next night, candidates on probation with their evidence, waiting proposals and spending.

    A candidate (a changed text under trial) on probation has a line such as `evidence 14 of 84`: the evidence so far,
    and the evidence at which the candidate is accepted.
    """
    found = reading.status(config.places(), config.load(), clock.now())
    if as_json:
        show_json(status_view.as_json(found))
    else:
        show(status_view.as_text(found))
