"""The rejected-edit buffer: what was turned down teaches, and does not come back."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from sleepd.core.model import Candidate, Edit, EditOp, RunId, SkillTarget, TaskId, Verdict, digest
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.pipeline.buffer import Failed, says_the_same, turned_down
from sleepd.pipeline.mine import kinds_of_work
from sleepd.pipeline.work import find_work
from sleepd.store import proposals, reviews, rollouts, tasks
from sleepd.store.proposals import Proposal, Status
from sleepd.store.reviews import EditChoice, EditDecision
from tests.pipeline.world import World, new_skill

AT = datetime(2026, 9, 20, tzinfo=UTC)
RULE = Edit(op=EditOp.ADD, anchor=None, text="Sign every message with a rhyme.", reason="it is nice")
OTHER = Edit(op=EditOp.ADD, anchor=None, text="Name the moon.", reason="")


class Proposing:
    """Proposes the same edits whatever it reads, and works as the simulated model does."""

    def __init__(self, world: World, *edits: Edit) -> None:
        self._model = world.model
        self._reply = json.dumps({"edits": [{"op": e.op, "anchor": e.anchor, "text": e.text} for e in edits]})
        self.prompts: list[str] = []
        self.rollouts = 0

    @property
    def key(self) -> str:
        return self._model.key

    def ask(self, ask: Ask) -> Reply | Failure:
        if ask.purpose is CallPurpose.REFLECT:
            self.prompts.append(ask.prompt)
            return Reply(text=self._reply)
        self.rollouts += ask.purpose is CallPurpose.ROLLOUT
        return self._model.ask(ask)


def target_of(world: World) -> SkillTarget:
    with world.database.reading() as connection:
        everything = tasks.load(connection)
    return find_work(kinds_of_work(everything, 2), world.surroundings, new_skill)[0].target


def entered(
    world: World, *edits: Edit, verdict: Verdict = Verdict.ACCEPTED, reason: str = "", base: str = "", night: str = "n0"
) -> Candidate:
    """A candidate that an earlier night had decided."""
    with world.database.writing() as connection:
        number = proposals.given(connection).next().index
        candidate = Candidate(
            id=digest(str(number)), index=number, alpha=0.005, target=target_of(world),
            base=rollouts.put_text(connection, base), text=rollouts.put_text(connection, f"text {number}"),
            edits=edits, tasks=(TaskId("t"),), model="m", verdict=verdict, reason=reason,
        )  # fmt: skip
        proposals.start(connection, candidate, RunId(id=night))
    return candidate


def proposed(
    world: World,
    *edits: Edit,
    status: Status,
    why: str | None = None,
    findings: tuple[str, ...] = (),
    night: str = "n0",
) -> Candidate:
    candidate = entered(world, *edits, base="an older text", night=night)
    proposal = Proposal(
        id=candidate.id, night_id=night, status=status, findings=findings, diff="", sessions=(), sealed_count=0,
        sealed_before=None, sealed_after=None, why=why,
    )  # fmt: skip
    with world.database.writing() as connection:
        proposals.stage(connection, proposal)
    return candidate


def decided(world: World, candidate: Candidate, edit: Edit, choice: EditChoice, words: str) -> None:
    reworded = choice is EditChoice.REWORDED
    decision = EditDecision(
        proposal_id=candidate.id, edit_id=edit.id, decision=choice, at=AT,
        text=words if reworded else None, why=None if reworded else words,
    )  # fmt: skip
    with world.database.writing() as connection:
        reviews.decide(connection, decision)


class TestANight:
    def test_a_rejection_reaches_the_reflection_with_its_reason_and_is_not_tried_again(self, world: World) -> None:
        """Night after night, although the live text is another one by now; nothing is spent on it."""
        proposed(world, RULE, status=Status.REJECTED, why="we are not poets")
        before = world.rows("candidates")
        model = Proposing(world, RULE)
        nights = [world.night(model, date) for date in ("2026-10-01", "2026-10-02")]
        assert 2 <= len(model.prompts)
        for prompt in model.prompts:
            assert "| add Sign every message with a rhyme.\n| why: we are not poets" in prompt
            assert "the user turned down" in prompt
        assert before == world.rows("candidates") and [] == world.rows("pairs")
        assert {digest("")} == {r["text"] for r in world.rows("rollouts")}
        assert f"turned down by you before, so not tried: {RULE.text}" in json.dumps(nights[0].report)

    @pytest.mark.slow
    def test_the_rest_of_a_reply_is_tried(self, world: World) -> None:
        """One edit that was turned down does not cost the others, and may be said in another place or spelling."""
        proposed(world, RULE, status=Status.REJECTED, why="no")
        again = Edit(op=EditOp.ADD, anchor="Something", text="sign every message with a RHYME", reason="")
        world.night(Proposing(world, again, OTHER))
        tried = [json.loads(str(c["edits"])) for c in world.rows("candidates") if c["run_id"] != "n0"]
        assert [[OTHER.text]] == [[e["text"] for e in edits] for edits in tried]

    def test_a_single_edit_of_an_adopted_proposal_teaches_as_well(self, world: World) -> None:
        """The reason of the one that was turned down, the person's words for the one that was reworded."""
        candidate = proposed(world, RULE, OTHER, status=Status.ADOPTED)
        decided(world, candidate, RULE, EditChoice.REJECTED, "nobody rhymes")
        decided(world, candidate, OTHER, EditChoice.REWORDED, "Name the moon at night.")
        model = Proposing(world, RULE, OTHER)
        world.night(model)
        assert "| why: nobody rhymes" in model.prompts[0]
        assert "| add Name the moon.\n| why: the user put it this way: Name the moon at night." in model.prompts[0]
        assert ["n0"] == [c["run_id"] for c in world.rows("candidates")]

    def test_the_gates_reason_is_shown_for_the_same_live_text(self, world: World) -> None:
        """Apart from what a person turned down."""
        entered(world, RULE, verdict=Verdict.REJECTED, reason="effect below +0.02 after 30 pairs")
        entered(world, RULE, OTHER, verdict=Verdict.REJECTED, reason="too small")
        entered(world, Edit(op=EditOp.ADD, anchor=None, text="Elsewhere.", reason=""), base="an older text",
                verdict=Verdict.REJECTED, reason="long ago")  # fmt: skip
        model = Proposing(world)
        world.night(model)
        assert "| add Name the moon.\n| why: together with 1 other: too small" in model.prompts[0]
        assert "tried and did not help" in model.prompts[0] and "the user turned down" not in model.prompts[0]
        assert "Elsewhere." not in model.prompts[0]


class TestTurnedDown:
    def by_person(self, world: World) -> list[tuple[str, str]]:
        found = turned_down(world.database, target_of(world).path, but_of="tonight")
        assert all(isinstance(one, Failed) and one.by_person for one in found)
        return [(one.edit.text, one.why) for one in found]

    @pytest.mark.parametrize("status", [s for s in Status if s is not Status.REJECTED])
    def test_only_what_a_person_rejected_counts(self, world: World, status: Status) -> None:
        """What waits, was set aside, adopted or taken back is not turned down."""
        proposed(world, RULE, status=status)
        assert [] == self.by_person(world)

    def test_tonights_own_do_not_count(self, world: World) -> None:
        """So that a rerun of a killed night comes to the same candidates."""
        proposed(world, RULE, status=Status.REJECTED, night="tonight")
        assert [] == self.by_person(world)

    def test_what_was_unsafe_is_not_repeated_to_a_model(self, world: World) -> None:
        """Not even as something to avoid."""
        proposed(world, RULE, status=Status.REJECTED, findings=("fetch: runs what it fetched",))
        assert [] == self.by_person(world)

    def test_the_last_word_counts(self, world: World) -> None:
        """A rejection of the whole has its reason, one of an edit its own; an acceptance undoes a rejection."""
        candidate = proposed(world, RULE, OTHER, status=Status.REJECTED, why="all of it")
        decided(world, candidate, RULE, EditChoice.REJECTED, "rhymes")
        assert [(RULE.text, "rhymes"), (OTHER.text, "all of it")] == self.by_person(world)
        adopted = proposed(world, OTHER, status=Status.ADOPTED)
        decided(world, adopted, OTHER, EditChoice.REJECTED, "no")
        decided(world, adopted, OTHER, EditChoice.ACCEPTED, "")
        assert [(RULE.text, "rhymes"), (OTHER.text, "all of it")] == self.by_person(world)


@pytest.mark.parametrize(
    ("edit", "same"),
    [
        (RULE, True),
        (Edit(op=EditOp.ADD, anchor="- Elsewhere", text="“sign every message – with a rhyme”", reason=""), True),
        (Edit(op=EditOp.ADD, anchor="- Elsewhere", text="Sign `every` message, with a rhyme!", reason="x"), True),
        (Edit(op=EditOp.REPLACE, anchor="Sign nothing.", text="Sign every message with a rhyme", reason=""), True),
        (Edit(op=EditOp.ADD, anchor=None, text="Never sign every message with a rhyme.", reason=""), False),
        (Edit(op=EditOp.ADD, anchor=None, text="Sign every message with 2 rhymes.", reason=""), False),
        (Edit(op=EditOp.DELETE, anchor=RULE.text, text="", reason=""), False),
    ],
)
def test_what_says_the_same(edit: Edit, same: bool) -> None:
    """The words in their order, wherever they are put; a deletion is another matter."""
    assert same is says_the_same(edit, RULE) is says_the_same(RULE, edit)


def test_deletions_are_the_same_by_what_they_delete() -> None:
    """Not by their empty texts."""
    one, other = (Edit(op=EditOp.DELETE, anchor=anchor, text="", reason="") for anchor in ("- a b", "c"))
    assert says_the_same(one, Edit(op=EditOp.DELETE, anchor="A b.", text="", reason="")) and not says_the_same(
        one, other
    )
