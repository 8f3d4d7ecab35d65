"""Notices to the user: at most one a day, in one sentence, with the helpful command.

A notice appears on the desktop after a night, or at the start of an agent's session, whichever is first. The file of a
day is the claim to that day's notice, so that two processes never both show one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import Final

from sleepd.core.errors import SleepdError
from sleepd.core.machine import Host
from sleepd.core.model import digest
from sleepd.host import clock
from sleepd.settings.places import Places, make_private
from sleepd.settings.settings import Settings
from sleepd.store.overview import News, news

TITLE: Final = "sleepd"
AGAIN_AFTER: Final = timedelta(days=7)
"""The same thing is not said again before."""
_STALE: Final = timedelta(days=7)
"""Nights so long past are no news: nobody runs them any more."""
_MOST_READ: Final = 64_000
"""Bytes read of one claim: it is a short list of digests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One thing worth saying."""

    kind: str
    """Stable, for programs: `proposal-waits`, `not-measured`, `budget-spent`, `nothing-learnt`, …"""
    text: str
    """One sentence that ends with the command that helps."""
    about: tuple[str, ...]
    """The subjects of the notice. Only a notice with a new subject is new."""

    @property
    def line(self) -> str:
        """The sentence with the name of who says it."""
        return f"{TITLE}: {self.text}"


def due(places: Places, settings: Settings, now: datetime) -> Notice | None:
    """The most important thing that may be said now; None when there is none, or today's was said.

    Raises `DatabaseDamaged`, `Busy`, and OSError for a folder that cannot be read. Changes nothing.
    """
    seen = news(places.database, now)
    today = _today(now)
    if seen is None or _claim_file(places, today).exists():
        return None
    # Digests of the recent notices.
    said: set[str] = set()
    for day, file in _claims(places):
        # A claim that is gone, or was written by somebody else, holds no digest.
        if _counts(day, today):
            with suppress(FileNotFoundError), file.open("rb") as stream:
                said.update(stream.read(_MOST_READ).decode("ascii", "replace").split())
    possible = _possible(seen, settings, today)
    return next((notice for notice in possible if not said.issuperset(_digests(notice))), None)


def tell(places: Places, settings: Settings, host: Host, now: datetime) -> Notice | None:
    """Show the due notice on the desktop; the shown notice, or None. It counts as said only if the desktop showed it.

    Never raises for a database or a folder that cannot be used: the log says so.
    """
    if not settings.notify.desktop:
        return None
    import structlog

    logger = structlog.get_logger()
    try:
        notice = due(places, settings, now)
        # Claimed before it is shown, or two processes could both show it; given back when nobody saw it.
        if notice is None or not _claim(places, notice, _today(now)):
            return None
        if not host.notify(TITLE, notice.text):
            _claim_file(places, _today(now)).unlink(missing_ok=True)
            return None
        logger.info("notice.shown", kind=notice.kind)
        return notice
    except (SleepdError, OSError) as error:
        logger.warning("notice.failed", reason=str(error))
        return None


def say(places: Places, settings: Settings, now: datetime) -> Notice | None:
    """The due notice, for the start of an agent's session; it counts as said from now on. Raises as `due` does, and
    OSError when the claim cannot be written: an unrecorded notice would be repeated daily.
    """
    if not settings.notify.session_start:
        return None
    notice = due(places, settings, now)
    return notice if notice is not None and _claim(places, notice, _today(now)) else None


def _possible(seen: News, settings: Settings, today: date) -> Iterator[Notice]:
    """The notices that the news give reason for, the most important first."""
    if seen.waiting:
        many = len(seen.waiting)
        said = "1 proposal waits" if many == 1 else f"{many} proposals wait"
        text = f"{said} for you; sleepd review shows {'it' if many == 1 else 'them'}"
        yield Notice(kind="proposal-waits", text=text, about=seen.waiting)
    newest = _day(seen.nights[0].date) if seen.nights else None
    if newest is None or today - newest > _STALE:
        return
    if row := list(takewhile(lambda night: night.status == "not-measured", seen.nights)):
        said = f"the last {len(row)} nights" if len(row) > 1 else "the last night"
        text = f"{said} could not be measured; sleepd doctor --live shows why"
        yield Notice(kind="not-measured", text=text, about=(row[-1].date,))
    if row := list(takewhile(lambda night: night.status == "budget-spent", seen.nights)):
        many = len(row)
        said = "the last night's budget is spent"
        said = said if many == 1 else f"the last {many} nights ended when their budget was spent"
        # A budget that is small on purpose is reached often: it is one and the same news.
        yield Notice(kind="budget-spent", text=f"{said}; sleepd run continues it", about=("budget",))
    # An unmeasured night says nothing about lessons to learn: it neither counts nor ends the row.
    row = list(takewhile(lambda night: not night.learnt, (n for n in seen.nights if n.status == "done")))
    if not seen.waiting and row and len(row) >= settings.notify.quiet_nights:
        text = f"nothing was learnt in the last {len(row)} nights; sleepd nights shows what was tried"
        yield Notice(kind="nothing-learnt", text=text, about=(row[-1].date,))


# The record of notices ------------------------------------------------------------------------------------------------


def _claim(places: Places, notice: Notice, today: date) -> bool:
    """Whether nobody else has said something today; if so, it is said from now on. Old claims are tidied away."""
    make_private(places.notices)
    file = _claim_file(places, today)
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as stream:
            stream.write("".join(f"{line}\n" for line in _digests(notice)))
    except OSError as error:
        # A full disk: a notice that cannot be remembered is not shown.
        file.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(file)) from error
    for day, old in _claims(places):
        if not _counts(day, today):
            old.unlink(missing_ok=True)
    return True


def _claims(places: Places) -> Iterator[tuple[date, Path]]:
    """The days with a notice, each with its file; other files are ignored."""
    files = places.notices.iterdir() if places.notices.is_dir() else ()
    for file in files:
        day = _day(file.name)
        if day is not None:
            yield day, file


def _counts(day: date, today: date) -> bool:
    """Whether that day's notice still blocks a repetition; a clock that was wrong blocks for a short time only."""
    # A traveller who flies west sees yesterday's date again, hence one day ahead.
    return -timedelta(days=1) <= today - day < AGAIN_AFTER


def _digests(notice: Notice) -> tuple[str, ...]:
    return tuple(digest(notice.kind, subject) for subject in notice.about)


def _claim_file(places: Places, today: date) -> Path:
    return places.notices / today.isoformat()


def _today(now: datetime) -> date:
    return date.fromisoformat(clock.local_date(now))


def _day(text: str) -> date | None:
    if not re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII):
        return None
    with suppress(ValueError):  # 2026-02-30 is no day
        return date.fromisoformat(text)
    return None
