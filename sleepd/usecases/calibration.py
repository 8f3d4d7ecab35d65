"""`sleepd gate calibrate`: the gate on the user's own model and recurring work."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sleepd import compose
from sleepd.core.errors import AssertionFailed, UsageError
from sleepd.core.model import RunId, RunKind
from sleepd.host import clock
from sleepd.models.metered import Spending
from sleepd.pipeline.calibrate import CalibrationResult, GainForecast, calibrate
from sleepd.pipeline.companions import with_companions
from sleepd.pipeline.night import outlook, preflight
from sleepd.pipeline.trial import Comparison
from sleepd.pipeline.work import live_text
from sleepd.settings.places import Places
from sleepd.settings.settings import Settings
from sleepd.usecases import run_night
from sleepd.usecases.run_options import RunOptions
from sleepd.views.report import Plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """One calibration of one skill's work."""

    skill: str
    tasks: int
    calibrated: CalibrationResult
    spending: Spending


def run(places: Places, settings: Settings, options: RunOptions, pairs: int) -> Calibration:
    """Draw pairs of the live text against itself, for the skill that a night would work on.

    Raises `UsageError` when no work can be judged, `NotMeasured` and `BudgetSpent` as a night does; `Busy`.
    """
    with run_night.night_tools(places, settings) as tools:
        run_id = RunId(id=f"calibration-{clock.local_date(clock.now())}", kind=RunKind.CALIBRATION)
        ctx = compose.context(settings, tools.database, tools.adapters, run_id)
        plan = compose.plan(settings, options.scope, clock.local_date(clock.now()), options.skill)
        seen = outlook(ctx, plan)
        # Also where a night would start nothing: because a proposal waits, or because it would have no chance.
        work = next((w for w in seen.work if w.missing is None and options.skill in (None, w.target.name)), None)
        if work is None:
            raise UsageError(f"there is nothing to calibrate on: {seen.reason}; `sleepd tasks list` shows the work")
        preflight(ctx)
        tasks = work.judging(plan.gate.validation_tasks)
        ground = Comparison(target=work.target, base=live_text(work.target), tasks=tasks)
        found = calibrate(with_companions(ctx, work.target), ground, plan.gate, pairs)
    return Calibration(
        skill=work.target.name, tasks=len(ground.tasks), calibrated=found, spending=tools.adapters.ledger.spending()
    )


def check(seen: Calibration) -> None:
    """Raises `AssertionFailed` when a text differs from itself."""
    if seen.calibrated.alarm:
        raise AssertionFailed(
            "the live text beats itself: there is a wiring fault (a cache, a seed, a judge that knows which text is "
            "which); trust no verdict until it is found"
        )


def as_json(seen: Calibration) -> Plain:
    """The calibration as plain values; an unreachable gain is null."""
    found = seen.calibrated
    return {
        "skill": seen.skill,
        "tasks": seen.tasks,
        "pairs": found.pairs,
        "unscored": found.unscored,
        "evidence": math.exp(found.evidence),
        "alarm": found.alarm,
        "level": found.alpha,
        "noise": found.noise,
        "gains": [_gain(one) for one in found.foreseen],
        "calls": seen.spending.calls,
        "cost_usd": seen.spending.cost_usd,
    }


def as_text(seen: Calibration) -> str:
    """The calibration for a person."""
    found = seen.calibrated
    lines = [
        f"{seen.skill}: the live text against itself, {found.pairs} pairs over {seen.tasks} tasks"
        + (f", {found.unscored} of them unscored" if found.unscored else ""),
        f"evidence between identical texts: {math.exp(found.evidence):.3g} (an alarm from "
        f"{math.exp(found.alarm_from):.3g} on): " + ("ALARM" if found.alarm else "as expected"),
        f"a pair's difference varies by {found.noise:.2f}; the next candidate needs evidence of {1 / found.alpha:,.0f}",
        "",
    ]
    lines += [_gain_words(one) for one in found.foreseen]
    lines.append(f"\nspent: {seen.spending.calls} calls")
    return "\n".join(lines)


def _gain(one: GainForecast) -> Plain:
    finite = math.isfinite(one.pairs)
    return {
        "gain": one.gain,
        "pairs": round(one.pairs) if finite else None,
        "rollouts": round(one.rollouts) if finite else None,
        "nights": round(one.nights, 1) if finite else None,
        "cost_usd": one.cost_usd if finite else None,
        "in_reach": one.in_reach,
    }


def _gain_words(one: GainForecast) -> str:
    if not math.isfinite(one.pairs):
        return f"  {100 * one.gain:+.0f} points: cannot be shown on these tasks"
    cost = "" if one.cost_usd is None else f", about ${one.cost_usd:.2f}"
    reach = "" if one.in_reach else "; out of reach: raise gate.pairs_per_night, or work with more tasks"
    return (
        f"  {100 * one.gain:+.0f} points: about {one.pairs:.0f} pairs, {one.rollouts:.0f} model calls, "
        f"{max(1, math.ceil(one.nights))} nights{cost}{reach}"
    )
