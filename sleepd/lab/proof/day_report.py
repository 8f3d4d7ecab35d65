"""What was learnt from a developer's days, for programs and for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from sleepd.lab.proof.claims import Claim
from sleepd.lab.proof.days import DaysTerms, Learnt
from sleepd.lab.proof.report import asserted, table


def as_json(terms: DaysTerms, found: Learnt, claims: Sequence[Claim]) -> dict[str, object]:
    """Everything that was found. Equal arguments give equal values."""
    return {
        "persona": terms.who.name,
        "seed": terms.seed,
        "embedder": terms.embedder.key,
        "sessions": found.book.sessions,
        "turns": found.book.turns,
        "assertions": asserted(claims),
        "lessons": [
            {
                "text": lesson.text,
                "sessions": len(lesson.sessions),
                "quotes": [quote.text for quote in lesson.quotes],
            }
            for lesson in found.book.lessons
        ],
        "rules": [
            {"line": tried.rule.line.text, "broken": tried.result.broken.value, "ignored": tried.ignored}
            for tried in found.rules
        ],
        "shuffled": asdict(found.shuffled),
    }


def as_text(terms: DaysTerms, found: Learnt, claims: Sequence[Claim]) -> str:
    """A page for a person: the lessons, then what was asserted, each line with its count."""
    lines = [
        f"{terms.who.name}, seed {terms.seed}: {found.book.sessions} sessions, {found.book.turns} turns of the person",
        "",
        *(f"{len(lesson.sessions)} sessions: {lesson.text}" for lesson in found.book.lessons),
    ]
    if not found.book.lessons:
        lines.append("no lesson")
    return "\n".join([*lines, "", *table(claims)])
