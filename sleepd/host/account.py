"""The account of levels outlives the database: a file beside the logs holds the places that were ever given.

The levels of the gate fall with the number of candidates that there ever were (gate, promise 1), and the share of rules
that the person put into words with the number of those. A new database, a backup that was put back, or the database of
a training run knows fewer of them than there were.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock

from sleepd.core.errors import UsageError
from sleepd.core.evidence import Given, Place
from sleepd.core.model import Digest
from sleepd.host import outfile
from sleepd.settings.places import make_private

_INDEX, _STATED, _UNSHARED, _LAST = "highest_index", "stated", "unshared", "candidate"
_LAST_STATED = "candidate_stated"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Held:
    """What the file holds."""

    given: Given = field(default_factory=Given)
    last: str | None = None
    """The candidate that was given the last place."""
    last_stated: int = 0
    """The last place's `stated`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The places that are never given twice."""

    file: Path

    def given(self) -> Given:
        """What was ever given; nothing without a file. Raises `UsageError` for a file that does not say it."""
        return self._read().given

    def take(self, known: Given, candidate: Digest, *, stated: bool = False) -> Place:
        """The next place for a candidate, after those that the caller's database `known`s; no other is given it.

        Raises `Unwritable`. It is kept before it is used. The last candidate that was given one is given the same
        again, for it asks again only when its process was killed in between.
        """
        make_private(self.file.parent)
        with FileLock(self.file.with_suffix(".lock")):
            held = self._read()
            if held.last == candidate and held.given.candidates > known.candidates:
                return Place(index=held.given.candidates, stated=held.last_stated, unshared=held.given.unshared)
            before = held.given.or_more(known)
            place = before.next(stated=stated)
            now = before.after(place)
            written = {_INDEX: now.candidates, _STATED: now.stated, _UNSHARED: now.unshared, _LAST: candidate}
            outfile.write_json(self.file, written | {_LAST_STATED: place.stated})
        return place

    def _read(self) -> _Held:
        try:
            held = json.loads(self.file.read_text(encoding="utf-8"))
            highest, last = _count(held[_INDEX]), held.get(_LAST)
            # Earlier versions knew of no share: all that they entered had the whole of γ.
            given = Given(
                candidates=highest,
                stated=_count(held.get(_STATED, 0)),
                unshared=_count(held.get(_UNSHARED, highest)),
            )
            return _Held(given=given, last=last, last_stated=_count(held.get(_LAST_STATED, 0)))
        except FileNotFoundError:
            return _Held()
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(
                f"{self.file} does not say how many candidates there were; put the file back, or delete it if this "
                "database has known all of them"
            ) from error


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(value)
    return value
