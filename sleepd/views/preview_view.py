"""The plan of a night, as `run --dry-run` shows it."""

from __future__ import annotations

from sleepd.core.plaintext import listed
from sleepd.views import lesson_view
from sleepd.views.night_result import NightPreview
from sleepd.views.report import Plain, clean, dollars, harvest_json, mean, table


def preview_json(seen: NightPreview) -> Plain:
    chosen = seen.outlook.chosen
    return {
        "night": seen.night_id,
        "harvest": harvest_json(seen.harvest),
        "work": work_json(seen),
        "chosen": [{"skill": share.work.target.name, "pairs": share.pairs} for share in chosen],
        "reason": seen.outlook.reason or None,
        "lessons": lesson_view.judged_json(seen.lessons),
        "estimate": {
            "calls_at_most": seen.estimate.calls,
            "tokens_in": seen.estimate.tokens_in,
            "tokens_out": seen.estimate.tokens_out,
            "cost_usd": seen.estimate.cost_usd,
            "price_source": seen.estimate.price_source,
        },
    }


def work_json(seen: NightPreview) -> list[Plain]:
    return [
        {
            "skill": w.target.name,
            "agent": w.target.agent,
            "path": w.target.path,
            "sessions": w.frequency,
            "friction": round(w.friction, 3),
            "missing": w.missing,
        }
        for w in seen.outlook.work
    ]


def preview_text(seen: NightPreview) -> str:
    able = [w for w in seen.outlook.work if w.missing is None]
    rows = [[w.target.name, w.target.agent, w.frequency, mean(w.friction)] for w in able]
    lines = [table(["skill", "agent", "sessions", "friction"], rows)] if rows else []
    unable: dict[str, list[str]] = {}
    for w in seen.outlook.work:
        if w.missing is not None:
            unable.setdefault(w.missing, []).append(w.target.name)
    for reason, names in unable.items():
        kinds = "1 kind of work" if len(names) == 1 else f"{len(names)} kinds of work"
        lines.append(f"{kinds} ({listed(names)}): {clean(reason)}")
    chosen = seen.outlook.chosen
    if not chosen:
        # What is missing stands above already; what is in the way of work that could be judged does not.
        why = seen.outlook.reason if able or not seen.outlook.work else "nothing of this work can be judged"
        lines.append(f"tonight would do nothing: {clean(why)}")
        return "\n".join([*lines, "", *lesson_view.judged_lines(seen.lessons)])
    e = seen.estimate
    cost = dollars(e.cost_usd) if e.cost_usd is not None else "cost unknown (set both model prices to see it)"
    if e.price_source is not None:
        cost += f" by {e.price_source}"
    lines.append("")
    lines += [
        f"tonight would work on {s.work.target.name} ({s.work.target.path}), with {s.pairs} pairs" for s in chosen
    ]
    lines += [f"about {e.calls} model calls, {e.tokens_in:,} tokens in and {e.tokens_out:,} out at the most: {cost}"]
    lines += ["", *lesson_view.judged_lines(seen.lessons), ""]
    return "\n".join([*lines, "no model was asked and no night was recorded"])
