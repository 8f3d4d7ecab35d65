"""Text checks against chance: a planted rule is found, wordings that differ by luck are not."""

from __future__ import annotations

import random

import pytest

from sleepd.core import check
from sleepd.core.chance import held_out, mined_checks
from sleepd.core.check import Check, Contrast, FirstLine
from sleepd.core.excess import MIN_SESSIONS
from sleepd.core.model import TaskId
from sleepd.core.validity import Discrimination

WORDS = [
    a + b for a in ("amber", "birch", "cedar", "dune", "ember") for b in ("field", "gate", "mill", "port", "shore")
]


def said(chance: random.Random, words: int = 30) -> str:
    """An answer without meaning: lines of common words."""
    return "\n".join(" ".join(chance.choices(WORDS, k=6)) for _ in range(words // 6))


def work(seed: int, sessions: int = 20, rule: str = "", at_once: int = 6) -> list[Contrast]:
    """One corrected task a session, whose kept answer begins with `rule`; some tasks were kept at once."""
    chance = random.Random(seed)

    def kept() -> str:
        return f"{rule}\n{said(chance)}" if rule else said(chance)

    corrected = [
        Contrast(task=TaskId(f"t{n}"), session=f"s{n:02}", rejected=(said(chance),), accepted=kept())
        for n in range(sessions)
    ]
    passed = [Contrast(task=TaskId(f"k{n}"), session=f"k{n:02}", rejected=(), accepted=kept()) for n in range(at_once)]
    return corrected + passed


def flipped(contrasts: list[Contrast], seed: int) -> list[Contrast]:
    """The labels of whole sessions change places by a coin."""
    chance = random.Random(seed)
    coins = {c.session: chance.random() < 0.5 for c in contrasts}
    return [
        Contrast(task=c.task, session=c.session, rejected=(c.accepted,), accepted=c.rejected[-1])
        if coins[c.session] and c.rejected
        else c
        for c in contrasts
    ]


def checks(*works: list[Contrast]) -> set[Check]:
    return {one for found in mined_checks(works).checks.values() for one in found}


def test_a_rule_that_is_broken_in_ten_sessions_is_found() -> None:
    """It is named by its form, and shuffled labels would have given far less."""
    found = mined_checks([work(1, 10, "Verdict: fine")])
    assert {FirstLine("verdict:")} == {one for these in found.checks.values() for one in these}
    (excess,) = found.excess
    assert excess.corrected_sessions == 10
    assert excess.proven >= 1
    assert excess.found > 2 * excess.by_chance


@pytest.mark.slow
def test_answers_that_differ_by_luck_give_checks_in_hardly_any_history() -> None:
    """Forty histories without a rule; the search without the test finds something in most of them."""
    histories = [work(seed) for seed in range(40)]
    without_test = sum(bool(check.mine(history)) for history in histories)
    assert without_test >= 20
    assert sum(bool(checks(history)) for history in histories) <= 4


@pytest.mark.slow
def test_no_check_of_a_rule_survives_shuffled_labels() -> None:
    """Where a rule is, its labels shuffled by whole sessions give a check in at most one history of twenty."""
    ruled = work(2, 16, "Verdict: fine", at_once=0)
    assert FirstLine("verdict:") in checks(ruled)
    assert sum(bool(checks(flipped(ruled, seed))) for seed in range(40)) <= 4


def test_fewer_than_six_sessions_prove_nothing() -> None:
    """Five sessions that all agree are told as five, and nothing is tried on them."""
    found = mined_checks([work(1, MIN_SESSIONS - 1, "Verdict: fine")])
    assert {} == found.checks
    assert (5, 0, 0) == (found.excess[0].corrected_sessions, found.excess[0].wordings, found.excess[0].proven)


def test_many_corrections_of_three_sessions_are_three() -> None:
    """Twelve corrected tasks of three sessions are three coins."""
    three_days = [
        Contrast(task=c.task, session=f"day{n % 3}", rejected=c.rejected, accepted=c.accepted)
        for n, c in enumerate(work(1, 12, "Verdict: fine", at_once=0))
    ]
    assert {} == mined_checks([three_days]).checks


def test_each_work_keeps_its_own_checks() -> None:
    """The rule of one work is no check of another, and a work without a rule has none."""
    first, second = work(1, 12, "Verdict: fine"), work(5, 12)
    moved = [
        Contrast(task=TaskId(f"other-{c.task}"), session=c.session, rejected=c.rejected, accepted=c.accepted)
        for c in second
    ]
    found = mined_checks([first, moved])
    assert {c.task for c in first if c.rejected} == set(found.checks)
    assert found.excess[1].proven == 0


def test_a_limit_of_words_is_tested_as_well() -> None:
    """Kept answers that are half as long teach a limit; the length is shuffled like any wording."""
    chance = random.Random(4)
    short = [
        Contrast(task=TaskId(f"t{n}"), session=f"s{n}", rejected=(said(chance, 60),), accepted=said(chance, 30))
        for n in range(12)
    ]
    assert "max-words" in {one.kind.value for one in checks(short)}


def test_the_order_of_works_and_tasks_does_not_count() -> None:
    """Two looks at one history agree."""
    first, second = work(1, 12, "Verdict: fine"), work(6, 12, "note: seen")
    second = [
        Contrast(task=TaskId(f"other-{c.task}"), session=f"x{c.session}", rejected=c.rejected, accepted=c.accepted)
        for c in second
    ]
    one, other = mined_checks([first, second]), mined_checks([second[::-1], first[::-1]])
    assert one.checks == other.checks
    assert one.excess == other.excess[::-1]
    assert {FirstLine("verdict:"), FirstLine("note:")} <= {c for found in one.checks.values() for c in found}


def measured(found: Discrimination | None) -> Discrimination:
    assert found is not None
    return found


def test_checks_of_a_rule_agree_with_the_person_on_sessions_that_they_were_not_mined_from() -> None:
    """Every held-out answer is told right, and the order of the contrasts changes nothing."""
    ruled = work(1, 10, "Verdict: fine")
    seen = measured(held_out(ruled))
    assert (1.0, True, 10, 16) == (seen.auc, seen.shown, seen.corrected_sessions, seen.kept_sessions)
    assert seen == held_out(ruled[::-1])


def test_a_check_of_six_sessions_cannot_be_held_out() -> None:
    """Five sessions give no check, so the sixth is told from nothing: the area is one half."""
    seen = measured(held_out(work(1, MIN_SESSIONS, "Verdict: fine", at_once=0)))
    assert (0.5, False) == (seen.auc, seen.shown)


def test_answers_without_a_rule_are_not_told_apart_on_held_out_sessions() -> None:
    """What separates nine tenths of the sessions by luck says nothing of the last tenth."""
    assert not measured(held_out(work(4, 14))).shown
    assert held_out(work(1, 0)) is None
