"""Task sets as files: a simulated person's tasks, written as somebody else would write them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from sleepd.core.model import Split
from sleepd.pipeline.mine import kinds_of_work
from sleepd.pipeline.work import find_work
from sleepd.store import tasks
from sleepd.store.tasks import StoredTask
from tests.pipeline.world import World, new_skill


def item_of(stored: StoredTask) -> dict[str, object]:
    """A task as an item of a task set."""
    task = stored.task
    return {
        "id": task.id,
        "request": task.request,
        "checks": [{"kind": c.kind, "value": c.value} for c in stored.checks],
        "accepted": task.accepted.answer if task.accepted is not None else None,
        "rejected": [{"answer": a.answer, "said": a.reaction, "tool": a.tool_output} for a in task.rejected],
    }


def write_set(folder: Path, items: Mapping[str, Iterable[object]]) -> Path:
    """`{"train": [item, …], …}` as files."""
    for side, values in items.items():
        (folder / side).mkdir(parents=True)
        (folder / side / "items.json").write_text(json.dumps(list(values)), encoding="utf-8")
    return folder


def export(world: World, folder: Path) -> Path:
    """The work that costs the world's person most, on the sides that mining gave it."""
    with world.database.reading() as connection:
        everything = tasks.load(connection)
    work = find_work(kinds_of_work(everything, 2), world.surroundings, new_skill)[0]
    return write_set(folder, {side.value: [item_of(s) for s in work.usable(side)] for side in Split})
