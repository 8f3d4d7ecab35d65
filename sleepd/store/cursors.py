"""Where each transcript was left, without SQLAlchemy: a harvest with nothing new needs no more than this."""

from __future__ import annotations

import json
from pathlib import Path

from harvesters.records import Cursor
from sleepd.store.overview import glance


def cursors(path: Path, agent: str) -> dict[str, Cursor]:
    """Transcript -> where it was left, for all files of the agent; {} where there is no database.

    Raises as `overview.glance` does.
    """
    if not path.exists():
        return {}

    rows = glance(path, lambda c: c.execute("SELECT * FROM files WHERE agent = ?", (agent,)).fetchall())
    return {
        row["path"]: Cursor(
            inode=row["inode"],
            size=row["size"],
            mtime_ns=row["mtime_ns"],
            offset=row["offset"],
            head=row["head"],
            head_length=row["head_length"],
            tail=row["tail"],
            state=json.loads(row["state"]),
        )
        for row in rows
    }
