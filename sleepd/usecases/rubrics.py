"""Rubrics of lessons: a judge model reads past exchanges, the person answers cards, and the rubric gates or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sleepd import compose
from sleepd.core import edit, rubric, validity
from sleepd.core.errors import UsageError
from sleepd.core.lesson import History, Lesson, LessonState
from sleepd.core.rubric import CardAnswer, JudgedExchange, JudgedLesson, JudgingPlan, ShownExchange
from sleepd.core.validity import Discrimination, observed
from sleepd.host import clock
from sleepd.pipeline.judge_exchanges import PROMPT, judge_asks, judge_exchanges, known_verdicts
from sleepd.pipeline.read_acts import Reader
from sleepd.replayers.prompt import version
from sleepd.settings.sections import LessonsConfig
from sleepd.settings.settings import Settings
from sleepd.store import rubrics, validities
from sleepd.store.database import Database
from sleepd.store.validities import CheckVerdict
from sleepd.store.validity_rows import CheckFamily
from sleepd.usecases import lessons


def plan(database: Database, settings: Settings, prefix: str) -> JudgingPlan:
    """Count what `judge` would ask, and ask nothing. Raises `UsageError` as `judge` does."""
    reader = _reader(database, settings)
    lesson, exchanges = _chosen(database, settings.lessons, prefix)
    question = rubric.rubric_of(lesson)
    asks = judge_asks(question, exchanges, known_verdicts(reader, question))
    return JudgingPlan(
        lesson=lesson,
        model=reader.model.key,
        exchanges=sum(len(batch) for batch in asks.values()),
        calls=len(asks),
        tokens=sum(edit.tokens(ask.system) + edit.tokens(ask.prompt) for ask in asks),
    )


def judge(database: Database, settings: Settings, prefix: str) -> JudgedLesson:
    """Let the reflection model read the exchanges of a lesson's project, and say what its verdicts are worth.

    Raises `UsageError` for no such lesson, one without an exchange to judge, and no chosen model; `NotMeasured` or
    `BudgetSpent` when the model cannot be reached, waits for somebody's answers, or has used its calls.
    """
    reader = _reader(database, settings)
    lesson, exchanges = _chosen(database, settings.lessons, prefix)
    troubles = judge_exchanges(reader, rubric.rubric_of(lesson), exchanges)
    found = {one.lesson.id: one for one in refresh(database, settings.lessons)}
    if lesson.id not in found:
        raise UsageError(f"no reply of {reader.model.key} could be used: {'; '.join(troubles) or 'no verdict in it'}")
    return replace(found[lesson.id], troubles=troubles)


def judged(database: Database, floors: LessonsConfig, known: History | None = None) -> tuple[JudgedLesson, ...]:
    """The lessons whose rubric a judge has read, with the verdict on each; () at once where none was ever asked."""
    with database.reading() as connection:
        asked = rubrics.judged(connection, version(PROMPT))
    if not asked:
        return ()
    known = known if known is not None else lessons.history(database)
    listed = [
        one
        for one in lessons.book(database, floors, known, looked_at=False).lessons
        if rubric.rubric_id(rubric.rubric_of(one)) in asked and one.state is not LessonState.REJECTED
    ]
    read = []
    with database.reading() as connection:
        for one in listed:
            question = rubric.rubric_of(one)
            id_ = rubric.rubric_id(question)
            some = rubric.judged(rubric.exchanges(one, known), rubrics.verdicts(connection, id_, version(PROMPT)))
            if some:
                answers = rubrics.answers(connection, id_)
                read.append(
                    JudgedLesson(lesson=one, rubric=question, judged=some, answers=answers, validity=rubric.UNASKED)
                )
    agreements = validity.together({one.lesson.id: rubric.agreement(one.judged) for one in read})
    return tuple(_with_verdict(one, agreements[one.lesson.id]) for one in read)


def _with_verdict(one: JudgedLesson, found: Discrimination | None) -> JudgedLesson:
    known = replace(one, validity=observed("", found))
    answered = len(known.cards) - len(known.waiting)
    return replace(one, validity=rubric.verdict(found, one.error, len(known.cards), answered))


def refresh(database: Database, floors: LessonsConfig, known: History | None = None) -> tuple[JudgedLesson, ...]:
    """As `judged`; remembers the verdicts for the lists."""
    found = judged(database, floors, known)
    verdicts = [
        CheckVerdict(subject=one.lesson.id, sentence=one.rubric.question, validity=one.validity) for one in found
    ]
    with database.writing() as connection:
        validities.save(connection, CheckFamily.RUBRIC, verdicts)
    return found


def answer_card(database: Database, one: JudgedLesson, card: JudgedExchange, said: CardAnswer) -> None:
    """Keep the person's answer to one card."""
    with database.writing() as connection:
        rubrics.answer(connection, rubric.rubric_id(one.rubric), card.exchange.key, said, clock.now())


def _reader(database: Database, settings: Settings) -> Reader:
    return Reader(
        database=database,
        model=compose.reading_model(settings),
        workers=settings.night.workers,
        now=clock.now(),
    )


def _chosen(database: Database, floors: LessonsConfig, prefix: str) -> tuple[Lesson, Sequence[ShownExchange]]:
    known = lessons.history(database)
    lesson = lessons.one(database, floors, prefix, known)
    exchanges = rubric.exchanges(lesson, known)
    if not any(one.corrected for one in exchanges):
        raise UsageError(
            f"lesson {lesson.id[:6]}: no exchange is known that you corrected for it, so no judge could be held to you"
        )
    return lesson, exchanges
