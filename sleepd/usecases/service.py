"""The schedule that starts nights: install one, remove every one, report the installed one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from sleepd.core.errors import Busy, DatabaseDamaged, SleepdError, Unwritable, UsageError
from sleepd.host import clock
from sleepd.schedulers import captured, choice, preflight, systemd
from sleepd.schedulers.cron import Cron, daemon_runs
from sleepd.schedulers.plan import Plan, plan
from sleepd.schedulers.scheduler import Scheduler, take_away
from sleepd.schedulers.systemd import Systemd
from sleepd.settings import config
from sleepd.settings.places import Places, make_private
from sleepd.store.overview import Overview, overview
from sleepd.usecases import due
from sleepd.views.service_view import ServiceStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceOptions:
    """Which schedule is wanted, and how."""

    timer: bool = False
    cron: bool = False
    linger: bool = False
    keep_key: bool = False
    preflight: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class InstalledService:
    """The result of an installation."""

    kind: str
    environment: Path
    kept: tuple[str, ...]
    """Names of the variables that were kept."""
    removed: tuple[str, ...]
    """Schedules of another kind that were there."""
    notes: tuple[str, ...]
    """One line each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedService:
    """The removed parts, and the parts that stay."""

    things: tuple[str, ...]
    waiting: int
    """Proposals that wait for a person."""
    lingers: bool


def install(
    places: Places, options: ServiceOptions, platform: str, step: Callable[[str], None] = lambda _: None
) -> InstalledService:
    """Install the requested schedule, then remove those of other kinds. `step` is called with the current step. Raises
    `UsageError`; the earlier schedule is then still there."""
    chosen = choice.choose(platform, timer=options.timer, cron=options.cron)
    if options.linger and not isinstance(chosen, Systemd):
        raise UsageError(f"--linger is for systemd; {chosen.kind} needs none, leave it out")
    seen = captured.capture(keep_key=options.keep_key)
    intended = plan(places, config.load_file_alone())
    for folder in intended.writable:
        make_private(folder)
    if options.preflight:
        step(f"examining this machine with the environment of {chosen.kind}")
        # The preflight, with the variables in a file of its own: one that serves an installed schedule stays as it
        # is.
        tried = replace(intended, environment=_tried(intended.environment))
        captured.write(tried.environment, seen.text)
        try:
            preflight.check(chosen, tried, seen)
        finally:
            tried.environment.unlink(missing_ok=True)
    step(f"installing: {chosen.kind}")
    if options.linger:
        systemd.linger()
    _put(chosen, intended, seen.text)
    removed = tuple(other.kind for other in choice.known(platform) if other != chosen and other.remove())
    # Notes for the user about the chosen kind.
    found = []
    if isinstance(chosen, Systemd) and not systemd.lingers():
        found.append("nights run only while you are logged in; --linger lets them run at any time")
    if isinstance(chosen, Cron):
        if daemon_runs() is False:
            found.append("no cron daemon runs on this machine: start one, or no night begins")
        found.append("cron skips a night while the machine sleeps; --timer runs it afterwards")
    if intended.time_zone is not None and not isinstance(chosen, Systemd):
        found.append(
            f"TZ={intended.time_zone} is set here; {chosen.kind} counts {intended.at} in the machine's time zone"
        )
    return InstalledService(
        kind=chosen.kind,
        environment=places.environment,
        kept=tuple(seen.values),
        removed=removed,
        notes=(*seen.notes, *tuple(found)),
    )


def _tried(environment: Path) -> Path:
    return environment.with_name("environment.tried")


def _kept(environment: Path) -> Path:
    return environment.with_name("environment.before")


def _put(chosen: Scheduler, intended: Plan, variables: str) -> None:
    """Write the variables and the schedule; when the schedule cannot be, the variables are as they were."""
    file = intended.environment
    # Kept beside it from the start: a disk that is full by then takes no copy.
    kept = _kept(file) if file.exists() else None
    if kept is not None:
        captured.write(kept, file.read_text(encoding="utf-8"))
    try:
        captured.write(file, variables)
        chosen.install(intended)
    except (SleepdError, OSError):
        if kept is None:
            file.unlink(missing_ok=True)
        else:
            kept.replace(file)
        raise
    if kept is not None:
        kept.unlink()


def uninstall(places: Places, platform: str) -> RemovedService:
    """Remove every schedule and the environment file. Settings, database and proposals stay.

    Raises `Unwritable` for a file that cannot be removed; the message names the parts removed before.
    """
    things: list[str] = []
    try:
        for one in choice.known(platform):
            things += one.remove()
        # The other two are remains of a killed installation, perhaps with a key.
        for file in (places.environment, _tried(places.environment), _kept(places.environment)):
            things += take_away((file,))
    except UsageError as error:
        raise UsageError(f"{_so_far(things)}{error}") from error
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        remedy = "make it writable for you, and run this again"
        raise Unwritable(f"{_so_far(things)}{error.filename} cannot be removed: {why}; {remedy}") from error
    seen = _overview(places, clock.now())
    on_systemd = any(isinstance(one, Systemd) for one in choice.known(platform))
    return RemovedService(
        things=tuple(things),
        waiting=seen.waiting if seen is not None else 0,
        lingers=on_systemd and systemd.lingers(),
    )


def _so_far(things: Sequence[str]) -> str:
    """The schedule may be gone already, and a message that names only the remaining file would suggest that nights
    continue."""
    return f"removed {', '.join(things)}; but " if things else ""


def status(places: Places, platform: str, now: datetime) -> ServiceStatus:
    """The installed schedules of every kind, the next start, and the end of the last night."""
    intended = plan(places, config.load_file_alone())
    found = tuple(seen for one in choice.known(platform) if (seen := one.look(intended)) is not None)
    times = [seen.next_at or due.next_night(now, intended.at) for seen in found if seen.active is not False]
    known = _overview(places, now)
    return ServiceStatus(
        schedules=found,
        next_at=min(times, default=None),
        last_night=known.last_night if known is not None else None,
        environment=intended.environment,
        environment_fault=_environment_fault(intended.environment) if found else None,
        lingers=systemd.lingers() if any(s.kind.startswith("systemd") for s in found) else None,
    )


def _overview(places: Places, now: datetime) -> Overview | None:
    """The database's part of the status; None without a usable database: a schedule can be removed without it."""
    try:
        return overview(places.database, now)
    except (Busy, DatabaseDamaged, Unwritable):  # `sleepd doctor` has a row of its own for that
        return None


def _environment_fault(file: Path) -> str | None:
    if not file.is_file():
        return f"{file} is gone; without it nothing starts"
    if file.stat().st_mode & 0o077 and not file.drive:
        return f"others may read {file}"
    return None
