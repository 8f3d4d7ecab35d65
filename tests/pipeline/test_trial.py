"""A candidate's way through the gate: pairs as scheduled, kept, and never drawn twice."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from sleepd.core.aggregate import Backed
from sleepd.core.check import Check, check_of
from sleepd.core.errors import NotMeasured
from sleepd.core.evidence import Given, Scores, adaptive_wealth, log_wealth
from sleepd.core.experiment import Decision, VerdictRule
from sleepd.core.model import Cause, CheckKind, Edit, EditOp, Pair, Split, Task, Verdict
from sleepd.core.ports import Ask, Failure, Model, Reply
from sleepd.core.select import Bundle
from sleepd.host.account import Account
from sleepd.models.scripted import FailingAt, ScriptedModel
from sleepd.pipeline import trial as trials
from sleepd.pipeline.mine import kinds_of_work
from sleepd.pipeline.rollout import RunContext, drive
from sleepd.pipeline.trial import Comparison, GateTerms, allowance, enter, identity, text_arms, text_claim
from sleepd.pipeline.waiting import exhausted, go_on
from sleepd.pipeline.work import Work, find_work
from sleepd.store import proposals, tasks
from sleepd.store.proposals import Trial
from tests.pipeline.world import World, new_skill

OUTAGE = Failure(cause=Cause.NETWORK, message="no route")
GATING = GateTerms(baseline_samples=2, max_pairs=60)
SEEN = (1.0, 0.0, 1.0, 1.0, 0.5, 1.0)
GOOD = "- Start with the ticket key in square brackets.\n- End with a Tested line that names the command.\n"


def work_of(world: World) -> Work:
    with world.database.reading() as connection:
        everything = tasks.load(connection)
    return find_work(kinds_of_work(everything, 2), world.surroundings, new_skill)[0]


def comparison_of(world: World) -> Comparison:
    work = work_of(world)
    return Comparison(target=work.target, base="", tasks=work.usable(Split.VAL))


def bundle(text: str) -> Bundle:
    edit = Edit(op=EditOp.ADD, anchor=None, text=text, reason="")
    return Bundle(backed=(Backed(edit=edit, support=1, rank=0, sessions=("s1", "s2")),))


def entered(world: World, ctx: RunContext, text: str = GOOD, gate: GateTerms = GATING) -> tuple[Comparison, Trial]:
    comparison = comparison_of(world)
    return comparison, enter(ctx, comparison, text_claim(ctx, comparison, bundle(text), text), gate)


def measure(ctx: RunContext, comparison: Comparison, trial: Trial, gate: GateTerms, budget: int) -> Decision:
    return drive(ctx, trials.measure(ctx, text_arms(ctx, comparison, trial.candidate), trial, gate, budget)).decision


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


class Settled:
    """Answers the same request under the same text always alike."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self.key = model.key

    def ask(self, ask: Ask) -> Reply | Failure:
        return self._model.ask(replace(ask, sample=0))


class TestEntering:
    def test_an_index_is_given_before_the_first_pair_and_stays(self, world: World) -> None:
        """Entered again it is the same candidate; another text is the next one, at a lower level."""
        ctx = world.ctx()
        _, first = entered(world, ctx)
        _, again = entered(world, ctx)
        _, other = entered(world, ctx, "- Something else.\n")
        assert (1, 1, 2) == (first.candidate.index, again.candidate.index, other.candidate.index)
        assert other.candidate.alpha < first.candidate.alpha
        assert ("s1", "s2") == again.sessions

    def test_another_database_goes_on_with_the_account(self, world: World, tmp_path: Path) -> None:
        """A new database, a restored backup or that of a training run: the index goes on, and the level is lower."""
        account = Account(file=tmp_path / "account.json")
        ctx = replace(world.ctx(), account=account)
        _, first = entered(world, ctx)
        _, again = entered(world, ctx)
        assert (1, 1, 1) == (first.candidate.index, again.candidate.index, account.given().candidates)
        with world.database.writing() as connection:
            connection.exec_driver_sql("DELETE FROM candidates")
        with world.database.reading() as connection:
            assert 2 == ctx.next_place(proposals.given(connection)).index
        _, second = entered(world, ctx, "- Something else.\n")
        assert (2, 2) == (second.candidate.index, account.given().candidates)
        assert second.candidate.alpha < first.candidate.alpha

    def test_what_the_person_put_into_words_has_a_part_of_their_share(self, world: World, tmp_path: Path) -> None:
        """Also after another candidate, and after its database was put back from a backup: no part is given twice."""
        ctx = replace(world.ctx(), account=Account(file=tmp_path / "account.json"))
        comparison, _ = entered(world, ctx, "- Something else.\n")
        levels = []
        for text in (GOOD, "- Another one.\n"):
            claim = text_claim(ctx, comparison, replace(bundle(text), stated=True), text)
            levels.append(enter(ctx, comparison, claim, GATING).candidate)
            with world.database.writing() as connection:
                connection.exec_driver_sql("DELETE FROM candidates")
        assert [(2, 1), (3, 2)] == [(one.index, one.stated) for one in levels]
        own = [0.025 * (t**-1.1 / 10.58444846 + j**-1.5 / 2.61237535) for t, j in ((2, 1), (3, 2))]
        assert own == pytest.approx([one.alpha for one in levels])

    def test_a_candidate_of_an_earlier_version_goes_on_with_its_bets(self, world: World) -> None:
        """Its pairs were seen, so no other bet may be made on them; a new one has a bet that learns."""
        ctx = world.ctx()
        comparison, trial = entered(world, ctx)
        pairs = [
            Pair(ordinal=n, task_id=comparison.tasks[0].task.id, candidate=c, baseline=0.5) for n, c in enumerate(SEEN)
        ]
        with world.database.writing() as connection:
            proposals.save_pairs(connection, trial.candidate.id, pairs, ctx.run)
            connection.exec_driver_sql("UPDATE candidates SET stated = NULL")
        with world.database.reading() as connection:
            earlier = proposals.trial(connection, trial.candidate.id)
            assert Given(candidates=1, unshared=1) == proposals.given(connection)
        scores = Scores.of(SEEN, [0.5] * len(SEEN))
        for one, bet in ((trial, adaptive_wealth), (earlier, log_wealth)):
            measure(ctx, comparison, one, GATING, len(SEEN))
            assert bet(scores.cautious)[-1] == pytest.approx(float(str(world.rows("candidates")[0]["evidence"])))

    def test_what_the_papers_rules_accept_does_not_raise_the_levels(self, world: World) -> None:
        """Only evidence counts as a discovery in the account."""
        ctx = world.ctx()
        off = replace(GATING, rule=VerdictRule.OFF)
        comparison, trial = entered(world, ctx, "- x\n", off)
        assert Verdict.ACCEPTED is measure(ctx, comparison, trial, off, 99).verdict
        _, second = entered(world, ctx)
        with world.database.reading() as connection:
            assert 0 == proposals.acceptances(connection)
        assert second.candidate.alpha == pytest.approx(0.025 * 2**-1.1 / 10.58444846)

    def test_any_change_of_what_is_measured_is_another_candidate(self, world: World) -> None:
        """Promise 6: live text, model, checks, metric, level and number of baseline rollouts are in the identity."""
        comparison = comparison_of(world)
        fewer = replace(comparison, tasks=comparison.tasks[1:])
        unchecked = replace(comparison, tasks=(replace(comparison.tasks[0], checks=()), *comparison.tasks[1:]))
        cases = [
            (world.ctx(), comparison, GATING),
            (world.ctx(ScriptedModel()), comparison, GATING),
            (replace(world.ctx(), metric="hard"), comparison, GATING),  # type: ignore[arg-type]
            (world.ctx(), replace(comparison, base="- other\n"), GATING),
            (world.ctx(), fewer, GATING),
            (world.ctx(), unchecked, GATING),
            (world.ctx(), comparison, replace(GATING, alpha=0.01)),
            (world.ctx(), comparison, replace(GATING, baseline_samples=4)),
            (world.ctx(), comparison, replace(GATING, rule=VerdictRule.STRICT)),
        ]
        claims = [(c, on, text_claim(c, on, bundle(GOOD), GOOD), gate) for c, on, gate in cases]
        assert len(cases) == len({identity(*claim) for claim in claims})


class TestMeasuring:
    @pytest.mark.slow
    def test_a_good_text_is_accepted_and_its_pairs_are_kept(self, world: World) -> None:
        """The row says where the gate stands."""
        ctx = world.ctx()
        comparison, trial = entered(world, ctx)
        decision = measure(ctx, comparison, trial, GATING, 60)
        (row,) = world.rows("candidates")
        assert (Verdict.ACCEPTED, "accepted", decision.evidence) == (decision.verdict, row["verdict"], row["evidence"])
        scheduled = [p for p in world.rows("pairs") if p["purpose"] == "candidate"]
        assert decision.pairs <= len(scheduled) <= decision.pairs + 2 * trials.ROUND

    def test_before_it_is_accepted_each_task_is_looked_at(self, world: World) -> None:
        """Tasks that the schedule drew too seldom until the crossing are drawn again, each with a fresh rollout."""
        ctx = world.ctx()
        comparison, trial = entered(world, ctx)
        decision = measure(ctx, comparison, trial, GATING, 60)
        counts = Counter(p["task_id"] for p in world.rows("pairs"))
        assert len(comparison.tasks) == len(counts)
        assert GATING.confirmation.least <= min(counts.values())
        assert f"none of {len(comparison.tasks)} tasks got worse" in decision.reason

    def test_no_rollout_of_the_candidate_is_used_twice(self, world: World) -> None:
        """Not in the look at each task either: one that was drawn behind the crossing is older than the baseline there."""
        ctx = world.ctx()
        comparison, trial = entered(world, ctx)
        decision = measure(ctx, comparison, trial, GATING, 60)
        scheduled = [p for p in world.rows("pairs") if p["purpose"] == "candidate"]
        assert Verdict.ACCEPTED is decision.verdict and decision.pairs < len(scheduled) < len(world.rows("pairs"))
        made = [r for r in world.rows("rollouts") if r["purpose"] == "candidate"]
        assert len(world.rows("pairs")) == len(made)

    @pytest.mark.parametrize("workers", [2, 16])
    def test_the_number_of_workers_changes_no_row(self, world: World, workers: int) -> None:
        """Which round is begun follows from the pairs that were looked at, not from the replies that are there."""
        model = Settled(world.model)
        for ctx in (world.ctx(model), world.ctx(model, workers=workers)):
            with world.database.writing() as connection:
                for table in ("pairs", "rollouts", "candidates"):
                    connection.exec_driver_sql(f"DELETE FROM {table}")
            comparison, trial = entered(world, ctx)
            measure(ctx, comparison, trial, GATING, 60)
            if ctx.workers == 1:
                expected = [world.rows(table) for table in ("pairs", "rollouts", "candidates")]
        assert expected == [world.rows(table) for table in ("pairs", "rollouts", "candidates")]

    def test_a_text_that_breaks_one_task_is_rejected(self, world: World) -> None:
        """However much better it is on the others: a rule that wins by the mean may lose a task for good."""
        victim = comparison_of(world).tasks[0].task
        ctx = replace(world.ctx(), model=Breaking(world.model, victim))
        patient = replace(GATING, max_pairs=400)
        comparison, trial = entered(world, ctx, gate=patient)
        decision = measure(ctx, comparison, trial, patient, 500)
        assert (Verdict.REJECTED, True) == (decision.verdict, "1 of 9 tasks got worse" in decision.reason)

    @pytest.mark.slow
    def test_in_pieces_it_comes_to_the_same_verdict(self, world: World) -> None:
        """Over several nights: the schedule goes on where it stopped, nights are counted, no draw is made twice."""
        decisions: list[Decision] = []
        model = Settled(world.model)
        for n in range(30):
            ctx = world.ctx(model, night=f"n{n}")
            comparison, trial = entered(world, ctx)
            decisions.append(measure(ctx, comparison, trial, GATING, 3))
            if decisions[-1].verdict is not Verdict.UNDECIDED:
                break
        pairs, (row,) = world.rows("pairs", "run_id"), world.rows("candidates")
        for purpose in ("candidate", "confirmation"):
            drawn = sorted(int(str(p["ordinal"])) for p in pairs if p["purpose"] == purpose)
            assert list(range(len(drawn))) == drawn
        assert len(decisions) == row["nights"]
        whole = world.ctx(model)
        with world.database.writing() as connection:
            connection.exec_driver_sql("DELETE FROM pairs")
        comparison, trial = entered(world, whole)
        again = measure(whole, comparison, trial, GATING, 90)
        assert (decisions[-1].verdict, decisions[-1].pairs) == (again.verdict, again.pairs)

    def test_an_outage_at_any_call_leads_to_the_same_pairs(self, world: World) -> None:
        """The budget is tonight's, so a rerun draws no more than the undisturbed night would have."""
        ctx = world.ctx()
        comparison, trial = entered(world, ctx, "- Start with the ticket key in square brackets.\n")
        measure(ctx, comparison, trial, GATING, 10)
        expected = world.rows("pairs"), world.rows("candidates")
        for n in (1, 7, 16, 29, 30):
            with world.database.writing() as connection:
                for table in ("pairs", "rollouts", "candidates"):
                    connection.exec_driver_sql(f"DELETE FROM {table}")
            failing = world.ctx(FailingAt(world.model, n, OUTAGE))
            comparison, trial = entered(world, failing, "- Start with the ticket key in square brackets.\n")
            with pytest.raises(NotMeasured):
                measure(failing, comparison, trial, GATING, 10)
            assert [] == [p for p in world.rows("pairs") if p["candidate"] is None]
            measure(ctx, comparison, trial, GATING, 10)
            assert (n, *expected) == (n, world.rows("pairs"), world.rows("candidates"))

    def test_a_pair_is_made_of_rollouts_of_its_own_night(self, world: World) -> None:
        """Also one that an earlier night left half done: both of its sides are drawn again (promise 6)."""
        failing = world.ctx(FailingAt(world.model, 10, OUTAGE), night="n1")
        comparison, trial = entered(world, failing, "- x\n")
        with pytest.raises(NotMeasured):
            measure(failing, comparison, trial, GATING, 20)
        half = {r["ordinal"] for r in world.rows("rollouts") if r["purpose"] == "candidate"}
        assert half and [] == world.rows("pairs")
        for night in ("n2", "n3"):
            measure(world.ctx(night=night), comparison, trial, GATING, 20)
        drawn = Counter(str(p["run_id"]) for p in world.rows("pairs"))
        assert {"n2", "n3"} == set(drawn)
        rows = world.rows("rollouts")
        assert all(r["night"] == r["run_id"] for r in rows)
        for night, pairs in drawn.items():
            made = Counter(str(r["purpose"]) for r in rows if r["run_id"] == night)
            assert {"candidate": pairs, "baseline": 2 * pairs} == made

    def test_another_candidate_of_the_night_has_baseline_rollouts_of_its_own(self, world: World) -> None:
        """A model may answer otherwise an hour later: each candidate's are made together with its own rollouts."""
        ctx = world.ctx(ScriptedModel(otherwise="fine"))
        for text in ("- x\n", "- y\n"):
            comparison, trial = entered(world, ctx, text)
            measure(ctx, comparison, trial, GATING, 8)
        live = [r for r in world.rows("rollouts") if r["purpose"] == "baseline"]
        assert {1: 16, 2: 16} == Counter(r["series"] for r in live)

    def test_a_failure_of_the_text_is_a_pair_without_a_score(self, world: World) -> None:
        """Promise 3: not left out, and not zero."""

        class TimesOutUnderTheCandidate:
            key = "timeouts"

            def ask(self, ask: Ask) -> Reply | Failure:
                under = "ticket key" in ask.system
                return Failure(cause=Cause.TIMEOUT, message="60 s") if under else Reply(text="fine")

        ctx = world.ctx(TimesOutUnderTheCandidate())
        comparison, trial = entered(world, ctx)
        decision = measure(ctx, comparison, trial, GATING, 20)
        assert {None} == {p["candidate"] for p in world.rows("pairs")}
        assert all(p["baseline"] is not None for p in world.rows("pairs"))
        assert (Verdict.CLOSED, 0.0) == (decision.verdict, decision.coverage_candidate)
        assert decision.reason.startswith("could not be measured")
        # Those under way when it was closed are the last: the limit of pairs is never reached.
        assert len(world.rows("pairs")) <= decision.pairs + 2 * trials.ROUND

    def test_a_baseline_with_a_hole_is_a_hole(self, world: World) -> None:
        """A mean over the scored ones alone would choose among the rollouts."""

        class TimesOutNowAndThen:
            key = "odd"

            def ask(self, ask: Ask) -> Reply | Failure:
                return Failure(cause=Cause.TIMEOUT, message="60 s") if ask.sample % 2 else Reply(text="fine")

        ctx = world.ctx(TimesOutNowAndThen())
        comparison, trial = entered(world, ctx)
        measure(ctx, comparison, trial, GATING, 6)
        assert {None} == {p["baseline"] for p in world.rows("pairs")}
        # One of two is missing: what it would have scored lies between 0 and 1, and so half of the mean is open.
        assert {0.5} == {float(str(p["baseline_high"])) - float(str(p["baseline_low"])) for p in world.rows("pairs")}

    def test_a_lowered_limit_closes_what_waited_beyond_it(self, world: World) -> None:
        """The verdict is written down although nothing new was drawn."""
        ctx = world.ctx(ScriptedModel(otherwise="fine"))
        comparison, trial = entered(world, ctx)
        measure(ctx, comparison, trial, GATING, 12)
        assert "undecided" == world.rows("candidates")[0]["verdict"]
        measure(ctx, comparison, trial, replace(GATING, max_pairs=5), 12)
        assert "closed" == world.rows("candidates")[0]["verdict"]

    @pytest.mark.parametrize("rule", [VerdictRule.STRICT, VerdictRule.OFF])
    def test_the_papers_rules_look_once_at_one_pass(self, world: World, rule: VerdictRule) -> None:
        """Every validation task once, whatever the budget; a rerun after an outage sees the whole pass as well."""
        gate = replace(GATING, rule=rule)
        failing = world.ctx(FailingAt(world.model, 9, OUTAGE))
        comparison, trial = entered(world, failing, gate=gate)
        with pytest.raises(NotMeasured):
            measure(failing, comparison, trial, gate, 99)
        assert ([], "undecided") == (world.rows("pairs"), world.rows("candidates")[0]["verdict"])
        decision = measure(world.ctx(), comparison, trial, gate, 99)
        assert len(comparison.tasks) == decision.pairs == len(world.rows("pairs"))
        assert Verdict.ACCEPTED is decision.verdict


def test_a_rerun_does_not_take_tonights_own_failures_for_the_end(world: World) -> None:
    """Two nights of rejected tries end the work for later nights, not for the night that made them and was killed."""
    model = ScriptedModel(otherwise="fine")
    for night, text in (("n1", "- x\n"), ("n2", "- y\n")):
        ctx = world.ctx(model, night=night)
        comparison, trial = entered(world, ctx, text)
        measure(ctx, comparison, trial, replace(GATING, max_pairs=2), 2)
    work = work_of(world)
    assert not exhausted(world.ctx(model, night="n2"), work, GATING)
    assert exhausted(world.ctx(model, night="n3"), work, GATING)


def test_a_candidate_may_draw_what_it_drew_and_what_nobody_did(world: World) -> None:
    """A rerun gives each what the undisturbed night would have given it."""
    ctx = world.ctx(ScriptedModel(otherwise="fine"))
    comparison, one = entered(world, ctx)
    assert 10 == allowance(ctx, comparison, one.candidate.id, 10)
    measure(ctx, comparison, one, GATING, 4)
    _, other = entered(world, ctx, "- Something else.\n")
    assert (10, 6) == (
        allowance(ctx, comparison, one.candidate.id, 10),
        allowance(ctx, comparison, other.candidate.id, 10),
    )
    measure(ctx, comparison, other, GATING, 6)
    assert (4, 6) == (
        allowance(ctx, comparison, one.candidate.id, 10),
        allowance(ctx, comparison, other.candidate.id, 10),
    )
    assert 10 == allowance(world.ctx(night="n2"), comparison, other.candidate.id, 10)


class TestWaiting:
    GATE = replace(GATING, pairs_per_night=8, waiting_share=1.0)

    def begun(self, world: World) -> Trial:
        ctx = world.ctx(ScriptedModel(otherwise="fine"), night="n1")
        comparison, trial = entered(world, ctx)
        measure(ctx, comparison, trial, self.GATE, 4)
        return trial

    def gone_on(self, world: World) -> tuple[list[Trial], str]:
        tried = go_on(world.ctx(ScriptedModel(otherwise="fine"), night="n2"), comparison_of(world), self.GATE)
        return tried, str(world.rows("candidates")[0]["verdict"])

    @pytest.mark.parametrize("checks", [(), (check_of(CheckKind.CONTAINS, "new"),)])
    def test_checks_that_were_mined_since_do_not_end_it(self, world: World, checks: tuple[Check, ...]) -> None:
        """It goes on with those it began with, also on a task that has none any more; its next pairs are judged alike."""
        trial = self.begun(world)
        with world.database.writing() as connection:
            ids = list(trial.candidate.tasks[:3])
            tasks.set_checks(connection, ids, dict.fromkeys(ids, checks))
        tried, verdict = self.gone_on(world)
        assert ([trial.candidate.id], "undecided") == ([t.candidate.id for t in tried], verdict)
        assert 12 == len(world.rows("pairs"))
        judges = {(r["task_id"], r["judge"]) for r in world.rows("rollouts")}
        assert len(judges) == len({task for task, _ in judges})

    def test_a_person_who_rewrites_a_check_or_drops_a_task_ends_it(self, world: World) -> None:
        """What was measured by a check that the person took back is evidence about something else."""
        trial = self.begun(world)
        with world.database.writing() as connection:
            tasks.review(connection, trial.candidate.tasks[0], [check_of(CheckKind.CONTAINS, "new")])
        assert ([], "closed") == self.gone_on(world)

    def test_a_task_that_was_dropped_ends_it(self, world: World) -> None:
        trial = self.begun(world)
        with world.database.writing() as connection:
            tasks.drop(connection, trial.candidate.tasks[0])
        assert ([], "closed") == self.gone_on(world)


def test_a_candidate_is_judged_on_the_newest_tasks(world: World) -> None:
    """At most so many, since each is looked at; a waiting one goes on with those it began with."""
    work = work_of(world)
    assert work.usable(Split.VAL)[-5:] == work.judging(5)
    assert work.usable(Split.VAL) == work.judging(1_000)
    comparison = replace(comparison_of(world), tasks=work.judging(5))
    ctx = world.ctx(night="n1")
    trial = enter(ctx, comparison, text_claim(ctx, comparison, bundle(GOOD), GOOD), GATING)
    measure(ctx, comparison, trial, GATING, 4)
    more = replace(GATING, pairs_per_night=40, waiting_share=1.0, validation_tasks=7)
    (went_on,) = go_on(world.ctx(night="n2"), comparison_of(world), more)
    assert (trial.candidate.id, 5) == (went_on.candidate.id, len(went_on.candidate.tasks))
    assert {p["task_id"] for p in world.rows("pairs")} <= set(trial.candidate.tasks)
