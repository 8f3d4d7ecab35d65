"""`sleepd lessons --read`: let the reflection model read unsure turns, then group and word the lessons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from sleepd import compose
from sleepd.core import edit, lesson
from sleepd.core.act_reading import Agreement, ShownTurn, agreement, shown, unsure
from sleepd.core.acts import judge
from sleepd.core.episode import Source
from sleepd.core.lesson import Found, History
from sleepd.core.lesson_reading import LessonsRead, ReadingPlan
from sleepd.core.ports import Ask
from sleepd.host import clock
from sleepd.pipeline.read_acts import Reader, act_asks, kept_acts, read_acts
from sleepd.pipeline.read_lessons import LessonPrompts, findings_shown, lesson_prompts, read_lessons
from sleepd.settings.settings import Settings
from sleepd.store import readings
from sleepd.store.database import Database
from sleepd.usecases import lessons as usecase


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingReport:
    """What a reading brought."""

    model: str
    agreement: Agreement
    lessons: LessonsRead
    troubles: tuple[str, ...]
    """Why calls gave no answer; they are made again another time."""


def plan(database: Database, settings: Settings, *, every: bool, project: str | None) -> ReadingPlan:
    """Count what `read` would ask, and ask nothing. Raises `UsageError` when no model is chosen."""
    reader = _reader(database, settings)
    known = usecase.history(database, project)
    turns = _turns(known, every=every)
    asks = act_asks(turns, kept_acts(reader))
    prompts = prompts_of(known, usecase.find(known), settings.lessons.prompt_tokens)
    with database.reading() as connection:
        got = readings.lesson_replies(connection, prompts.reading, reader.model.key)
    left = [ask for number, ask in enumerate(prompts.asks) if number not in got]
    return ReadingPlan(
        model=reader.model.key,
        turns=sum(len(batch) for batch in asks.values()),
        act_calls=len(asks),
        lesson_calls=len(left),
        tokens=sum(edit.tokens(ask.system) + edit.tokens(ask.prompt) for ask in chain[Ask](asks, left)),
        most_calls=settings.lessons.max_calls,
    )


def read(database: Database, settings: Settings, *, every: bool, project: str | None) -> ReadingReport:
    """Put the unsure turns, or with `every` all, to the model; then the history with the acts that come of it.

    Raises `UsageError` when no model is chosen, and `NotMeasured` or `BudgetSpent` when it cannot be reached, waits for
    somebody's answers, or has used its calls: the same command goes on from there.
    """
    reader = _reader(database, settings)
    known = usecase.history(database, project)
    turns = _turns(known, every=every)
    turns_read = read_acts(reader, turns)
    acts = turns_read.acts
    by_signs = {
        one.episode.turn: judged
        for session in known.sessions
        for one, judged in zip(session, judge([one.episode for one in session]), strict=True)
    }
    known = usecase.history(database, project)
    found = usecase.find(known)
    replies = read_lessons(reader, prompts_of(known, found, settings.lessons.prompt_tokens), project or "")
    with database.reading() as connection:
        earlier = readings.turns_of_lessons(connection)
    return ReadingReport(
        model=reader.model.key,
        agreement=agreement((by_signs[turn.episode.turn], acts[turn.key]) for turn in turns if turn.key in acts),
        lessons=usecase.with_readings(known, found, replies.texts, earlier),
        troubles=(*turns_read.troubles, *replies.troubles),
    )


def _reader(database: Database, settings: Settings) -> Reader:
    return Reader(
        database=database,
        model=compose.reading_model(settings),
        workers=settings.night.workers,
        now=clock.now(),
    )


def _turns(known: History, *, every: bool) -> Sequence[ShownTurn]:
    """The turns to be read: by the structural signs alone, so that one reading asks for the same as the next."""
    found = []
    for session in known.sessions:
        cut = [one.episode for one in session]
        by_turn = {episode.turn: judged for episode, judged in zip(cut, judge(cut), strict=True)}
        asked = [turn for turn in shown(cut) if turn.episode.source is not Source.DENIAL]
        found += [turn for turn in asked if every or unsure(by_turn[turn.episode.turn])]
    return found


def prompts_of(known: History, found: Sequence[Found], limit: int) -> LessonPrompts:
    """What a model is asked about a history, in prompts of at most so many tokens."""
    with_acts = {one.episode: one for session in known.sessions for one in session}
    cut = lesson.originals([[one.episode for one in session] for session in known.sessions])
    history = [[with_acts[episode] for episode in session] for session in cut]
    return lesson_prompts(history, findings_shown(found), limit)
