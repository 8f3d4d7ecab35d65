"""Skills as they were loaded, version by version, as a person and a program read them."""

from __future__ import annotations

from collections.abc import Sequence

from sleepd.core.skill_versions import SkillHistory, SkillVersion
from sleepd.views.report import Plain, count

_ID = 6


def skills_text(found: Sequence[SkillHistory]) -> str:
    """Each skill with its versions, oldest first, and what went wrong where they were loaded."""
    if not found:
        return "No session of yours loaded a skill or a command whose text stands in its transcript."
    parts = []
    for skill in found:
        where = f", in {skill.project}" if skill.project else ""
        head = f"{skill.name}: {count(len(skill.versions), 'version')}, loaded in "
        lines = [f"{head}{count(skill.exchanges, 'exchange')}{where}"]
        for number, one in enumerate(skill.versions, start=1):
            lines += _version(number, one)
            if number > 1:
                lines.append(f"    {_compared(skill.versions[number - 2], one)}")
        parts.append("\n".join(lines))
    parts.append(
        "An exchange counts with what followed until your next request. Whether a version helped is seen, not proven."
    )
    return "\n\n".join(parts)


def _version(number: int, one: SkillVersion) -> list[str]:
    change = f", {one.added} lines added and {one.removed} removed" if number > 1 else ""
    lines = [f"  {number}. {one.version[:_ID]}  {_days(one)}{change}"]
    failed = f"{one.failed} of {count(one.calls, 'call')} failed" if one.calls else "no calls"
    loaded = f"loaded in {count(one.exchanges, 'exchange')} of {count(one.sessions, 'session')}"
    lines.append(f"    {loaded}; you corrected {one.corrected} of them; {failed}")
    lines += [f'    "{quote.text}"' for quote in one.quotes]
    if one.lessons:
        lines.append("    lessons needed: " + ", ".join(f"{id_[:_ID]} ({times}×)" for id_, times in one.lessons))
    return lines


def _days(one: SkillVersion) -> str:
    if one.first is None or one.last is None:
        return "on unknown days"
    first, last = f"{one.first:%Y-%m-%d}", f"{one.last:%Y-%m-%d}"
    return f"on {first}" if first == last else f"{first} to {last}"


def _compared(before: SkillVersion, after: SkillVersion) -> str:
    """Before and after a change of the text, in exchanges that were corrected and in calls that failed."""
    corrected = f"{before.corrected} of {before.exchanges} → {after.corrected} of {after.exchanges}"
    failed = f"{before.failed} of {before.calls} → {after.failed} of {after.calls}"
    return f"before and after this change: corrected {corrected}; failed calls {failed}"


def skills_json(found: Sequence[SkillHistory]) -> list[Plain]:
    """The documented, stable form of the skills and their versions."""
    return [
        {
            "name": skill.name,
            "project": skill.project,
            "exchanges": skill.exchanges,
            "versions": [
                {
                    "version": one.version,
                    "text": one.text,
                    "first": one.first.isoformat() if one.first is not None else None,
                    "last": one.last.isoformat() if one.last is not None else None,
                    "exchanges": one.exchanges,
                    "sessions": one.sessions,
                    "corrected": one.corrected,
                    "calls": one.calls,
                    "failed": one.failed,
                    "lessons": [{"id": id_, "exchanges": times} for id_, times in one.lessons],
                    "quotes": [
                        {"session": quote.session.split(":", 1)[-1], "turn": quote.turn, "text": quote.text}
                        for quote in one.quotes
                    ],
                    "lines_added": one.added,
                    "lines_removed": one.removed,
                }
                for one in skill.versions
            ],
        }
        for skill in found
    ]
