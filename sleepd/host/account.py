"""The account of levels outlives the database: a file beside the logs holds the highest index ever given.

The levels of the gate fall with the number of candidates that there ever were (gate, promise 1). A new database, a
backup that was put back, or the database of a training run knows fewer of them than there were.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from sleepd.core.errors import UsageError
from sleepd.core.model import Digest
from sleepd.host import outfile
from sleepd.settings.places import make_private

_KEY = "highest_index"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The mark that no index falls below."""

    file: Path

    def highest(self) -> int:
        """The highest index that was ever given; 0 without a file. Raises `UsageError` for a file that holds none."""
        return self._read()[0]

    def take(self, least: int, candidate: Digest) -> int:
        """The next index, at least `least`, for a candidate; no other is given it. Raises `Unwritable`.

        It is kept before it is used. The last candidate that was given one is given the same again, for it asks again
        only when its process was killed in between.
        """
        make_private(self.file.parent)
        with FileLock(self.file.with_suffix(".lock")):
            highest, last = self._read()
            if last == candidate and highest >= least:
                return highest
            index = max(least, highest + 1)
            outfile.write_json(self.file, {_KEY: index, "candidate": candidate})
        return index

    def _read(self) -> tuple[int, str | None]:
        try:
            held = json.loads(self.file.read_text(encoding="utf-8"))
            found, last = held[_KEY], held.get("candidate")
        except FileNotFoundError:
            return 0, None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._unreadable() from error
        if isinstance(found, bool) or not isinstance(found, int) or found < 0:
            raise self._unreadable()
        return found, last

    def _unreadable(self) -> UsageError:
        return UsageError(
            f"{self.file} does not say how many candidates there were; put the file back, or delete it if this "
            "database has known all of them"
        )
