"""Values in YAML, as a person reads and edits them, and checks as a person writes them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from pydantic import BaseModel, ConfigDict

from sleepd.core import behaviour
from sleepd.core.behaviour import LessonCheck
from sleepd.core.errors import UsageError
from sleepd.core.model import CheckKind

_WIDTH = 120


class WrittenCheck(BaseModel):
    """A check of a task in a person's file. A misspelt key is an error: otherwise the check would be another one."""

    model_config = ConfigDict(extra="forbid")

    kind: CheckKind
    value: str


def dumped(value: object) -> str:
    """A value of JSON's types as YAML: keys in their order, texts of several lines as they are."""
    import yaml

    return str(yaml.dump(value, Dumper=_dumper(), allow_unicode=True, sort_keys=False, width=_WIDTH))


def loaded(text: str, name: str) -> object:
    """The value that a YAML text holds. Raises `UsageError`: one line with `name` and the line of the mistake."""
    import yaml

    try:
        found: object = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506  both are safe
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        why = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise UsageError(f"{name}: {where}not YAML: {why}") from None
    except RecursionError:
        raise UsageError(f"{name}: not YAML that can be read: it is nested too deeply") from None
    return found


def checks_text(checks: Sequence[LessonCheck]) -> str:
    """Checks as a YAML list: `kind`, then the parameters that differ from their defaults."""
    return dumped([behaviour.written(check) for check in checks])


def read_checks(text: str, name: str) -> tuple[LessonCheck, ...]:
    """The checks of a YAML list; none for an empty text.

    Raises `UsageError`, one line for each mistake after the first line, which says that nothing was read.
    """
    value = loaded(text, name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise UsageError(f"{name}: wanted a list of checks, found {type(value).__name__}")
    found, wrong = [], []
    for number, one in enumerate(value, 1):
        try:
            found.append(behaviour.read(one))
        except ValueError as error:
            wrong.append(f"check {number}: {error}")
    if wrong:
        raise UsageError(f"{name}: nothing was read" + "".join(f"\n  {line}" for line in wrong))
    return tuple(found)


@cache
def _dumper() -> type[object]:
    import yaml

    class Readable(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        """Texts of several lines as blocks."""

    def block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        style = "|" if "\n" in text else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Readable.add_representer(str, block)
    return Readable
