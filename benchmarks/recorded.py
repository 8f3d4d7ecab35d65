"""Recorded replies: a folder of prompts and answers for each developer, as `handoff` lays them out.

`FOLDER/a` belongs to the developer `dev-a`. A prompt without an answer is put there and waits.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from sleepd.core.errors import NotMeasured
from sleepd.models.handoff import END, Handoff, name_of
from sleepd.pipeline.read_acts import Reader
from sleepd.pipeline.read_lessons import PROMPT, LessonPrompts, read_lessons
from sleepd.replayers.prompt import template
from sleepd.store.database import open_database

KEY = "handoff:recorded"
_AT = datetime(2026, 1, 1, tzinfo=UTC)


@contextmanager
def reader(answers: Path, developer: str) -> Iterator[Reader]:
    """Reads what was recorded for a developer, with a database of its own that is thrown away."""
    with tempfile.TemporaryDirectory() as folder, closing(open_database(Path(folder) / "sleepd.db")) as database:
        model = Handoff(answers / developer.removeprefix("dev-"), key=KEY)
        yield Reader(database=database, model=model, workers=1, now=_AT)


def lesson_replies(answers: Path, developer: str, prompts: LessonPrompts, waits: str) -> tuple[str, ...]:
    """The recorded replies about the lessons of a developer.

    A reply names turns by ids that do not change, so one to an earlier prompt serves when there is none to this one;
    that is printed. With no reply at all, the prompts are put there, unless acts wait for answers (`waits` says which):
    `NotMeasured` is raised then.
    """
    folder = answers / developer.removeprefix("dev-")
    opening = template(PROMPT).splitlines()[0]
    earlier = [path for path in folder.glob("*.prompt.md") if opening in path.read_text(encoding="utf-8")]
    said = [
        answer.read_text(encoding="utf-8").strip().removesuffix(END)
        for path in sorted(earlier, key=lambda path: path.stat().st_mtime)
        if (answer := path.with_name(path.name.replace(".prompt.", ".answer."))).exists()
    ]
    exact = [ask for ask in prompts.asks if (folder / f"{name_of(KEY, ask)}.answer.md").exists()]
    if said and len(exact) < len(prompts.asks):
        print(f"{developer}: acts or findings have changed since; the replies are to an earlier prompt. {waits}")
        return tuple(said[-len(prompts.asks) :])
    if waits:
        raise NotMeasured(waits)
    with reader(answers, developer) as read_by:
        return read_lessons(read_by, prompts, "").texts
