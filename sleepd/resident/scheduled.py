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
from sleepd.usecases.due import USER_SCOPE, NextNight
from sleepd.usecases.run_options import RunOptions

CHECK_EVERY: Final = timedelta(minutes=5)
"""How often the conditions and the time are checked again: clocks are set, machines sleep."""
LOCK_WAIT_S: Final = 3_600.0
"""A scheduled night queues behind another one for so long; then it is tried again."""
_NOT_MEASURED: Final = 3
_UNEXPECTED: Final = 70


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeResult:
    """The result of one scope's night."""

    line: str
    """For a person."""
    status: int = 0
    """As an exit status of the command."""
    again: bool = False
    """Whether it is worth another try before the next night."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnvironment:
    """The environment of a scheduled run."""

    host: Host
    say: Callable[[str], None]
    pause: Callable[[float], None]
    """Sleeps so many seconds."""
    now: Callable[[], datetime] = clock.now
    once: bool = False
    """Do not wait: a night that cannot begin now is left to the caller."""


def run(places: Places, project: Path | None, environment: RunEnvironment) -> dict[str, ScopeResult]:
    """Run each due night, one after another; the result by scope. Waits for the conditions of the settings, and retries
    unmeasured nights, until the next night is due. The settings are read again before each night. Raises `SleepdError`
    for settings and a database that cannot be used.
    """
    results: dict[str, ScopeResult] = {}
    until: datetime | None = None
    with agenda.Waits(places) as waits:
        while True:
            clock.renew_zone()
            now, settings = environment.now(), current(places)
            nights = upcoming.past(places, now)
            wanted = upcoming.scopes(settings, project)
            seen = upcoming.looks(upcoming.timetable(settings), nights, wanted, now)
            until = until or min(one.following for one in seen.values())
            step = _step(seen, results, now=now, until=until)
            if isinstance(step, str):
                # Only when a night could begin: looking at all transcripts takes a moment.
                state = conditions.machine_state(settings, environment.host, resets_at(nights))
                hindered = conditions.hindrance(settings.conditions, state, environment.now())
                if hindered is not None:
                    step = _Wait(why=hindered, again_at=min(now + CHECK_EVERY, until), for_start=False)
            if isinstance(step, _Wait) and not (environment.once and step.for_start):
                if waits.note(step.why, step.again_at):
                    environment.say(f"waiting: {step.why}")
                environment.pause(max(1.0, (step.again_at - environment.now()).total_seconds()))
            elif isinstance(step, str):
                results[step] = _night(places, settings, step, seen[step].date)
                environment.say(results[step].line)
            else:
                break
    for scope in seen.keys() - results.keys():
        day = seen[scope].date
        if seen[scope].start is None:
            results[scope] = ScopeResult(line=f"the night of {day} is done already")
        elif isinstance(step, _Wait):
            results[scope] = ScopeResult(line=step.why)
        else:
            line = f"the night of {day} did not begin before the next was due"
            results[scope] = ScopeResult(line=line, status=_NOT_MEASURED)
        environment.say(results[scope].line)
    notices.tell(places, settings, environment.host, environment.now())
    return results


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
    seen: Mapping[str, NextNight], results: Mapping[str, ScopeResult], *, now: datetime, until: datetime
) -> str | _Wait | None:
    """The scope whose night is due now, the wait for the next one, or None: no night is left before `until`."""
    left = {scope: look for scope, look in seen.items() if scope not in results or results[scope].again}
    starts = {scope: look.start for scope, look in left.items() if look.start is not None}
    if not starts or now >= until:
        return None
    scope, start = min(starts.items(), key=lambda one: one[1])
    if start <= now:
        return scope
    why = f"the night of {seen[scope].date} begins or continues at {start.astimezone():%H:%M}"
    return _Wait(why=why, again_at=min(start, now + CHECK_EVERY, until), for_start=True)


def _night(places: Places, settings: Settings, scope: str, day: str) -> ScopeResult:
    """Run one scope's night. Whatever goes wrong is in the log, and the others go on."""
    from sleepd.usecases import run_night

    project = None if scope == USER_SCOPE else Path(scope)
    if project is not None and not project.is_dir():
        line = f"{scope}: the folder is gone; make it again or take it out of night.projects"
        return ScopeResult(line=line, status=2)
    wait = max(settings.night.lock_wait_s, LOCK_WAIT_S)
    settings = answers.with_values(settings, {"night.lock_wait_s": wait})
    try:
        ran = run_night.run_due(places, settings, RunOptions(project=project, date=day))
    except SleepdError as error:
        return _failed(scope, str(error), error.exit_status, again=isinstance(error, Busy))
    except Exception as error:  # noqa: BLE001 - the other projects must have their nights
        return _failed(scope, f"unexpected {type(error).__name__}: {error}", _UNEXPECTED)
    if ran is None:
        return ScopeResult(line=f"the night of {day} is done already")
    status = _STATUS[ran.night.status.value]
    line = f"night {ran.night.id}, {ran.night.status}: {ran.night.message}"
    return ScopeResult(line=line, status=status, again=status == _NOT_MEASURED)


_STATUS: Final = {"done": 0, "not-measured": _NOT_MEASURED, "budget-spent": 4, "running": _UNEXPECTED}


def _failed(scope: str, why: str, status: int, *, again: bool = False) -> ScopeResult:
    logger = structlog.get_logger()
    logger.exception("night.failed", scope=scope, reason=why)
    return ScopeResult(line=f"the night failed: {why}", status=status, again=again)
