"""A bundle that crosses is taken apart: what hurts or carries nothing does not ride along."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sleepd.core.confirmation import ConfirmationConfig
from sleepd.core.errors import NotMeasured
from sleepd.core.model import CandidateOrigin, Cause, Edit, EditOp, Split, Verdict
from sleepd.core.ports import Failure
from sleepd.core.select import Bundle
from sleepd.models.scripted import FailingAt
from sleepd.pipeline import buffer
from sleepd.pipeline.attribute import applied
from sleepd.pipeline.mine import kinds_of_work
from sleepd.pipeline.prove import prove
from sleepd.pipeline.rollout import RunContext, drive
from sleepd.pipeline.trial import AttributionConfig, Comparison, GateTerms, enter, text_claim
from sleepd.pipeline.waiting import go_on
from sleepd.pipeline.work import find_work
from sleepd.store import tasks
from sleepd.store.proposals import Trial
from tests.pipeline.world import World, new_skill

GATING = GateTerms(pairs_per_night=200, baseline_samples=2, confirmation=ConfirmationConfig(least=1))
OUTAGE = Failure(cause=Cause.NETWORK, message="no route")


def add(text: str) -> Edit:
    return Edit(op=EditOp.ADD, anchor=None, text=text, reason="")


TICKET = add("Start with the ticket key in square brackets.")
TESTED = add("End with a Tested line that names the command.")
USELESS = add("Mention the weather now and then.")
HARMFUL = add("Never start with the ticket key, and leave the Risk line out.")
AGAIN = add("The subject begins with the ticket key in square brackets.")


def comparison_of(world: World) -> Comparison:
    with world.database.reading() as connection:
        everything = tasks.load(connection)
    work = find_work(kinds_of_work(everything, 2), world.surroundings, new_skill)[0]
    return Comparison(target=work.target, base="", tasks=work.usable(Split.VAL))


def proven(ctx: RunContext, comparison: Comparison, *edits: Edit, gate: GateTerms = GATING) -> tuple[Trial, ...]:
    made = Bundle.of(edits, ["s1"], origin=CandidateOrigin.REFLECTION)
    trial = enter(ctx, comparison, text_claim(ctx, comparison, made, applied(comparison, edits).text), gate)
    return drive(ctx, prove(ctx, comparison, trial, gate, gate.pairs_per_night))


class TestTakingApart:
    def test_what_carries_nothing_is_left_out_and_the_rest_is_gated_anew(self, world: World) -> None:
        """Under an index of its own; the bundle itself ends as pruned, and its useless edit is remembered as such."""
        ctx, comparison = world.ctx(), comparison_of(world)
        bundle, pruned = proven(ctx, comparison, TICKET, USELESS, TESTED)
        assert Verdict.PRUNED is bundle.candidate.verdict
        assert (Verdict.ACCEPTED, CandidateOrigin.PRUNED) == (pruned.candidate.verdict, pruned.candidate.origin)
        assert (TICKET, TESTED) == pruned.candidate.edits
        assert applied(comparison, [TICKET, TESTED]).text == ctx.text(pruned.candidate.text)
        assert (1, 2) == (bundle.candidate.index, pruned.candidate.index)
        assert [USELESS] == [f.edit for f in buffer.failed(world.database, [bundle, pruned])]

    def test_a_bundle_that_carries_its_weight_is_accepted_as_it_is(self, world: World) -> None:
        """With a row for each edit: its part of the gain, the interval, its rent."""
        (trial,) = proven(world.ctx(), comparison_of(world), TICKET, TESTED)
        assert Verdict.ACCEPTED is trial.candidate.verdict
        rows = world.rows("attributions")
        assert 2 == len(rows)
        for row in rows:
            assert row["low"] < row["effect"] < row["high"]  # type: ignore[operator]
            assert row["effect"] > 0.1  # type: ignore[operator]
            assert row["tokens"] > 0  # type: ignore[operator]

    def test_what_hurts_never_rides_along(self, world: World) -> None:
        """Even in a bundle that is better on the whole."""
        bundle, pruned = proven(world.ctx(), comparison_of(world), TESTED, HARMFUL, TICKET)
        assert Verdict.PRUNED is bundle.candidate.verdict
        assert HARMFUL not in pruned.candidate.edits

    def test_two_edits_that_say_the_same_do_not_drag_each_other_out(self, world: World) -> None:
        """Left out alone, neither is missed; one of them stays."""
        *_, last = proven(world.ctx(), comparison_of(world), TICKET, AGAIN, TESTED)
        assert Verdict.ACCEPTED is last.candidate.verdict
        assert 1 == len({TICKET, AGAIN} & set(last.candidate.edits))

    @pytest.mark.slow
    def test_it_can_be_left_out(self, world: World) -> None:
        """With `most` 0 the bundle is accepted whole."""
        gate = replace(GATING, attribution=AttributionConfig(most=0))
        (trial,) = proven(world.ctx(), comparison_of(world), TICKET, USELESS, TESTED, gate=gate)
        assert Verdict.ACCEPTED is trial.candidate.verdict
        assert [] == world.rows("attributions")

    @pytest.mark.slow
    @pytest.mark.parametrize("part", [0.5, 0.7, 0.9, 0.99])
    def test_an_outage_on_the_way_leads_to_the_same_end(self, world: World, part: float) -> None:
        """Nothing is accepted before it was taken apart, and the rerun comes to the same texts and rows."""
        counted = FailingAt(world.model, 0, OUTAGE)
        comparison = comparison_of(world)
        undisturbed = proven(world.ctx(counted), comparison, TICKET, USELESS, TESTED)
        rows = world.rows("attributions")
        with world.database.writing() as connection:
            for table in ("attributions", "pairs", "candidates", "rollouts"):
                connection.exec_driver_sql(f"DELETE FROM {table}")
        failing = world.ctx(FailingAt(world.model, int(counted.asked * part), OUTAGE))
        with pytest.raises(NotMeasured):
            proven(failing, comparison, TICKET, USELESS, TESTED)
        assert "accepted" not in {row["verdict"] for row in world.rows("candidates")}
        again = proven(world.ctx(), comparison, TICKET, USELESS, TESTED)
        assert [t.candidate for t in undisturbed] == [t.candidate for t in again]
        assert rows == world.rows("attributions")

    @pytest.mark.slow
    @pytest.mark.parametrize("part", [0.3, 0.6, 0.9, 0.97])
    def test_a_bundle_that_waited_comes_to_the_same_end_after_an_outage(self, world: World, part: float) -> None:
        """What is left of it is neither lost nor forgotten by the rerun of the night that took it apart."""
        comparison = comparison_of(world)
        made = Bundle.of((TICKET, USELESS, TESTED), ["s1"], origin=CandidateOrigin.REFLECTION)
        text = applied(comparison, made.edits).text
        gate = replace(GATING, waiting_share=1.0)

        def begun() -> None:
            trial = enter(world.ctx(), comparison, text_claim(world.ctx(), comparison, made, text), gate)
            drive(world.ctx(), prove(world.ctx(), comparison, trial, gate, 2))

        begun()
        counted = FailingAt(world.model, 0, OUTAGE)
        undisturbed = go_on(world.ctx(counted, night="n2"), comparison, gate)
        assert [Verdict.PRUNED, Verdict.ACCEPTED] == [t.candidate.verdict for t in undisturbed]
        with world.database.writing() as connection:
            for table in ("attributions", "pairs", "candidates", "rollouts"):
                connection.exec_driver_sql(f"DELETE FROM {table}")
        begun()
        with pytest.raises(NotMeasured):
            go_on(world.ctx(FailingAt(world.model, int(counted.asked * part), OUTAGE), night="n2"), comparison, gate)
        rerun = go_on(world.ctx(night="n2"), comparison, gate)
        assert [t.candidate for t in undisturbed] == [t.candidate for t in rerun]
