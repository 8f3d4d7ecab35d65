"""`sleepd harvest --watch`: harvest as sessions grow, in this very process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import structlog

from sleepd import compose
from sleepd.pipeline.unread import IngestReport
from sleepd.resident import transcripts, watcher
from sleepd.resident.watcher import Watcher
from sleepd.settings.places import Places
from sleepd.settings.settings import Settings
from sleepd.usecases import harvest_sessions
from sleepd.usecases.harvest_sources import Named


def watch(places: Places, settings: Settings, told: Callable[[IngestReport], None]) -> None:
    """Harvest now and whenever a transcript grows, until Ctrl-C. `told` is called with every harvest that read
    something."""

    def heard() -> tuple[Path, ...]:
        report = harvested(places, settings)
        if report.read:
            told(report)
        return transcripts.look(settings).roots

    watcher.listen(Watcher(), heard, watcher.QUICK)


def harvested(places: Places, settings: Settings) -> IngestReport:
    """Harvest once, with a line in the log when something was new."""
    database = compose.database(places)
    try:
        report = harvest_sessions.harvest(places, database, settings, Named())
    finally:
        database.close()
    if report.read:
        logger = structlog.get_logger()
        logger.info("harvest.ended", files=report.read, sessions=report.sessions, defects=report.defects)
    return report
