"""Put the tasks of a task set into a database, with the sides that the set gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from harvesters.records import Reading, Session, SessionKind
from sleepd.core import split
from sleepd.core.check import Check
from sleepd.core.model import ClusterId, Split, Task, TaskId
from sleepd.core.ports import Embedder
from sleepd.core.split import Known, Shares, SplitRule
from sleepd.pipeline.embed import vectors_of
from sleepd.store import sessions, tasks
from sleepd.store.database import Database
from sleepd.store.stored_file import StoredFile
from sleepd.store.tasks import StoredTask

AGENT = "task-set"
_CLUSTER = ClusterId("task-set")
_HALVES = Shares(val=0.25, test=0.25)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenTask:
    """A task as a task set gives it."""

    task: Task
    split: Split
    checks: tuple[Check, ...]
    asked: str
    """The request without what it comes with; by this, near-duplicates are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """The tasks of a set as they are worked on."""

    tasks: tuple[StoredTask, ...]
    retired: int
    """Train tasks that are put out of use, since the other sides hold a near-duplicate: train never judges."""


def enrol(database: Database, embedder: Embedder, given: Sequence[GivenTask], near_duplicate: float) -> Enrolment:
    """Keep the tasks and tell near-duplicates. Twice is as good as once."""
    # Groups as mining tells them; sides as the set gives them.
    asked = [g.asked for g in given]
    vectors, _ = vectors_of(database, embedder, asked)
    nothing = Known(requests=(), vectors=np.zeros((0, vectors.shape[1]), dtype=np.float32))
    ids = [TaskId(g.task.id) for g in given]
    known = Known(requests=asked, vectors=vectors)
    found = split.place(ids, known, [], nothing, SplitRule(near_duplicate=near_duplicate, shares=_HALVES))
    placed = [replace(p, split=g.split) for p, g in zip(found.placed, given, strict=True)]
    sealed = {p.group for p in placed if p.split is not Split.TRAIN}
    retired = [p.task for p in placed if p.split is Split.TRAIN and p.group in sealed]
    ids = [g.task.id for g in given]
    with database.writing() as connection:
        for one in given:
            native = one.task.session_id.partition(":")[2]
            session = Session(agent=AGENT, id=native, kind=SessionKind.HEADLESS)
            file = StoredFile(path=native, agent=AGENT, reading=Reading(session=session), kind=AGENT, redacted=0)
            sessions.save(connection, [file])
            tasks.save(connection, one.task.session_id, AGENT, [one.task])
        tasks.place(connection, placed)
        tasks.set_clusters(connection, dict.fromkeys(ids, _CLUSTER))
        tasks.retire(connection, retired)
        tasks.set_checks(connection, ids, {g.task.id: g.checks for g in given})
        stored = {s.task.id: s for s in tasks.load(connection, ids)}
    return Enrolment(tasks=tuple(stored[i] for i in ids), retired=len(retired))
