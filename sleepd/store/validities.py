"""The verdict on each check: whether it gates or is observed, and why. Found at mining time, read by every list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select

from sleepd.core.model import ClusterId
from sleepd.core.validity import Validity
from sleepd.store import schema as t
from sleepd.store.schema_parts import validities
from sleepd.store.validity_rows import CheckFamily, columns_of, validity_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckVerdict:
    """The verdict on one check or, of a kind of work, on all its text checks."""

    subject: str
    sentence: str
    """What is checked, as a person reads it."""
    validity: Validity


def save(connection: Connection, family: CheckFamily, found: Sequence[CheckVerdict]) -> None:
    """Put these in the place of all verdicts of the family."""
    connection.execute(delete(validities).where(validities.c.family == family.value))
    rows = [
        {"family": family.value, "subject": one.subject, "sentence": one.sentence, **columns_of(one.validity)}
        for one in found
    ]
    if rows:
        connection.execute(insert(validities), rows)


def load(connection: Connection, family: CheckFamily) -> dict[str, CheckVerdict]:
    """Subject -> verdict."""
    query = select(validities).where(validities.c.family == family.value).order_by(validities.c.subject)
    return {
        row["subject"]: CheckVerdict(subject=row["subject"], sentence=row["sentence"], validity=validity_of(row))
        for row in connection.execute(query).mappings()
    }


def of_works(connection: Connection) -> Mapping[ClusterId, Validity]:
    """Kind of work -> the verdict on its text checks."""
    return {ClusterId(kind): one.validity for kind, one in load(connection, CheckFamily.WORK).items()}


def unjudged(connection: Connection) -> bool:
    """Whether some work that was searched for checks, or has any, has no verdict: a database of an earlier version."""
    judged = select(validities.c.subject).where(validities.c.family == CheckFamily.WORK.value)
    searched = select(t.wordings.c.kind).where(t.wordings.c.kind.not_in(judged)).limit(1)
    checked = (
        select(t.checks.c.task_id)
        .join(t.tasks, t.tasks.c.id == t.checks.c.task_id)
        .join(t.clusters, t.clusters.c.id == t.tasks.c.cluster_id)
        .where(t.tasks.c.reviewed.is_(False), t.clusters.c.kind.not_in(judged))
        .limit(1)
    )
    return any(connection.execute(query).first() is not None for query in (searched, checked))
