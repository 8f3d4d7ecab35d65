"""A whole night; and the same night broken at every call."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sleepd.core.errors import NotMeasured
from sleepd.core.experiment import VerdictRule
from sleepd.core.mark import OWN_MARK
from sleepd.core.model import Cause, Split
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.models.metered import Ledger, Metered
from sleepd.models.scripted import FailingAt, ScriptedModel
from sleepd.pipeline.describe import DescriptionConfig, Whose
from sleepd.pipeline.night import night_id, outlook, preflight
from sleepd.pipeline.trial import AttributionConfig
from sleepd.simulate.agent import SimulatedModel
from sleepd.simulate.cast import persona
from sleepd.simulate.life import Days, live
from sleepd.simulate.personas import family_of
from sleepd.simulate.transcripts import write
from sleepd.skills.surroundings import Surroundings
from sleepd.store import nights
from sleepd.store.nights import Night, NightStatus
from tests.pipeline.world import BEGIN, World, make, night_rows

EVERYTHING = ("rollouts", "reflections", "candidates", "pairs", "proposals", "tasks", "checks")
OUTAGE = Failure(cause=Cause.QUOTA, message="the limit is reached; it resets at 03:00")


class Killed(BaseException):
    """What a process that is ended in the middle looks like from inside."""


class KilledAt:
    """Ends the night at its n-th call."""

    def __init__(self, world: World, n: int) -> None:
        self._model, self._left = world.model, n

    @property
    def key(self) -> str:
        return self._model.key

    def ask(self, ask: Ask) -> Reply | Failure:
        self._left -= 1
        if not self._left:
            raise Killed
        return self._model.ask(ask)


def result(world: World) -> dict[str, list[dict[str, object]]]:
    return {table: world.rows(table) for table in EVERYTHING}


class TestUndisturbed:
    def test_a_night_finds_the_house_rules_and_stages_them(self, world: World) -> None:
        """Rows for everything that was asked, drawn and decided; nothing is written to the live file."""
        night = world.night()
        assert NightStatus.DONE is night.status
        assert 1 == len(world.rows("proposals"))
        (proposal,) = world.rows("proposals")
        assert proposal["sealed_after"] > proposal["sealed_before"]  # type: ignore[operator]
        assert "[]" != proposal["sessions"]
        assert not list(world.project.iterdir())

    def test_the_report_adds_up_what_was_spent(self, world: World) -> None:
        """Calls are the stored rollouts and reflections."""
        spending = world.night().report["spending"]
        assert isinstance(spending, dict)
        assert len(world.rows("rollouts")) + len(world.rows("reflections")) == spending["calls"]
        assert sum(r["tokens_in"] for r in world.rows("rollouts")) < spending["tokens_in"]  # type: ignore[misc]

    @pytest.mark.slow
    def test_no_more_calls_than_foretold(self, world: World) -> None:
        """The outlook asks no model, and its number is an upper bound."""
        model = FailingAt(world.model, 0, OUTAGE)
        seen = outlook(world.ctx(model), world.plan())
        assert (0, "") == (model.asked, seen.reason)
        world.night(model)
        assert 0 < model.asked <= seen.calls

    def test_nothing_of_the_judging_sides_reaches_the_reflection_model(self, world: World) -> None:
        """Promise 5: no request of a validation or sealed task is in a reflection's prompt, its earlier turns included."""
        asked: list[Ask] = []

        class Listening:
            key = world.model.key

            def ask(self, ask: Ask) -> Reply | Failure:
                asked.append(ask)
                return world.model.ask(ask)

        # As if each train task had come after a validation task of the same session, which its context then quotes.
        judge = next(t for t in world.rows("tasks") if t["split"] == Split.VAL)
        with world.database.writing() as connection:
            change = "UPDATE tasks SET context = ?, session_id = ? WHERE split = 'train'"
            connection.exec_driver_sql(change, (f"Earlier request: {judge['request']}", judge["session_id"]))
        world.night(Listening())
        judging = {str(t["request"])[:200] for t in world.rows("tasks") if t["split"] in (Split.VAL, Split.TEST)}
        teaching = {str(t["request"])[:200] for t in world.rows("tasks") if t["split"] == Split.TRAIN}
        prompts = "\n".join(a.prompt for a in asked if a.purpose is CallPurpose.REFLECT).replace("\n| ", "\n")
        assert any(request in prompts for request in teaching)
        assert [] == [request for request in judging - teaching if request in prompts]

    def test_nor_does_the_answer_that_a_judging_task_came_to(self, world: World) -> None:
        """A context that quotes only the correction of earlier judging work does not say whose it was; it stays out."""
        asked: list[Ask] = []

        class Listening:
            key = world.model.key

            def ask(self, ask: Ask) -> Reply | Failure:
                asked.append(ask)
                return world.model.ask(ask)

        judge = next(t for t in world.rows("tasks") if t["split"] == Split.VAL)
        with world.database.writing() as connection:
            change = "UPDATE tasks SET context = 'Earlier answer: sealed words', session_id = ? WHERE split = 'train'"
            connection.exec_driver_sql(change, (judge["session_id"],))
            early = "UPDATE tasks SET at = '2020-01-01T00:00:00.000000+00:00' WHERE id = ?"
            connection.exec_driver_sql(early, (judge["id"],))
        world.night(Listening())
        prompts = [a.prompt for a in asked if a.purpose is CallPurpose.REFLECT]
        assert prompts
        assert not [p for p in prompts if "sealed words" in p]

    @pytest.mark.slow
    def test_a_second_night_of_the_same_date_has_a_number_of_its_own(self, world: World) -> None:
        """A finished night is not taken up again."""
        first = world.night()
        assert first.id != world.night().id

    def test_without_work_nothing_is_asked_and_the_row_says_why(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        """Also no preflight."""
        world = make(tmp_path_factory.mktemp("empty"), sessions=3)
        world.ingest()
        night = world.night(ScriptedModel())
        assert NightStatus.DONE is night.status
        assert night.message
        assert [] == world.rows("candidates")

    @pytest.mark.slow
    def test_a_waiting_candidate_goes_on_within_its_share(self, world: World) -> None:
        """Next night it draws from where it stopped, at most half of the night's pairs, and keeps its index and sessions."""
        world = replace(world, gate=replace(world.gate, pairs_per_night=8))
        world.night(date="2026-10-01")
        (before,) = world.rows("candidates")
        assert "undecided" == before["verdict"]
        second = world.night(date="2026-10-02")
        drawn = [p for p in world.rows("pairs") if p["run_id"] == second.id and p["candidate_id"] == before["id"]]
        after = next(c for c in world.rows("candidates") if c["id"] == before["id"])
        assert (before["number"], before["sessions"], 2) == (after["number"], after["sessions"], after["nights"])
        assert 1 <= len(drawn) <= 4
        assert list(range(8, 8 + len(drawn))) == sorted(p["ordinal"] for p in drawn)  # type: ignore[type-var]


HERE = DescriptionConfig(surroundings=Surroundings(home=Path("/nowhere"), env={}))


class TestForetold:
    """The most calls that a night may cost, by hand: the figure a person is told before anything is spent."""

    def test_the_smallest_night(self, world: World) -> None:
        """Two preflights, 30 pairs of one and two rollouts, the sealed tasks twice, and what is learnt from."""
        sealed = len([t for t in world.rows("tasks") if t["split"] == Split.TEST])
        seen = outlook(world.ctx(), world.plan())
        judged = len(seen.chosen[0].work.usable(Split.TEST))
        assert 0 < judged <= sealed
        # Two steps of four rollouts, a reflection over them, an aggregation and a ranking; a description; the notes.
        # The drift watch compares 24 fresh rollouts with kept ones.
        assert 2 + 30 * 3 + 2 * judged + (2 * (4 + 1 + 2) + 1 + 1) + 24 == seen.calls

    @pytest.mark.parametrize(
        ("gate", "optimizing", "more"),
        [
            ({"pairs_per_night": 31}, {}, 3),
            ({"baseline_samples": 3}, {}, 30),
            ({"attribution": AttributionConfig(most=10)}, {"edit_budget": 4}, 10 * (3 + 4 + 5)),
            ({"attribution": AttributionConfig(most=10)}, {"edit_budget": 1}, 0),
            ({"rule": VerdictRule.STRICT}, {}, -24),
            ({}, {"steps": 3}, 4 + 1 + 2),
            ({}, {"samples": 2}, 2 * 4),
            ({}, {"minibatch": 5}, 2 * (1 + 1)),
            ({}, {"meta_notes": False}, -1),
            ({}, {"describing": HERE}, 6 * 20 + 1 + 24),
            ({}, {"describing": replace(HERE, whose=Whose.OFF)}, 0),
        ],
    )
    def test_each_setting_adds_what_it_may_cost(
        self, world: World, gate: dict[str, object], optimizing: dict[str, object], more: int
    ) -> None:
        """Over the smallest night."""
        other = replace(
            world,
            gate=replace(world.gate, **gate),  # type: ignore[arg-type]
            optimizing=replace(world.optimizing, **optimizing),  # type: ignore[arg-type]
        )
        before, after = (outlook(one.ctx(), one.plan()).calls for one in (world, other))
        assert more == after - before


@pytest.mark.slow
class TestSeveralSkills:
    """The programmer's home, in which a researcher works as well, and an analyst whose agent heeds no skill."""

    @pytest.fixture
    def shared(self, tmp_path: Path) -> World:
        world = make(tmp_path, poisoned=False)
        for who, sessions in (("researcher", 34), ("analyst", 28)):
            project = world.home / persona(who).project
            project.mkdir(parents=True)
            for session in live(persona(who), Days(seed=1, start=BEGIN, sessions=sessions, poisoned=False)):
                write(session, world.home, project)
        world.ingest()
        return replace(world, gate=replace(world.gate, pairs_per_night=100))

    def test_pairs_that_one_skill_leaves_over_go_to_the_next(self, shared: World) -> None:
        """Two find their rules before their parts are used up; the third goes on in vain with what they left."""
        model = ThreePeople()
        parts = outlook(shared.ctx(model), shared.plan()).chosen
        shared.night(model)
        paths = {c["id"]: c["path"] for c in shared.rows("candidates")}
        drawn = Counter(paths[p["candidate_id"]] for p in shared.rows("pairs"))
        over = [part.pairs - drawn[part.work.target.path] for part in parts]
        assert (3, True, True, True) == (len(parts), over[0] > 0, over[1] > 0, over[2] < 0)
        assert 0 <= sum(over)

    def test_each_skill_adds_its_calls_to_the_foretold(self, shared: World) -> None:
        """Two preflights and the night's pairs are paid for once, the rest for each."""
        together = outlook(shared.ctx(), shared.plan())
        alone = [
            outlook(shared.ctx(), replace(shared.plan(), skill=share.work.target.name)).calls
            for share in together.chosen
        ]
        assert 3 == len(alone)
        assert together.calls == sum(alone) - 2 * (2 + 100 * 3)


class ThreePeople:
    """Each person's model wherever the prompt holds a request of that person's work; no skill helps the analyst's."""

    key = "three people"

    def __init__(self) -> None:
        self._models = {who: SimulatedModel(persona(who), seed=1) for who in ("programmer", "researcher", "analyst")}

    def ask(self, ask: Ask) -> Reply | Failure:
        who = next((who for who in self._models if family_of(persona(who), ask.prompt)), "programmer")
        in_vain = who == "analyst" and ask.purpose is CallPurpose.ROLLOUT
        return self._models[who].ask(replace(ask, system="") if in_vain else ask)


class TestOutage:
    @pytest.mark.parametrize(
        ("cause", "status"),
        [
            (Cause.AUTH, NightStatus.NOT_MEASURED),
            (Cause.NETWORK, NightStatus.NOT_MEASURED),
            (Cause.SPENT, NightStatus.BUDGET_SPENT),
        ],
    )
    def test_an_outage_at_once_consumes_nothing(self, world: World, cause: Cause, status: NightStatus) -> None:
        """No index, no pair, no zero score; the row says so in the words of the provider."""
        night = world.night(ScriptedModel(otherwise=Failure(cause=cause, message="log in again")))
        assert (status, True) == (night.status, "log in again" in night.message)
        assert [[]] * 4 == [world.rows(t) for t in ("candidates", "pairs", "rollouts", "reflections")]

    @pytest.mark.slow
    def test_a_night_that_could_not_be_measured_is_taken_up_again(self, world: World) -> None:
        """The same id, and then the same end as without the outage."""
        failed = world.night(FailingAt(world.model, 30, OUTAGE))
        assert NightStatus.NOT_MEASURED is failed.status
        assert failed.id == world.night().id
        assert ["done"] == [n["status"] for n in world.rows("nights")]

    def test_preflight_asks_each_model_once(self, world: World) -> None:
        """A reply that is cut off is an answer; a refusal, an empty reply or a logged-out client is none."""
        model = ScriptedModel(otherwise=Failure(cause=Cause.OVERLONG, message="cut"))
        preflight(world.ctx(model))
        assert 1 == len(model.asks)
        for cause in (Cause.AUTH, Cause.REFUSED, Cause.MALFORMED):
            with pytest.raises(NotMeasured, match="log in"):
                preflight(world.ctx(ScriptedModel(otherwise=Failure(cause=cause, message="log in"))))

    @pytest.mark.slow
    def test_a_model_that_never_answers_is_an_outage_and_leaves_nothing_behind(self, world: World) -> None:
        """Eight failures in a row under the live text: nothing of them is kept, and the night says why."""

        class Mute:
            key = world.model.key

            def ask(self, ask: Ask) -> Reply | Failure:
                if ask.purpose is CallPurpose.ROLLOUT:
                    return Failure(cause=Cause.TIMEOUT, message="no answer within 120 s")
                return world.model.ask(ask)

        world = replace(world, optimizing=replace(world.optimizing, minibatch=8))
        night = world.night(Mute())
        assert NightStatus.NOT_MEASURED is night.status
        assert "8 calls in a row gave no answer (timeout)" in night.message
        assert ([], []) == (world.rows("rollouts"), world.rows("candidates"))
        assert NightStatus.DONE is world.night().status
        assert world.rows("candidates")

    @pytest.mark.slow
    def test_every_prompt_bears_our_mark(self, world: World) -> None:
        """So that a transcript of our own run is never taken for work."""
        marks = set()

        class Listening:
            key = world.model.key

            def ask(self, ask: Ask) -> Reply | Failure:
                marks.add(ask.system[: len(OWN_MARK)])
                return world.model.ask(ask)

        world.night(Listening())
        assert {OWN_MARK} == marks


@pytest.fixture(scope="module")
def expected(copy_of_mined: Callable[[str], World]) -> tuple[World, int]:
    """A world after an undisturbed night, and how many calls that took."""
    world = copy_of_mined("undisturbed")
    model = FailingAt(world.model, 0, OUTAGE)
    world.night(model)
    return world, model.asked


@pytest.mark.slow(8)
class TestSweep:
    """A night with the model failing, or the process ending, at each of its calls in turn; in parts of one length."""

    @pytest.mark.parametrize("part", range(4))
    def test_an_outage_at_any_call_changes_nothing_in_the_end(
        self, expected: tuple[World, int], copy_of_mined: Callable[[str], World], part: int
    ) -> None:
        """The night says it could not be measured, and run again it comes to the very same rows."""
        undisturbed, calls = expected
        for n in range(1 + part, calls + 1, 4):
            world = copy_of_mined(f"outage-{n}")
            broken = world.night(FailingAt(world.model, n, OUTAGE))
            assert (n, NightStatus.NOT_MEASURED) == (n, broken.status)
            assert (n, "") != (n, broken.message)
            assert not [r for r in world.rows("rollouts") if r["cause"]], n
            world.night()
            assert (n, result(undisturbed)) == (n, result(world))
            assert (n, night_rows(undisturbed)) == (n, night_rows(world))
            world.database.close()

    @pytest.mark.parametrize("part", range(2))
    def test_a_kill_at_any_call_changes_nothing_in_the_end(
        self, expected: tuple[World, int], copy_of_mined: Callable[[str], World], part: int
    ) -> None:
        """Every third n: what was kept is not paid for again."""
        undisturbed, calls = expected
        for n in range(1 + 3 * part, calls + 1, 6):
            world = copy_of_mined(f"kill-{n}")
            with pytest.raises(Killed):
                world.night(KilledAt(world, n))
            kept = len(world.rows("rollouts")) + len(world.rows("reflections"))
            again = FailingAt(world.model, 0, OUTAGE)
            world.night(again)
            assert (n, calls - kept) == (n, again.asked)
            assert (n, result(undisturbed)) == (n, result(world))
            world.database.close()

    def test_a_budget_spent_bit_by_bit_comes_to_the_same_end(
        self, expected: tuple[World, int], copy_of_mined: Callable[[str], World]
    ) -> None:
        """With 20 calls a run the night is taken up again and again, until it is done."""
        undisturbed, calls = expected
        world = copy_of_mined("budget")
        runs = 0
        while world.night(Metered(world.model, Ledger(max_calls=20))).status is not NightStatus.DONE:
            runs += 1
            assert runs < calls
        assert 2 < runs
        assert result(undisturbed) == result(world)


def begun(world: World, scope: str, date: str) -> str:
    """The id of a night of this scope and date that is begun now."""
    id_ = night_id(world.database, scope, date)
    night = Night(
        id=id_, scope=scope, date=date, status=NightStatus.RUNNING, started_at=BEGIN, ended_at=None, message="", report={}
    )  # fmt: skip
    with world.database.writing() as connection:
        nights.begin(connection, night)
    return id_


def test_an_unfinished_night_keeps_its_id(world: World) -> None:
    """Another scope or date has its own, whatever was begun in between."""
    wanted = [("user", "2026-10-01"), ("user", "2026-10-02"), ("/p", "2026-10-01"), ("/q", "2026-10-01")]
    ids = [begun(world, *one) for one in wanted]
    assert len(wanted) == len(set(ids))
    assert ids == [night_id(world.database, *one) for one in wanted]


def test_the_place_of_a_project_is_not_in_a_nights_id(world: World) -> None:
    """Seeds follow from the id, so the same history in another folder gives the same night."""
    here, there = (
        night_id(world.database, scope, "2026-10-01") for scope in ("/home/p", "/elsewhere/of/another/length/p")
    )
    assert here == there


class TestInTheWay:
    def test_a_project_folder_that_is_gone_costs_no_call(self, world: World) -> None:
        """What would be learnt could not be written anywhere."""
        with world.database.writing() as connection:
            connection.exec_driver_sql("UPDATE tasks SET project = ?", (str(world.folder / "gone"),))
        model = FailingAt(world.model, 0, OUTAGE)
        night = world.night(model)
        assert "its project folder is gone" in night.message
        assert 0 == model.asked

    def test_a_waiting_proposal_keeps_later_nights_from_trying_more(self, world: World) -> None:
        """Its text would be the live one soon; the night says so and asks no model."""
        world.night(date="2026-10-01")
        assert {"waiting"} <= {str(p["status"]) for p in world.rows("proposals")}
        model = FailingAt(world.model, 0, OUTAGE)
        night = world.night(model, date="2026-10-02")
        assert "waits for you" in night.message
        assert 0 == model.asked

    def test_a_skill_file_that_cannot_be_used_is_passed_over_with_its_reason(self, world: World) -> None:
        """A file of broken bytes ends no night: the reason stands in the night's message."""
        first = world.night(date="2026-10-01")
        path = Path(str(world.rows("candidates")[0]["path"]))
        path.parent.mkdir(parents=True)
        path.write_bytes(b"\xff\xfe broken")
        try:
            night = world.night(date="2026-10-02")
        finally:
            # The home is shared by the copies of this world.
            shutil.rmtree(path.parent)
        assert (NightStatus.DONE, NightStatus.DONE) == (first.status, night.status)
        assert str(path) in night.message
