"""Recorded replies: a folder of prompts and answers for each developer, as `handoff` lays them out.

`FOLDER/a` belongs to the developer `dev-a`. A prompt without an answer is put there and waits.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sleepd.models.handoff import Handoff
from sleepd.pipeline.read_acts import Reader
from sleepd.store.database import open_database

KEY = "handoff:recorded"
_AT = datetime(2026, 1, 1, tzinfo=UTC)


@contextmanager
def reader(answers: Path, developer: str) -> Iterator[Reader]:
    """Reads what was recorded for a developer, with a database of its own that is thrown away."""
    with tempfile.TemporaryDirectory() as folder, closing(open_database(Path(folder) / "sleepd.db")) as database:
        model = Handoff(answers / developer.removeprefix("dev-"), key=KEY)
        yield Reader(database=database, model=model, workers=1, now=_AT)
