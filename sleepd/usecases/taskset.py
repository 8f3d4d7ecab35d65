"""Read a task-set folder: `train/`, `val/` and `test/`, each with its items as JSON.

The names of the fields are those that SkillOpt's own loaders read, so that its task sets can be used as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from sleepd.core import check
from sleepd.core.check import Check
from sleepd.core.errors import UsageError
from sleepd.core.model import AnswerOutcome, Attempt, CheckKind, SessionId, Split, Task, TaskId, digest
from sleepd.pipeline.enrol import AGENT, GivenTask
from sleepd.usecases.written import WrittenCheck
from sleepd.views import report

_FILE = "items.json"
_SHOWN = 60
_BEGAN = datetime(2000, 1, 1, tzinfo=UTC)
"""Tasks of a set have no time; they have an order."""
Word = str | int | float


class _Rejected(BaseModel):
    model_config = ConfigDict(extra="forbid")

    answer: str
    said: str | None = None
    """The person's words about the answer."""
    tool: str | None = None
    """A tool's output about the answer."""


class _SetItem(BaseModel):
    """Other fields of an item are ignored: each benchmark adds its own."""

    model_config = ConfigDict(extra="ignore", populate_by_name=True)

    id: Word | None = Field(default=None, validation_alias=AliasChoices("id", "uid", "questionId"))
    request: str = Field(validation_alias=AliasChoices("request", "question", "prompt"))
    context: str = ""
    checks: list[WrittenCheck] = []
    answers: list[Word] | Word = Field(default=[], validation_alias=AliasChoices("answers", "answer", "ground_truth"))
    accepted: str | None = None
    rejected: list[str | _Rejected] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSet:
    """A folder's tasks, train first, in the order of the files."""

    name: str
    folder: Path
    given: tuple[GivenTask, ...]

    @property
    def digest(self) -> str:
        """Changes when anything that is learnt from or judged by does."""
        return digest(*(repr(g) for g in self.given))

    def count(self, split: Split) -> int:
        return sum(g.split is split for g in self.given)


def read(folder: Path) -> TaskSet:
    """The task set in a folder. A side without a folder is empty; `train` and `val` are required.

    Raises `UsageError`: one line that names the file and the item.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder}: there is no such folder; a task set has train/, val/ and test/ with {_FILE} each")
    missing = [side.value for side in (Split.TRAIN, Split.VAL) if not (folder / side.value).is_dir()]
    if missing:
        raise UsageError(f"{folder}: it has no folder {missing[0]}/; a task set has train/, val/ and test/")
    given = [g for side in Split for g in _side(folder / side.value, side)]
    return TaskSet(name=folder.resolve().name, folder=folder.resolve(), given=tuple(given))


def _side(folder: Path, side: Split) -> Iterator[GivenTask]:
    if not folder.is_dir():
        return
    found = sorted([*folder.glob("*.json"), *folder.glob("*.jsonl")])
    if folder / _FILE in found:
        file = folder / _FILE
    else:
        if len(found) != 1:
            why = "there is no JSON file" if not found else f"there are {len(found)} JSON files and none is {_FILE}"
            raise UsageError(f"{folder}: {why}; put the items into {folder / _FILE}")
        file = found[0]
    seen: set[str] = set()
    for number, value in enumerate(_values(file), 1):
        try:
            item = _SetItem.model_validate(value)
            # Lone surrogates can be written in JSON, but kept in no database.
            json.dumps(item.model_dump(mode="json"), ensure_ascii=False).encode()
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise UsageError(f"{file}: item {number}: {where or 'it'}: {_said(first['msg'])}") from None
        except ValueError as error:
            raise UsageError(f"{file}: item {number}: holds a character that cannot be kept: {error}") from None
        if not item.request.strip():
            raise UsageError(f"{file}: item {number}: its request is empty")
        name = str(item.id) if item.id not in (None, "") else str(number)
        if name in seen:
            raise UsageError(f"{file}: item {number}: a second item with the id {name!r}; each id names one item")
        seen.add(name)
        yield _given(file, number, name, item, side)


def _values(file: Path) -> Sequence[object]:
    try:
        text = file.read_text(encoding="utf-8-sig")
        if file.suffix == ".jsonl":
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        value = json.loads(text)
    except UnicodeDecodeError as error:
        raise UsageError(f"{file}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except (json.JSONDecodeError, RecursionError) as error:
        raise UsageError(f"{file}: not JSON: {error}; it must be a list of items") from error
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {(error.strerror or str(error)).lower()}") from error
    if isinstance(value, dict) and isinstance(value.get("data"), list):
        value = value["data"]
    if not isinstance(value, list):
        raise UsageError(f"{file}: wanted a list of items, found {type(value).__name__}")
    return value


def _said(message: str) -> str:
    wanted = message.removeprefix("Input should be ")
    if message == "Field required":
        return "it needs a `request` (or `question`, or `prompt`)"
    return f"wanted {wanted}" if wanted != message else message


def _given(file: Path, number: int, name: str, item: _SetItem, side: Split) -> GivenTask:
    # The judge of the item: its checks, else its answers. An empty check is refused, not dropped.
    where = f"{file}: item {number}"
    written = item.checks or list(_answer(item))
    if not written:
        raise UsageError(f"{where}: it has neither `checks` nor an `answer`, so nothing can be judged")
    checks = check.in_order(_checked(where, one, item.accepted) for one in written)
    request = f"{item.request}\n\n{item.context}" if item.context.strip() else item.request
    attempts: list[Attempt] = []
    for one in item.rejected:
        bad = _Rejected(answer=one) if isinstance(one, str) else one
        attempts.append(
            Attempt(answer=bad.answer, outcome=AnswerOutcome.REJECTED, reaction=bad.said, tool_output=bad.tool)
        )
    kept = item.accepted or next(iter(_answers(item)), None)
    if kept:
        attempts.append(Attempt(answer=kept, outcome=AnswerOutcome.ACCEPTED))
    task = Task(
        # A changed request is another task: no rollout of the old one counts for it.
        id=TaskId(digest(AGENT, side, name, request)),
        session_id=SessionId(f"{AGENT}:{side}/{name}"),
        project="",
        at=_BEGAN + timedelta(minutes=number),
        request=request,
        context="",
        attempts=tuple(attempts),
    )
    return GivenTask(task=task, split=side, checks=checks, asked=item.request)


def _checked(where: str, written: WrittenCheck, accepted: str | None) -> Check:
    shown = report.short(repr(written.value), _SHOWN)
    if not written.value.strip():
        raise UsageError(f"{where}: check {written.kind} has an empty value, so nothing can be judged by it")
    one = check.normal(written.kind, written.value)
    if one is None:
        raise UsageError(f"{where}: check {written.kind} wants {check.wanted(written.kind)}, found {shown}")
    if accepted and not check.passes(one, accepted):
        raise UsageError(f"{where}: its `accepted` answer fails check {written.kind} {shown}; change one of the two")
    return one


def _answer(item: _SetItem) -> tuple[WrittenCheck, ...]:
    answers = [" ".join(answer.split()) for answer in _answers(item)]
    known = "\n".join(answer for answer in answers if answer)
    return (WrittenCheck(kind=CheckKind.ANSWER, value=known),) if known else ()


def _answers(item: _SetItem) -> list[str]:
    return [str(a) for a in (item.answers if isinstance(item.answers, list) else [item.answers])]
