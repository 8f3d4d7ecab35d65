"""What a model read: the acts of turns and the lessons of projects, kept by content, so that nothing is sent twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select
from sqlalchemy.dialects.sqlite import insert as upsert

from sleepd.core.act_reading import ReadAct
from sleepd.core.acts import Act
from sleepd.core.model import Digest
from sleepd.store.schema_parts import lesson_readings, lesson_turns, read_acts


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonReading:
    """The replies of one reading of a project's history."""

    model: str
    at: datetime
    project: str
    """Empty: all projects."""
    replies: tuple[str, ...]


def acts(connection: Connection, prompt: str, model: str | None = None) -> dict[Digest, ReadAct]:
    """Turn -> what it was read as, by this version of the prompt; of several models the newest usable word."""
    c = read_acts.c
    query = select(read_acts).where(c.prompt == prompt).order_by(c.act.is_not(None), c.at)
    if model is not None:
        query = query.where(c.model == model)
    return {
        Digest(row.turn): ReadAct(act=Act(row.act) if row.act else None, sure=row.sure, why=row.why)
        for row in connection.execute(query)
    }


def keep_acts(connection: Connection, found: Mapping[Digest, ReadAct], prompt: str, model: str, now: datetime) -> None:
    """Keep what turns were read as; what was kept before stays."""
    rows = [
        {
            "turn": turn,
            "prompt": prompt,
            "model": model,
            "act": read.act.value if read.act is not None else None,
            "sure": read.sure,
            "why": read.why,
            "at": now,
        }
        for turn, read in found.items()
    ]
    if rows:
        connection.execute(upsert(read_acts).on_conflict_do_nothing(), rows)


def lesson_replies(connection: Connection, reading: Digest, model: str) -> dict[int, str]:
    """Part -> reply, of a reading that may not be complete."""
    c = lesson_readings.c
    query = select(c.part, c.reply).where(c.reading == reading, c.model == model)
    return {row.part: row.reply for row in connection.execute(query)}


def keep_lesson_reply(
    connection: Connection,
    reading: Digest,
    *,
    part: int,
    parts: int,
    model: str,
    project: str,
    reply: str,
    now: datetime,
) -> None:
    """Keep the reply to one part of a reading."""
    row = {
        "reading": reading,
        "part": part,
        "model": model,
        "parts": parts,
        "project": project,
        "reply": reply,
        "at": now,
    }
    connection.execute(upsert(lesson_readings).on_conflict_do_nothing(), [row])


def newest_lessons(connection: Connection) -> tuple[LessonReading, ...]:
    """The newest complete reading of each project, projects in alphabetical order."""
    whole: dict[tuple[str, str], list[tuple[int, str, datetime, int, str]]] = {}
    c = lesson_readings.c
    for row in connection.execute(select(lesson_readings).order_by(c.at, c.part)):
        whole.setdefault((row.reading, row.model), []).append((row.part, row.reply, row.at, row.parts, row.project))
    newest: dict[str, LessonReading] = {}
    for (_, model), rows in whole.items():
        if len(rows) < rows[0][3]:
            continue
        at, project = max(row[2] for row in rows), rows[0][4]
        if project not in newest or newest[project].at <= at:
            newest[project] = LessonReading(
                model=model, at=at, project=project, replies=tuple(row[1] for row in sorted(rows))
            )
    return tuple(newest[project] for project in sorted(newest))


def turns_of_lessons(connection: Connection) -> dict[str, frozenset[str]]:
    """Key of a lesson -> the turns it was ever found in: by them it is known again, whatever its words."""
    found: dict[str, set[str]] = {}
    for row in connection.execute(select(lesson_turns)):
        found.setdefault(row.lesson, set()).add(row.turn)
    return {key: frozenset(turns) for key, turns in found.items()}


def keep_turns(connection: Connection, found: Iterable[tuple[str, str]]) -> None:
    """Remember lessons with the turns they were found in."""
    rows = [{"lesson": key, "turn": turn} for key, turn in found]
    if rows:
        connection.execute(upsert(lesson_turns).on_conflict_do_nothing(), rows)
