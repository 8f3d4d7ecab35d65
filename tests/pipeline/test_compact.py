"""A text that leaves no room is made shorter, and only on evidence that this does no harm."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sleepd.core import edit
from sleepd.core.confirmation import ConfirmationConfig
from sleepd.core.edit import Region, set_region, split_regions, tokens
from sleepd.core.experiment import CandidateEnding
from sleepd.core.model import Attribution, CandidateOrigin, Edit, EditOp, Split, Verdict, digest
from sleepd.core.select import Bundle
from sleepd.models.scripted import ScriptedModel
from sleepd.pipeline.compact import Compaction, CompactionConfig, compact, leaves_no_room
from sleepd.pipeline.mine import kinds_of_work
from sleepd.pipeline.night import outlook
from sleepd.pipeline.optimize import OptimizerTerms, optimize, try_out
from sleepd.pipeline.rollout import RunContext, drive
from sleepd.pipeline.trial import Comparison, GateTerms, enter, text_claim
from sleepd.pipeline.work import Work
from sleepd.skills.targets import new_project_target
from sleepd.store import attributions, proposals, tasks
from tests.pipeline.world import World

TICKET = "Start with the ticket key in square brackets."
TESTED = "End with a Tested line that names the command."
AGAIN = "The subject begins with the ticket key in square brackets; it is the very start of it."
WEATHER = "Mention the weather now and then, as far as there is any weather to be mentioned at all."
USERS = (
    '---\nname: commits\ndescription: "commit messages"\n---\r\n# Mine\n\n- Start with the ticket key in brackets.\n'
)
SKILL = set_region(USERS, Region.LEARNT, "".join(f"- {rule}\n" for rule in (TICKET, TESTED, AGAIN, WEATHER)))
GATING = GateTerms(
    pairs_per_night=1_300, baseline_samples=2, confirmation=ConfirmationConfig(least=1), waiting_share=1.0
)
HOW = (CompactionConfig(share=0.9, saves=15), tokens(SKILL))


def work_of(world: World) -> Work:
    with world.database.reading() as connection:
        everything = tasks.load(connection)
    members = max(kinds_of_work(everything, 2).values(), key=len)
    target = new_project_target("claude-code", world.project, "commits", "commit messages")
    return Work(target=target, tasks=tuple(members), frequency=len(members), friction=1.0)


def comparison_of(world: World, base: str = SKILL) -> Comparison:
    work = work_of(world)
    return Comparison(target=work.target, base=base, tasks=work.usable(Split.VAL))


def delete(rule: str) -> dict[str, str | None]:
    return {"op": "delete", "anchor": rule, "text": "", "reason": "says nothing"}


def said(*edits: Mapping[str, str | None]) -> str:
    return json.dumps({"edits": edits})


def compacted(world: World, reply: str, base: str = SKILL) -> Compaction:
    ctx = replace(world.ctx(), reflector=ScriptedModel(reply))
    return compact(ctx, comparison_of(world, base), GATING, *HOW)


def edits_of(made: Compaction) -> list[tuple[EditOp, str | None]]:
    assert made.bundle is not None
    return [(e.op, e.anchor) for e in made.bundle.edits]


def outside(text: str) -> list[str]:
    """What is not ours, byte for byte."""
    return [part.text for part in split_regions(text) if part.region is not Region.LEARNT]


class TestWhatIsTried:
    def test_a_text_above_its_share_leaves_no_room(self) -> None:
        """At the share it still does."""
        assert not leaves_no_room("x" * 400, 100, CompactionConfig(share=1.0))
        assert leaves_no_room("x" * 401, 100, CompactionConfig(share=1.0))

    def test_what_the_model_would_merge_is_one_candidate_with_a_margin(self, world: World) -> None:
        """Not to be better, but not to be worse by more than the margin; with the sizes of the rules before it."""
        merge = {"op": "replace", "anchor": TICKET, "text": "Start with the ticket in brackets.", "reason": ""}
        model = ScriptedModel(said(merge, delete(AGAIN)))
        made = compact(replace(world.ctx(), reflector=model), comparison_of(world), GATING, *HOW)
        assert made.bundle is not None
        assert (CandidateOrigin.COMPACTION, 0.03) == (made.bundle.origin, made.bundle.margin)
        assert [(EditOp.DELETE, AGAIN), (EditOp.REPLACE, TICKET)] == edits_of(made)
        (ask,) = model.asks
        assert f"{tokens('- ' + TICKET)} tokens; never measured by itself" in ask.prompt

    @pytest.mark.parametrize(
        ("reply", "problem"),
        [
            ("I would merge them all.", "holds no edits in JSON"),
            (said(*map(delete, (TICKET, TESTED, AGAIN, WEATHER))), "would leave no learnt rule"),
            (
                said({"op": "replace", "anchor": TICKET, "text": TICKET + " And again, and again.", "reason": ""}),
                "6 tokens longer",
            ),
            (said({"op": "add", "anchor": None, "text": "Be brief.", "reason": ""}), "has a place in the learnt part"),
            (said(delete("# Mine"), delete("Start with the ticket key in brackets.")), "has a place in the learnt"),
        ],
    )
    def test_a_reply_that_is_no_compaction_is_said_and_rules_are_left_out_instead(
        self, world: World, reply: str, problem: str
    ) -> None:
        """One that empties the learnt part, makes it longer, adds, or aims at the user's own lines."""
        made = compacted(world, reply)
        assert problem in made.problems[0]
        assert [(EditOp.DELETE, f"- {WEATHER}")] == edits_of(made)

    def test_without_a_proposal_the_rule_that_carries_least_goes_first(self, world: World) -> None:
        """As its bundle's look at single edits found; a rule that nobody measured counts as carrying nothing."""
        ctx, comparison = replace(world.ctx(night="n0")), comparison_of(world, "")
        edits = tuple(Edit(op=EditOp.ADD, anchor=None, text=t, reason="") for t in (TICKET, TESTED, AGAIN, WEATHER))
        trial = enter(
            ctx,
            comparison,
            text_claim(ctx, comparison, Bundle.of(edits, ["s1", "s2"], origin=CandidateOrigin.REFLECTION), SKILL),
            GATING,
        )
        effects = (0.3, 0.2, -0.05, 0.1)
        rows = [
            Attribution(edit_id=e.id, round=1, kept=True, effect=x, low=x - 0.1, high=x + 0.1, pairs=9, tokens=9)
            for e, x in zip(edits, effects, strict=True)
        ]
        with world.database.writing() as connection:
            attributions.save(connection, trial.candidate.id, rows)
        made = compacted(world, said())
        assert [(EditOp.DELETE, f"- {AGAIN}")] == edits_of(made)
        assert made.bundle is not None
        assert ("s1", "s2") == made.bundle.sessions
        assert "effect was -0.05" in made.bundle.edits[0].reason

    def test_what_failed_before_is_not_tried_again(self, world: World) -> None:
        """The next one that carries little is; and while one waits, nothing is."""
        first = compacted(world, said())
        earlier = world.ctx(night="n0")
        assert first.bundle is not None
        text = edit.apply(SKILL, first.bundle.edits).text
        trial = enter(
            earlier, comparison_of(world), text_claim(earlier, comparison_of(world), first.bundle, text), GATING
        )
        assert Compaction(bundle=None) == compacted(world, said())
        with world.database.writing() as connection:
            proposals.end(connection, trial.candidate.id, CandidateEnding(verdict=Verdict.REJECTED, reason="worse"))
        assert [(EditOp.DELETE, f"- {AGAIN}")] == edits_of(compacted(world, said()))

    def test_a_margin_that_cannot_be_shown_is_not_tried(self, world: World) -> None:
        """In words that name the remedy."""
        tight = replace(GATING, margin_pairs=100)
        made = compact(world.ctx(), comparison_of(world), tight, *HOW)
        assert made.bundle is None
        assert "raise that or gate.margin" in made.problems[0]

    def test_what_the_user_wrote_too_long_is_said(self, world: World) -> None:
        """Leaving out what was learnt would not make room."""
        made = compacted(world, said(), "x" * 4 * HOW[1] + SKILL)
        assert made.bundle is None
        assert "your own part of the file" in made.problems[0]


class TestTheGate:
    @pytest.mark.slow
    def test_a_rule_said_twice_goes_and_no_other_byte_changes(self, world: World) -> None:
        """Accepted on evidence that the text is no worse by the margin, under an index of its own."""
        made = compacted(world, said(delete(AGAIN), delete(WEATHER)))
        assert made.bundle is not None
        ctx = world.ctx(night="n3")
        done, _ = drive(ctx, try_out(ctx, comparison_of(world), made.bundle, OptimizerTerms(), GATING))
        candidate = done[-1].candidate
        assert Verdict.ACCEPTED is candidate.verdict, candidate.reason
        text = ctx.text(candidate.text)
        assert tokens(SKILL) - tokens(text) > 30
        assert outside(SKILL) == outside(text)
        assert (f"- {TICKET}", f"- {TESTED}") == edit.learnt_lines(text)

    def test_a_rule_that_carries_something_stays(self, world: World) -> None:
        """Without it the text is worse by far more than the margin."""
        base = set_region(USERS, Region.LEARNT, f"- {TICKET}\n- {TESTED}\n")
        made = compact(
            replace(world.ctx(), reflector=ScriptedModel(said(delete(TESTED)))),
            comparison_of(world, base),
            GATING,
            CompactionConfig(saves=10),
            tokens(base),
        )
        assert made.bundle is not None
        done, _ = drive(
            world.ctx(), try_out(world.ctx(), comparison_of(world, base), made.bundle, OptimizerTerms(), GATING)
        )
        assert Verdict.REJECTED is done[-1].candidate.verdict
        assert "effect below -0.03" in done[-1].candidate.reason

    def test_the_simulated_model_finds_what_is_said_twice(self, world: World) -> None:
        """And what says nothing about the work; so the whole way is walked without a key."""
        made = compact(world.ctx(), comparison_of(world), GATING, *HOW)
        assert [(EditOp.DELETE, f"- {AGAIN}"), (EditOp.DELETE, f"- {WEATHER}")] == edits_of(made)

    def test_a_night_makes_room_first(self, world: World, tmp_path: Path) -> None:
        """Within the share of what waits; the rest of the night is for something new. A rerun changes nothing."""
        skill = tmp_path / "SKILL.md"
        skill.write_bytes(SKILL.encode())
        work = work_of(world)
        work = replace(work, target=replace(work.target, path=str(skill), project=""))
        gate = replace(GATING, pairs_per_night=40, waiting_share=0.5)
        how = OptimizerTerms(max_skill_tokens=HOW[1], compacting=HOW[0], steps=1, minibatch=2)
        done = optimize(world.ctx(), work, how, gate)
        first = done.tried[0]
        assert (CandidateOrigin.COMPACTION, Verdict.UNDECIDED) == (first.candidate.origin, first.candidate.verdict)
        assert first.candidate.base == digest(SKILL)
        rows = world.rows("pairs")
        assert 20 == sum(row["candidate_id"] == first.candidate.id for row in rows)
        again = optimize(fresh(world), work, how, gate)
        assert done.tried == again.tried
        assert rows == world.rows("pairs")

    def test_nothing_is_spent_on_a_text_with_broken_markers(self, world: World, tmp_path: Path) -> None:
        """The night says which line, and goes on to other work."""
        mine = replace(world, folder=tmp_path)
        seen = outlook(world.ctx(), world.plan())
        target = seen.chosen[0].work.target
        path = tmp_path / "home" / Path(target.path).relative_to(world.home)
        assert path.is_relative_to(mine.project)
        _broken(path)
        with world.database.writing() as connection:
            connection.exec_driver_sql("UPDATE tasks SET project = ?", (str(mine.project),))
        reason = outlook(mine.ctx(), mine.plan()).reason
        assert f"{target.name}: line 5: '<!-- sleepd:learnt -->' is never closed" in reason


def _broken(path: Path) -> None:
    path.parent.mkdir(parents=True)
    text = edit.new_skill(path.parent.name, "Use this when the user asks for work like: commit message")
    path.write_text(text.replace(Region.LEARNT.closing, "").replace("---\n\n", "---\n"))


def fresh(world: World) -> RunContext:
    """As another process would begin."""
    return world.ctx()
