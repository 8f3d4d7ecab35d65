"""A description is judged by what it loads for, and by what it leaves alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleepd.core import edit, evidence, experiment
from sleepd.core.errors import UsageError
from sleepd.core.evidence import scores_of
from sleepd.core.experiment import Decision, Experiment, NonInferiority, TriggerAccuracy
from sleepd.core.model import Pair, TaskId, Verdict
from sleepd.core.trigger import Loads, Side, described, description_of, loaded, words

MARGIN = 0.05
TERMS = Experiment(alpha=0.05, statistic=TriggerAccuracy(margin=MARGIN), max_pairs=800)
LIVES = 400
MOST_FALSE = 36
"""Of 400 descriptions that must not be accepted, at a level of 0.05: 99.9 % of the time at most so many are."""
NOT_WORSE = Experiment(alpha=1e-12, beta=1e-12, statistic=NonInferiority(margin=MARGIN))
REQUESTS = {TaskId(f"{side}{n}"): side for side in Side for n in range(15)}


def pairs_of(chance: np.random.Generator, rates: tuple[float, float, float, float], count: int = 800) -> list[Pair]:
    """Draws of requests; `rates` are those of the right choice: wanted before and after, others before and after."""
    wanted, wanted_after, others, others_after = rates
    names = list(REQUESTS)
    drawn = []
    for number, place in enumerate(chance.integers(0, len(names), count)):
        mine = REQUESTS[names[place]] is Side.WANTED
        before, after = (wanted, wanted_after) if mine else (others, others_after)
        hit, base = float(chance.random() < after), chance.binomial(4, before) / 4
        drawn.append(Pair(ordinal=number, task_id=names[place], candidate=hit, baseline=base))
    return drawn


def decide(pairs: Sequence[Pair], sides: Mapping[TaskId, Side], asked: Experiment) -> Decision:
    own = [replace(p, own=sides[p.task_id] is Side.WANTED) for p in pairs]
    return experiment.decide(asked, scores_of(own))


def accepted(rates: tuple[float, float, float, float]) -> int:
    chance = np.random.default_rng(1)
    return sum(Verdict.ACCEPTED is decide(pairs_of(chance, rates), REQUESTS, TERMS).verdict for _ in range(LIVES))


def decided(*rates: float) -> Decision:
    return decide(pairs_of(np.random.default_rng(2), rates), REQUESTS, TERMS)  # type: ignore[arg-type]


class TestTheGate:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        "rates",
        [
            (0.7, 0.7, 0.95, 0.95),
            (0.6, 0.95, 0.95, 0.90),
            (0.95, 0.90, 0.5, 0.95),
            (0.5, 0.4, 0.5, 0.6),
        ],
        ids=["better in neither", "loads for others too", "loads less", "as much lost as gained"],
    )
    def test_what_is_worse_one_way_or_better_in_none_is_accepted_at_most_at_its_level(
        self, rates: tuple[float, float, float, float]
    ) -> None:
        """However much it gains the other way, and whatever the number of looks."""
        assert accepted(rates) <= MOST_FALSE

    def test_better_for_its_own_requests_and_not_worse_for_others_is_accepted(self) -> None:
        """And the other way round."""
        assert Verdict.ACCEPTED is decided(0.5, 0.98, 1.0, 1.0).verdict
        assert Verdict.ACCEPTED is decided(1.0, 1.0, 0.6, 0.99).verdict

    def test_a_loss_is_found_soon(self) -> None:
        """Before all pairs are used up; the reason names what was asked."""
        for rates in ((0.9, 0.5, 1.0, 1.0), (1.0, 1.0, 1.0, 0.6), (0.9, 0.9, 0.9, 0.9)):
            decision = decided(*rates)
            assert (Verdict.REJECTED, True) == (decision.verdict, decision.pairs < 300)
        assert "worse by 0.05" in decision.reason

    @pytest.mark.parametrize("side", list(Side))
    def test_a_loss_on_one_side_is_rejected_at_a_quarter_of_the_level(self, side: Side) -> None:
        """Three bets share `beta`: its half for harm is halved again, since either side may be the one that falls."""
        alone = evidence.log_wealth(np.full(20, (1 - MARGIN) / (1 + MARGIN)))
        enough = 1 + int(np.argmax(alone >= np.log(4 / TERMS.beta)))
        assert enough > 1 + int(np.argmax(alone >= np.log(2 / TERMS.beta))), "the case must tell the shares apart"
        lost = [Pair(ordinal=n, task_id=TaskId(f"{side}0"), candidate=0.0, baseline=1.0) for n in range(20)]
        assert Verdict.UNDECIDED is decide(lost[: enough - 1], REQUESTS, TERMS).verdict
        decision = decide(lost, REQUESTS, TERMS)
        assert (Verdict.REJECTED, enough) == (decision.verdict, decision.pairs)
        assert pytest.approx(alone[enough - 1] - np.log(4)) == decision.counter_evidence

    def test_what_is_of_no_use_is_rejected_at_half_of_the_level(self) -> None:
        """The other half; both sides must have shown that they did not rise."""
        alone = evidence.log_wealth(np.full(200, 0.10))
        enough = 2 * (1 + int(np.argmax(alone >= np.log(2 / TERMS.beta))))
        assert enough > 2 * (1 + int(np.argmax(alone >= np.log(1 / TERMS.beta)))), "the case must tell the shares apart"
        same = [
            Pair(ordinal=n, task_id=TaskId(f"{(Side.WANTED, Side.OTHER)[n % 2]}0"), candidate=1.0, baseline=1.0)
            for n in range(400)
        ]
        decision = decide(same, REQUESTS, TERMS)
        assert (Verdict.REJECTED, enough) == (decision.verdict, decision.pairs)
        assert pytest.approx(alone[enough // 2 - 1] - np.log(2)) == decision.counter_evidence

    def test_unreadable_answers_are_no_gift(self) -> None:
        """A description that makes the agent answer something else does not win by the answers that are left."""
        good = pairs_of(np.random.default_rng(3), (0.5, 0.98, 1.0, 1.0))
        lost = [p if p.ordinal % 2 else replace(p, candidate=None, baseline=1.0) for p in good]
        assert Verdict.ACCEPTED is not decide(lost, REQUESTS, TERMS).verdict

    def test_no_pair_is_no_verdict(self) -> None:
        """And the evidence of one side alone never suffices."""
        assert Verdict.UNDECIDED is decide([], REQUESTS, TERMS).verdict
        mine = [p for p in pairs_of(np.random.default_rng(4), (0.0, 1.0, 1.0, 1.0)) if p.task_id.startswith("wanted")]
        assert Verdict.UNDECIDED is decide(mine, REQUESTS, TERMS).verdict

    @pytest.mark.slow
    @given(st.lists(st.tuples(st.sampled_from(list(REQUESTS)), st.floats(0, 1), st.floats(0, 1)), max_size=40))
    def test_evidence_is_never_more_than_that_of_its_weakest_bet(
        self, drawn: list[tuple[TaskId, float, float]]
    ) -> None:
        """So no gain on one side makes up for the other."""
        pairs = [Pair(ordinal=n, task_id=t, candidate=c, baseline=b) for n, (t, c, b) in enumerate(drawn)]
        decision = decide(pairs, REQUESTS, TERMS)
        assert math.isfinite(decision.evidence)
        for side in Side:
            own = [p for p in pairs[: decision.pairs] if REQUESTS[p.task_id] is side]
            alone = experiment.decide(NOT_WORSE, scores_of(own)).evidence if own else 0.0
            assert decision.evidence <= alone + 1e-9

    def test_the_gain_is_that_of_one_side_or_the_other(self) -> None:
        """With a wide margin both shares are held at once; then the mean of the two sides' bets on a gain decides."""
        asked = replace(TERMS, statistic=TriggerAccuracy(margin=0.9))
        drawn = [
            Pair(ordinal=n, task_id=TaskId(f"{(Side.WANTED, Side.OTHER)[n % 2]}0"), candidate=0.6, baseline=0.5)
            for n in range(20)
        ]
        alone = evidence.log_wealth(np.full(10, 0.1))[-1]
        decision = decide(drawn, REQUESTS, asked)
        assert (Verdict.UNDECIDED, 20) == (decision.verdict, decision.pairs)
        assert pytest.approx(alone) == decision.evidence
        assert pytest.approx(0.1) == decision.effect

    def test_a_decision_says_what_it_rests_on(self) -> None:
        """Over the requests looked at: the mean difference of the scored ones, and the shares that were scored."""
        sides = [Pair(ordinal=n, task_id=TaskId("wanted0"), candidate=c, baseline=b)
                 for n, (c, b) in enumerate([(1.0, 0.5), (None, 0.5), (0.5, 0.25), (1.0, None)])]  # fmt: skip
        decision = decide(sides, REQUESTS, replace(TERMS, max_pairs=4))
        assert (Verdict.CLOSED, "4 requests used up without a decision") == (decision.verdict, decision.reason)
        assert (4, 0.375, 0.75, 0.75) == (
            decision.pairs, decision.effect, decision.coverage_candidate, decision.coverage_baseline
        )  # fmt: skip
        assert "3 requests so far; goes on in a later night" == decide(sides[:3], REQUESTS, TERMS).reason


class TestAnswers:
    @pytest.mark.parametrize(
        ("answer", "names"),
        [
            ('{"load": ["a"]}', {"a"}),
            (' {"load": []}\n', set()),
            ('```json\n{"load": ["a", "b"]}\n```', {"a", "b"}),
        ],
    )
    def test_what_was_asked_for_is_read(self, answer: str, names: set[str]) -> None:
        """Also inside a fence."""
        assert frozenset(names) == loaded(answer, {"a", "b"})

    @pytest.mark.parametrize(
        "answer",
        [
            "",
            "a",
            "I would load a.",
            'Sure: {"load": ["a"]}',
            '{"load": "a"}',
            '{"load": ["c"]}',
            '{"load": [1]}',
            '{"load": ["a"], "why": "it fits"}',
            '["a"]',
            '{"load": ["a"]',
            "[" * 100_000,
            "null",
        ],
    )
    def test_anything_else_is_unreadable(self, answer: str) -> None:
        """Never taken for a choice."""
        assert loaded(answer, {"a", "b"}) is None


class TestDescriptions:
    @pytest.mark.parametrize("ending", ["\n", "\r\n"])
    def test_one_line_changes_and_no_other_byte(self, ending: str) -> None:
        """With quotes, a byte order mark and the user's own fields around it."""
        text = f'\ufeff---\nname: x\ndescription: "old: \\"one\\""\nlicense: MIT\n---\n# Mine\n{edit.Region.LEARNT.opening}\n'
        text = text.replace("\n", ending)
        assert 'old: "one"' == description_of(text)
        changed = described(text, 'new: "two" – ü')
        assert changed is not None
        assert 'new: "two" – ü' == description_of(changed)
        before, after = text.split(ending), changed.split(ending)
        assert [n for n, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [2]

    @pytest.mark.parametrize(
        ("value", "expected"), [("plain X", "plain X"), ("'in quotes'", "in quotes"), ("X", "X"), ("a#b", "a#b")]
    )
    def test_a_value_without_double_quotes_is_read(self, value: str, expected: str) -> None:
        """As it stands, or between single quotes."""
        assert expected == description_of(f"---\ndescription: {value}\n---\n")

    def test_what_a_new_skill_is_made_with_is_read_again(self) -> None:
        """As `edit.new_skill` writes it."""
        assert "Say \\ when: [it] 'fits' #1" == description_of(edit.new_skill("x", "Say \\ when: [it] 'fits' #1"))

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "# no frontmatter\ndescription: x\n",
            "---\nname: x\n---\ndescription: x\n",
            "---\ndescription: >\n  folded\n---\n",
            "---\ndescription: one\n  two\n---\n",
            "---\ndescription: one\n\ttwo\n---\n",
            "---\ndescription: a\ndescription: b\n---\n",
            '---\ndescription: "half\n---\n',
            "---\ndescription: \n---\n",
            "---\ndescription: x",
        ],
    )
    def test_other_forms_are_left_alone(self, text: str) -> None:
        """A description that is not one line is not guessed at."""
        assert description_of(text) is None
        assert described(text, "new") is None

    @pytest.mark.parametrize(
        "description", ["", " ", "a\nb", "x" * 1_100, "use <b>this</b>", "hid\u200bden", "tab\tbed", "\ud800"]
    )
    def test_a_description_that_is_none_is_refused(self, description: str) -> None:
        """Markup, more lines, 1,100 characters, characters that do not show."""
        with pytest.raises(UsageError, match="skill description"):
            described("---\ndescription: x\n---\n", description)


def test_words_and_shares() -> None:
    """In the words of the proposal."""
    seen = Loads(wanted=20, loaded_wanted=18, others=20, loaded_others=2, unscored=1)
    assert 0.9 == seen.recall
    assert "loads for 18 of 20 of these requests, for 2 of 20 others (1 unreadable)" == words(seen)
    assert Loads(wanted=0, loaded_wanted=0, others=0, loaded_others=0).recall is None
