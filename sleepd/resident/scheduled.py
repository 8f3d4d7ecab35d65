"""Unattended nights: the common command of the daemon, cron, a systemd timer, launchd and the Task Scheduler.

The night is keyed by scope and local date, waits for its conditions, queues behind other nights, and is skipped when it
was run already. So it may be started twice, late, or several times at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import structlog

from sleepd.core.errors import Busy, SleepdError
from sleepd.core.machine import Host
from sleepd.host import clock
from sleepd.resident import conditions, notices
from sleepd.settings import config
from sleepd.settings.places import Places
from sleepd.settings.settings import Settings
from sleepd.store.calendar import Calendar
from sleepd.usecases import agenda, answers, upcoming
from sleepd.usecases.due import USER_SCOPE, Look
from sleepd.usecases.run_options import RunOptions

CHECK_EVERY: Final = timedelta(minutes=5)
"""How often the conditions and the time are checked again: clocks are set, machines sleep."""
LOCK_WAIT_S: Final = 3_600.0
"""A scheduled night queues behind another one for so long; then it is tried again."""
_NOT_MEASURED: Final = 3
_UNEXPECTED: Final = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class Came:
    """The result of one scope's night."""

    line: str
    """For a person."""
    status: int = 0
    """As an exit status of the command."""
    again: bool = False
    """Whether it is worth another try before the next night."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """The environment of a scheduled run."""

    host: Host
    say: Callable[[str], None]
    pause: Callable[[float], None]
    """Sleeps so many seconds."""
    now: Callable[[], datetime] = clock.now
    once: bool = False
    """Do not wait: a night that cannot begin now is left to the caller."""


def run(places: Places, project: Path | None, means: Means) -> dict[str, Came]:
    """Run each due night, one after another; the result by scope. Waits for the conditions of the settings, and retries
    unmeasured nights, until the next night is due. The settings are read again before each night. Raises `SleepdError`
    for settings and a database that cannot be used.
    """
    came: dict[str, Came] = {}
    until: datetime | None = None
    with agenda.Waits(places) as waits:
        while True:
            clock.renew_zone()
            now, settings = means.now(), current(places)
            nights = upcoming.past(places, now)
            wanted = upcoming.scopes(settings, project)
            seen = upcoming.looks(upcoming.timetable(settings), nights, wanted, now)
            until = until or min(one.following for one in seen.values())
            step = _step(seen, came, _obstacle(settings, means, nights), (now, until))
            if isinstance(step, _Wait) and not (means.once and step.for_start):
                _wait(waits, means, step)
            elif isinstance(step, str):
                came[step] = _night(places, settings, step, seen[step].date)
                means.say(came[step].line)
            else:
                break
    for scope in seen.keys() - came.keys():
        came[scope] = _not_run(seen[scope], step)
        means.say(came[scope].line)
    notices.tell(places, settings, means.host, means.now())
    return came


def current(places: Places) -> Settings:
    """The settings as they are now. Raises `UsageError` when a required setting is missing, since nobody is there to
    answer."""
    return answers.answered(config.load(), (answers.WINDOW, answers.SPENDING), places.config, None)


def resets_at(nights: Calendar) -> datetime | None:
    """When the provider's limit resets, as a night met it: it is one limit for all scopes."""
    known = (n.retry_at for n in nights.nights if n.status == "not-measured" and n.retry_at is not None)
    return max(known, default=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wait:
    """Nothing can be begun before `again_at`."""

    why: str
    again_at: datetime
    for_start: bool
    """Whether it is the time that is waited for, not a condition."""


def _step(
    seen: Mapping[str, Look],
    came: Mapping[str, Came],
    obstacle: Callable[[], str | None],
    between: tuple[datetime, datetime],
) -> str | _Wait | None:
    """The scope whose night is to be run now, what to wait for, or None: it is over. `between` is now and the end."""
    now, until = between
    starts = {s: one.start for s, one in seen.items() if one.start is not None and (s not in came or came[s].again)}
    if not starts or now >= until:
        return None
    scope, start = min(starts.items(), key=lambda one: one[1])
    if start > now:
        why = f"the night of {seen[scope].date} begins or continues at {start.astimezone():%H:%M}"
        return _Wait(why=why, again_at=min(start, now + CHECK_EVERY, until), for_start=True)
    hindered = obstacle()
    if hindered is None:
        return scope
    return _Wait(why=hindered, again_at=min(now + CHECK_EVERY, until), for_start=False)


def _obstacle(settings: Settings, means: Means, nights: Calendar) -> Callable[[], str | None]:
    """Asked only when a night could begin: looking at all transcripts takes a moment."""

    def ask() -> str | None:
        facts = conditions.facts(settings, means.host, resets_at(nights))
        return conditions.hindrance(settings.conditions, facts, means.now())

    return ask


def _wait(waits: agenda.Waits, means: Means, step: _Wait) -> None:
    if waits.note(step.why, step.again_at):
        means.say(f"waiting: {step.why}")
    means.pause(max(1.0, (step.again_at - means.now()).total_seconds()))


def _not_run(look: Look, step: str | _Wait | None) -> Came:
    if look.start is None:
        return Came(line=f"the night of {look.date} is done already")
    if isinstance(step, _Wait):
        return Came(line=step.why)
    return Came(line=f"the night of {look.date} did not begin before the next was due", status=_NOT_MEASURED)


def _night(places: Places, settings: Settings, scope: str, day: str) -> Came:
    """Run one scope's night. Whatever goes wrong is in the log, and the others go on."""
    from sleepd.usecases import run_night

    project = None if scope == USER_SCOPE else Path(scope)
    if project is not None and not project.is_dir():
        line = f"{scope}: the folder is gone; make it again or take it out of night.projects"
        return Came(line=line, status=2)
    wait = max(settings.night.lock_wait_s, LOCK_WAIT_S)
    settings = answers.with_values(settings, {"night.lock_wait_s": wait})
    try:
        ran = run_night.run_due(places, settings, RunOptions(project=project, date=day))
    except SleepdError as error:
        return _failed(scope, str(error), error.exit_status, again=isinstance(error, Busy))
    except Exception as error:  # noqa: BLE001 - the other projects must have their nights
        return _failed(scope, f"unexpected {type(error).__name__}: {error}", _UNEXPECTED)
    if ran is None:
        return Came(line=f"the night of {day} is done already")
    status = _STATUS[ran.night.status.value]
    line = f"night {ran.night.id}, {ran.night.status}: {ran.night.message}"
    return Came(line=line, status=status, again=status == _NOT_MEASURED)


_STATUS: Final = {"done": 0, "not-measured": _NOT_MEASURED, "budget-spent": 4, "running": _UNEXPECTED}


def _failed(scope: str, why: str, status: int, *, again: bool = False) -> Came:
    logger = structlog.get_logger()
    logger.exception("night.failed", scope=scope, reason=why)
    return Came(line=f"the night failed: {why}", status=status, again=again)
