"""Reading values out of decoded JSON whose shape nobody promised.

Every function answers None (or an empty container) instead of raising when a field has another type than expected.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from harvesters.records import Tokens

Counts = list[int | None]
"""input, output, cache_read, cache_write: tokens as a cursor keeps them."""


def text(obj: object, key: str) -> str | None:
    """The string under `key` of a JSON object, or None when `obj` is no object or the value no string or empty."""
    value = obj.get(key) if isinstance(obj, dict) else None
    return value if isinstance(value, str) and value else None


def mapping(obj: object, key: str) -> dict[str, Any]:
    """The object under `key`, or an empty one."""
    value = obj.get(key) if isinstance(obj, dict) else None
    return value if isinstance(value, dict) else {}


def sequence(obj: object, key: str) -> list[Any]:
    """The array under `key`, or an empty one."""
    value = obj.get(key) if isinstance(obj, dict) else None
    return value if isinstance(value, list) else []


def integer(obj: object, key: str) -> int | None:
    """The whole number under `key`, or None. A float with no fraction counts, true and false do not."""
    value = obj.get(key) if isinstance(obj, dict) else None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def flag(obj: object, key: str) -> bool | None:
    """The boolean under `key`, or None."""
    value = obj.get(key) if isinstance(obj, dict) else None
    return value if isinstance(value, bool) else None


def moment(value: object) -> datetime | None:
    """An aware UTC datetime from an ISO-8601 string or from epoch seconds, milliseconds or microseconds.

    A string without an offset is taken as UTC; digits beyond microseconds are dropped. None when it is no time.
    """
    if isinstance(value, str):
        if value[4:5] == "-" and value[-1:] == "Z":  # as nearly every line states it
            try:
                return datetime.fromisoformat(value)
            except ValueError:
                pass
        words = value.strip()
        if words[4:5] != "-" and len(words) >= 9 and words.isascii() and words.isdigit():
            return _moment_of_number(int(words[:20]))
        try:
            parsed = datetime.fromisoformat(words)
            if parsed.tzinfo is UTC:
                return parsed
            return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
        except (ValueError, OverflowError):
            return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _moment_of_number(value)
    return None


def clip(value: str, limit: int) -> str:
    """The first `limit` characters of `value`."""
    return value if len(value) <= limit else value[:limit]


def _moment_of_number(value: float) -> datetime | None:
    if not math.isfinite(value) or value <= 0:
        return None
    seconds = value / 1_000_000 if value >= 1e14 else value / 1000 if value >= 1e11 else value
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def tokens_of(counts: Sequence[int | None]) -> Tokens:
    """Counts by their names; an empty list states nothing."""
    known = [*counts, None, None, None, None]
    return Tokens(input=known[0], output=known[1], cache_read=known[2], cache_write=known[3])


def counts_of(tokens: Tokens) -> Counts:
    """Tokens in the form in which a cursor keeps them."""
    return [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write]
