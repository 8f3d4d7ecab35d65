"""Replaying VS Code's chat log: each line changes the state of a session, none is a message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from harvesters.values import integer

MAX_LIST = 100_000
"""No path may make a list longer than this: an index out of a damaged line must not fill the memory."""
_ABSENT = object()


def replayed(operations: Iterable[dict[str, Any]]) -> dict[str, Any] | None:
    """The session's state after all operations, or None when none of the objects was one.

    An operation whose path leads nowhere, or whose kind is unknown, is skipped. A log without an initial state starts
    from a session without requests.
    """
    state: dict[str, Any] = {"requests": []}
    seen = False
    for operation in operations:
        kind = integer(operation, "kind")
        if kind == 0 and isinstance(operation.get("v"), dict):
            state, seen = operation["v"], True
        elif kind in (1, 2, 3) and isinstance(operation.get("k"), list):
            seen = True
            if not operation["k"]:
                continue
            *path, key = operation["k"]
            parent: Any = state
            for step in path:
                parent = _child(parent, step)
            if kind == 1:
                _set(parent, key, operation.get("v"))
            elif kind == 2:
                _push(parent, key, operation)
            elif isinstance(parent, dict) and isinstance(key, str):
                parent.pop(key, None)
            elif _child(parent, key) is not _ABSENT:
                _set(parent, key, None)
    return state if seen else None


def _child(value: Any, key: Any) -> Any:
    if isinstance(value, dict):
        return value.get(key, _ABSENT) if isinstance(key, str) else _ABSENT
    index = _index(key)
    if isinstance(value, list) and index is not None and index < len(value):
        return value[index]
    return _ABSENT


def _index(key: Any) -> int | None:
    """A list index; it may be written as a string of digits."""
    if isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < 10:
        return int(key)
    if isinstance(key, int) and not isinstance(key, bool) and key >= 0:
        return key
    return None


def _set(parent: Any, key: Any, value: Any) -> None:
    if isinstance(parent, dict) and isinstance(key, str):
        parent[key] = value
        return
    index = _index(key)
    if isinstance(parent, list) and index is not None and index < MAX_LIST:
        parent.extend([None] * (index + 1 - len(parent)))
        parent[index] = value


def _push(parent: Any, key: Any, operation: dict[str, Any]) -> None:
    """Cut the list to length `i` where one is given, then append `v`; a missing list is made."""
    target = _child(parent, key)
    if target is _ABSENT or target is None:
        target = []
        _set(parent, key, target)
    if not isinstance(target, list) or _child(parent, key) is not target:
        return
    length = integer(operation, "i")
    if length is not None and length >= 0:
        del target[length:]
    added = operation.get("v")
    if isinstance(added, list):
        target.extend(added[: max(0, MAX_LIST - len(target))])
