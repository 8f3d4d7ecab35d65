"""Add or remove one member of an object in another program's JSON file; every other byte of the file stays.

Strict JSON only: where a comment or a doubled key makes a place ambiguous, `Unclear` is raised and nothing is changed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass


class Unclear(ValueError):
    """The text cannot be changed safely; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Member:
    key: str
    start: int
    """Where the key begins."""
    value: int
    end: int


_DECODER = json.JSONDecoder()
_SPACE = re.compile(r"[ \t\r\n]*")


def get(text: str, path: tuple[str, str]) -> object | None:
    """The value at `path`, or None. Raises `Unclear` for a text that is no strict JSON object."""
    if _is_empty(text):
        return None
    outer = _find(text, _start(text), path[0])
    inner = _find(text, outer.value, path[1]) if outer is not None else None
    return None if inner is None else _DECODER.raw_decode(text, inner.value)[0]


def has(text: str, key: str) -> bool:
    """Whether the object has such a member. Raises `Unclear`."""
    return not _is_empty(text) and _find(text, _start(text), key) is not None


def put(text: str, path: tuple[str, str], value: object) -> str:
    """The text with `value` at `path`; missing objects of the path are created. Raises `Unclear`."""
    if _is_empty(text):
        return text[: _mark(text)] + json.dumps({path[0]: {path[1]: value}}, indent=2) + "\n"
    start = _start(text)
    outer = _find(text, start, path[0])
    if outer is None:
        changed = _appended(text, start, path[0], {path[1]: value})
    elif (inner := _find(text, outer.value, path[1])) is not None:
        changed = text[: inner.value] + _dumped(value, _indent(text, inner.start), text) + text[inner.end :]
    else:
        changed = _appended(text, outer.value, path[1], value)
    if get(changed, path) != value:
        raise Unclear("its formatting could not be preserved")
    return changed


def drop(text: str, path: tuple[str, str], *, container: bool) -> str:
    """The text without the value at `path`; with `container`, an object that is empty then goes as well."""
    outer = _find(text, _start(text), path[0]) if not _is_empty(text) else None
    if outer is None or _find(text, outer.value, path[1]) is None:
        return text
    changed = _without(text, outer.value, path[1])
    if container and _DECODER.raw_decode(changed, outer.value)[0] == {}:
        return _without(changed, _start(changed), path[0])
    return changed


def _mark(text: str) -> int:
    """How long the byte order mark is that some editors begin a file with; it is no part of the JSON, and stays."""
    return 1 if text.startswith("\ufeff") else 0


def _is_empty(text: str) -> bool:
    return not text[_mark(text) :].strip()


def _start(text: str) -> int:
    """Where the one object of the text begins."""
    at = _after_space(text, _mark(text))
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        raise Unclear("it is no strict JSON (a comment, or a comma too many)") from None
    if not isinstance(value, dict) or text[end:].strip():
        raise Unclear("it does not hold exactly one object")
    return at


def _find(text: str, at: int, key: str) -> _Member | None:
    found = [member for member in _members(text, at) if member.key == key]
    if len(found) > 1:
        raise Unclear(f"it has {key!r} twice")
    return found[0] if found else None


def _members(text: str, at: int) -> tuple[_Member, ...]:
    """The members of the valid object that begins at `at`."""
    if text[at] != "{":
        raise Unclear("it has another value where an object belongs")
    found = []
    at = _after_space(text, at + 1)
    while text[at] != "}":
        key, end = _DECODER.raw_decode(text, at)
        value = _after_space(text, _after_space(text, end) + 1)
        _, end = _DECODER.raw_decode(text, value)
        found.append(_Member(key=key, start=at, value=value, end=end))
        at = _after_space(text, end)
        at = _after_space(text, at + 1) if text[at] == "," else at
    return tuple(found)


def _appended(text: str, at: int, key: str, value: object) -> str:
    """The text with one more member at the end of the object that begins at `at`."""
    members = _members(text, at)
    if members:
        last = members[-1]
        indent = _indent(text, last.start)
        gap = " " if indent is None else _newline(text) + indent
        return text[: last.end] + "," + gap + _member(key, value, indent, text) + text[last.end :]
    # Text between the braces stays before the closing one, so that removing the member restores it.
    close = text.index("}", at)
    indent = _indent_of_line(text, at) + _unit(text) if "\n" in text[at:close] else None
    gap = "" if indent is None else _newline(text) + indent
    return text[: at + 1] + gap + _member(key, value, indent, text) + text[at + 1 :]


def _without(text: str, at: int, key: str) -> str:
    members = _members(text, at)
    index = next(i for i, member in enumerate(members) if member.key == key)
    if index:
        return text[: members[index - 1].end] + text[members[index].end :]
    if len(members) > 1:
        return text[: members[0].start] + text[members[1].start :]
    return text[: at + 1] + text[members[0].end :]


def _member(key: str, value: object, indent: str | None, text: str) -> str:
    return f"{json.dumps(key, ensure_ascii=False)}: {_dumped(value, indent, text)}"


def _dumped(value: object, indent: str | None, text: str) -> str:
    if indent is None:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return (_newline(text) + indent).join(lines)


def _after_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return at if found is None else found.end()


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    """How far this file indents; two spaces where it does not say."""
    found = re.search(r"\n([ \t]+)\"", text)
    return found[1] if found else "  "


def _indent(text: str, at: int) -> str | None:
    """The indentation of the value at `at`; None when other text precedes it on its line."""
    before = text[text.rfind("\n", 0, at) + 1 : at]
    return before if not before.strip() and "\n" in text[:at] else None


def _indent_of_line(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]
