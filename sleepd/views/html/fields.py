"""Reads a history as a page wants it: a field that is not there is nothing, never an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

Row = Mapping[str, object]

SHORT, LONG = 600, 20_000
"""Characters of a request, a reason or a title; of an edit or a diff. The folder has the whole."""


def rows(row: Row, name: str) -> list[Row]:
    """A list of objects."""
    found = row.get(name)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, Sequence) else []


def inner(row: Row, name: str) -> Row:
    """An object; empty when there is none."""
    found = row.get(name)
    return found if isinstance(found, Mapping) else {}


def number(row: Row, name: str) -> float | None:
    found = row.get(name)
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None


def count(row: Row, name: str) -> int:
    """A number of things; 0 when it is not known."""
    return int(number(row, name) or 0)


def numbers(row: Row, name: str) -> list[float]:
    found = row.get(name)
    return [one for one in found if isinstance(one, int | float)] if isinstance(found, Sequence) else []


def words(row: Row, name: str, most: int = SHORT) -> str:
    """A text, cut after `most` characters; "" when there is none."""
    found = row.get(name)
    return "" if found is None else clipped(str(found), most)


def texts(row: Row, name: str) -> list[str]:
    """A list of texts, each cut."""
    found = row.get(name)
    return [clipped(str(one), SHORT) for one in found] if isinstance(found, list | tuple) else []


def clipped(said: str, most: int) -> str:
    """The text, or its beginning with how much more there is."""
    return said if len(said) <= most else f"{said[:most]} … ({len(said) - most:,} characters more)"


def candidates(history: Row) -> Iterator[tuple[Row, Row]]:
    """Each candidate with the step it was tried in."""
    for step in rows(history, "steps"):
        for one in rows(step, "candidates"):
            yield step, one
