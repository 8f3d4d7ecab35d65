"""`sleepd harvest --watch`: harvest as sessions grow, in this very process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import structlog

from sleepd.app import compose, ear, gather, transcripts
from sleepd.app.ear import Ear
from sleepd.app.places import Places
from sleepd.app.settings import Settings
from sleepd.pipeline.ingest import IngestReport


def watch(places: Places, settings: Settings, told: Callable[[IngestReport], None]) -> None:
    """Harvest now and whenever a transcript grows, until Ctrl-C. `told` hears of every harvest that read something."""

    def heard() -> tuple[Path, ...]:
        report = harvested(places, settings)
        if report.read:
            told(report)
        return transcripts.look(settings).roots

    ear.listen(Ear(), heard, ear.QUICK)


def harvested(places: Places, settings: Settings) -> IngestReport:
    """Harvest once, with a line in the log when something was new."""
    database = compose.database(places)
    try:
        report = gather.harvest(places, database, settings, gather.Named())
    finally:
        database.close()
    if report.read:
        logger = structlog.get_logger()
        logger.info("harvest.ended", files=report.read, sessions=report.sessions, defects=report.defects)
    return report
