"""A model that changes behind its name is noticed over the nights, and what was measured of it before is not used again."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from sleepd.core.drift import PAIRS_PER_NIGHT
from sleepd.core.experiment import Decision, VerdictRule
from sleepd.core.model import Cause, Digest, Pair, Split, digest
from sleepd.core.ports import Ask, CallPurpose, Failure, Model, Reply
from sleepd.core.select import Bundle
from sleepd.models.scripted import FailingAt
from sleepd.pipeline import trial as trials
from sleepd.pipeline.adopt import reject
from sleepd.pipeline.drift import watch
from sleepd.pipeline.mine import kinds_of_work
from sleepd.pipeline.night import outlook
from sleepd.pipeline.rollout import RunContext, drive
from sleepd.pipeline.trial import FIRST, Comparison, GateTerms, enter, text_arms, text_claim
from sleepd.pipeline.waiting import exhausted
from sleepd.pipeline.work import Work, find_work
from sleepd.simulate.cast import persona
from sleepd.store import proposals, rollouts, tasks
from sleepd.store.database import open_database
from sleepd.store.nights import Night, NightStatus
from sleepd.store.proposals import Status, Trial
from tests.pipeline.world import World, new_skill, night_rows

OUTAGE = Failure(cause=Cause.QUOTA, message="the limit is reached")
EVERYTHING = ("rollouts", "reflections", "candidates", "pairs", "proposals")
BASE = digest("")
MOST_NIGHTS = 2
RULES = "\n".join(["", *(rule.wordings[0] for family in persona("programmer").families for rule in family.rules)])


def measure(ctx: RunContext, comparison: Comparison, trial: Trial, gate: GateTerms, budget: int) -> Decision:
    return drive(ctx, trials.measure(ctx, text_arms(ctx, comparison, trial.candidate), trial, gate, budget)).decision


class Changed:
    """Another model behind the same name: it knows the person's rules of its own accord."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def key(self) -> str:
        return self._model.key

    def ask(self, ask: Ask) -> Reply | Failure:
        knows = replace(ask, system=ask.system + RULES) if ask.purpose is CallPurpose.ROLLOUT else ask
        return self._model.ask(knows)


class Ended(BaseException):
    """A process that is ended in the middle."""


class EndedAt:
    """Ends the night at its n-th call."""

    def __init__(self, model: Model, n: int) -> None:
        self._model, self._left = model, n

    @property
    def key(self) -> str:
        return self._model.key

    def ask(self, ask: Ask) -> Reply | Failure:
        self._left -= 1
        if not self._left:
            raise Ended
        return self._model.ask(ask)


def counting(model: Model) -> FailingAt:
    return FailingAt(model, 0, OUTAGE)


def settled(world: World, model: Model | None = None, date: str = "2026-10-01") -> Night:
    """A night, after which the person turns down what it proposes: what waits would keep later nights from trying."""
    night = world.night(model, date=date)
    with world.database.reading() as connection:
        waiting = proposals.proposals(connection, Status.WAITING)
    for proposal in waiting:
        reject(world.database, proposal, "not now")
    return night


def drift_of(night: Night) -> Mapping[str, object]:
    found = night.report["drift"]
    assert isinstance(found, Mapping)
    return found


def date(number: int) -> str:
    return f"2026-10-{number:02}"


def work_of(world: World) -> Work:
    with world.database.reading() as connection:
        everything = tasks.load(connection)
    return find_work(kinds_of_work(everything, 2), world.surroundings, new_skill)[0]


def comparison_of(world: World) -> Comparison:
    work = work_of(world)
    return Comparison(target=work.target, base="", tasks=work.usable(Split.VAL))


def patient(world: World) -> World:
    """Few pairs a night, so that candidates wait."""
    return replace(world, gate=replace(world.gate, pairs_per_night=16, baseline_samples=4))


def until_alarm(world: World) -> tuple[Night, int]:
    """A night before the change, and nights after it until one raises the alarm."""
    first = settled(world, date=date(1))
    assert None is first.report["drift"]
    for number in range(2, 2 + MOST_NIGHTS):
        night = settled(world, Changed(world.model), date=date(number))
        if drift_of(night)["alarm"]:
            return night, number
    raise AssertionError(f"no alarm in {MOST_NIGHTS} nights")


class TestWithoutEarlierNights:
    def test_the_first_night_asks_nothing_more(self, world: World) -> None:
        """No drift pair, no call for one, and the report says that there was nothing to compare with."""
        night = settled(world)
        assert None is night.report["drift"]
        assert not [r for r in world.rows("rollouts") if r["purpose"] == "drift"]

    def test_watching_without_kept_rollouts_makes_no_call(self, world: World) -> None:
        """Tonight's own do not count as earlier ones either."""
        model = counting(world.model)
        assert None is watch(world.ctx(model), comparison_of(world), world.gate)
        assert 0 == model.asked
        settled(world, model, date=date(1))
        (row,) = world.rows("nights")
        before = model.asked
        assert None is watch(world.ctx(model, night=str(row["id"])), comparison_of(world), world.gate)
        assert before == model.asked

    @pytest.mark.parametrize("rule", [VerdictRule.STRICT, VerdictRule.OFF])
    def test_the_papers_rules_use_nothing_again_and_draw_none(self, world: World, rule: VerdictRule) -> None:
        """Each of their candidates has baseline rollouts of its own."""
        settled(world, date=date(1))
        model = counting(world.model)
        assert None is watch(world.ctx(model, night="n9"), comparison_of(world), replace(world.gate, rule=rule))
        assert 0 == model.asked

    @pytest.mark.slow
    def test_other_checks_have_no_kept_rollouts(self, world: World) -> None:
        """What was judged by other checks is not used again, so there is nothing to watch."""
        settled(world, date=date(1))
        comparison = comparison_of(world)
        other = replace(
            comparison, tasks=tuple(replace(s, checks=s.checks[:1]) for s in comparison.tasks if len(s.checks) > 1)
        )
        assert other.tasks
        model = counting(world.model)
        assert None is watch(world.ctx(model, night="n9"), other, world.gate)
        assert 0 == model.asked


@pytest.mark.slow
class TestWithoutAChange:
    def test_each_later_night_draws_a_stated_number_of_pairs(self, world: World) -> None:
        """The account goes on over the nights, no rollout is in two pairs, and nothing is set aside.

        The first night has one candidate, whose first eight pairs have 32 baseline rollouts; the second has none.
        """
        world = patient(world)
        reports = [settled(world, date=date(n)) for n in (1, 2, 3)]
        assert [None, PAIRS_PER_NIGHT, 4 * FIRST] == [r.report["drift"] and drift_of(r)["pairs"] for r in reports]
        assert not any(drift_of(r)["alarm"] for r in reports[1:])
        fresh = [r for r in world.rows("rollouts") if r["purpose"] == "drift"]
        assert 4 * FIRST == len(fresh) == len({(r["task_id"], r["ordinal"]) for r in fresh})
        assert {world.ctx().replay_key} == {r["model"] for r in world.rows("rollouts")}
        assert "differently" not in reports[2].message

    def test_each_pair_has_one_kept_rollout_of_its_own(self, world: World) -> None:
        """On validation tasks, made in the earlier night: the watch makes none of the older ones itself."""
        ctx, two = world.ctx(night="n1"), replace(world.gate, pairs_per_night=8)
        comparison, bundle = comparison_of(world), Bundle(backed=())
        for text in ("- x\n", "- y\n"):
            trial = enter(ctx, comparison, text_claim(ctx, comparison, bundle, text), two)
            measure(ctx, comparison, trial, two, 4)
        before = [r for r in world.rows("rollouts") if r["purpose"] == "baseline"]
        model = counting(world.model)
        found = watch(world.ctx(model, night="n2"), comparison, two)
        # Four pairs of each of two candidates, two baseline rollouts a pair: all of them, and no others.
        assert found is not None
        assert (16, 16) == (found.pairs, model.asked)
        assert before == [r for r in world.rows("rollouts") if r["purpose"] == "baseline"]
        fresh = Counter((r["task_id"], r["series"]) for r in world.rows("rollouts") if r["purpose"] == "drift")
        assert Counter((r["task_id"], r["series"]) for r in before) == fresh
        assert {Split.VAL.value} == {t["split"] for t in world.rows("tasks") if t["id"] in {task for task, _ in fresh}}

    def test_only_what_was_drawn_before_the_first_look_is_used(self, world: World) -> None:
        """Whether later pairs are there depends on the scores: they would be a choice among them."""
        ctx, comparison = world.ctx(night="n1"), comparison_of(world)
        trial = enter(ctx, comparison, text_claim(ctx, comparison, Bundle(backed=()), "- x\n"), world.gate)
        measure(ctx, comparison, trial, world.gate, 14)
        assert len(pairs_of(world, trial)) > FIRST
        found = watch(world.ctx(night="n2"), comparison, world.gate)
        assert found is not None and 2 * FIRST == found.pairs

    def test_a_rerun_in_pieces_draws_the_same_pairs(self, world: World) -> None:
        """Of the same night: what was drawn is found again, and the same is said."""
        settled(world, date=date(1))
        ctx = world.ctx(night="n2")
        pieces = [FailingAt(world.model, n, OUTAGE) for n in (3, 5)]
        for piece in pieces:
            with pytest.raises(Exception, match="limit"):
                watch(world.ctx(piece, night="n2"), comparison_of(world), world.gate)
        found = watch(ctx, comparison_of(world), world.gate)
        rows = world.rows("rollouts")
        model = counting(world.model)
        assert found == watch(world.ctx(model, night="n2"), comparison_of(world), world.gate)
        assert (0, rows) == (model.asked, world.rows("rollouts"))
        assert found is not None
        assert (PAIRS_PER_NIGHT, False) == (found.pairs, found.alarm)

    def test_no_more_calls_than_foretold(self, world: World) -> None:
        """The outlook of a later night counts the drift pairs."""
        world = patient(world)
        settled(world, date=date(1))
        model = counting(world.model)
        seen = outlook(world.ctx(model, night="n2"), world.plan(date(2)))
        assert 0 == model.asked
        strict = replace(world, gate=replace(world.gate, rule=VerdictRule.STRICT))
        assert PAIRS_PER_NIGHT == seen.calls - outlook(strict.ctx(), strict.plan(date(2))).calls
        night = settled(world, model, date=date(2))
        assert PAIRS_PER_NIGHT == drift_of(night)["pairs"]
        assert model.asked <= seen.calls


class TestTimeouts:
    def test_a_kept_rollout_that_timed_out_is_not_made_again(self, world: World) -> None:
        """As a fresh one is not: else each timeout of a steady model would look like a change."""
        settled(world, date=date(1))
        with world.database.writing() as connection:
            connection.exec_driver_sql(
                "UPDATE rollouts SET score = NULL, cause = 'timeout' WHERE purpose = 'baseline' AND ordinal % 2 = 0"
            )
        before = [r for r in world.rows("rollouts") if r["purpose"] == "baseline"]
        model = counting(world.model)
        found = watch(world.ctx(model, night="n2"), comparison_of(world), world.gate)
        after = [r for r in world.rows("rollouts") if r["purpose"] == "baseline"]
        assert [] == [r for r in before if r not in after]
        assert found is not None and PAIRS_PER_NIGHT == found.pairs == model.asked


class TestAlarm:
    def test_what_was_accepted_before_is_marked(self, world: World) -> None:
        """Its proof is about the former model; what was rejected before is not said to be proven."""
        settled(world, date=date(1))
        with world.database.writing() as connection:
            connection.exec_driver_sql("UPDATE candidates SET verdict = 'rejected'")
            first = "UPDATE candidates SET verdict = 'accepted', base = 'an earlier text' WHERE number = 1"
            connection.exec_driver_sql(first)
            connection.exec_driver_sql("UPDATE rollouts SET score = 0.0 WHERE text = ?", (BASE,))
        found = watch(world.ctx(Changed(world.model), night="n2"), comparison_of(world), world.gate)
        assert found is not None and found.alarm
        with world.database.reading() as connection:
            doubts = {t.candidate.index: t.candidate.doubt for t in proposals.trials(connection)}
        assert "proven before the model changed (night n2)" == doubts[1]
        assert not any(doubt for index, doubt in doubts.items() if index > 1)

    def test_it_is_raised_within_two_nights_and_said(self, world: World) -> None:
        """In message and report; the night goes on to its end."""
        night, _ = until_alarm(patient(world))
        assert NightStatus.DONE is night.status
        assert f"the model behind {world.model.key} answers differently than before" in night.message
        assert "what was measured is set aside" in night.message

    @pytest.mark.slow
    def test_nothing_measured_before_is_used_afterwards(self, world: World) -> None:
        """Rollouts of the live text under the present name are the alarm's night's own, and so are the pairs drawn then."""
        world = patient(world)
        night, number = until_alarm(world)
        (change,) = world.rows("model_changes")
        assert (world.ctx().replay_key, night.id) == (change["model"], change["run_id"])
        current = [r for r in world.rows("rollouts") if not r["invalidated_by"]]
        assert {night.id} == {r["run_id"] for r in current if r["text"] == BASE}
        assert not [r for r in current if r["purpose"] == "drift"]
        older = {c["id"]: c for c in world.rows("candidates") if c["run_id"] != night.id}
        assert older
        assert {change["number"]} == {c["invalidated_by"] for c in older.values()}
        assert not [p for p in world.rows("pairs") if p["run_id"] == night.id and p["candidate_id"] in older]
        texts = {c["text"] for c in older.values()}
        assert not [r for r in current if r["text"] in texts and r["run_id"] != night.id]
        after = settled(world, Changed(world.model), date=date(number + 1))
        assert not drift_of(after)["alarm"]
        assert PAIRS_PER_NIGHT == drift_of(after)["pairs"]

    @pytest.mark.slow
    def test_undecided_candidates_are_closed_with_the_reason(self, world: World) -> None:
        """None waits any more, and one that was decided keeps its verdict."""
        world = patient(world)
        world = replace(world, gate=replace(world.gate, alpha=1e-9))
        settled(world, date=date(1))
        assert {"undecided"} == {c["verdict"] for c in world.rows("candidates")}
        waiting = {c["id"] for c in world.rows("candidates")}
        with world.database.writing() as connection:
            connection.exec_driver_sql("UPDATE rollouts SET score = 0.0 WHERE text = ?", (BASE,))
        night = settled(world, Changed(world.model), date=date(2))
        assert drift_of(night)["alarm"]
        closed = [c for c in world.rows("candidates") if c["id"] in waiting]
        assert {("closed", True)} == {(c["verdict"], "answers differently" in str(c["reason"])) for c in closed}

    def test_the_same_text_is_a_new_candidate_afterwards(self, world: World) -> None:
        """It starts at 1 under a new index, and what it failed with before does not count as tried."""
        comparison, bundle = comparison_of(world), Bundle(backed=())
        before = world.ctx(night="n1")
        first = enter(before, comparison, text_claim(before, comparison, bundle, "- x\n"), world.gate)
        measure(before, comparison, first, world.gate, 16)
        again = enter(
            world.ctx(night="n2"),
            comparison,
            text_claim(world.ctx(night="n2"), comparison, bundle, "- x\n"),
            world.gate,
        )
        assert first.candidate.id == again.candidate.id
        changed = world.ctx(Changed(world.model), night="n2")
        with world.database.writing() as connection:
            connection.exec_driver_sql("UPDATE rollouts SET score = 0.0 WHERE text = ?", (BASE,))
        found = watch(changed, comparison, world.gate)
        assert found is not None
        assert found.alarm
        assert not exhausted(world.ctx(night="n3"), work_of(world), world.gate)
        second = enter(changed, comparison, text_claim(changed, comparison, bundle, "- x\n"), world.gate)
        assert (1, 2, ()) == (first.candidate.index, second.candidate.index, pairs_of(world, second))
        assert 16 == len(pairs_of(world, first))

    @pytest.mark.slow
    def test_other_texts_and_models_keep_what_was_measured(self, world: World) -> None:
        """An alarm is about one live text, the candidates on it, and one model."""
        settled(world, date=date(1))
        with world.database.writing() as connection:
            other = rollouts.put_text(connection, "- another live text\n")
            columns = "task_id, text, model, judge, replay, purpose, series, ordinal, night, invalidated_by, run_id, step, answer, score, reason"
            for text, model in ((other, world.ctx().replay_key), (BASE, "another model")):
                connection.exec_driver_sql(
                    f"INSERT INTO rollouts ({columns}) SELECT task_id, ?, ?, judge, replay, purpose, series, ordinal, night, invalidated_by,"
                    " run_id, step, answer, score, reason FROM rollouts WHERE text = ? AND model = ? AND"
                    " purpose = 'baseline' AND ordinal < 4",
                    (text, model, BASE, world.ctx().replay_key),
                )
            connection.exec_driver_sql("UPDATE rollouts SET score = 0.0 WHERE text = ?", (BASE,))
        kept = [r for r in world.rows("rollouts") if (r["text"], r["model"]) in others(world, other)]
        assert drift_of(settled(world, Changed(world.model), date=date(2)))["alarm"]
        assert kept
        assert kept == [r for r in world.rows("rollouts") if (r["text"], r["model"]) in others(world, other)]


def pairs_of(world: World, trial: Trial) -> tuple[Pair, ...]:
    with world.database.reading() as connection:
        return proposals.pairs(connection, trial.candidate.id)


def others(world: World, text: Digest) -> set[tuple[str, str]]:
    return {(text, world.ctx().replay_key), (BASE, "another model")}


@pytest.fixture(scope="module")
def before_the_alarm(copy_of_mined: Callable[[str], World]) -> tuple[World, int]:
    """A world whose next night raises the alarm, and that night's number."""
    rehearsal = patient(copy_of_mined("rehearsal"))
    _, number = until_alarm(rehearsal)
    world = patient(copy_of_mined("before-the-alarm"))
    settled(world, date=date(1))
    for n in range(2, number):
        settled(world, Changed(world.model), date=date(n))
    return world, number


def result(world: World) -> dict[str, list[dict[str, object]]]:
    return {t: world.rows(t) for t in EVERYTHING} | {"nights": night_rows(world)}


class TestSweep:
    def copy(self, original: World, name: str, folder: Path) -> World:
        path = folder / f"{name}.db"
        shutil.copy(original.database.backup("before-the-alarm"), path)
        return replace(original, database=open_database(path))

    @pytest.mark.slow
    def test_a_night_of_the_alarm_broken_anywhere_comes_to_the_same_end(
        self, before_the_alarm: tuple[World, int], tmp_path: Path
    ) -> None:
        """An outage or a kill at every fourth call, before, in and after the drift pairs; each says the alarm."""
        original, number = before_the_alarm
        undisturbed = self.copy(original, "undisturbed", tmp_path)
        model = counting(Changed(original.model))
        assert drift_of(undisturbed.night(model, date=date(number)))["alarm"]
        for n in range(1, model.asked + 1, 4):
            world = self.copy(original, f"broken-{n}", tmp_path)
            changed = Changed(world.model)
            if n % 8 == 1:
                assert NightStatus.NOT_MEASURED is world.night(FailingAt(changed, n, OUTAGE), date=date(number)).status
            else:
                with pytest.raises(Ended):
                    world.night(EndedAt(changed, n), date=date(number))
            world.night(changed, date=date(number))
            assert (n, result(undisturbed)) == (n, result(world))
            world.database.close()
