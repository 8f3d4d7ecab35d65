"""The recurring work for the user: one task whole, the nearest past tasks."""

from __future__ import annotations

from sleepd.core.errors import UsageError
from sleepd.core.model import TaskId
from sleepd.core.ports import Embedder
from sleepd.pipeline.embed import nearest_of
from sleepd.store import tasks
from sleepd.store.database import Database
from sleepd.store.listed_lessons import to_recall
from sleepd.store.tasks import StoredTask
from sleepd.views.task_view import Near, NearLesson

_RELATED = 0.2
"""Least cosine of a lesson worth showing: unrelated texts of one language were seen to reach .17."""


def task(database: Database, prefix: str) -> StoredTask:
    """The one task whose id begins with `prefix`. Raises `UsageError` for none or several."""
    with database.reading() as connection:
        fitting = [s for s in tasks.load(connection) if s.task.id.startswith(prefix)]
    if len(fitting) != 1:
        why = "no task has" if not fitting else f"{len(fitting)} tasks have"
        raise UsageError(f"{why} an id that begins with {prefix!r}; `sleepd tasks list --all` lists them")
    return fitting[0]


def drop(database: Database, prefix: str) -> TaskId:
    """Forget a task for good. Raises as `task` does."""
    found = task(database, prefix)
    with database.writing() as connection:
        tasks.drop(connection, found.task.id)
    return found.task.id


def nearest(database: Database, embedder: Embedder, text: str, k: int) -> tuple[Near, ...]:
    """The `k` past tasks nearest to a text, most similar first."""
    with database.reading() as connection:
        pool = tasks.load_requests(connection)
    if not pool:
        return ()
    found = nearest_of(database, embedder, text, dict(pool), k)
    with database.reading() as connection:
        by_id = {s.task.id: s for s in tasks.load(connection, [id_ for id_, _ in found])}
    return tuple(Near(stored=by_id[id_], similarity=similarity) for id_, similarity in found)


def nearest_lessons(database: Database, embedder: Embedder, text: str, k: int) -> tuple[NearLesson, ...]:
    """The `k` listed lessons nearest to a text, most similar first, without those that have nothing to do with it."""
    with database.reading() as connection:
        pool = to_recall(connection)
    if not pool:
        return ()
    found = nearest_of(
        database, embedder, text, {TaskId(id_): f"{one.about}. {one.text}" for id_, one in pool.items()}, k
    )
    return tuple(
        NearLesson(id=id_, text=pool[id_].text, sessions=pool[id_].sessions, similarity=similarity)
        for id_, similarity in found
        if similarity >= _RELATED
    )
