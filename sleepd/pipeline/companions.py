"""The files that a skill file names, which an agent reads with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sleepd.core.model import SkillTarget
from sleepd.pipeline.rollout import RunContext
from sleepd.pipeline.work import live_text
from sleepd.skills.companions import companions


def with_companions(ctx: RunContext, target: SkillTarget) -> RunContext:
    """The context for work on this target: its rollouts and reflections see the files that its live text names.

    They are part of what evidence is about (promise 6): a file that changed makes other rollouts. Raises `Conflict` as
    `live_text` does.
    """
    text = companions(Path(target.path), live_text(target))
    if not text:
        return ctx
    ctx.put_text(text)
    return replace(ctx, companions=text)
