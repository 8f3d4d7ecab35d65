"""The gate's promises, checked by simulation and by properties."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core import experiment
from sleepd.core.evidence import COUNTER_BETS, Given, Place, adaptive_wealth, level, log_wealth, scores_of
from sleepd.core.experiment import Decision, Experiment, OnePass, Superiority, VerdictRule, enough
from sleepd.core.model import Pair, TaskId, Verdict

TERMS = Experiment(alpha=0.05)
LIVES = 1_000
PAIRS = 120
MOST_FALSE = 71
"""Of 1,000 candidates that do not help, at a level of 0.05: 99.9 % of the time at most so many cross."""

Rates = np.ndarray
World = Callable[[np.random.Generator], tuple[Rates, Rates]]


def pair(candidate: float | None, baseline: float | None, draw: int = 0) -> Pair:
    return Pair(ordinal=draw, task_id=TaskId("t"), candidate=candidate, baseline=baseline)


def decide(pairs: Sequence[Pair], asked: Experiment) -> Decision:
    return experiment.decide(asked, scores_of(pairs))


def pairs_of(*differences: float) -> list[Pair]:
    return [pair(max(d, 0.0), max(-d, 0.0), n) for n, d in enumerate(differences)]


# Worlds: pass rates of 13 tasks under the live text and under the candidate ------------------------------------------


def no_effect(chance: np.random.Generator) -> tuple[Rates, Rates]:
    rates = chance.beta(0.8, 0.6, 13)
    return rates, rates


def half_better_half_worse(chance: np.random.Generator) -> tuple[Rates, Rates]:
    rates = chance.uniform(0.3, 0.7, 12)
    return rates, rates + np.where(np.arange(12) % 2, 0.3, -0.3)


def harmful(chance: np.random.Generator) -> tuple[Rates, Rates]:
    rates = chance.uniform(0.15, 1, 13)
    return rates, rates - 0.15


def house_rule(chance: np.random.Generator) -> tuple[Rates, Rates]:
    return chance.uniform(0.05, 0.3, 13), chance.uniform(0.85, 1, 13)


def draw(world: World, chance: np.random.Generator, count: int = PAIRS) -> list[Pair]:
    """Pairs of a candidate: one rollout of it against the mean of four of the live text."""
    before, after = world(chance)
    tasks = chance.integers(0, len(before), count)
    tried = chance.random(count) < after[tasks]
    baseline = (chance.random((count, 4)) < before[tasks][:, None]).mean(axis=1)
    return [pair(float(c), float(b), n) for n, (c, b) in enumerate(zip(tried, baseline, strict=True))]


def strict_on_one_pass(pairs: list[Pair]) -> bool:
    """The usual rule: every task once, and the mean has to be higher."""
    return decide(pairs[:13], replace(TERMS, statistic=OnePass(rule=VerdictRule.STRICT))).verdict is Verdict.ACCEPTED


class TestFalseAdoption:
    @pytest.mark.slow
    @pytest.mark.parametrize("world", [no_effect, half_better_half_worse, harmful])
    def test_a_candidate_that_does_not_help_hardly_ever_crosses(self, world: World) -> None:
        """Promise 1: whatever the number of looks, at most a share of alpha is accepted."""
        chance = np.random.default_rng(1)
        accepted = sum(decide(draw(world, chance), TERMS).verdict is Verdict.ACCEPTED for _ in range(LIVES))
        assert accepted <= MOST_FALSE

    def test_the_usual_rule_adopts_what_does_nothing(self) -> None:
        """The same draws under a strictly higher mean: far more than alpha, so the simulation can tell the two apart."""
        chance = np.random.default_rng(1)
        assert sum(strict_on_one_pass(draw(no_effect, chance)) for _ in range(LIVES)) > 0.3 * LIVES

    def test_a_house_rule_is_found_in_a_night(self) -> None:
        """What is broken nearly always without the rule and kept nearly always with it crosses, also at the first level."""
        chance = np.random.default_rng(2)
        terms = replace(TERMS, alpha=level(Place(index=1), 0, 0.05))
        decisions = [decide(draw(house_rule, chance), terms) for _ in range(50)]
        assert {Verdict.ACCEPTED} == {d.verdict for d in decisions}
        assert float(np.mean([d.pairs for d in decisions])) < 20

    @pytest.mark.parametrize(("unshared", "stated", "least"), [
        (0, 0, 0.015), (0, 1, 0.04), (0, 2, 0.04), (0, 50, 0.025), (30, 1, 0.035), (200_000, 1, 0.03),
    ])  # fmt: skip
    def test_the_levels_of_a_life_sum_to_less_than_alpha(self, unshared: int, stated: int, least: float) -> None:
        """Without adoptions, however many candidates there are, and whichever of them (each so-manieth, or none) a
        person put into words; also where the first were entered before there was a share for those."""
        held, levels = Given(unshared=unshared), []
        for t in range(1, 200_001):
            before = t <= unshared
            mine = not before and stated > 0 and t % stated == 0
            place = Place(index=t, stated=None) if before else held.next(stated=mine)
            levels.append(level(place, 0, 0.05))
            held = replace(held, candidates=t) if before else held.after(place)
        assert least < sum(levels) < 0.05

    def test_a_rule_in_the_persons_words_has_a_part_of_their_share(self) -> None:
        """The first needs evidence of 84, another candidate 423; the candidates in between do not use the share up."""
        first, other = Given().next(stated=True), Given().next()
        assert (84, 423) == (round(1 / level(first, 0, 0.05)), round(1 / level(other, 0, 0.05)))
        late = [level(Place(index=1_000, stated=n), 0, 0.05) for n in (0, 1, 2)]
        assert pytest.approx(0.025 / 2.6123753) == late[1] - late[0]
        assert pytest.approx((late[1] - late[0]) * 2**-1.5) == late[2] - late[0]

    @pytest.mark.parametrize(("index", "adoptions"), [(1, 0), (2, 1), (60, 7), (1, 400)])
    def test_each_adoption_raises_the_levels_and_none_passes_alpha(self, index: int, adoptions: int) -> None:
        """e-LOND: α·w_t·(adoptions + 1), w_t = γ_t / 2, γ_t = t^-1.1 / ζ(1.1); earlier versions had the whole γ_t."""
        earlier = min(0.05, 0.05 * index**-1.1 / 10.58444846495 * (adoptions + 1))
        assert earlier == pytest.approx(level(Place(index=index, stated=None), adoptions, 0.05))
        expected = min(0.05, 0.025 * index**-1.1 / 10.58444846495 * (adoptions + 1))
        assert expected == pytest.approx(level(Place(index=index), adoptions, 0.05))

    def test_no_candidate_is_accepted_on_fewer_pairs_than_the_largest_bet_allows(self) -> None:
        """With every difference 1, evidence grows by at most 1.97 a pair."""
        decision = decide(pairs_of(*[1.0] * 60), TERMS)
        assert (Verdict.ACCEPTED, True) == (decision.verdict, decision.pairs >= math.log(20) / math.log(1.97))


class TestAdaptiveBet:
    def test_it_rests_on_earlier_pairs_alone(self) -> None:
        """The size before each pair is the same whatever the pair and those after it bring."""
        chance = np.random.default_rng(3)
        gains = chance.uniform(-1, 1, 40)
        for n in (0, 1, 17):
            other = np.concatenate([gains[:n], chance.uniform(-1, 1, 40 - n)])
            steps = [np.diff(np.exp(adaptive_wealth(g)), prepend=1.0)[n] / g[n] for g in (gains, other)]
            assert steps[0] == pytest.approx(steps[1])
            assert 0 < steps[0] / np.exp(np.concatenate([[0.0], adaptive_wealth(gains)]))[n] < 1

    @pytest.mark.parametrize("probability", [0.5, 0.05, 0.95])
    def test_the_expected_wealth_never_grows_without_an_effect(self, probability: float) -> None:
        """Exactly, over all courses of ten pairs whose mean is 0: a martingale, whatever it has learnt."""
        high, low = 1 - probability, -probability
        courses = np.array(list(itertools.product([high, low], repeat=10)))
        weights = np.prod(np.where(courses == high, probability, 1 - probability), axis=1)
        wealth = np.array([np.exp(adaptive_wealth(course)) for course in courses])
        assert np.ones(10) == pytest.approx(weights @ wealth)

    def test_a_missing_score_lowers_it(self) -> None:
        """Where the candidate gives no answer, and where the live text gave none: never a gift."""
        pairs, patient = pairs_of(*[0.6] * 8), replace(TERMS, alpha=1e-9)
        known = decide(pairs, patient).evidence
        assert decide([*pairs, pair(None, 0.4, 8)], patient).evidence < known
        assert known == pytest.approx(decide([*pairs, pair(1.0, None, 8)], patient).evidence)

    def test_candidates_of_earlier_versions_keep_their_bets(self) -> None:
        """The evidence of pairs that were seen is not reckoned anew with other bets."""
        fixed = replace(TERMS, statistic=Superiority(adaptive=False))
        found = experiment.paths(fixed.statistic, scores_of(pairs_of(0.3, -0.2, 1.0)))
        gains = np.array([0.3, -0.2, 1.0])
        assert log_wealth(gains) == pytest.approx(found.evidence)
        assert log_wealth(0.1 - gains, COUNTER_BETS) == pytest.approx(found.counter)


class TestEndings:
    @pytest.mark.parametrize(
        ("pairs", "verdict"),
        [
            (pairs_of(*[1.0] * 20), Verdict.ACCEPTED),
            (pairs_of(*[-0.5] * 20), Verdict.REJECTED),
            (pairs_of(*[0.0] * 200), Verdict.REJECTED),
            (pairs_of(1.0, -1.0, 1.0), Verdict.UNDECIDED),
            ([], Verdict.UNDECIDED),
            (pairs_of(*[1.0, -0.9] * 5), Verdict.CLOSED),
        ],
    )
    def test_there_are_four(self, pairs: list[Pair], verdict: Verdict) -> None:
        """Accepted, rejected as too small an effect, undecided, and closed when the stated pairs are used up."""
        most = 10 if verdict is Verdict.CLOSED else 400
        assert verdict == decide(pairs, replace(TERMS, max_pairs=most)).verdict

    def test_each_says_why_in_words(self) -> None:
        """The level, the smallest effect or the number of pairs is named."""
        rejected = decide(pairs_of(*[-0.5] * 20), TERMS)
        assert "evidence passed 1/0.05 after 7 pairs" == decide(pairs_of(*[1.0] * 20), TERMS).reason
        assert f"effect below +0.10 after {rejected.pairs} pairs (error at most 0.1)" == rejected.reason
        assert "1 pairs so far; goes on in a later night" == decide(pairs_of(1.0), TERMS).reason
        closed = decide(pairs_of(0.0, 0.0), replace(TERMS, max_pairs=2))
        assert "2 pairs used up without a decision" == closed.reason

    def test_nothing_drawn_is_known_in_whole(self) -> None:
        """No evidence either way, no effect, and nothing missing."""
        expected = Decision(
            verdict=Verdict.UNDECIDED, reason="0 pairs so far; goes on in a later night", pairs=0, evidence=0.0,
            counter_evidence=0.0, effect=None, coverage_candidate=1.0, coverage_baseline=1.0,
        )  # fmt: skip
        assert expected == decide([], TERMS)
        assert (0,) == log_wealth(np.zeros(0)).shape

    def test_pairs_beyond_the_stated_number_are_not_looked_at(self) -> None:
        """A candidate that was closed stays closed, whatever is drawn afterwards."""
        terms = replace(TERMS, max_pairs=6)
        closed = decide(pairs_of(*[1.0, -0.9] * 3), terms)
        assert Verdict.CLOSED == closed.verdict
        assert closed == decide(pairs_of(*[1.0, -0.9] * 3, *[1.0] * 40), terms)

    @pytest.mark.parametrize(("validation", "sealed"), [(4, 3), (5, 2), (0, 0)])
    def test_too_few_tasks_are_said_in_words(self, validation: int, sealed: int) -> None:
        """Fewer than five to validate with or three sealed groups: no gate, and a sentence that says what is missing."""
        said = enough(validation, sealed)
        assert said is not None and f"{validation} to validate with" in said and f"{sealed} sealed" in said
        assert None is enough(5, 3)


class TestMissing:
    def hidden_failures(self, chance: np.random.Generator) -> list[Pair]:
        """A candidate that does nothing but turn 35 of 100 of its failures into timeouts."""
        drawn = draw(lambda c: (np.full(13, 0.5), np.full(13, 0.5)), chance, 300)
        return [replace(p, candidate=None) if p.candidate == 0 and chance.random() < 0.35 else p for p in drawn]

    def test_failures_that_become_unscored_do_not_help(self) -> None:
        """Promise 3: such a candidate is accepted no more often than alpha."""
        chance = np.random.default_rng(3)
        accepted = sum(decide(self.hidden_failures(chance), TERMS).verdict is Verdict.ACCEPTED for _ in range(200))
        assert accepted <= 20

    def test_dropping_them_would_have(self) -> None:
        """The contrast: the same draws without the unscored pairs are accepted many times as often."""
        chance = np.random.default_rng(3)
        accepted = sum(
            decide([p for p in self.hidden_failures(chance) if p.candidate is not None], TERMS).verdict
            is Verdict.ACCEPTED
            for _ in range(200)
        )
        assert accepted > 60

    @pytest.mark.parametrize("side", ["candidate", "baseline"])
    def test_too_many_missing_scores_on_either_side_stop_an_acceptance(self, side: str) -> None:
        """Below the coverage floor nothing is accepted, however good the rest is; the shares are stated."""
        pairs = [pair(1.0, 0.0, n) for n in range(60)]
        holes = [replace(p, **{side: None}) if n % 10 < 3 else p for n, p in enumerate(pairs)]
        decision = decide(holes, TERMS)
        assert Verdict.ACCEPTED is not decision.verdict
        assert 0.7 == pytest.approx(getattr(decision, f"coverage_{side}"))
        few = [replace(p, **{side: None}) if n % 10 < 1 else p for n, p in enumerate(pairs)]
        assert Verdict.ACCEPTED is decide(few, TERMS).verdict

    def test_a_missing_score_is_the_worst_for_both_bets(self) -> None:
        """To the accepting bet an unscored candidate is 0 against what the baseline got, to the rejecting one it is 1."""
        hole, worst, best = (decide([pair(c, 0.5)], TERMS) for c in (None, 0.0, 1.0))
        assert (worst.evidence, best.counter_evidence) == (hole.evidence, hole.counter_evidence)
        assert None is hole.effect


class TestPaperRules:
    @pytest.mark.parametrize(
        ("rule", "differences", "verdict"),
        [
            (VerdictRule.STRICT, (0.1, 0.0), Verdict.ACCEPTED),
            (VerdictRule.STRICT, (0.5, -0.5), Verdict.REJECTED),
            (VerdictRule.STRICT, (-0.1,), Verdict.REJECTED),
            (VerdictRule.STRICT, (), Verdict.REJECTED),
            (VerdictRule.OFF, (-1.0,), Verdict.ACCEPTED),
            (VerdictRule.OFF, (), Verdict.ACCEPTED),
        ],
    )
    def test_strictly_higher_or_everything(
        self, rule: VerdictRule, differences: tuple[float, ...], verdict: Verdict
    ) -> None:
        """The rules kept for comparison; the reason names the rule and there is no evidence."""
        decision = decide(pairs_of(*differences), replace(TERMS, statistic=OnePass(rule=rule)))
        assert (verdict, 0.0) == (decision.verdict, decision.evidence)
        assert f"rule {rule}" in decision.reason

    def test_a_decision_in_whole(self) -> None:
        """Over the scored pairs; the shares of scored pairs are those of both texts together."""
        drawn = [pair(1.0, 0.5), pair(None, 0.5), pair(0.5, None), pair(0.25, 0.5)]
        expected = Decision(
            verdict=Verdict.ACCEPTED, reason="rule strict: mean difference +0.125", pairs=4, evidence=0.0,
            counter_evidence=0.0, effect=0.125, coverage_candidate=0.5, coverage_baseline=0.5,
        )  # fmt: skip
        assert expected == decide(drawn, replace(TERMS, statistic=OnePass(rule=VerdictRule.STRICT)))
        nothing = decide([], replace(TERMS, statistic=OnePass(rule=VerdictRule.OFF)))
        assert ("rule off: nothing scored", 0, None, 1.0, 1.0) == (
            nothing.reason, nothing.pairs, nothing.effect, nothing.coverage_candidate, nothing.coverage_baseline
        )  # fmt: skip


scores = st.none() | st.floats(0, 1)
some_pairs = st.lists(st.builds(pair, scores, scores), max_size=60)
some_terms = st.builds(
    Experiment,
    alpha=st.floats(1e-6, 0.5),
    beta=st.floats(0.001, 0.5),
    statistic=st.builds(Superiority, smallest_effect=st.floats(0.0, 1.0)),
    coverage=st.floats(0, 1),
    max_pairs=st.integers(1, 60),
)


class TestProperties:
    @pytest.mark.slow
    @settings(max_examples=150)
    @given(some_pairs, some_terms)
    def test_every_input_gives_a_decision_with_numbers(self, pairs: list[Pair], terms: Experiment) -> None:
        """No pair of scores or holes makes the gate raise or the evidence something that is not a finite number."""
        decision = decide(pairs, terms)
        assert math.isfinite(decision.evidence) and math.isfinite(decision.counter_evidence)
        assert decision.effect is None or -1 <= decision.effect <= 1
        assert 0 <= decision.coverage_candidate <= 1 and 0 <= decision.coverage_baseline <= 1
        assert decision.pairs <= min(len(pairs), terms.max_pairs)

    @settings(max_examples=100)
    @given(some_pairs, some_terms, st.integers(0, 60))
    def test_a_verdict_rests_on_the_first_pairs_only(self, pairs: list[Pair], terms: Experiment, cut: int) -> None:
        """Once ended at pair n, a decision over more pairs is the same one: looking later or more often changes nothing."""
        early = decide(pairs[:cut], terms)
        if early.verdict is not Verdict.UNDECIDED:
            assert early == decide(pairs, terms)

    @pytest.mark.slow
    @settings(max_examples=100)
    @given(some_pairs, some_terms)
    def test_acceptance_takes_enough_pairs(self, pairs: list[Pair], terms: Experiment) -> None:
        """Never fewer than ln(1/alpha) / ln(1.97)."""
        decision = decide(pairs, terms)
        if decision.verdict is Verdict.ACCEPTED:
            assert decision.pairs >= math.log(1 / terms.alpha) / math.log(1.97) - 1e-9

    @pytest.mark.slow
    @settings(max_examples=100)
    @given(some_pairs, some_terms, st.floats(1, 10))
    def test_milder_terms_never_undo_an_acceptance(self, pairs: list[Pair], terms: Experiment, factor: float) -> None:
        """What crossed at a strict level has crossed at a milder one, at that pair or before."""
        strict = decide(pairs, terms)
        mild = decide(pairs, replace(terms, alpha=min(0.99, terms.alpha * factor)))
        if strict.verdict is Verdict.ACCEPTED:
            assert (Verdict.ACCEPTED, True) == (mild.verdict, mild.pairs <= strict.pairs)

    @pytest.mark.slow
    @settings(max_examples=100)
    @given(some_pairs, some_terms, st.floats(0, 1))
    def test_better_scores_never_undo_an_acceptance(self, pairs: list[Pair], terms: Experiment, more: float) -> None:
        """Raising the candidate's scores keeps it accepted, where the bets are fixed: one that learns may have been
        led to bet more on a pair that it then lost."""
        terms = replace(terms, statistic=replace(terms.statistic, adaptive=False))  # type: ignore[arg-type]
        better = [p if p.candidate is None else replace(p, candidate=min(1.0, p.candidate + more)) for p in pairs]
        before, after = decide(pairs, terms), decide(better, terms)
        if before.verdict is Verdict.ACCEPTED:
            assert Verdict.ACCEPTED is after.verdict

    def test_decisions_are_values(self) -> None:
        """Equal pairs give equal decisions."""
        assert isinstance(decide([], TERMS), Decision) and decide([], TERMS) == decide([], TERMS)


def lossy(chance: np.random.Generator, gain: float, lost: float, count: int = 400) -> list[Pair]:
    """Pairs of a candidate that gains as much on 13 tasks, where each call times out with the same chance."""
    before = chance.uniform(0.3, 0.6, 13)
    tasks = chance.integers(0, 13, count)
    tried, live = chance.random(count) < before[tasks] + gain, chance.random((count, 4)) < before[tasks][:, None]
    gone, missing = chance.random(count) < lost, chance.random((count, 4)) < lost
    return [
        Pair(
            ordinal=n,
            task_id=TaskId("t"),
            candidate=None if gone[n] else float(tried[n]),
            baseline=None if missing[n].any() else float(live[n].mean()),
            baseline_low=float((live[n] & ~missing[n]).mean()),
            baseline_high=float((live[n] | missing[n]).mean()),
        )
        for n in range(count)
    ]


class TestMissingScores:
    def test_a_useful_candidate_is_found_although_some_calls_time_out(self) -> None:
        """One of four baseline rollouts that fails costs a quarter of the pair, not the pair."""
        chance = np.random.default_rng(4)
        found = [decide(lossy(chance, 0.3, 0.06), TERMS).verdict is Verdict.ACCEPTED for _ in range(40)]
        assert sum(found) >= 36

    @pytest.mark.parametrize("gain", [0.0, -0.15])
    def test_timeouts_on_both_sides_help_no_candidate(self, gain: float) -> None:
        """A useless or harmful one crosses no more often than where no call fails."""
        chance = np.random.default_rng(5)
        found = [decide(lossy(chance, gain, 0.06), TERMS).verdict is Verdict.ACCEPTED for _ in range(400)]
        assert sum(found) <= 33

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.integers(0, 1), st.lists(st.sampled_from([0, 1, None]), min_size=4, max_size=4))))
    def test_no_missing_baseline_rollout_is_a_gift(self, drawn: list[tuple[int, list[int | None]]]) -> None:
        """Whatever it would have scored, the evidence for the candidate, and that against it, would be no smaller."""
        for filled in (0, 1):
            known, whole = [], []
            for n, (own, live) in enumerate(drawn):
                scores = [filled if s is None else s for s in live]
                whole.append(pair(own, float(np.mean(scores)), n))
                low, high = (float(np.mean([other if s is None else s for s in live])) for other in (0, 1))
                known.append(
                    replace(whole[-1], baseline=None if None in live else low, baseline_low=low, baseline_high=high)
                )
            seen, full = (scores_of(some) for some in (known, whole))
            assert bool((seen.cautious <= full.cautious + 1e-12).all())
            assert bool((seen.hopeful >= full.hopeful - 1e-12).all())

    def test_coverage_counts_rollouts(self) -> None:
        """One of four that is missing in each pair leaves three quarters."""
        some = replace(pair(1.0, None), baseline_low=0.25, baseline_high=0.5)
        assert 0.75 == decide([some] * 4, TERMS).coverage_baseline
        assert 0.0 == decide([pair(1.0, None)] * 4, TERMS).coverage_baseline


class TestNotMeasured:
    @pytest.mark.parametrize(("own", "live", "said"), [
        (None, 0.0, "could not be measured: 6 of 6 rollouts of the candidate have no score"),
        (1.0, None, "could not be measured: 6 of 6 rollouts of the live text have no score"),
    ])  # fmt: skip
    def test_what_is_hardly_ever_scored_is_closed_early(self, own: float | None, live: float | None, said: str) -> None:
        """Long before its pairs are used up: no later pair could make it known."""
        found = decide([pair(own, live, n) for n in range(30)], replace(TERMS, max_pairs=1_000))
        assert (Verdict.CLOSED, 6) == (found.verdict, found.pairs)
        assert said in found.reason

    def test_a_candidate_whose_failures_become_timeouts_does_not_draw_on_to_the_end(self) -> None:
        """Half of its answers time out: closed after some dozens of pairs, not after 1,000."""
        chance = np.random.default_rng(6)
        ends = []
        for _ in range(40):
            pairs = [replace(p, candidate=p.candidate or None) for p in draw(no_effect, chance, 1_000)]
            ends.append(decide(pairs, replace(TERMS, max_pairs=1_000)))
        assert {Verdict.CLOSED} == {one.verdict for one in ends}
        assert float(np.median([one.pairs for one in ends])) < 100

    def test_a_candidate_that_is_scored_often_enough_is_hardly_ever_closed(self) -> None:
        """Exactly at the floor, 80 %, on both sides: at most in a tenth of lives, however many pairs it draws."""
        chance = np.random.default_rng(7)
        asked = replace(TERMS, alpha=1e-9, beta=0.1, max_pairs=401)
        closed = 0
        for _ in range(200):
            lost = chance.random((400, 2)) < 0.2
            some = [pair(None if a else 0.5, None if b else 0.45, n) for n, (a, b) in enumerate(lost)]
            closed += decide(some, replace(asked, statistic=Superiority(smallest_effect=0.0))).verdict is Verdict.CLOSED
        assert closed <= 30

    def test_one_that_crossed_before_is_accepted(self) -> None:
        """What comes behind the verdict is not looked at."""
        some = [pair(1.0, 0.0, n) for n in range(12)] + [pair(None, 0.0, 12 + n) for n in range(60)]
        assert Verdict.ACCEPTED is decide(some, TERMS).verdict
