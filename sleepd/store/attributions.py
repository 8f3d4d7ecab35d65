"""What each edit of a bundle carries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core.model import Attribution, Digest
from sleepd.store import schema as t


def save(connection: Connection, id_: Digest, found: Sequence[Attribution]) -> None:
    """Keep what each edit of a bundle carries; a later round replaces an earlier one."""
    for one in found:
        row = {"candidate_id": id_, **asdict(one)}
        kept = upsert(t.attributions).values(row)
        connection.execute(kept.on_conflict_do_update(index_elements=["candidate_id", "edit_id"], set_=row))


def load(connection: Connection, id_: Digest) -> tuple[Attribution, ...]:
    """What each edit of a bundle carries, in the order of the rounds; () for a candidate that was not taken apart."""
    query = select(t.attributions).where(t.attributions.c.candidate_id == id_)
    rows = connection.execute(query.order_by(t.attributions.c.round, t.attributions.c.edit_id))
    return tuple(
        Attribution(
            edit_id=Digest(r.edit_id), round=r.round, kept=r.kept, effect=r.effect, low=r.low, high=r.high,
            pairs=r.pairs, tokens=r.tokens,
        )
        for r in rows
    )  # fmt: skip
