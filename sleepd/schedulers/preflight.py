"""The check of the machine with the scheduler's environment, before installing."""

from __future__ import annotations

import json

from sleepd.core.errors import UsageError
from sleepd.schedulers.captured import ShellVariables
from sleepd.schedulers.plan import Plan
from sleepd.schedulers.scheduler import Scheduler


def check(scheduler: Scheduler, plan: Plan, captured: ShellVariables) -> None:
    """Run `sleepd doctor --live` as the scheduler would start it. Raises `UsageError` with the first failing row."""
    done = scheduler.try_out(plan, "doctor", "--live", "--json")
    try:
        rows = [row for row in json.loads(done.text)["rows"] if row["state"] == "failed"]
        if not rows:
            return
        fact, finding, fix = (rows[0][name] for name in ("fact", "finding", "fix"))
        others = [row["fact"] for row in rows[1:]]
    except (ValueError, TypeError, KeyError):
        others = []
        fact, finding, fix = "the start", f"{done.why} (exit status {done.code})", "fix this and try again"
    more = f" (and {len(others)} more: {', '.join(others)})" if others else ""
    if fact == "model" and captured.keys:
        names = " and ".join(captured.keys)
        fix = f"{names} is set only in this shell: --keep-key stores it in a file that only you can read"
    raise UsageError(f"nothing was installed: started by {scheduler.kind}, {fact} fails{more}: {finding}; {fix}")
