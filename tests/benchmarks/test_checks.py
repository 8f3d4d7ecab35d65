"""The benchmark of checks: worlds without meaning are made of the same answers."""

from __future__ import annotations

import random
from collections import Counter

from benchmarks.checks import across, by_sessions, planted, read
from harvesters.records import Origin, Role, Turn
from sleepd.core.check import Contrast
from sleepd.core.model import SessionId
from sleepd.core.segment import Transcript


def answers(work: list[Contrast]) -> Counter[str]:
    return Counter(answer for c in work for answer in (*c.rejected, c.accepted))


def test_shuffled_worlds_hold_the_same_answers() -> None:
    """In each task as many rejected ones as before; and some labels did change."""
    work = planted(random.Random(1), 12, 1.0)
    for shuffle in (by_sessions, across):
        (shuffled,) = shuffle([work], random.Random(2))
        assert answers(work) == answers(list(shuffled))
        assert [len(c.rejected) for c in work] == [len(c.rejected) for c in shuffled]
        assert work != list(shuffled)


def test_a_session_changes_its_labels_as_a_whole() -> None:
    """Tasks of one session, in whatever work, change places together."""
    work = planted(random.Random(1), 30, 1.0)
    days = [
        Contrast(task=c.task, session=f"day{n % 5}", rejected=c.rejected, accepted=c.accepted)
        for n, c in enumerate(work)
    ]
    (shuffled,) = by_sessions([days], random.Random(3))
    changed = {c.session: set[bool]() for c in days}
    for before, after in zip(days, shuffled, strict=True):
        changed[before.session].add(before != after)
    assert {frozenset({True}), frozenset({False})} == {frozenset(one) for one in changed.values()}


def test_a_reader_says_which_answers_were_corrected() -> None:
    """The answer before a correction is rejected in favour of the next one; the others were kept at once."""
    turns = []
    for number, (text, answer) in enumerate([("do", "first"), ("no", "second"), ("thanks", "third")]):
        turns += [
            Turn(id=f"u{number}", position=2 * number, role=Role.USER, origin=Origin.PROMPT, text=text),
            Turn(id=f"a{number}", position=2 * number + 1, role=Role.ASSISTANT, origin=Origin.REPLY, text=answer),
        ]
    transcript = Transcript(id=SessionId("s"), agent="claude-code", project="/app", turns=turns)
    found = list(read(transcript, {"u1": "correction", "u2": "approval"}))
    assert [(("first",), "second"), ((), "third")] == [(c.rejected, c.accepted) for c in found]
