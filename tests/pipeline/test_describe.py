"""A description is changed only on evidence that it loads the skill for the right requests, and for no others."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from sleepd.core import edit
from sleepd.core.confirmation import ConfirmationConfig
from sleepd.core.errors import NotMeasured
from sleepd.core.evidence import scores_of
from sleepd.core.experiment import CandidateEnding, Superiority, paths
from sleepd.core.model import CandidateOrigin, Cause, Score, Split, Unscored, Verdict
from sleepd.core.ports import CallPurpose, Failure, ReplayOutcome
from sleepd.core.schedule import baseline
from sleepd.core.select import Bundle
from sleepd.core.trigger import Side, SkillList
from sleepd.judges.trigger import TriggerJudge
from sleepd.models.scripted import FailingAt, ScriptedModel
from sleepd.pipeline import waiting
from sleepd.pipeline.describe import DescriptionConfig, DescriptionResult, Whose, describe, record
from sleepd.pipeline.drift import watch
from sleepd.pipeline.loaded import LoadRequests, load_requests, loads, skill_list
from sleepd.pipeline.mine import kinds_of_work
from sleepd.pipeline.night import outlook
from sleepd.pipeline.rollout import RunContext, drive
from sleepd.pipeline.trial import FIRST, Comparison, GateTerms, enter, measure, text_arms, text_claim
from sleepd.pipeline.work import Work
from sleepd.skills.targets import new_project_target
from sleepd.store import loads as rows
from sleepd.store import proposals, tasks
from sleepd.store.nights import NightStatus
from sleepd.store.proposals import Adoption
from sleepd.views import history
from sleepd.views.candidate_view import tried
from tests.pipeline.test_drift import Changed
from tests.pipeline.world import NIGHT, World

POOR = "Use this when the user asks for work like: changelog entries, release letters"
GOOD = "Use this when the user asks for work like: commit message"
GATING = GateTerms(
    pairs_per_night=1_300, baseline_samples=1, confirmation=ConfirmationConfig(least=1), waiting_share=1.0
)
OUTAGE = Failure(cause=Cause.NETWORK, message="no route")


def said(description: object) -> str:
    return json.dumps({"description": description, "reason": "it names the work"})


def work_of(world: World, folder: Path, description: str = POOR) -> Work:
    """Commit messages, with a skill file of this description."""
    with world.database.reading() as connection:
        everything = tasks.load(connection)
    members = max(kinds_of_work(everything, 2).values(), key=len)
    target = new_project_target("claude-code", folder, "commits", description)
    Path(target.path).parent.mkdir(parents=True, exist_ok=True)
    Path(target.path).write_text(edit.new_skill("commits", description, "- Be brief.\n"))
    return Work(target=target, tasks=tuple(members), frequency=len(members), friction=1.0)


def described(
    world: World, work: Work, reply: str, gate: GateTerms = GATING, whose: Whose = Whose.ALL, night: str = "n1"
) -> DescriptionResult:
    ctx = replace(world.ctx(night=night), reflector=ScriptedModel(otherwise=reply))
    return run(world, ctx, work, gate, whose)


def run(
    world: World, ctx: RunContext, work: Work, gate: GateTerms = GATING, whose: Whose = Whose.ALL
) -> DescriptionResult:
    comparison = Comparison(
        target=work.target, base=Path(work.target.path).read_text(), tasks=work.usable(Split.VAL)
    )  # fmt: skip
    return describe(ctx, comparison, work, DescriptionConfig(surroundings=world.surroundings, whose=whose), gate)


class TestTheGate:
    @pytest.mark.slow
    def test_a_description_that_loads_it_for_its_requests_is_accepted(self, world: World, tmp_path: Path) -> None:
        """As a candidate of the account; of the file only the line of the description changes."""
        work = work_of(world, tmp_path)
        (trial,) = described(world, work, said(GOOD)).tried
        candidate = trial.candidate
        assert (Verdict.ACCEPTED, CandidateOrigin.DESCRIPTION) == (candidate.verdict, candidate.origin), (
            candidate.reason
        )
        assert 1 == candidate.index
        before, after = (world.ctx().text(text).splitlines() for text in (candidate.base, candidate.text))
        assert [f"description: {json.dumps(GOOD)}"] == [b for a, b in zip(before, after, strict=True) if a != b]

    @pytest.mark.slow
    def test_the_simulated_model_finds_the_words_of_its_requests(self, world: World, tmp_path: Path) -> None:
        """From what is missed and what is loaded wrongly; so the whole way is walked without a key."""
        (trial,) = run(world, world.ctx(), work_of(world, tmp_path)).tried
        assert Verdict.ACCEPTED is trial.candidate.verdict
        assert "commit message" in trial.candidate.edits[0].text

    def test_one_that_loads_it_for_other_requests_too_is_not(self, world: World, tmp_path: Path) -> None:
        """However many more of its own it loads for."""
        work = work_of(world, tmp_path)
        (trial,) = described(world, work, said("option")).tried
        assert trial.candidate.verdict in (Verdict.REJECTED, Verdict.CLOSED)
        assert "worse by 0.05" in trial.candidate.reason

    def test_nothing_is_asked_where_nothing_is_wrong(self, world: World, tmp_path: Path) -> None:
        """Nor where the file is not there, or its description not one line."""
        always = ScriptedModel(otherwise='{"load": []}')
        work = work_of(world, tmp_path)
        only_others = replace(work, tasks=tuple(s for s in work.tasks if s.split is not Split.TRAIN))
        ctx = replace(world.ctx(), reflector=ScriptedModel())
        assert DescriptionResult() == run(world, replace(ctx, model=always), only_others)
        Path(work.target.path).write_text("# No frontmatter\n")
        assert DescriptionResult() == run(world, ctx, work)

    @pytest.mark.slow
    @pytest.mark.parametrize("whose", [Whose.OWN, Whose.OFF])
    def test_a_users_own_description_is_left_alone_unless_asked(
        self, world: World, tmp_path: Path, whose: Whose
    ) -> None:
        """One that sleepd made itself may change."""
        work = work_of(world, tmp_path)
        assert DescriptionResult() == described(world, work, said(GOOD), whose=whose)
        _made_by_sleepd(world, work)
        assert bool(described(world, work, said(GOOD), whose=whose).tried) == (whose is Whose.OWN)

    @pytest.mark.parametrize(
        ("reply", "problem"),
        [
            ("Better: commit messages", "holds none in JSON"),
            (said(None), "holds none in JSON"),
            (said("use\nthis"), "one line"),
            (said("use <b>this</b>"), "one line"),
            (said("x" * 1_100), "1 to 1024 characters"),
            (said(""), "1 to 1024 characters"),
            (said("commit\u200b message"), "do not show"),
            (said("commit \ud800 message"), "do not show"),
            (said(POOR), "the present one"),
        ],
    )
    def test_a_reply_that_is_no_description_is_said(
        self, world: World, tmp_path: Path, reply: str, problem: str
    ) -> None:
        """And costs no index."""
        done = described(world, work_of(world, tmp_path), reply)
        assert () == done.tried
        assert problem in done.problems[0]
        assert [] == world.rows("candidates")

    @pytest.mark.slow
    def test_the_report_draws_the_statistic_that_decided(self, world: World, tmp_path: Path) -> None:
        """The last point of the drawn evidence is the evidence of the verdict, far from that of a plain mean."""
        (trial,) = described(world, work_of(world, tmp_path), said(GOOD)).tried
        entry = history.candidate(tried(world.database, trial.candidate.id), GATING)
        with world.database.reading() as connection:
            pairs = [p for p in proposals.pairs(connection, trial.candidate.id) if not p.confirms]
        decided = len(pairs[: pairs_until(trial.candidate.reason)])
        wealth, counter = entry["wealth"], entry["counter_wealth"]
        assert isinstance(wealth, list) and isinstance(counter, list)
        assert (pytest.approx(trial.evidence, abs=1e-3), pytest.approx(trial.counter_evidence, abs=1e-3)) == (
            wealth[decided - 1],
            counter[decided - 1],
        )
        plain = paths(Superiority(), scores_of(pairs)).evidence
        assert abs(plain[decided - 1] - wealth[decided - 1]) > 1

    def test_a_model_that_changed_makes_it_another_candidate(self, world: World, tmp_path: Path) -> None:
        """As of a text: what was measured of the model before, also of the present description, is used by nothing."""
        work = work_of(world, tmp_path)
        small = replace(GATING, pairs_per_night=40)
        (first,) = described(world, work, said("option"), small).tried
        assert Verdict.UNDECIDED is first.candidate.verdict
        base = Path(work.target.path).read_text()
        comparison = Comparison(target=work.target, base=base, tasks=work.usable(Split.VAL))
        ctx = world.ctx()
        address, text = ctx.put_text(base), base + "- x\n"
        four = replace(GATING, baseline_samples=4)
        other = enter(ctx, comparison, text_claim(ctx, comparison, Bundle(backed=()), text), four)
        drive(ctx, measure(ctx, text_arms(ctx, comparison, other.candidate), other, four, 8))
        with world.database.writing() as connection:
            connection.exec_driver_sql("UPDATE rollouts SET score = 0.0 WHERE text = ?", (address,))
        found = watch(world.ctx(Changed(world.model), night="n2"), comparison, four)
        assert found is not None and found.alarm
        kept = [r for r in world.rows("rollouts") if r["replay"] == "trigger" and r["purpose"] != "learning"]
        assert kept and all(r["invalidated_by"] for r in kept)
        *_, second = described(world, work, said("option"), small, night="n3").tried
        assert (first.candidate.index + 2, "option") == (second.candidate.index, second.candidate.edits[0].text)
        with world.database.reading() as connection:
            assert Verdict.CLOSED is proposals.trial(connection, first.candidate.id).candidate.verdict


@pytest.mark.slow
class TestNights:
    def test_one_that_waits_is_gone_on_with(self, world: World, tmp_path: Path) -> None:
        """Within the share of what waits, and not by the loop for texts; a third one is not tried after two failed."""
        work = work_of(world, tmp_path)
        small = replace(GATING, pairs_per_night=20, waiting_share=0.5)
        (first,) = described(world, work, said("option"), small).tried
        assert (Verdict.UNDECIDED, 10) == (first.candidate.verdict, len(world.rows("pairs")))
        comparison = Comparison(
            target=work.target, base=Path(work.target.path).read_text(), tasks=work.usable(Split.VAL)
        )
        assert [] == waiting.go_on(world.ctx(night="n2"), comparison, small)
        (again,) = described(world, work, said("option"), night="n2").tried
        assert first.candidate.id == again.candidate.id
        assert Verdict.UNDECIDED is not again.candidate.verdict
        (second,) = described(world, work, said("manual"), night="n3").tried
        assert 2 == second.candidate.index
        assert DescriptionResult() == described(world, work, said(GOOD), night="n4")

    def test_a_model_that_chooses_otherwise_now_is_noticed(self, world: World, tmp_path: Path) -> None:
        """Descriptions are watched as texts are: what waits is closed, and the night says so; no change, no alarm."""
        work = work_of(world, tmp_path)
        small = replace(GATING, pairs_per_night=40, baseline_samples=2)
        (first,) = described(world, work, said("option"), small).tried
        assert Verdict.UNDECIDED is first.candidate.verdict
        few = replace(small, pairs_per_night=2)
        same = described(world, work, said("option"), few, night="n2").drift
        assert same is not None and (2 * FIRST, False) == (same.pairs, same.alarm)
        with world.database.writing() as connection:
            connection.exec_driver_sql("UPDATE rollouts SET score = 0.0 WHERE purpose = 'baseline'")
            connection.exec_driver_sql("UPDATE rollouts SET score = 1.0 WHERE purpose = 'drift'")
        changed = described(world, work, said("option"), few, night="n3").drift
        assert changed is not None and changed.alarm
        with world.database.reading() as connection:
            assert Verdict.CLOSED is proposals.trial(connection, first.candidate.id).candidate.verdict
        assert changed == described(world, work, said("option"), few, night="n3").drift

    def test_one_whose_file_changed_is_closed(self, world: World, tmp_path: Path) -> None:
        """Its evidence is about something else."""
        work = work_of(world, tmp_path)
        described(world, work, said("option"), replace(GATING, pairs_per_night=10))
        Path(work.target.path).write_text(Path(work.target.path).read_text() + "More.\n")
        (trial,) = described(world, work, said(GOOD), night="n2").tried
        assert 2 == trial.candidate.index
        assert {"closed", "accepted"} == {row["verdict"] for row in world.rows("candidates")}

    @pytest.mark.parametrize("part", [0.3, 0.8])
    def test_an_outage_on_the_way_leads_to_the_same_end(self, world: World, tmp_path: Path, part: float) -> None:
        """The rerun goes on from the answers there are."""
        work = work_of(world, tmp_path)
        counted = FailingAt(world.model, 0, OUTAGE)
        reflector = ScriptedModel(otherwise=said(GOOD))
        whole = run(world, replace(world.ctx(counted), reflector=reflector), work)
        kept = world.rows("pairs")
        with world.database.writing() as connection:
            for table in ("pairs", "candidates", "rollouts"):
                connection.exec_driver_sql(f"DELETE FROM {table}")
        failing = FailingAt(world.model, int(counted.asked * part), OUTAGE)
        with pytest.raises(NotMeasured):
            run(world, replace(world.ctx(failing), reflector=reflector), work)
        assert whole == run(world, replace(world.ctx(), reflector=reflector), work)
        assert kept == world.rows("pairs")


class TestMeasuring:
    def test_a_new_file_says_for_how_many_requests_it_loads(self, world: World, tmp_path: Path) -> None:
        """Measured once before it is shown; what was measured stays."""
        work = work_of(world, tmp_path, GOOD)
        comparison = Comparison(target=work.target, base="", tasks=work.usable(Split.VAL))
        text = Path(work.target.path).read_text()
        trial = enter(
            world.ctx(),
            comparison,
            text_claim(world.ctx(), comparison, Bundle.of((), (), origin=CandidateOrigin.REFLECTION), text),
            GATING,
        )
        with world.database.writing() as connection:
            proposals.end(connection, trial.candidate.id, CandidateEnding(verdict=Verdict.ACCEPTED, reason=""))
        how = DescriptionConfig(surroundings=world.surroundings)
        record(world.ctx(), work, how)
        record(replace(world.ctx(), model=ScriptedModel()), work, how)
        with world.database.reading() as connection:
            before, after = rows.load(connection, trial.candidate.id)
        assert before is None
        assert after is not None
        assert (20, 0) == (after.wanted, after.unscored)
        assert after.loaded_wanted > 15 > after.loaded_others
        assert after.recall is not None and after.recall > 0.75

    @pytest.mark.slow
    def test_a_changed_one_is_compared_on_sealed_requests(self, world: World, tmp_path: Path) -> None:
        """Which decided nothing."""
        work = work_of(world, tmp_path)
        (trial,) = described(world, work, said(GOOD)).tried
        record(world.ctx(), work, DescriptionConfig(surroundings=world.surroundings))
        with world.database.reading() as connection:
            before, after = rows.load(connection, trial.candidate.id)
        assert before is not None and after is not None
        assert (0, after.wanted) == (before.loaded_wanted, before.wanted)
        assert after.loaded_wanted > 0
        sealed = {s.task.id for s in work.tasks if s.split is Split.TEST}
        assert not sealed & set(trial.candidate.tasks)

    def test_other_skills_are_in_the_list(self, world: World, tmp_path: Path) -> None:
        """By name, those of its agent alone; they are part of what an answer is about."""
        work = work_of(world, tmp_path)
        other = tmp_path / ".claude" / "skills" / "other" / "SKILL.md"
        other.parent.mkdir()
        other.write_text(edit.new_skill("other", "Use this for letters."))
        seen = skill_list(work.target, str(tmp_path), world.surroundings)
        assert (("other", "Use this for letters."),) == seen.others
        assert f"- commits: {GOOD}\n- other: Use this for letters." == seen.listed(GOOD)
        alone = SkillList(name="commits", others=())
        sides = {s.task.id: side for s, side in zip(work.tasks, Side, strict=False)}
        lists = [LoadRequests(skills=s, tasks={}, sides=sides) for s in (seen, alone)]
        assert 4 == len({among.criteria(task).identity for among in lists for task in sides})

    def test_an_answer_that_cannot_be_read_is_unscored(self, world: World, tmp_path: Path) -> None:
        """It is in no count but its own."""
        work = work_of(world, tmp_path)
        among = load_requests(world.ctx(), work, SkillList(name="commits", others=()), [Split.VAL])
        model = ScriptedModel(otherwise="I would load commits.")
        seen, wrong = loads(world.ctx(model), among, GOOD, baseline(1, "n1"))
        assert (0, 0, len(among.tasks), ()) == (seen.wanted, seen.others, seen.unscored, wrong)
        assert {CallPurpose.TRIGGER} == {ask.purpose for ask in model.asks}
        ctx = world.ctx(model)
        other = next(task for task, side in among.sides.items() if side is Side.OTHER)
        request = among.request(ctx, other, ctx.put_text(GOOD), baseline(1, "n1"))
        assert isinstance(TriggerJudge(model).judge(request, ReplayOutcome(answer="commits")), Unscored)
        assert Score(value=1.0, reason="loads none") == TriggerJudge(model).judge(
            request, ReplayOutcome(answer='{"load": []}')
        )

    def test_requests_of_both_sides_are_apart(self, world: World, tmp_path: Path) -> None:
        """None of the work's own is among the others, and of each side of the split only its own are asked."""
        work = work_of(world, tmp_path)
        for split in Split:
            among = load_requests(world.ctx(), work, SkillList(name="commits", others=()), [split])
            assert {split} == {s.split for s in among.tasks.values()}
            own = {s.task.id for s in work.tasks}
            assert all((among.sides[i] is Side.WANTED) == (i in own) for i in among.tasks)
            assert among.count(Side.WANTED) <= 20 and among.count(Side.OTHER) <= 20


class TestAWholeNight:
    def test_a_proposed_skill_says_what_it_loads_for_within_the_estimate(self, world: World) -> None:
        """Before it is staged; all calls are among those that were foreseen."""
        how = replace(world.optimizing, describing=DescriptionConfig(surroundings=world.surroundings))
        mine = replace(world, optimizing=how)
        foreseen = outlook(mine.ctx(), mine.plan()).calls
        night = mine.night()
        assert NightStatus.DONE is night.status, night.message
        (proposal, *_) = world.rows("proposals")
        (row, *_) = world.rows("loads")
        assert (proposal["id"], "after", 20) == (row["candidate_id"], row["text"], row["wanted"])
        spending = night.report["spending"]
        assert isinstance(spending, dict)
        assert 0 < spending["calls"] <= foreseen
        without = outlook(world.ctx(night="other"), world.plan()).calls
        assert foreseen - without > 100


def pairs_until(reason: str) -> int:
    """After how many requests the evidence passed, as the reason says."""
    found = re.search(r"after (\d+) requests", reason)
    assert found is not None, reason
    return int(found[1])


def _made_by_sleepd(world: World, work: Work) -> None:
    comparison = Comparison(target=work.target, base="", tasks=work.usable(Split.VAL))
    trial = enter(
        world.ctx(night="n0"),
        comparison,
        text_claim(world.ctx(night="n0"), comparison, Bundle.of((), (), origin=CandidateOrigin.REFLECTION), "x"),
        GATING,
    )
    with world.database.writing() as connection:
        proposals.end(connection, trial.candidate.id, CandidateEnding(verdict=Verdict.ACCEPTED, reason=""))
        connection.exec_driver_sql(
            "INSERT INTO proposals (id, night_id, status, findings, diff, sessions, sealed_count)"
            f" VALUES ('{trial.candidate.id}', 'n0', 'adopted', '[]', '', '[]', 0)"
        )
        made = Adoption(
            number=0,
            proposal_id=trial.candidate.id,
            path=work.target.path,
            before=None,
            after=b"x",
            proven=True,
            folders=(),
            state="written",
            at=NIGHT,
            reverted_at=None,
        )
        proposals.intend(connection, made)
