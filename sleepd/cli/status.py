"""`sleepd status`. It answers in a blink: nothing heavy is imported on its way."""

from __future__ import annotations

from sleepd.cli.terminal import AsJson, show, show_json
from sleepd.host import clock
from sleepd.resident import upcoming
from sleepd.settings import config
from sleepd.store.overview import overview
from sleepd.views import status_view


def status(as_json: AsJson = False) -> None:
    """Show last night, next night, candidates on probation with their evidence, waiting proposals and spending.

    A line on probation reads `evidence 14 of 212`: the evidence so far, and the evidence at which the candidate is
    accepted.
    """
    places = config.places()
    settings = config.load()
    now = clock.now()
    seen = overview(places.database, now)
    next_one = upcoming.upcoming(places, settings, now)
    running = status_view.running(seen, places.lock)
    where = (places.database, places.config)
    if as_json:
        show_json(status_view.as_json(seen, where, next_one, running=running))
    else:
        show(status_view.as_text(seen, where, next_one, running=running))
