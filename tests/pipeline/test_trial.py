"""A candidate's way through the gate: pairs as scheduled, kept, and never drawn twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from sleepd.core.aggregate import Backed
from sleepd.core.errors import NotMeasured
from sleepd.core.gate import Decision, Rule
from sleepd.core.model import CONFIRMING_DRAW, Cause, Edit, EditOp, Split, Task, Verdict
from sleepd.core.ports import Ask, Failure, Model, Reply
from sleepd.core.select import Bundle
from sleepd.models.scripted import FailingAt, ScriptedModel
from sleepd.pipeline.mine import clusters
from sleepd.pipeline.rollout import Bench
from sleepd.pipeline.trial import Gating, Ground, allowance, enter, identity, measure
from sleepd.pipeline.waiting import exhausted, go_on
from sleepd.pipeline.work import Work, find_work
from sleepd.store import proposals, tasks
from sleepd.store.proposals import Trial
from tests.pipeline.world import World, new_skill

OUTAGE = Failure(cause=Cause.NETWORK, message="no route")
GATING = Gating(baseline_samples=2, max_pairs=60)
GOOD = "- Start with the ticket key in square brackets.\n- End with a Tested line that names the command.\n"


def work_of(world: World) -> Work:
    with world.database.reading() as connection:
        everything = tasks.load(connection)
    return find_work(clusters(everything, 2), world.surroundings, new_skill)[0]


def ground_of(world: World) -> Ground:
    work = work_of(world)
    return Ground(target=work.target, base="", tasks=work.usable(Split.VAL))


def bundle(text: str) -> Bundle:
    edit = Edit(op=EditOp.ADD, anchor=None, text=text, reason="")
    return Bundle(backed=(Backed(edit=edit, support=1, rank=0, sessions=("s1", "s2")),))


def entered(world: World, bench: Bench, text: str = GOOD, gating: Gating = GATING) -> tuple[Ground, Trial]:
    ground = ground_of(world)
    return ground, enter(bench, ground, bundle(text), text, gating)


class Breaking:
    """Does one task well without the good rule, and gives it up when a skill text holds the rule."""

    def __init__(self, model: Model, task: Task) -> None:
        self._model, self._task = model, task
        self.key = model.key

    def ask(self, ask: Ask) -> Reply | Failure:
        if self._task.request not in ask.prompt or self._task.accepted is None:
            return self._model.ask(ask)
        ruled = GOOD.splitlines()[0] in ask.system
        return Reply(text="I would rather not." if ruled else self._task.accepted.answer)


class TestEntering:
    def test_an_index_is_given_before_the_first_pair_and_stays(self, world: World) -> None:
        """Entered again it is the same candidate; another text is the next one, at a lower level."""
        bench = world.bench()
        _, first = entered(world, bench)
        _, again = entered(world, bench)
        _, other = entered(world, bench, "- Something else.\n")
        assert (1, 1, 2) == (first.candidate.index, again.candidate.index, other.candidate.index)
        assert other.candidate.alpha < first.candidate.alpha
        assert ("s1", "s2") == again.sessions

    def test_what_the_papers_rules_accept_does_not_raise_the_levels(self, world: World) -> None:
        """Only evidence counts as a discovery in the account."""
        bench = world.bench()
        off = replace(GATING, rule=Rule.OFF)
        ground, trial = entered(world, bench, "- x\n", off)
        assert Verdict.ACCEPTED is measure(bench, ground, trial, off, 99).verdict
        _, second = entered(world, bench)
        with world.database.reading() as connection:
            assert 0 == proposals.acceptances(connection)
        assert second.candidate.alpha == pytest.approx(0.05 * 2**-1.1 / 10.58444846)

    def test_any_change_of_what_is_measured_is_another_candidate(self, world: World) -> None:
        """Promise 6: live text, model, checks, metric, level and number of baseline rollouts are in the identity."""
        ground = ground_of(world)
        text = entered(world, world.bench())[1].candidate.text
        fewer = replace(ground, tasks=ground.tasks[1:])
        unchecked = replace(ground, tasks=(replace(ground.tasks[0], checks=()), *ground.tasks[1:]))
        cases = [
            (world.bench(), ground, GATING),
            (world.bench(ScriptedModel()), ground, GATING),
            (replace(world.bench(), metric="hard"), ground, GATING),  # type: ignore[arg-type]
            (world.bench(), replace(ground, base="- other\n"), GATING),
            (world.bench(), fewer, GATING),
            (world.bench(), unchecked, GATING),
            (world.bench(), ground, replace(GATING, alpha=0.01)),
            (world.bench(), ground, replace(GATING, baseline_samples=4)),
            (world.bench(), ground, replace(GATING, rule=Rule.STRICT)),
        ]
        assert len(cases) == len({identity(b, g, text, gating) for b, g, gating in cases})


class TestMeasuring:
    @pytest.mark.slow
    def test_a_good_text_is_accepted_and_its_pairs_are_kept(self, world: World) -> None:
        """The row says where the gate stands."""
        bench = world.bench()
        ground, trial = entered(world, bench)
        decision = measure(bench, ground, trial, GATING, 60)
        (row,) = world.rows("candidates")
        assert (Verdict.ACCEPTED, "accepted", decision.evidence) == (decision.verdict, row["verdict"], row["evidence"])
        scheduled = [p for p in world.rows("pairs") if int(str(p["draw"])) < CONFIRMING_DRAW]
        assert decision.pairs <= len(scheduled) < decision.pairs + 16

    def test_before_it_is_accepted_each_task_is_looked_at(self, world: World) -> None:
        """Tasks that the schedule drew too seldom until the crossing are drawn again, each with a fresh rollout."""
        bench = world.bench()
        ground, trial = entered(world, bench)
        decision = measure(bench, ground, trial, GATING, 60)
        counts = Counter(p["task_id"] for p in world.rows("pairs"))
        assert len(ground.tasks) == len(counts)
        assert GATING.confirming.least <= min(counts.values())
        assert f"none of {len(ground.tasks)} tasks got worse" in decision.reason

    def test_a_text_that_breaks_one_task_is_rejected(self, world: World) -> None:
        """However much better it is on the others: a rule that wins by the mean may lose a task for good."""
        victim = ground_of(world).tasks[0].task
        bench = replace(world.bench(), model=Breaking(world.model, victim))
        patient = replace(GATING, max_pairs=400)
        ground, trial = entered(world, bench, gating=patient)
        decision = measure(bench, ground, trial, patient, 500)
        assert (Verdict.REJECTED, True) == (decision.verdict, "1 of 9 tasks got worse" in decision.reason)

    @pytest.mark.slow
    def test_in_pieces_it_comes_to_the_same_verdict(self, world: World) -> None:
        """Over several nights: the schedule goes on where it stopped, nights are counted, no draw is made twice."""
        decisions: list[Decision] = []
        for n in range(30):
            bench = world.bench(night=f"n{n}")
            ground, trial = entered(world, bench)
            decisions.append(measure(bench, ground, trial, GATING, 3))
            if decisions[-1].verdict is not Verdict.UNDECIDED:
                break
        pairs, (row,) = world.rows("pairs", "night_id"), world.rows("candidates")
        draws = sorted(int(str(p["draw"])) for p in pairs)
        first = sum(draw < CONFIRMING_DRAW for draw in draws)
        assert [*range(first), *range(CONFIRMING_DRAW, CONFIRMING_DRAW + len(draws) - first)] == draws
        assert len(decisions) == row["nights"]
        whole = world.bench()
        with world.database.writing() as connection:
            connection.exec_driver_sql("DELETE FROM pairs")
        ground, trial = entered(world, whole)
        again = measure(whole, ground, trial, GATING, 60)
        assert (decisions[-1].verdict, decisions[-1].pairs) == (again.verdict, again.pairs)

    def test_an_outage_at_any_call_leads_to_the_same_pairs(self, world: World) -> None:
        """The budget is tonight's, so a rerun draws no more than the undisturbed night would have."""
        bench = world.bench()
        ground, trial = entered(world, bench, "- Start with the ticket key in square brackets.\n")
        measure(bench, ground, trial, GATING, 10)
        expected = world.rows("pairs"), world.rows("candidates")
        for n in (1, 7, 16, 29, 30):
            with world.database.writing() as connection:
                for table in ("pairs", "rollouts", "candidates"):
                    connection.exec_driver_sql(f"DELETE FROM {table}")
            failing = world.bench(FailingAt(world.model, n, OUTAGE))
            ground, trial = entered(world, failing, "- Start with the ticket key in square brackets.\n")
            with pytest.raises(NotMeasured):
                measure(failing, ground, trial, GATING, 10)
            assert [] == [p for p in world.rows("pairs") if p["candidate"] is None]
            measure(bench, ground, trial, GATING, 10)
            assert (n, *expected) == (n, world.rows("pairs"), world.rows("candidates"))

    def test_a_failure_of_the_text_is_a_pair_without_a_score(self, world: World) -> None:
        """Promise 3: not left out, and not zero."""

        class TimesOutUnderTheCandidate:
            key = "timeouts"

            def ask(self, ask: Ask) -> Reply | Failure:
                under = "ticket key" in ask.system
                return Failure(cause=Cause.TIMEOUT, message="60 s") if under else Reply(text="fine")

        bench = world.bench(TimesOutUnderTheCandidate())
        ground, trial = entered(world, bench)
        decision = measure(bench, ground, trial, GATING, 20)
        assert {None} == {p["candidate"] for p in world.rows("pairs")}
        assert all(p["baseline"] is not None for p in world.rows("pairs"))
        assert (Verdict.UNDECIDED, 0.0) == (decision.verdict, decision.coverage_candidate)

    def test_a_baseline_with_a_hole_is_a_hole(self, world: World) -> None:
        """A mean over the scored ones alone would choose among the rollouts."""

        class TimesOutNowAndThen:
            key = "odd"

            def ask(self, ask: Ask) -> Reply | Failure:
                return Failure(cause=Cause.TIMEOUT, message="60 s") if ask.sample % 2 else Reply(text="fine")

        bench = world.bench(TimesOutNowAndThen())
        ground, trial = entered(world, bench)
        measure(bench, ground, trial, GATING, 6)
        assert {None} == {p["baseline"] for p in world.rows("pairs")}

    def test_a_lowered_limit_closes_what_waited_beyond_it(self, world: World) -> None:
        """The verdict is written down although nothing new was drawn."""
        bench = world.bench(ScriptedModel(otherwise="fine"))
        ground, trial = entered(world, bench)
        measure(bench, ground, trial, GATING, 12)
        assert "undecided" == world.rows("candidates")[0]["verdict"]
        measure(bench, ground, trial, replace(GATING, max_pairs=5), 12)
        assert "closed" == world.rows("candidates")[0]["verdict"]

    @pytest.mark.parametrize("rule", [Rule.STRICT, Rule.OFF])
    def test_the_papers_rules_look_once_at_one_pass(self, world: World, rule: Rule) -> None:
        """Every validation task once, whatever the budget; a rerun after an outage sees the whole pass as well."""
        gating = replace(GATING, rule=rule)
        failing = world.bench(FailingAt(world.model, 9, OUTAGE))
        ground, trial = entered(world, failing, gating=gating)
        with pytest.raises(NotMeasured):
            measure(failing, ground, trial, gating, 99)
        assert ([], "undecided") == (world.rows("pairs"), world.rows("candidates")[0]["verdict"])
        decision = measure(world.bench(), ground, trial, gating, 99)
        assert len(ground.tasks) == decision.pairs == len(world.rows("pairs"))
        assert Verdict.ACCEPTED is decision.verdict


def test_a_rerun_does_not_take_tonights_own_failures_for_the_end(world: World) -> None:
    """Two nights of rejected tries end the work for later nights, not for the night that made them and was killed."""
    model = ScriptedModel(otherwise="fine")
    for night, text in (("n1", "- x\n"), ("n2", "- y\n")):
        bench = world.bench(model, night=night)
        ground, trial = entered(world, bench, text)
        measure(bench, ground, trial, replace(GATING, max_pairs=2), 2)
    work = work_of(world)
    assert not exhausted(world.bench(model, night="n2"), work, GATING)
    assert exhausted(world.bench(model, night="n3"), work, GATING)


def test_a_candidate_may_draw_what_it_drew_and_what_nobody_did(world: World) -> None:
    """A rerun gives each what the undisturbed night would have given it."""
    bench = world.bench(ScriptedModel(otherwise="fine"))
    ground, one = entered(world, bench)
    assert 10 == allowance(bench, ground, one.candidate.id, 10)
    measure(bench, ground, one, GATING, 4)
    _, other = entered(world, bench, "- Something else.\n")
    assert (10, 6) == (allowance(bench, ground, one.candidate.id, 10), allowance(bench, ground, other.candidate.id, 10))
    measure(bench, ground, other, GATING, 6)
    assert (4, 6) == (allowance(bench, ground, one.candidate.id, 10), allowance(bench, ground, other.candidate.id, 10))
    assert 10 == allowance(world.bench(night="n2"), ground, other.candidate.id, 10)


def test_a_candidate_is_judged_on_the_newest_tasks(world: World) -> None:
    """At most so many, since each is looked at; a waiting one goes on with those it began with."""
    work = work_of(world)
    assert work.usable(Split.VAL)[-5:] == work.judging(5)
    assert work.usable(Split.VAL) == work.judging(1_000)
    ground = replace(ground_of(world), tasks=work.judging(5))
    bench = world.bench(night="n1")
    trial = enter(bench, ground, bundle(GOOD), GOOD, GATING)
    measure(bench, ground, trial, GATING, 4)
    more = replace(GATING, pairs_per_night=40, waiting_share=1.0, validation_tasks=7)
    (went_on,) = go_on(world.bench(night="n2"), ground_of(world), more)
    assert (trial.candidate.id, 5) == (went_on.candidate.id, len(went_on.candidate.tasks))
    assert {p["task_id"] for p in world.rows("pairs")} <= set(trial.candidate.tasks)
