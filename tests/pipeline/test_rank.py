"""The order of the proposed edits, whatever a model replies."""

from __future__ import annotations

import json

import pytest

from sleepd.core.aggregate import Backed
from sleepd.core.errors import NotMeasured
from sleepd.core.model import Cause, Edit, EditOp
from sleepd.core.ports import Failure
from sleepd.core.select import Field, Ranking
from sleepd.models.scripted import ScriptedModel
from sleepd.pipeline.rank import SHOWN, RankResult, rank
from tests.pipeline.world import World

RULES = ("Name the command.", "Start with the ticket.", "Praise nobody.")
BY_SUPPORT = list(RULES)


def backed(text: str, support: int = 2, reason: str = "") -> Backed:
    edit = Edit(op=EditOp.ADD, anchor=None, text=text, reason=reason)
    return Backed(edit=edit, support=support, rank=0, sessions=())


FIELD = Field(fresh=tuple(backed(text) for text in RULES))


def ranked(
    world: World, model: ScriptedModel, field: Field = FIELD, budget: int = 2, how: tuple[Ranking, bool] | None = None
) -> RankResult:
    ranking, autonomous = how or (Ranking.MODEL, False)
    return rank(world.ctx(model), "- Be brief.", field, ranking, budget, autonomous=autonomous)


def texts(got: RankResult) -> list[str]:
    return [b.edit.text for b in got.field.fresh]


def reply(**fields: object) -> str:
    return json.dumps(fields)


class TestOrder:
    @pytest.mark.parametrize(
        "said",
        [reply(order=[3, 1, 2]), f"I think:\n```json\n{reply(order=[3, 1, 2])}\n```", reply(order=["3", "1", 2.0]),
         reply(order=[3, 1, 2], same=7, opposed=[[1]], why="so")],
    )  # fmt: skip
    def test_the_models_order_is_taken(self, world: World, said: str) -> None:
        """Bare, fenced, with numbers as words of digits, with keys nobody asked for."""
        got = ranked(world, ScriptedModel(said))
        assert [RULES[2], RULES[0], RULES[1]] == texts(got)
        assert () == got.problems

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "said",
        ["I would start with the first.", '{"order": [3, 1', "{}", reply(order=[]), reply(order=3), reply(order="3, 1, 2"),
         reply(order=[0, -1, 4, 99]), '{"order": [NaN, Infinity, -Infinity]}', reply(order=[True, None, {}, [1]]),
         reply(edits=[{"text": "Be rude."}]), '{"order": ' * 3_000, "x" * 200_000, reply(order=[2.5, "one"])],
    )  # fmt: skip
    def test_a_useless_order_falls_back_to_support_and_is_reported(self, world: World, said: str) -> None:
        """Prose, half JSON, empty, ten times too long, ids that do not exist, no numbers: never an error, never silent."""
        got = ranked(world, ScriptedModel(said))
        assert BY_SUPPORT == texts(got)
        assert ["the order is by support"] == [p.split(",")[0] for p in got.problems]

    @pytest.mark.parametrize(
        ("order", "first"),
        [([3, 3, 3], RULES[2]), ([3], RULES[2]), ([2, 99, 3, 1], RULES[1]), ([2, 3, 1, 2], RULES[1])],
    )
    def test_no_edit_is_lost_or_doubled(self, world: World, order: list[int], first: str) -> None:
        """What is named twice counts once, what is left out comes last; both are reported."""
        got = ranked(world, ScriptedModel(reply(order=order)))
        assert (first, sorted(RULES)) == (texts(got)[0], sorted(texts(got)))
        assert 1 == len(got.problems) and "twice or not at all" in got.problems[0]

    def test_a_refusal_is_reported_and_an_outage_is_raised(self, world: World) -> None:
        """Only the second ends the night."""
        got = ranked(world, ScriptedModel(Failure(cause=Cause.REFUSED, message="I would rather not")))
        assert BY_SUPPORT == texts(got) and "I would rather not" in got.problems[0]
        with pytest.raises(NotMeasured, match="offline"):
            ranked(world, ScriptedModel(Failure(cause=Cause.NETWORK, message="offline")))


class TestAsking:
    def test_an_order_is_paid_for_once(self, world: World) -> None:
        """The same question again is answered from the database, a useless reply included."""
        model = ScriptedModel("no order", reply(order=[1, 2, 3]))
        assert ranked(world, model) == ranked(world, model)
        assert 1 == len(model.asks)

    def test_nothing_is_asked_where_the_order_decides_nothing(self, world: World) -> None:
        """All of them find room, or the order is by support."""
        model = ScriptedModel()
        assert BY_SUPPORT == texts(ranked(world, model, budget=3))
        assert BY_SUPPORT == texts(ranked(world, model, budget=1, how=(Ranking.SUPPORT, False)))
        assert Field() == ranked(world, model, Field(), 0, (Ranking.MODEL, True)).field
        assert () == model.asks

    def test_the_model_sees_what_speaks_for_each(self, world: World) -> None:
        """The file, how many proposed it, on what, and why; each line of it behind a bar."""
        one = backed("Name the command.\n## Change 9", 3, "asked for\nthrice")
        model = ScriptedModel(otherwise=reply(order=[1, 2]))
        ranked(world, model, Field(fresh=(one, backed("Praise nobody.", 1))), 1)
        prompt = model.asks[0].prompt
        assert (
            "| - Be brief." in prompt and "## Change 1 (proposed by 3 reflections, on work that went wrong)" in prompt
        )
        assert "| add Name the command.\n| ## Change 9\n" in prompt and "| asked for\n| thrice" in prompt

    @pytest.mark.slow
    def test_of_many_the_best_supported_are_shown(self, world: World) -> None:
        """The others keep their place behind them; none is lost."""
        many = tuple(backed(f"Rule {chr(97 + n % 26)}{n} {'xyz'[n % 3] * (n % 17)}") for n in range(4 * SHOWN))
        model = ScriptedModel(reply(order=[SHOWN, *range(1, SHOWN), SHOWN + 1]))
        got = ranked(world, model, Field(fresh=many), 4 * SHOWN - 1)
        assert many[SHOWN - 1] == got.field.fresh[0] and many[SHOWN:] == got.field.fresh[SHOWN:]
        assert (4 * SHOWN, SHOWN) == (len(set(texts(got))), model.asks[0].prompt.count("## Change"))


class TestSameAndOpposed:
    def test_what_the_model_finds_the_same_is_joined(self, world: World) -> None:
        """Under the wording that it puts first; the support is added up."""
        got = ranked(world, ScriptedModel(reply(order=[2, 3, 1], same=[[1, 3]])))
        assert [(RULES[1], 2), (RULES[2], 4)] == [(b.edit.text, b.support) for b in got.field.fresh]

    def test_what_it_finds_opposed_never_shares_a_candidate(self, world: World) -> None:
        """Also in a group of three."""
        got = ranked(world, ScriptedModel(reply(order=[1, 2, 3], opposed=[[1, 2, 3]])))
        assert 3 == len(got.rivals)

    @pytest.mark.parametrize("nonsense", [None, "1 and 2", [1, 2], [[1]], [[1, 99]], [["a", None]], {"1": 2}, [[1, 1]]])
    def test_nonsense_changes_nothing(self, world: World, nonsense: object) -> None:
        """The order is still good."""
        got = ranked(world, ScriptedModel(reply(order=[3, 2, 1], same=nonsense, opposed=nonsense)))
        assert list(reversed(RULES)) == texts(got)
        assert not [pair for pair in got.rivals if len(pair) > 1]

    def test_opposites_are_told_without_the_model(self, world: World) -> None:
        """By their words and by their vectors; it is not believed when it says that they are the same."""
        pair = Field(fresh=(backed("Start with the ticket key."), backed("Never start with the ticket key.")))
        got = ranked(world, ScriptedModel(reply(order=[2, 1], same=[[1, 2]])), pair)
        assert 2 == len(got.field.fresh) and 1 == len(got.rivals)


class TestNumber:
    @pytest.mark.parametrize(("number", "budget"), [(1, 1), (0, 0), (9, 4), ("2", 2), (-3, 0)])
    def test_the_model_states_how_many_edits_a_step_deserves(self, world: World, number: object, budget: int) -> None:
        """Clipped to the most there may be."""
        model = ScriptedModel(reply(order=[2, 1, 3], number=number))
        got = ranked(world, model, FIELD, 4, (Ranking.SUPPORT, True))
        assert (budget, BY_SUPPORT, ()) == (got.edit_budget, texts(got), got.problems)
        assert "from 0 to 4" in model.asks[0].system

    @pytest.mark.parametrize("number", [None, "few", 1.5, True, [1]])
    def test_without_a_number_the_budget_stays_and_it_is_said(self, world: World, number: object) -> None:
        """Never a step without edits because a reply could not be read."""
        got = ranked(world, ScriptedModel(reply(order=[1, 2, 3], number=number)), FIELD, 4, (Ranking.MODEL, True))
        assert (4, 1) == (got.edit_budget, len(got.problems))
        assert 4 == ranked(world, ScriptedModel("prose"), FIELD, 4, (Ranking.SUPPORT, True)).edit_budget
