"""Sessions to tasks, tasks to recurring work, recurring work to checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harvesters.records import SessionKind
from sleepd.core import cluster, ngrams, split
from sleepd.core.chance import mined_checks
from sleepd.core.check import Contrast
from sleepd.core.model import ClusterId, SessionId, TaskId
from sleepd.core.ports import Embedder, Vectors
from sleepd.core.segment import segment
from sleepd.core.split import Known, Placed, Shares
from sleepd.settings.sections import MineConfig
from sleepd.store import sessions, tasks
from sleepd.store.database import Database
from sleepd.store.tasks import StoredTask

_SESSIONS_AT_ONCE = 200
_TEXTS_AT_ONCE = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class MineReport:
    """What the database holds after mining."""

    sessions: int
    """Sessions cut anew."""
    tasks: int
    recurring: int
    """Tasks in clusters that recur."""
    clusters: int
    """Clusters that recur."""
    checkable: int
    embedded: int
    """Texts that had to be embedded now."""


def mine(
    database: Database,
    embedder: Embedder,
    config: MineConfig,
    progress: Callable[[int, int], None] | None = None,
    *,
    kinds: tuple[str, ...] = (SessionKind.INTERACTIVE,),
) -> MineReport:
    """Bring tasks, clusters, sides and checks up to date with the stored sessions. Doing it twice changes nothing.

    Sessions of `kinds` hold work worth learning from. `progress` is told (sessions, sessions in all) at the end.
    """
    with database.reading() as connection:
        waiting = sessions.unmined(connection, kinds)
    embedded = _remine(database, embedder, config, waiting) if waiting else 0
    if progress is not None:
        progress(len(waiting), len(waiting))
    with database.reading() as connection:
        everything = tasks.load(connection)
    recurring = clusters(everything, config.min_sessions)
    return MineReport(
        sessions=len(waiting),
        tasks=len(everything),
        recurring=sum(map(len, recurring.values())),
        clusters=len(recurring),
        checkable=sum(s.usable for s in everything),
        embedded=embedded,
    )


def _remine(
    database: Database, embedder: Embedder, config: MineConfig, waiting: Sequence[tuple[SessionId, int]]
) -> int:
    """Mine what these sessions changed; returns how many texts had to be embedded.

    They count as mined when all of it is done: a run that was killed in between does it again.
    """
    _cut(database, waiting)
    with database.reading() as connection:
        everything = tasks.load(connection)
    embedded = _place(database, embedder, config, everything)
    with database.reading() as connection:
        everything = tasks.load(connection)
    _check(database, everything, clusters(everything, config.min_sessions))
    with database.writing() as connection:
        sessions.mark_mined(connection, waiting)
    return embedded


def clusters(everything: Sequence[StoredTask], min_sessions: int) -> dict[ClusterId, list[StoredTask]]:
    """The clusters that span at least `min_sessions` sessions, with their tasks, oldest first."""
    found: dict[ClusterId, list[StoredTask]] = {}
    for stored in everything:
        if stored.cluster is not None:
            found.setdefault(stored.cluster, []).append(stored)
    return {i: m for i, m in found.items() if len({s.task.session_id for s in m}) >= min_sessions}


def vectors_of(database: Database, embedder: Embedder, texts: Sequence[str]) -> tuple[Vectors, int]:
    """Combined vectors of these texts, one row each, and how many had to be embedded now."""
    with database.reading() as connection:
        known = tasks.vectors(connection, texts, embedder.key)
    missing = list(dict.fromkeys(text for text in texts if text not in known))
    for start in range(0, len(missing), _TEXTS_AT_ONCE):
        some = missing[start : start + _TEXTS_AT_ONCE]
        fresh = dict(zip(some, embedder.encode(some), strict=True))
        with database.writing() as connection:
            tasks.save_vectors(connection, fresh, embedder.key)
        known |= fresh
    rows = np.stack([known[text] for text in texts]) if texts else np.zeros((0, 0), dtype=np.float32)
    return ngrams.combine(rows, texts, english_only=embedder.english_only), len(missing)


def _cut(database: Database, waiting: Sequence[tuple[SessionId, int]]) -> None:
    """Cut sessions into tasks; a transaction holds some of them."""
    for start in range(0, len(waiting), _SESSIONS_AT_ONCE):
        with database.writing() as connection:
            for id_, _ in waiting[start : start + _SESSIONS_AT_ONCE]:
                transcript = sessions.transcript(connection, id_)
                tasks.save(connection, id_, transcript.agent, segment(transcript))


def _place(database: Database, embedder: Embedder, config: MineConfig, everything: Sequence[StoredTask]) -> int:
    """Give new tasks their cluster, within their project, and their side. What was decided before stays.

    Near-duplicates are looked for in all projects: the user's own skills learn from several.
    """
    old = [s for s in everything if s.cluster is not None and s.split is not None and s.group is not None]
    new = [s for s in everything if s.cluster is None]
    if not new:
        return 0
    vectors, embedded = vectors_of(database, embedder, [s.task.request for s in (*old, *new)])
    before, after = vectors[: len(old)], vectors[len(old) :]
    members: dict[TaskId, ClusterId] = {}
    joined: dict[ClusterId, ClusterId] = {}
    for project in sorted({s.task.project for s in new}):
        known, fresh = _rows(old, project), _rows(new, project)
        centres = cluster.centres([c for i in known if (c := old[i].cluster) is not None], before[known])
        ids = [new[i].task.id for i in fresh]
        clustering = cluster.assign(ids, after[fresh], centres, config.similarity)
        members |= zip(ids, clustering.members, strict=True)
        joined |= clustering.joined
    placement = split.place(
        [s.task.id for s in new],
        Known(requests=[s.task.request for s in new], vectors=after),
        [Placed(task=s.task.id, group=s.group, split=s.split) for s in old if s.group and s.split],
        Known(requests=[s.task.request for s in old], vectors=before),
        (config.near_duplicate, Shares(val=config.split_val, test=config.split_test)),
    )
    with database.writing() as connection:
        tasks.place(connection, placement.placed, members)
        tasks.join(connection, joined)
        tasks.retire(connection, placement.retired)
    return embedded


def _rows(tasks_: Sequence[StoredTask], project: str) -> list[int]:
    return [i for i, s in enumerate(tasks_) if s.task.project == project]


def _check(database: Database, everything: Sequence[StoredTask], recurring: dict[ClusterId, list[StoredTask]]) -> None:
    """Mine the checks of all recurring work anew; tasks outside of it have none. A person's checks stay.

    Only checks that beat chance are kept: work without any has no text check, so no candidate is judged on it.
    """
    found = mined_checks(contrasts(recurring)).checks
    changed = [s.task.id for s in everything if not s.reviewed and s.checks != found.get(s.task.id, ())]
    with database.writing() as connection:
        tasks.set_checks(connection, changed, found)


def contrasts(recurring: Mapping[ClusterId, Sequence[StoredTask]]) -> list[list[Contrast]]:
    """What each recurring work shows to the search for checks."""
    return [[c for c in map(_contrast, members) if c is not None] for members in recurring.values()]


def _contrast(stored: StoredTask) -> Contrast | None:
    accepted = stored.task.accepted
    if accepted is None:
        return None
    return Contrast(
        task=stored.task.id,
        session=stored.task.session_id,
        rejected=tuple(a.answer for a in stored.task.rejected),
        accepted=accepted.answer,
    )
