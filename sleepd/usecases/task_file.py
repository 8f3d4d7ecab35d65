"""The recurring work as a file for a person to look through, and back: tasks dropped, checks removed or edited."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from sleepd.core import behaviour, check
from sleepd.core.behaviour import LessonCheck
from sleepd.core.check import Check
from sleepd.core.errors import UsageError
from sleepd.core.lesson import Lesson
from sleepd.core.model import TaskId
from sleepd.host import clock
from sleepd.store import lessons as stored_lessons
from sleepd.store import tasks
from sleepd.store.database import Database
from sleepd.store.tasks import StoredTask
from sleepd.usecases import written
from sleepd.usecases.written import WrittenCheck
from sleepd.views import report

FORMAT = "sleepd-tasks-1"
_JUDGED = "judged"
_SHOWN = 10
_WIDTH = 60


class _Closed(BaseModel):
    """A misspelt key is an error: it would be a wish that is silently not granted."""

    model_config = ConfigDict(extra="forbid")


class _Task(_Closed):
    """Only `dropped` and `checks` may be changed; the rest is for reading."""

    id: str
    dropped: bool = False
    checks: list[WrittenCheck] | None = None
    """Those that gate. A check that the person moves here from `observed` is the person's own."""
    observed: object = None
    judged: object = None
    agent: object = None
    project: object = None
    session: object = None
    at: object = None
    cluster: object = None
    split: object = None
    skill: object = None
    request: object = None
    context: object = None
    attempts: object = None


class _Lesson(_Closed):
    """Only `checks` may be changed; what `judged` says of each is for reading."""

    id: str
    rule: object = None
    checks: list[dict[str, object]]


class _File(_Closed):
    format: str
    tasks: list[_Task]
    lessons: list[_Lesson] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The changes of an import."""

    dropped: int
    checked: int
    """Tasks with checks that the person wrote."""
    unchanged: int
    lessons: int = 0
    """Lessons with checks that the person wrote."""


def exported(stored: Sequence[StoredTask], lessons: Sequence[Lesson] = (), *, yaml: bool = False) -> str:
    """The tasks, and the checks of the lessons, as one indented JSON object, or as YAML, which is easier to edit.

    No replay of today makes calls: each check of a lesson says so.
    """
    checked = [{"id": one.id, "rule": one.text, "checks": [_of_lesson(c) for c in one.checks]} for one in lessons]
    value = {"format": FORMAT, "tasks": [plain(s) for s in stored], "lessons": checked}
    if yaml:
        return written.dumped(value)
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _of_lesson(listed: LessonCheck) -> dict[str, object]:
    return {**behaviour.written(listed), _JUDGED: behaviour.judged_by_text(listed).reason}


def import_file(database: Database, text: str, name: str, lessons: Sequence[Lesson] = ()) -> Imported:
    """Import a person's changes of an exported file: all of them, or none and an error for each mistake.

    `lessons`: those whose checks the file may change. Raises `UsageError`; its message has one line for each mistake,
    `name` first.
    """
    try:
        wanted = _File.model_validate(written.loaded(text, name)) if is_yaml(name) else _File.model_validate_json(text)
    except ValidationError as error:
        raise UsageError(_listed(name, [_sentence(e) for e in error.errors(include_url=False)])) from None
    if wanted.format != FORMAT:
        raise UsageError(f"{name}: format {wanted.format!r}, wanted {FORMAT!r}; `sleepd tasks export` writes it")
    with database.reading() as connection:
        known = {s.task.id: s for s in tasks.load(connection)}
    known_lessons = {one.id: one for one in lessons}
    wrong = [line for task in wanted.tasks for line in _mistakes(task, known)]
    wrong += [line for one in wanted.lessons for line in _mistakes_of_lesson(one, known_lessons)]
    if wrong:
        raise UsageError(_listed(name, wrong))
    dropped = [TaskId(t.id) for t in wanted.tasks if t.dropped and TaskId(t.id) in known]
    changed = {TaskId(t.id): _checks(t, known) for t in wanted.tasks if not t.dropped and _edited(t, known)}
    given = {one.id: tuple(behaviour.read(_bare(listed)) for listed in one.checks) for one in wanted.lessons}
    of_lessons = {id_: checks for id_, checks in given.items() if checks != known_lessons[id_].checks}
    with database.writing() as connection:
        for lesson, lesson_checks in of_lessons.items():
            stored_lessons.review_checks(connection, lesson, lesson_checks, clock.now())
        for id_ in dropped:
            tasks.drop(connection, id_)
        for id_, checks in changed.items():
            tasks.review(connection, id_, checks)
    unchanged = len(wanted.tasks) - len(dropped) - len(changed)
    return Imported(dropped=len(dropped), checked=len(changed), unchanged=unchanged, lessons=len(of_lessons))


def read_text(path: Path) -> str:
    """The file's text. Raises `UsageError` when it is not there or no text."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 at byte {error.start}; export it again or save it as UTF-8") from error
    except FileNotFoundError as error:
        raise UsageError(f"{path}: there is no such file; `sleepd tasks export {path}` writes one") from error


def is_yaml(name: str) -> bool:
    """Whether a file's name says that it holds YAML."""
    return Path(name).suffix.casefold() in (".yaml", ".yml")


def _sentence(error: ErrorDetails) -> str:
    where = ".".join(str(part) for part in error["loc"])
    if error["type"] == "enum" and error["input"] in behaviour.KINDS:
        kind = f"{error['input']} is a check of a lesson, to be put under `lessons`"
        return f"{where}: {kind}; a task is judged by the text of its answer"
    if error["type"] == "extra_forbidden":
        return f"{where}: unknown key; only `dropped` and `checks` may be changed"
    said = error["msg"].removeprefix("Input should be ")
    return f"{where}: wanted {said}" if where else f"not the exported JSON: {error['msg']}"


def _mistakes(task: _Task, known: Mapping[TaskId, StoredTask]) -> Iterator[str]:
    """A check counts only if the accepted answer passes it."""
    stored = known.get(TaskId(task.id))
    if stored is None and task.dropped:
        return  # it was dropped before: importing twice changes nothing
    if stored is None:
        yield f"{task.id}: there is no such task; it may have been dropped"
        return
    if task.dropped or not _edited(task, known):
        return
    accepted = stored.task.accepted
    for listed in _written(task):
        one = _normal(listed, stored)
        value = report.short(repr(listed.value), _WIDTH)
        if accepted is None:
            yield f"{task.id}: no answer was accepted, so nothing can be checked; remove its checks or drop it"
            return
        if one is None:
            yield f"{task.id}: check {listed.kind} wants {check.wanted(listed.kind)}, found {value}"
        elif not check.passes(one, accepted.answer):
            yield f"{task.id}: the accepted answer fails {one.kind} {value}; such a check would reward wrong answers"


def _mistakes_of_lesson(one: _Lesson, known: Mapping[str, Lesson]) -> Iterator[str]:
    """A check of a lesson has to be one that can be computed from calls and edits."""
    if one.id not in known:
        yield f"lesson {one.id}: there is no such lesson; it may have been dropped or retired"
        return
    for number, listed in enumerate(one.checks, 1):
        try:
            behaviour.read(_bare(listed))
        except ValueError as error:
            yield f"lesson {one.id}: check {number}: {error}"


def _bare(listed: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in listed.items() if name != _JUDGED}


def _edited(task: _Task, known: Mapping[TaskId, StoredTask]) -> bool:
    if task.checks is None:
        return False
    stored = known[TaskId(task.id)]
    return {_normal(one, stored) for one in _written(task)} != set(stored.checks)


def _checks(task: _Task, known: Mapping[TaskId, StoredTask]) -> tuple[Check, ...]:
    """The task's checks, once none of them is a mistake."""
    found = {_normal(one, known[TaskId(task.id)]) for one in _written(task)}
    return check.in_order(one for one in found if one is not None)


def _written(task: _Task) -> list[WrittenCheck]:
    """The checks in the file, each once, in a fixed order."""
    by_words = {(c.kind, c.value): c for c in task.checks or ()}
    return [by_words[words] for words in sorted(by_words)]


def _normal(listed: WrittenCheck, stored: StoredTask) -> Check | None:
    """An exported check that the person did not change stays the same to the letter."""
    kept = (c for c in stored.checks if (c.kind, c.value) == (listed.kind, listed.value))
    return next(kept, None) or check.normal(listed.kind, listed.value)


def _listed(name: str, wrong: Sequence[str]) -> str:
    more = [f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else []
    return f"{name}: nothing was changed" + "".join(f"\n  {line}" for line in [*wrong[:_SHOWN], *more])


def plain(stored: StoredTask) -> dict[str, object]:
    task = stored.task
    return {
        "id": task.id,
        "dropped": False,
        "checks": [{"kind": c.kind.value, "value": c.value} for c in stored.checks],
        "observed": [{"kind": c.kind.value, "value": c.value} for c in stored.observed],
        "judged": f"{stored.validity.word}: {stored.validity.why}" if stored.validity is not None else None,
        "agent": stored.agent,
        "project": task.project,
        "session": task.session_id,
        "at": task.at.isoformat(),
        "cluster": stored.cluster,
        "split": stored.split.value if stored.split else None,
        "skill": task.skill,
        "request": task.request,
        "context": task.context,
        "attempts": [
            {
                "answer": a.answer,
                "outcome": a.outcome.value,
                "evidence": [e.value for e in a.evidence],
                "reaction": a.reaction,
            }
            for a in task.attempts
        ],
    }
