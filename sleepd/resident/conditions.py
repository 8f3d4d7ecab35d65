"""Whether a night that the clock starts may begin now, or the reason why not. Pure, except for the look at the
machine."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from sleepd.core.machine import Host
from sleepd.resident import transcripts
from sleepd.settings.sections import ConditionsConfig
from sleepd.settings.settings import Settings

_AHEAD: Final = timedelta(minutes=2)
"""A file written later than now is of a clock that was wrong, and says nothing; a little is rounding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The state of the machine. None: unknown."""

    on_battery: bool | None = None
    idle_s: float | None = None
    written: tuple[tuple[str, datetime], ...] = ()
    """Agent and when it last wrote to a transcript."""
    resets_at: datetime | None = None
    """When the provider's limit resets, as it said itself when a night met it."""


def facts(settings: Settings, host: Host, resets_at: datetime | None = None) -> Facts:
    """Look only at the facts that the conditions need."""
    wanted = settings.conditions
    return Facts(
        on_battery=None if wanted.on_battery else host.on_battery(),
        idle_s=host.idle_s() if wanted.idle_minutes else None,
        written=transcripts.look(settings).written if wanted.agent_quiet_minutes else (),
        resets_at=resets_at,
    )


def hindrance(wanted: ConditionsConfig, seen: Facts, now: datetime) -> str | None:
    """The reason why a night may not begin now, in words for a person; None when it may."""
    if seen.resets_at is not None and seen.resets_at > now:
        return f"the provider's limit resets at {seen.resets_at.astimezone():%H:%M}"
    if seen.on_battery and not wanted.on_battery:
        return "the machine runs on battery"
    if seen.idle_s is not None and seen.idle_s < wanted.idle_minutes * 60:
        return "you are at the keyboard"
    return _busy_agent(wanted, seen, now)


def _busy_agent(wanted: ConditionsConfig, seen: Facts, now: datetime) -> str | None:
    quiet = timedelta(minutes=wanted.agent_quiet_minutes)
    past = [(at, agent) for agent, at in seen.written if at <= now + _AHEAD]
    at, agent = max(past, default=(now - quiet, ""))
    if now - at >= quiet:
        return None
    minutes = max(0, int((now - at).total_seconds() // 60))
    ago = "a moment ago" if minutes < 1 else "a minute ago" if minutes == 1 else f"{minutes} minutes ago"
    return f"{agent} wrote {ago}"
