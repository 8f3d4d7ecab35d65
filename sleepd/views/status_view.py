"""The output of `sleepd status`. It imports no model, no numbers library and no database library."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from sleepd.store.overview import Judging, LastNight, Overview, SpentInAll
from sleepd.views import report
from sleepd.views.report import Plain

_SHORT_ID = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Upcoming:
    """The night that begins or continues next."""

    at: datetime
    due: bool
    """Whether that moment is past."""
    why: str | None = None
    """The reason why it waits."""
    daemon: bool = False
    """Whether a daemon is there to begin it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusView:
    """How sleepd stands for this user."""

    overview: Overview | None
    """None: there is no database yet."""
    running: bool
    """Whether a night is running now."""
    upcoming: Upcoming
    database: Path
    config: Path


def as_json(status: StatusView) -> Plain:
    """The status as plain values."""
    seen = status.overview
    base: Plain = {
        "database": str(status.database),
        "config": str(status.config),
        "running": status.running,
        "next_night": report.iso(status.upcoming.at),
        "waits_for": status.upcoming.why,
        "daemon": status.upcoming.daemon,
    }
    if seen is None:
        return {**base, "begun": False}
    night = seen.last_night
    return {
        **base,
        "begun": True,
        "sessions": seen.sessions,
        "tasks": seen.tasks,
        "checkable": seen.checkable,
        "defects": seen.defects,
        "newest_session": seen.last_harvest,
        "proposals": {"waiting": seen.waiting, "quarantined": seen.quarantined, "adopted": seen.adopted},
        "last_measured": seen.last_measured,
        "last_night": None
        if night is None
        else {
            "id": night.id,
            "scope": night.scope,
            "date": night.date,
            "status": night.status,
            "message": night.message,
            "spending": night.report.get("spending"),
        },
        "on_probation": [
            {
                "id": c.id,
                "skill": c.skill,
                "evidence": report.factor(c.evidence),
                "threshold": 1 / c.alpha,
                "effect": c.effect,
                "pairs": c.pairs,
                "nights": c.nights,
                "edits": list(c.edits),
            }
            for c in seen.on_probation
        ],
        "in_force": [asdict(one) for one in seen.in_force],
        "spent": asdict(seen.spent),
        "checks": asdict(seen.judging),
        "lessons": {"listed": seen.lessons, "written": [asdict(one) for one in seen.written]},
    }


def as_text(status: StatusView) -> str:
    """The status for a person."""
    seen = status.overview
    if seen is None:
        return f"nothing was harvested yet: there is no database at {status.database}\nbegin with: sleepd init"
    when = (
        f"due since {report.moment(status.upcoming.at)}" if status.upcoming.due else report.moment(status.upcoming.at)
    )
    if status.upcoming.why is not None:
        next_words = f"{when}; waits: {status.upcoming.why}"
    else:
        next_words = (
            when if status.upcoming.daemon else f"{when}, if the daemon or a timer runs then: sleepd service status"
        )
    parts = []
    if seen.waiting:
        parts.append(f"{seen.waiting} {'waits' if seen.waiting == 1 else 'wait'} for you: sleepd review")
    if seen.quarantined:
        parts.append(f"{seen.quarantined} set aside as unsafe: sleepd proposals")
    lines = [
        report.facts(
            {
                "last night": _night_words(seen.last_night, running=status.running),
                "next night": next_words,
                "proposals": "; ".join(parts) or "none",
                "lessons": f"{seen.lessons} listed: sleepd lessons"
                if seen.lessons
                else "not looked at yet: sleepd lessons",
                "checks": _checks_words(seen.judging),
                "spending": report.spending(seen.last_night.report) if seen.last_night is not None else "none yet",
                "in all": _spent_words(seen.spent),
                "database": f"{report.count(seen.sessions, 'session')}, {report.count(seen.tasks, 'task')}, "
                f"{seen.checkable} checkable; newest session {report.moment(seen.last_harvest)}",
            }
        )
    ]
    if seen.last_night is not None and seen.last_night.status == "not-measured":
        lines.append(f"\nthe last fully measured night: {seen.last_measured or 'none'}; sleepd doctor --live shows why")
    lines.append("\nin force:" if seen.in_force or seen.written else "\nnothing is in force")
    lines += [
        f"  {one.skill}, {one.proposal[:_SHORT_ID]} since {report.moment(one.since)[:10]}, "
        f"{'as measured' if one.proven else 'unproven'}, {one.rent:+d} tokens in every session that loads it"
        for one in seen.in_force
    ]
    lines += [
        f"  {one.path}, {one.lesson[:6]} since {report.moment(one.since)[:10]}, unproven, on your word: "
        f"{report.short(one.rule, 70)}"
        for one in seen.written
    ]
    lines.append("\non probation:" if seen.on_probation else "\nnothing is on probation")
    for c in seen.on_probation:
        gain = "no pair yet" if c.effect is None else f"mean difference {c.effect:+.2f}"
        drawn = f"{report.count(c.pairs, 'pair')} in {report.count(c.nights, 'night')}"
        edits = report.short("; ".join(c.edits), 70)
        lines.append(f"  {c.skill}: evidence {report.evidence(c.evidence, c.alpha)}, {gain}, {drawn}: {edits}")
    return "\n".join(lines)


def _night_words(night: LastNight | None, *, running: bool) -> str:
    if running:
        return "a night is running now"
    if night is None:
        return "none yet; sleepd run runs one"
    what = "not finished: it was stopped; sleepd run continues it" if night.status == "running" else night.message
    return f"{night.date}, {night.status}: {what}" if night.status != "running" else f"{night.date}, {what}"


def _checks_words(one: Judging) -> str:
    parts = []
    if one.lesson_gates or one.lesson_observed:
        parts.append(f"of lessons {one.lesson_gates} gate, {one.lesson_observed} observed: sleepd lessons")
    if one.work_gates or one.work_observed:
        kinds = f"{report.count(one.work_gates, 'kind')} of work"
        parts.append(f"of answers they gate in {kinds}, are observed in {one.work_observed}: sleepd tasks list")
    return "; ".join(parts) or "none gates: sleepd tasks list says why"


def _spent_words(spent: SpentInAll) -> str:
    if not spent.nights:
        return "nothing yet"
    known = report.dollars(spent.cost_usd) if spent.unknown < spent.nights else "cost unknown"
    more = f", and {report.count(spent.unknown, 'night')} of unknown cost" if 0 < spent.unknown < spent.nights else ""
    tokens = spent.tokens_in + spent.tokens_out
    return f"{spent.calls:,} calls, {tokens:,} tokens, {known} in {report.count(spent.nights, 'night')}{more}"
