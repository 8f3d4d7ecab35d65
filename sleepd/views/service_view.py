"""The installed schedule, and whether it works."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sleepd.schedulers.scheduler import Seen
from sleepd.store.overview import LastNight
from sleepd.views import report
from sleepd.views.report import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStatus:
    """All that can be said about the nights that start by themselves."""

    schedules: tuple[Seen, ...]
    """The installed schedules: none, one, or several if somebody else added them."""
    next_at: datetime | None
    """None when nothing will start one."""
    last_night: LastNight | None
    environment: Path
    environment_fault: str | None
    """The fault of the environment file; None when it has none, or nothing is installed."""
    lingers: bool | None = None
    """Whether it also runs while nobody is logged in; None where that is no question."""

    @property
    def faults(self) -> tuple[str, ...]:
        """The faults that keep a night from starting, each in one line with the remedy after a `;`."""
        found = [
            f"{seen.kind} is not active: {seen.state}; {seen.wake or seen.again}"
            for seen in self.schedules
            if seen.active is False
        ]
        found += [
            f"{where}: not as this sleepd writes it now; {seen.again}"
            for seen in self.schedules
            for where in seen.differs
        ]
        if len(self.schedules) > 1:
            found.append(f"more than one schedule is installed; {self.schedules[0].again} keeps only that one")
        again = self.schedules[0].again if self.schedules else ""
        return (*found, *([f"{self.environment_fault}; {again}"] if self.environment_fault else []))


def as_json(service: ServiceStatus) -> Plain:
    """The status as plain values."""
    night = service.last_night
    return {
        "installed": bool(service.schedules),
        "schedules": [
            {
                "kind": seen.kind,
                "where": list(seen.where),
                "active": seen.active,
                "state": seen.state,
                "last": seen.last,
                "current": not seen.differs,
                "differs": list(seen.differs),
            }
            for seen in service.schedules
        ],
        "next": report.iso(service.next_at),
        "last_night": None if night is None else {"date": night.date, "status": night.status, "message": night.message},
        "environment": str(service.environment),
        "lingers": service.lingers,
        "faults": list(service.faults),
    }


def as_text(service: ServiceStatus) -> str:
    """The status for a person."""
    if not service.schedules:
        return "nothing is installed: no night starts by itself\ninstall it with: sleepd service install"
    night = service.last_night
    lines = []
    for seen in service.schedules:
        told = {"schedule": seen.kind, "where": ", ".join(seen.where), "state": seen.state}
        lines.append(report.facts(told | ({"last start": seen.last} if seen.last else {})))
    rest = {
        "next night": report.moment(service.next_at) if service.next_at else "none",
        "last night": f"{night.date}, {night.status}: {night.message}" if night is not None else "none yet",
        "as written": "no" if any(seen.differs for seen in service.schedules) else "yes",
    }
    lines.append(report.facts(rest))
    if service.lingers is False:
        lines.append(f"it runs only while you are logged in; `{service.schedules[0].again} --linger` changes that")
    lines += [f"! {fault}" for fault in service.faults]
    return "\n".join(lines)
