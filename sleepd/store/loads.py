"""For how many requests a description loads its skill."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core.model import Digest
from sleepd.core.trigger import Loads
from sleepd.store import schema as t

BEFORE, AFTER = "before", "after"


def save(connection: Connection, id_: Digest, text: str, loads: Loads) -> None:
    """Keep what was measured for a candidate; `text` is `BEFORE` or `AFTER`. What was kept once stays."""
    row = {"candidate_id": id_, "text": text, **asdict(loads)}
    connection.execute(upsert(t.loads).values(row).on_conflict_do_nothing())


def load(connection: Connection, id_: Digest) -> tuple[Loads | None, Loads | None]:
    """What was measured for a candidate under the text before and after it; None where nothing was."""
    found = {
        r.text: Loads(
            wanted=r.wanted, loaded_wanted=r.loaded_wanted, others=r.others, loaded_others=r.loaded_others,
            unscored=r.unscored,
        )
        for r in connection.execute(select(t.loads).where(t.loads.c.candidate_id == id_))
    }  # fmt: skip
    return found.get(BEFORE), found.get(AFTER)
