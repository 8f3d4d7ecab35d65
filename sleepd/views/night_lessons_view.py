"""What a night says of lessons, from its report."""

from __future__ import annotations

from collections.abc import Mapping

from sleepd.views.report import count, short

_SHOWN = 10
_WIDTH = 110
_ID = 6


def night_lessons_lines(report: Mapping[str, object]) -> list[str]:
    """A summary and a line for each lesson that the night touches; [] for a night that noted none."""
    noted = report.get("lessons")
    if not isinstance(noted, Mapping):
        return []
    rows = [row for row in _rows(noted) if isinstance(row, Mapping)]
    if not rows:
        return [_nearest(noted.get("nearest"))]
    again = [row for row in rows if row.get("since")]
    worked = [row for row in rows if row.get("of_work")]
    first = all(row.get("since") is None for row in rows)
    newer = "this is the first night" if first else f"{len(again)} needed again since the night before"
    lines = [f"{count(len(rows), 'lesson')}: {newer}, {len(worked)} in this night's work (sleepd lessons)"]
    touched = [row for row in rows if row in again or row in worked]
    lines += [f"  {_line(row)}" for row in touched[:_SHOWN]]
    if len(touched) > _SHOWN:
        lines.append(f"  and {len(touched) - _SHOWN} more")
    return lines


def _rows(noted: Mapping[object, object]) -> list[object]:
    found = noted.get("lessons")
    return list(found) if isinstance(found, list | tuple) else []


def _line(row: Mapping[object, object]) -> str:
    since = row.get("since")
    why = [f"needed again in {count(since, 'session')}"] if isinstance(since, int) and since else []
    why += ["in this night's work"] if row.get("of_work") else []
    return f"{str(row.get('id'))[:_ID]}  {', '.join(why)}: {short(str(row.get('text')), _WIDTH)}"


def _nearest(near: object) -> str:
    if not isinstance(near, Mapping):
        return "no lesson yet: nothing came back in a second session so far (sleepd lessons)"
    seen, needs = near.get("sessions"), near.get("needs")
    seen_in = count(seen, "session") if isinstance(seen, int) else "some sessions"
    return f"no lesson yet; the nearest was seen in {seen_in} and needs {needs}: {short(str(near.get('text')), _WIDTH)}"
