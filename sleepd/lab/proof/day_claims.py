"""What a proof-run asserts about the lessons of a developer's days, each with its count and the least count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sleepd.core import plaintext
from sleepd.core.lesson import Lesson, Quote
from sleepd.lab.proof.claims import Claim
from sleepd.lab.proof.days import OBJECTIONS, Learnt
from sleepd.simulate.developers import Developer, Failing, FollowUp, Ignored, Need
from sleepd.simulate.workdays import PlantedMoment

_QUOTED = 2 / 3
"""Least share of the sessions in which a need showed that its lesson must quote, and of its quotes that show it."""
_APPROVALS = 0.03
_CHANCE = 0.15
"""Share of the histories with shuffled labels that may yield a text check. The search states .05; more than six of
forty come by chance in one run of three hundred."""


def day_assertions(who: Developer, found: Learnt) -> tuple[Claim, ...]:
    """All assertions about one developer's days, in the order in which they are shown."""
    listed = [lesson.text for lesson in found.book.lessons]
    nothing = Claim(
        name="nothing is learnt where nothing comes back",
        says="; ".join(listed) or "no lesson",
        holds=not listed,
        count=found.book.turns,
        least=100,
        of="turns of the person",
    )
    read = [one for one in found.lived.approvals if one in found.acts]
    flagged = [words for at, words in read if found.acts[at, words] in OBJECTIONS]
    approvals = Claim(
        name="approvals are not taken for objections",
        says=f"{len(flagged)} of {len(read)} are" + (f": {'; '.join(flagged)}" if flagged else ""),
        holds=len(flagged) <= _APPROVALS * len(read),
        count=len(read),
        least=60,
        of="approvals",
    )
    shuffled = found.shuffled
    text_checks = Claim(
        name="no text check survives shuffled labels",
        says=f"{shuffled.with_checks} of {shuffled.histories} shuffled histories yield one",
        holds=shuffled.with_checks <= _CHANCE * shuffled.histories,
        count=shuffled.corrected,
        # Who hardly corrects anything leaves no labels to shuffle.
        least=6 if who.needs else 0,
        of="sessions with a corrected answer",
    )
    return (
        *(_need(need, found) for need in who.needs),
        _quotes(who, found) if who.needs else nothing,
        _ignored(who.ignored, found) if who.ignored is not None else _kept(who, found),
        approvals,
        text_checks,
    )


def lesson_of(need: Need, found: Learnt) -> Lesson | None:
    """The lesson that names the need and quotes most sessions in which it showed; None when there is none."""
    shown = [m for m in found.lived.moments if m.key == need.key]
    said = {
        lesson.id: " ".join((lesson.text, lesson.about, lesson.demands, lesson.forbids)).casefold()
        for lesson in found.book.lessons
    }
    fitting = [
        lesson
        for lesson in found.book.lessons
        if need.names.casefold() in said[lesson.id]
        and len(_sessions(lesson, shown)) >= _QUOTED * len({m.session for m in shown})
        and sum(_shows(quote, shown) for quote in lesson.quotes) >= _QUOTED * len(lesson.quotes)
    ]
    return max(fitting, key=lambda lesson: len(_sessions(lesson, shown)), default=None)


def _need(need: Need, found: Learnt) -> Claim:
    shown = [m for m in found.lived.moments if m.key == need.key]
    lesson = lesson_of(need, found)
    return Claim(
        name=f"learnt: {need.key}",
        says=lesson.text if lesson is not None else "no lesson names it and quotes it",
        holds=lesson is not None,
        count=len({m.session for m in shown}),
        # A follow-up and a failure count from three sessions on, all else from two.
        least=3 if isinstance(need, FollowUp | Failing) else 2,
        of="sessions in which it showed",
    )


def _quotes(who: Developer, found: Learnt) -> Claim:
    """Every quote of every lesson is the person's own turn or a failed or refused call; those of the planted fit."""
    every = [quote for lesson in found.book.lessons for quote in lesson.quotes]
    foreign = [quote for quote in every if not any(_fits(quote, *one) for one in _authority(found))]
    wrong = [
        quote
        for need in who.needs
        if (lesson := lesson_of(need, found)) is not None
        for quote in lesson.quotes
        if not _shows(quote, [m for m in found.lived.moments if m.key == need.key])
    ]
    return Claim(
        name="each lesson quotes the person's own turns or failed calls",
        says=f"{len(foreign)} of {len(every)} quotes are neither; {len(wrong)} show something else",
        holds=not foreign and not wrong,
        count=len(every),
        least=20,
        of="quotes",
    )


def _ignored(rule: Ignored, found: Learnt) -> Claim:
    """The line is named by `lessons rules`, or by a lesson that says the same."""
    (line,) = (line for line in rule.lines if rule.command in line)
    tried = next((t for t in found.rules if t.rule.line.text == line), None)
    beside = any(lesson.written_down.endswith(line) for lesson in found.book.lessons)
    return Claim(
        name="the written rule that is ignored is named",
        says=f"broken in {tried.result.broken.value or 0:.0%}: {line}"
        if tried is not None
        else f"not held against work: {line}",
        holds=beside or (tried is not None and tried.ignored),
        count=tried.result.applies if tried is not None else 0,
        least=20,
        of="exchanges to which it applied",
    )


def _kept(who: Developer, found: Learnt) -> Claim:
    """The rule was held against the work, and nobody is told that it is ignored."""
    tried = [t for t in found.rules if who.kept_command in t.rule.line.text]
    return Claim(
        name="the written rule that is kept is not called ignored",
        says="; ".join(f"broken in {t.result.broken.value or 0:.0%}" for t in tried) or "it was not found",
        holds=bool(tried) and not any(t.ignored for t in tried),
        count=sum(t.result.applies for t in tried),
        least=20,
        of="exchanges to which it applied",
    )


def _sessions(lesson: Lesson, shown: Sequence[PlantedMoment]) -> set[str]:
    return {quote.session for quote in lesson.quotes if _shows(quote, shown)}


def _shows(quote: Quote, shown: Sequence[PlantedMoment]) -> bool:
    return any(_fits(quote, moment.session, moment.text) for moment in shown)


def _fits(quote: Quote, session: str, text: str) -> bool:
    return quote.session == session and plaintext.flat(text) in quote.text


def _authority(found: Learnt) -> Iterator[tuple[str, str]]:
    """Session and text of all that may teach: what the person said, and each call that failed or was refused."""
    for session in found.lived.sessions:
        for exchange in session.exchanges:
            yield session.harvested_as, exchange.prompt
            for call in (said.call for said in exchange.replies if said.call is not None and not said.call.ok):
                yield session.harvested_as, call.words or call.argument
