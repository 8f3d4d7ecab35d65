"""Examining the machine with what a scheduler gives, before anything is scheduled."""

from __future__ import annotations

import json
from dataclasses import dataclass

from sleepd.core.errors import UsageError
from sleepd.schedulers.calls import Done
from sleepd.schedulers.captured import Captured
from sleepd.schedulers.plan import Plan
from sleepd.schedulers.scheduler import Scheduler


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failing:
    fact: str
    finding: str
    fix: str


def check(scheduler: Scheduler, plan: Plan, captured: Captured) -> None:
    """Run `sleepd doctor --live` as the scheduler would start it. Raises `UsageError` with the first failing row."""
    done = scheduler.try_out(plan, "doctor", "--live", "--json")
    rows = _failing(done)
    if not rows:
        return
    first = rows[0]
    more = f" (and {len(rows) - 1} more: {', '.join(row.fact for row in rows[1:])})" if len(rows) > 1 else ""
    fix = first.fix
    if first.fact == "model" and captured.keys:
        names = " and ".join(captured.keys)
        fix = f"{names} is set in this shell alone: --keep-key keeps it in a file for you alone"
    raise UsageError(
        f"nothing was installed: started by {scheduler.kind}, {first.fact} fails{more}: {first.finding}; {fix}"
    )


def _failing(done: Done) -> tuple[_Failing, ...]:
    try:
        told = json.loads(done.text)
        rows = tuple(
            _Failing(fact=row["fact"], finding=row["finding"], fix=row["fix"])
            for row in told["rows"]
            if row["state"] == "failed"
        )
    except (ValueError, TypeError, KeyError):
        return (
            _Failing(fact="the start", finding=f"{done.why} (exit status {done.code})", fix="mend that and try again"),
        )
    return rows
