"""What stands beside a skill file and is part of what an agent reads with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sleepd.core.model import SkillTarget
from sleepd.pipeline.rollout import Bench
from sleepd.pipeline.work import live_text
from sleepd.skills.companions import companions
from sleepd.store import rollouts


def with_companions(bench: Bench, target: SkillTarget) -> Bench:
    """The bench for work on this target: its rollouts and reflections see the files that its live text names.

    They are part of what evidence is about (promise 6): a file that changed makes other rollouts. Raises `Conflict` as
    `live_text` does.
    """
    text = companions(Path(target.path), live_text(target))
    if not text:
        return bench
    with bench.database.writing() as connection:
        rollouts.put_text(connection, text)
    return replace(bench, beside=text)
