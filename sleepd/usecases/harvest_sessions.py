"""`sleepd harvest`: read what is new into the database."""

from __future__ import annotations

from collections.abc import Callable

from sleepd.host import locks
from sleepd.pipeline.ingest import ingest
from sleepd.pipeline.unread import IngestReport
from sleepd.settings.places import Places
from sleepd.settings.settings import Settings
from sleepd.store.database import Database
from sleepd.usecases.harvest_sources import Named, sources_of, summed

_LOCK_WAIT_S = 60.0


def harvest(
    places: Places,
    database: Database,
    settings: Settings,
    wanted: Named,
    progress: Callable[[int, int], None] | None = None,
) -> IngestReport:
    """Read new transcripts and lines. One harvest at a time: two would add the same lines twice.

    Raises `Busy` when another one lasts longer than a minute.
    """
    parts = sources_of(settings, wanted)
    with locks.harvest(places, _LOCK_WAIT_S):
        return summed([ingest(database, part, settings.harvest, progress) for part in parts])
