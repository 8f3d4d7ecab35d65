"""Rubrics: which cards are drawn, what they say of a judge, and when its verdicts gate."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from sleepd.core import rubric
from sleepd.core.behaviour import Keeping, RubricCheck
from sleepd.core.model import Digest, SessionId, digest
from sleepd.core.rubric import CardAnswer, ExchangeVerdict, JudgedExchange, JudgeError, ShownExchange
from sleepd.core.validity import Discrimination, Ground

RULE = RubricCheck(name="plain", question="Is the text plain?")


def exchange(number: int, *, corrected: bool) -> ShownExchange:
    return ShownExchange(
        key=digest("exchange", str(number)),
        session=SessionId(f"s{number}"),
        turn=f"t{number}",
        request="",
        done="",
        corrected=corrected,
    )


def some(*counts: tuple[bool, bool, int]) -> list[JudgedExchange]:
    """(the judge says broken, the person corrected, how many)"""
    rows = [(broken, corrected) for broken, corrected, count in counts for _ in range(count)]
    return [
        JudgedExchange(exchange=exchange(n, corrected=corrected), broken=broken, why="")
        for n, (broken, corrected) in enumerate(rows)
    ]


def cells(found: Sequence[JudgedExchange]) -> Counter[tuple[bool, bool]]:
    return Counter((one.broken, one.exchange.corrected) for one in found)


def test_cards_are_drawn_where_judge_and_signs_disagree_and_in_every_other_cell() -> None:
    """Six of each disagreement, four of each agreement, twenty in all."""
    drawn = rubric.cards(some((True, True, 30), (False, False, 90), (True, False, 20), (False, True, 15)), RULE)
    assert {(True, False): 6, (False, True): 6, (True, True): 4, (False, False): 4} == cells(drawn)


def test_what_a_small_cell_leaves_goes_to_the_others() -> None:
    """At most twenty cards, and all there are where there are fewer."""
    drawn = rubric.cards(some((True, True, 2), (False, False, 90), (True, False, 3)), RULE)
    assert {(True, False): 3, (True, True): 2, (False, False): 15} == cells(drawn)
    assert 5 == len(rubric.cards(some((True, True, 2), (True, False, 3)), RULE))


def test_the_same_exchanges_give_the_same_cards_in_any_order() -> None:
    """A later review asks for the same ones; another rule draws others."""
    all_ = some((True, True, 30), (False, False, 90), (True, False, 20))
    assert rubric.cards(all_, RULE) == rubric.cards(all_[::-1], RULE)
    assert rubric.cards(all_, RULE) != rubric.cards(all_, RubricCheck(name="x", question="Is it short?"))


def answered(found: Sequence[JudgedExchange], truth: dict[Digest, bool]) -> dict[Digest, CardAnswer]:
    return {
        one.exchange.key: CardAnswer.BROKEN if truth[one.exchange.key] else CardAnswer.KEPT
        for one in rubric.cards(found, RULE)
    }


def measured(error: JudgeError | None) -> JudgeError:
    assert error is not None
    return error


def test_a_mean_is_corrected_for_what_the_judge_overlooks() -> None:
    """The judge calls a tenth broken; by the cards a third of what it passes is broken, too."""
    found = some((True, True, 10), (False, False, 90))
    drawn = rubric.cards(found, RULE)
    quiet = [one.exchange.key for one in drawn if not one.broken]
    answers = {one.exchange.key: CardAnswer.BROKEN for one in drawn if one.broken}
    answers |= {key: CardAnswer.BROKEN if n % 3 == 0 else CardAnswer.KEPT for n, key in enumerate(quiet)}
    error = measured(rubric.judge_error(found, answers, RULE))
    assert 0.1 == error.said
    assert 0.2 < error.broken.low < 0.4 < error.broken.high < 0.75
    assert 0.1 < error.sensitivity.low < error.sensitivity.value < 0.5


def test_without_ten_plain_answers_nothing_is_said_of_the_judge() -> None:
    """Cards that the person cannot decide do not count."""
    found = some((True, True, 10), (False, False, 10))
    keys = [one.exchange.key for one in found]
    assert rubric.judge_error(found, dict.fromkeys(keys[:9], CardAnswer.BROKEN), RULE) is None
    assert rubric.judge_error(found, dict.fromkeys(keys, CardAnswer.CANNOT_SAY), RULE) is None
    assert rubric.judge_error(found, dict.fromkeys(keys[:10], CardAnswer.BROKEN), RULE) is not None


@pytest.mark.slow
def test_intervals_hold_the_truth_and_a_coin_is_hardly_ever_believed() -> None:
    """Two hundred worlds: a judge that errs in a tenth, and one that tosses a coin; twenty cards each."""
    held = believed = useful = 0
    worlds = 200
    for seed in range(worlds):
        chance = random.Random(seed)
        for errs in (0.1, 0.5):
            truth, found = {}, []
            for n in range(120):
                one = exchange(n, corrected=False)
                broken = chance.random() < 0.3
                corrected = broken if chance.random() < 0.8 else not broken
                truth[one.key] = broken
                seen = broken if chance.random() > errs else not broken
                found.append(JudgedExchange(exchange=exchange(n, corrected=corrected), broken=seen, why=""))
            error = measured(rubric.judge_error(found, answered(found, truth), RULE))
            if errs == 0.5:
                believed += error.informative
            else:
                useful += error.informative
                held += error.broken.low <= sum(truth.values()) / len(truth) <= error.broken.high
    assert held >= 0.9 * worlds
    assert believed <= 0.05 * worlds
    assert useful >= 0.8 * worlds


AGREES = Discrimination(auc=0.9, low=0.7, high=0.97, p=0.01, corrected_sessions=8, kept_sessions=20)


def test_a_rubric_gates_by_held_out_sessions_and_cards_together() -> None:
    """Either alone is not enough, and the sentence says which is missing."""
    found = some((True, True, 10), (False, False, 30))
    truth = {one.exchange.key: one.broken for one in found}
    good = rubric.judge_error(found, answered(found, truth), RULE)
    bad = rubric.judge_error(found, answered(found, {key: not broken for key, broken in truth.items()}), RULE)
    assert Ground.CARDS is rubric.verdict(AGREES, good, 20, 20).ground
    assert "errs too often" in rubric.verdict(AGREES, bad, 20, 20).why
    unanswered = rubric.verdict(AGREES, None, 20, 0)
    assert not unanswered.gates and "0 of 20 cards" in unanswered.why
    alone = rubric.verdict(None, good, 20, 20)
    assert not alone.gates and "no held-out session tells" in alone.why


def test_a_verdict_that_could_not_be_used_is_no_verdict() -> None:
    """A rule that does not apply was not broken; a reply without a verdict leaves the exchange out."""
    shown = [exchange(n, corrected=False) for n in range(4)]
    words = (Keeping.BROKEN, Keeping.KEPT, Keeping.DOES_NOT_APPLY, None)
    said = {one.key: ExchangeVerdict(keeping=word, why="") for one, word in zip(shown, words, strict=True)}
    assert [True, False, False] == [one.broken for one in rubric.judged(shown, said)]
