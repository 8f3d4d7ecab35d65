"""One step: what is read, what is proposed of it, and what of that is tried."""

from __future__ import annotations

import itertools
import json
import threading
from dataclasses import replace

import pytest

from sleepd.core import edit
from sleepd.core.budget import UNLIMITED, Schedule
from sleepd.core.edit import Region
from sleepd.core.errors import NotMeasured
from sleepd.core.model import CandidateOrigin, Cause, Edit, EditOp, Split, Verdict
from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.core.select import Bundle, Ranking
from sleepd.models.scripted import ScriptedModel
from sleepd.pipeline.mine import kinds_of_work
from sleepd.pipeline.optimize import OptimizeReport, OptimizerTerms, optimize, try_out
from sleepd.pipeline.reflect import MOST_EDITS
from sleepd.pipeline.replies import ReplyText, replies_to
from sleepd.pipeline.rollout import RunContext, drive
from sleepd.pipeline.step import StepProposal, step
from sleepd.pipeline.trial import Comparison
from sleepd.pipeline.work import Work, find_work
from sleepd.store import tasks
from sleepd.store.proposals import Trial
from tests.pipeline.world import World, new_skill

EMPTY = Edit(op=EditOp.ADD, anchor=None, text="Sign every message with a rhyme.", reason="it is nice")
OPTIMIZING = OptimizerTerms(minibatch=4, steps=1)
NUMBERS = itertools.count()
"""No two reflection models answer from each other's kept replies."""


class Proposing:
    """Gives the same edits to whatever it is asked about work, and no order."""

    def __init__(self, *edits: Edit | str) -> None:
        made = [Edit(op=EditOp.ADD, anchor=None, text=e, reason="") if isinstance(e, str) else e for e in edits]
        self._reply = json.dumps({"edits": [{"op": e.op, "anchor": e.anchor, "text": e.text} for e in made]})
        self.asks: list[Ask] = []
        self.key = f"proposing {next(NUMBERS)}"

    def ask(self, ask: Ask) -> Reply | Failure:
        self.asks.append(ask)
        return Reply(text='{"order": [1]}' if '"order"' in ask.system else self._reply)

    @property
    def about_work(self) -> list[Ask]:
        return [ask for ask in self.asks if '"order"' not in ask.system]


def work_of(world: World) -> Work:
    with world.database.reading() as connection:
        everything = tasks.load(connection)
    return find_work(kinds_of_work(everything, 2), world.surroundings, new_skill)[0]


def comparison_of(world: World, base: str = "") -> Comparison:
    work = work_of(world)
    return Comparison(target=work.target, base=base, tasks=work.usable(Split.VAL))


def bench_of(world: World, reflector: object, night: str = "n1") -> RunContext:
    return replace(world.ctx(night=night), reflector=reflector)  # type: ignore[arg-type]


def stepped(world: World, reflector: object, optimizing: OptimizerTerms = OPTIMIZING, number: int = 0) -> StepProposal:
    stepping = optimizing.stepping(number, optimizing.steps)
    return step(bench_of(world, reflector), comparison_of(world), work_of(world), stepping, ())


def night(world: World, reflector: object, name: str, **knobs: object) -> OptimizeReport:
    return optimize(bench_of(world, reflector, name), work_of(world), replace(OPTIMIZING, **knobs), world.gate)  # type: ignore[arg-type]


MANY = [f"Mention {a} and the {b} of {c}." for a, b, c in zip(
    ("lions", "copper", "rain", "violins", "paper", "Monday", "salt", "bridges", "ink", "oaks"),
    ("colour", "weight", "price", "sound", "age", "owner", "smell", "height", "name", "root"),
    ("gates", "pans", "roofs", "halls", "kites", "desks", "soups", "rivers", "pens", "hills"),
    strict=True,
)]  # fmt: skip


class TestBudget:
    def test_the_steps_of_a_night_follow_the_schedule(self) -> None:
        """From the budget to its end; without one, whatever was proposed."""
        five = OptimizerTerms(steps=5)
        assert [4, 4, 3, 2, 2] == [five.stepping(n, 5).edit_budget for n in range(5)]
        assert [4] * 3 == [OptimizerTerms(schedule=Schedule.CONSTANT).stepping(n, 3).edit_budget for n in range(3)]
        assert UNLIMITED == OptimizerTerms(schedule=Schedule.UNBOUNDED).stepping(0, 3).edit_budget

    def test_a_bundle_holds_no_more_than_the_budget_in_force(self, world: World) -> None:
        """And all of them where there is none."""
        two = replace(OPTIMIZING, edit_budget=2)
        assert [2] == [len(b.edits) for b in stepped(world, Proposing(*MANY), two).bundles]
        free = replace(OPTIMIZING, schedule=Schedule.UNBOUNDED)
        assert [len(MANY)] == [len(b.edits) for b in stepped(world, Proposing(*MANY), free).bundles]

    def test_an_autonomous_step_asks_how_many(self, world: World) -> None:
        """Here the reply names none, so the most there may be is in force, and that is said."""
        model = Proposing(*MANY)
        got = stepped(world, model, replace(OPTIMIZING, schedule=Schedule.AUTONOMOUS))
        assert (4, 4) == (got.edit_budget, len(got.bundles[0].edits))
        assert any("how many edits" in p for p in got.problems)


class Disagreeing(Proposing):
    """Gives the first edit to one reflection and the others to the next, and so on in turn."""

    def ask(self, ask: Ask) -> Reply | Failure:
        whole = json.loads(super().ask(ask).text)  # type: ignore[union-attr]
        if "edits" not in whole:
            return Reply(text=json.dumps(whole))
        odd = len(self.about_work) % 2
        return Reply(text=json.dumps({"edits": whole["edits"][:1] if odd else whole["edits"][1:]}))


class TestWordsOfThePerson:
    SAID = "Start with the ticket key in square brackets."
    WORDED = (
        "Start each message with the ticket key in square brackets, always.",
        "End each message with a Tested line that names the command, always.",
        "Add to each message a Risk line that names the part of the code it touches.",
    )

    @pytest.mark.parametrize(("texts", "stated"), [((SAID,), True), (("Mention oaks and hills.",), False)])
    def test_a_candidate_knows_whether_the_person_stated_its_rules(
        self, world: World, texts: tuple[str, ...], stated: bool
    ) -> None:
        """By a turn of the sessions that taught it, before its first pair."""
        assert [stated] == [b.stated for b in stepped(world, Proposing(*texts)).bundles]

    def test_one_rule_that_nobody_said_is_enough_to_lose_it(self, world: World) -> None:
        """The share is for candidates each of whose rules the person put into words."""
        (bundle,) = stepped(world, Proposing(self.SAID, MANY[0])).bundles
        assert (2, False) == (len(bundle.edits), bundle.stated)

    def test_in_a_race_the_persons_exact_words_run_beside_the_worded_rule(self, world: World) -> None:
        """A race that there is anyway: the quote stands in the place of the rule, and takes no place from another."""
        runners = stepped(world, Disagreeing(*self.WORDED), replace(OPTIMIZING, minibatch=8)).runners
        texts = [one.edits[0].text for one in runners]
        assert set(self.WORDED) == set(texts[: len(self.WORDED)])
        assert [True] * len(runners) == [one.stated for one in runners] and len(runners) > len(self.WORDED)
        said = {attempt.reaction for s in work_of(world).tasks for attempt in s.task.rejected}
        assert set(texts[len(self.WORDED) :]) <= said

    def test_what_nobody_said_has_no_words_of_the_person(self, world: World) -> None:
        got = stepped(world, Disagreeing(*MANY[:3]), replace(OPTIMIZING, minibatch=8))
        assert (3, ()) == (len(got.runners), got.own_words)

    def test_the_persons_words_are_tried_when_the_gate_turned_down_their_wording(self, world: World) -> None:
        """Alone, as a rule that the person stated; not again once they were tried, and not where the wording waits."""
        model = Proposing(self.WORDED[0])
        (worded,) = stepped(world, model).bundles
        comparison, ctx = comparison_of(world), bench_of(world, model)
        tried, _ = drive(ctx, try_out(ctx, comparison, worded, OPTIMIZING, replace(world.gate, pairs_per_night=16)))
        stepping = OPTIMIZING.stepping(0, 1)

        def after(trial: Trial, verdict: Verdict) -> tuple[Bundle, ...]:
            ended = replace(trial, candidate=replace(trial.candidate, verdict=verdict))
            return step(ctx, comparison, work_of(world), stepping, (ended,)).own_words

        (quote,) = after(tried[0], Verdict.REJECTED)
        assert (True, True) == (quote.stated, quote.edits[0].text != self.WORDED[0])
        assert () == after(tried[0], Verdict.UNDECIDED)
        again = replace(tried[0], candidate=replace(tried[0].candidate, edits=quote.edits))
        assert () == after(again, Verdict.REJECTED)


class TestAblations:
    def test_without_recall_no_neighbour_is_shown(self, world: World) -> None:
        """Else there are some."""
        assert any(c.neighbours for c in stepped(world, Proposing(*MANY)).cases)
        assert not any(c.neighbours for c in stepped(world, Proposing(*MANY), replace(OPTIMIZING, recall_k=0)).cases)

    @pytest.mark.parametrize("samples", [1, 3])
    def test_so_many_rollouts_of_each_task_are_read(self, world: World, samples: int) -> None:
        """One shows no contrast."""
        got = stepped(world, Proposing(*MANY), replace(OPTIMIZING, samples=samples))
        assert {samples} == {len(c.rollouts) for c in got.cases}

    @pytest.mark.slow
    def test_without_the_buffer_failures_are_not_told(self, world: World) -> None:
        """With it, the second night's reflection reads what the first night rejected, and why."""
        for buffered in (True, False):
            model = Proposing(EMPTY)
            night(world, model, f"first {buffered}")
            asked = len(model.about_work)
            night(world, model, f"second {buffered}", rejected_buffer=buffered)
            told = [EMPTY.text in a.prompt for a in model.about_work[asked:]]
            assert (buffered and all(told)) or not any(told)

    def test_without_a_ranking_no_order_is_asked_for(self, world: World) -> None:
        """With it there is one question a step, since not all find room."""
        models = [Proposing(*MANY), Proposing(*MANY)]
        for model, ranking in zip(models, Ranking, strict=True):
            stepped(world, model, replace(OPTIMIZING, ranking=ranking))
        assert [1, 0] == [len(m.asks) - len(m.about_work) for m in models]


def of_candidates(world: World) -> int:
    """Rollouts made under a candidate's text for its pairs."""
    return sum(row["purpose"] == "candidate" for row in world.rows("rollouts"))


RULES = """\
- Start with the ticket key in square brackets.
- End with a Tested line that names the command.
- Add a Risk line that names the part of the code it touches.
- Never praise.
- Be kind.
"""
"""Under which most work goes well, and some does not."""


class Choosy(Proposing):
    """Proposes something for work of one kind alone."""

    def __init__(self, *edits: Edit | str, successes: bool) -> None:
        super().__init__(*edits)
        self._successes = successes

    def ask(self, ask: Ask) -> Reply | Failure:
        answered = super().ask(ask)
        mine = ("See to it that this stays so" in ask.system) == self._successes or '"order"' in ask.system
        return answered if mine else Reply(text='{"edits": []}')


class TestVoices:
    def test_successes_without_a_proposal_are_no_voice_against_failures(self, world: World) -> None:
        """One reflection on failures and several on successes: what the one proposes may share a candidate."""
        comparison = comparison_of(world, edit.set_region("", Region.LEARNT, RULES))
        stepping = replace(OPTIMIZING, minibatch=8).stepping(0, 1)
        got = step(bench_of(world, Choosy(*MANY[:3], successes=False)), comparison, work_of(world), stepping, ())
        assert 0 < sum(not c.succeeded for c in got.cases) <= 4 < len(got.cases)
        assert [MANY[:3]] == [[e.text for e in b.edits] for b in got.bundles]


class TestShortening:
    DROP = Edit(op=EditOp.DELETE, anchor="- Be kind.", text="", reason="")

    @pytest.mark.parametrize("shorten", [False, True])
    def test_what_does_nothing_is_left_out_only_on_request(self, world: World, shorten: bool) -> None:
        """It takes hundreds of pairs to show; else it is named and stays."""
        comparison = comparison_of(world, edit.set_region("", Region.LEARNT, RULES))
        stepping = replace(OPTIMIZING, minibatch=8, shorten=shorten).stepping(0, 1)
        got = step(bench_of(world, Choosy(self.DROP, successes=True)), comparison, work_of(world), stepping, ())
        assert [True] * (not shorten) == ["- Be kind." in p for p in got.problems]
        assert [[self.DROP]] * shorten == [list(b.edits) for b in got.bundles if b.margin]


class TestPaidOnce:
    @pytest.mark.slow
    @pytest.mark.parametrize("again", [EMPTY.text, EMPTY.text.upper(), EMPTY.text.removesuffix(".")])
    def test_an_edit_that_failed_is_not_paid_for_on_a_later_night(self, world: World, again: str) -> None:
        """The second night makes rollouts for its reflection and none for a candidate, though the edit comes again."""
        world = replace(world, gate=replace(world.gate, pairs_per_night=400, smallest_effect=0.3))
        first = night(world, Proposing(EMPTY), "n1")
        assert {Verdict.REJECTED} == {t.candidate.verdict for t in first.tried}
        paid = of_candidates(world)
        model = Proposing(again)
        assert () == night(world, model, "later").tried
        assert model.asks and paid > 0
        assert (paid, 1) == (of_candidates(world), len(world.rows("candidates")))

    def test_a_step_that_is_run_again_asks_nothing_again(self, world: World) -> None:
        """Neither the task model nor the reflection model."""
        model = Proposing(*MANY)
        first = stepped(world, model)
        asked, paid = len(model.asks), len(world.rows("rollouts"))
        assert first == stepped(world, model)
        assert (asked, paid) == (len(model.asks), len(world.rows("rollouts")))


def question(prompt: str) -> Ask:
    return Ask(purpose=CallPurpose.REFLECT, system="", prompt=prompt)


class Meeting:
    """Answers the first question only once the second one is under way, and in the other order."""

    key = "meeting"

    def __init__(self) -> None:
        self._second = threading.Event()

    def ask(self, ask: Ask) -> Reply | Failure:
        if ask.prompt == "1":
            if not self._second.wait(20):
                return Failure(cause=Cause.REFUSED, message="nobody came")
        else:
            self._second.set()
        return Reply(text=f"answer {ask.prompt}")


class TestInParallel:
    def test_questions_are_under_way_together_and_answered_in_order(self, world: World) -> None:
        """As many at a time as there are workers; each reply is kept."""
        ctx = replace(bench_of(world, Meeting()), workers=2)
        assert [ReplyText("answer 1"), ReplyText("answer 2")] == replies_to(ctx, [question("1"), question("2")])
        assert 2 == len(world.rows("reflections"))

    def test_what_came_before_an_outage_is_kept(self, world: World) -> None:
        """And nothing more is asked."""
        model = ScriptedModel("one", Failure(cause=Cause.NETWORK, message="offline"), otherwise="never")
        asks = [question(str(n)) for n in range(4)]
        with pytest.raises(NotMeasured, match="offline"):
            replies_to(bench_of(world, model), asks)
        assert (["one"], 2) == ([row["reply"] for row in world.rows("reflections")], len(model.asks))
        assert ["one", "never", "never", "never"] == [s.text for s in replies_to(bench_of(world, model), asks)]  # type: ignore[union-attr]

    def test_the_same_question_twice_is_asked_once(self, world: World) -> None:
        """Both get the reply."""
        model = ScriptedModel("yes")
        assert [ReplyText("yes")] * 2 == replies_to(bench_of(world, model), [question("?")] * 2)
        assert [] == replies_to(bench_of(world, model), [])

    def test_an_adapter_that_breaks_costs_one_reply(self, world: World) -> None:
        """It is said which way; the others are read."""

        class Broken:
            key = "broken"

            def ask(self, ask: Ask) -> Reply | Failure:
                if ask.prompt == "bad":
                    raise KeyError(ask.prompt)
                return Reply(text="fine")

        got = replies_to(bench_of(world, Broken()), [question("bad"), question("good")])
        assert ReplyText("fine") == got[1] and "KeyError" in str(got[0])


USERS = "Write short sentences.\n\n- Sign with your name.\n"
GUIDANCE = "- Think before you write."
TEXT = edit.set_region(
    edit.set_region(USERS, Region.LEARNT, "- Be brief.\n- Be kind.\n- Be kind.\n"), Region.SLOW_UPDATE, f"{GUIDANCE}\n"
)


class TestBadEdits:
    @pytest.mark.parametrize(
        ("op", "anchor", "text", "reason"),
        [
            (EditOp.DELETE, GUIDANCE, "", "no rules"),
            (EditOp.REPLACE, GUIDANCE, "Do not think.", "no rules"),
            (EditOp.ADD, GUIDANCE, "Nor wait.", "no rules"),
            (EditOp.DELETE, "- Sign with your name.", "", "no rules"),
            (EditOp.REPLACE, "Write short sentences.", "Write long sentences.", "no rules"),
            (EditOp.DELETE, Region.SLOW_UPDATE.opening, "", "no rules"),
            (EditOp.DELETE, "- Be kind.", "", "2 rules"),
            (EditOp.DELETE, None, "", "needs an anchor"),
            (EditOp.DELETE, "Be", "", "no rules"),
            (EditOp.REPLACE, "- Be brief.", "- Be brief.", "already there"),
            (EditOp.ADD, None, "Be brief.", "already there"),
            (EditOp.ADD, None, "", "empty"),
            (EditOp.ADD, None, f"x {Region.LEARNT.closing} y", "comment marker"),
            (EditOp.ADD, None, "x\n---", "fence"),
            (EditOp.ADD, None, "long " * 3_000, "longer than"),
        ],
    )
    def test_an_edit_without_a_place_is_reported_and_costs_nothing(
        self, world: World, op: EditOp, anchor: str | None, text: str, reason: str
    ) -> None:
        """Aimed at the user's own text, at a protected region, at two rules at once, or at none."""
        one = Edit(op=op, anchor=anchor, text=text, reason="")
        bundle = Bundle.of([one], ["s"], origin=CandidateOrigin.REFLECTION)
        done, lost = drive(
            world.ctx(), try_out(world.ctx(), comparison_of(world, TEXT), bundle, OPTIMIZING, world.gate)
        )
        assert ((), [one]) == (done, [u.edit for u in lost])
        assert reason in lost[0].reason
        assert [] == world.rows("candidates") == world.rows("rollouts")

    def test_a_skill_is_not_emptied(self, world: World) -> None:
        """Deleting all that it says is no improvement of it."""
        text = edit.set_region("", Region.LEARNT, "- Be brief.\n- Be kind.\n")
        drops = [Edit(op=EditOp.DELETE, anchor=f"- Be {how}.", text="", reason="") for how in ("brief", "kind")]
        bundle = Bundle.of(drops, ["s"], origin=CandidateOrigin.REFLECTION)
        done, lost = drive(
            world.ctx(), try_out(world.ctx(), comparison_of(world, text), bundle, OPTIMIZING, world.gate)
        )
        assert ((), drops) == (done, [u.edit for u in lost])

    @pytest.mark.parametrize(
        "reply",
        [
            "I would change nothing.",
            '{"edits": [{"op": "add"',
            "```json\n```",
            "{}",
            "no " * 100_000,
            '{"edits": "none"}',
        ],
    )
    def test_a_reply_that_cannot_be_read_is_a_problem_and_no_edit(self, world: World, reply: str) -> None:
        """One line for each, in the night's report."""
        got = stepped(world, ScriptedModel(otherwise=reply))
        assert () == got.bundles
        assert got.problems and all("holds no edits in JSON" in p for p in got.problems)

    def test_a_thousand_edits_are_cut_to_what_was_asked_for(self, world: World) -> None:
        """Three for each place in the budget; without a budget, as many as are read of one reply."""
        many = [f"Mention {chr(97 + n % 26)}{n} {'xyz'[n % 3] * (n % 17)}." for n in range(1_000)]
        assert [4] == [len(b.edits) for b in stepped(world, Proposing(*many)).bundles]
        model = Proposing(*many)
        stepped(world, model, replace(OPTIMIZING, schedule=Schedule.UNBOUNDED))
        assert {True} == {f"at most {MOST_EDITS} changes" in ask.system for ask in model.about_work}

    def test_what_has_no_place_takes_up_no_budget(self, world: World) -> None:
        """It is reported, and the next one takes its place."""
        gone = [Edit(op=EditOp.DELETE, anchor=f"- Sing {how}.", text="", reason="") for how in ("loudly", "softly")]
        got = stepped(world, Proposing(*gone, *MANY), replace(OPTIMIZING, edit_budget=3, schedule=Schedule.CONSTANT))
        assert [MANY[:3]] == [[e.text for e in b.edits] for b in got.bundles]
        assert gone == sorted((u.edit for u in got.unmatched), key=lambda e: e.anchor or "")

    def test_fields_that_are_no_text_cost_their_edit_alone(self, world: World) -> None:
        """The one that can be read is tried."""
        bad = [
            {"text": 7},
            {"op": "rewrite", "text": "x"},
            {"anchor": 1.5, "op": "delete"},
            {"text": ["a"]},
            "add",
            None,
        ]
        reply = json.dumps({"edits": [*bad, {"text": EMPTY.text}]})
        got = stepped(world, ScriptedModel(otherwise=reply))
        assert [[EMPTY.text]] == [[e.text for e in b.edits] for b in got.bundles]
