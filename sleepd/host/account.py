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
from sleepd.host import outfile
from sleepd.settings.places import make_private

_KEY = "highest_index"


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The mark that no index falls below."""

    file: Path

    def highest(self) -> int:
        """The highest index that was ever given; 0 without a file. Raises `UsageError` for a file that holds none."""
        try:
            found = json.loads(self.file.read_text(encoding="utf-8"))[_KEY]
        except FileNotFoundError:
            return 0
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._unreadable() from error
        if isinstance(found, bool) or not isinstance(found, int) or found < 0:
            raise self._unreadable()
        return found

    def take(self, least: int) -> int:
        """The next index, at least `least`; nobody else is given it. Raises `Unwritable` when it cannot be kept.

        It is kept before it is used, so a kill in between skips an index and gives none twice.
        """
        make_private(self.file.parent)
        with FileLock(self.file.with_suffix(".lock")):
            index = max(least, self.highest() + 1)
            outfile.write_json(self.file, {_KEY: index})
        return index

    def _unreadable(self) -> UsageError:
        return UsageError(
            f"{self.file} does not say how many candidates there were; put the file back, or delete it if this "
            "database has known all of them"
        )
