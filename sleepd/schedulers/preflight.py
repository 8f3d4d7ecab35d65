"""The check of the machine with the scheduler's environment, before installing."""

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
        fix = f"{names} is set only in this shell: --keep-key stores it in a file that only you can read"
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
            _Failing(fact="the start", finding=f"{done.why} (exit status {done.code})", fix="fix this and try again"),
        )
    return rows
