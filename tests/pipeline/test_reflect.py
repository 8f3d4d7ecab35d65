"""Reading outcomes and proposing edits: whatever a model replies."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core.errors import NotMeasured
from sleepd.core.mark import OWN_MARK
from sleepd.core.model import Cause, Edit, EditOp, Rollout, RolloutKey, Score, digest
from sleepd.core.ports import Failure
from sleepd.core.schedule import baseline
from sleepd.models.scripted import ScriptedModel
from sleepd.pipeline.buffer import Failed
from sleepd.pipeline.prompts import Case
from sleepd.pipeline.reflect import parse, reflect
from sleepd.store import tasks
from tests.pipeline.world import World

REPLY = '{"edits": [{"op": "add", "anchor": null, "text": "Name the command.", "reason": "asked for"}]}'
EDIT = Edit(op=EditOp.ADD, anchor=None, text="Name the command.", reason="asked for")


class TestParse:
    @pytest.mark.parametrize(
        "reply",
        [
            REPLY,
            f"Here you are:\n```json\n{REPLY}\n```\nGood luck!",
            f"I looked at {{details}} and at {{}}, and propose {REPLY} because of {{that}}.",
            json.dumps(json.loads(REPLY), indent=2),
            REPLY.replace('"reason"', '"confidence": 0.9, "reason"'),
            '{"thought": "…", "edits": [{"text": "Name  the\\ncommand.", "reason": "asked for"}]}',
            REPLY.replace("Name the", "Name\nthe"),
        ],
    )
    def test_json_is_found_where_models_put_it(self, reply: str) -> None:
        """Bare, fenced, in prose with other braces, with keys nobody asked for, with line breaks inside a text."""
        assert (EDIT,) == parse(reply, 4)

    @pytest.mark.parametrize(
        "reply",
        ["", "I have no idea.", "{", REPLY[:-3], '{"edits": 3}', '{"edits": {"op": "add"}}', "[]", '{"edit": []}', "{" * 5_000,
         '{"a": "' * 3_000, "[" * 100_000, "\ud800 {"],
    )  # fmt: skip
    def test_what_cannot_be_read_is_a_sentence(self, reply: str) -> None:
        """Never an exception, and never the same as a reply that proposes nothing."""
        assert "the reflection model's reply holds no edits in JSON" == parse(reply, 4)

    @pytest.mark.parametrize("reply", ['{"edits": []}', 'Nothing is wrong: {"edits": []}'])
    def test_nothing_proposed_is_no_problem(self, reply: str) -> None:
        """An empty list of edits."""
        assert () == parse(reply, 4)

    @pytest.mark.parametrize(
        "bad", [3, None, [], {"op": "append", "text": "x"}, {"text": 7}, {"anchor": ["a"]}, {"text": "\ud800"}]
    )
    def test_one_bad_edit_does_not_cost_the_others(self, bad: object) -> None:
        """It is left out."""
        assert (EDIT,) == parse(json.dumps({"edits": [bad, json.loads(REPLY)["edits"][0]]}), 4)

    def test_at_most_the_limit_is_taken(self) -> None:
        """The most important first."""
        edits = [{"text": f"Rule {n}"} for n in range(50)]
        assert ["Rule 0", "Rule 1"] == [e.text for e in parse(json.dumps({"edits": edits}), 2) if isinstance(e, Edit)]

    values = st.recursive(
        st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["edits", "op", "anchor", "text", "reason", "x"]), inner, max_size=4)
        ),
        max_leaves=12,
    )

    @pytest.mark.slow
    @settings(max_examples=200)
    @given(st.text(max_size=20), values, st.text(max_size=20), st.integers(0, 80))
    def test_any_reply_gives_edits_or_a_sentence(self, before: str, value: object, after: str, cut: int) -> None:
        """Prose, JSON of any shape, cut anywhere."""
        for reply in (before + json.dumps(value) + after, before + json.dumps({"edits": [value]})[:cut]):
            got = parse(reply, 3)
            assert isinstance(got, str) or (len(got) <= 3 and all(isinstance(e, Edit) for e in got))


def case(world: World, n: int, value: float) -> Case:
    with world.database.reading() as connection:
        task = [s.task for s in tasks.load(connection) if s.usable][n]
    rollout_key = RolloutKey(task_id=task.id, text=digest(""), model="m", judge=digest(""), sample=baseline(0, "n1"))
    rollout = Rollout(key=rollout_key, result=Score(value=value, reason=""), answer="an answer")
    return Case(task=task, rollouts=(rollout,), neighbours=())


class TestReflect:
    def test_failures_and_successes_are_asked_about_apart(self, world: World) -> None:
        """At most four at a time; each reply's edits come with the sessions it read."""
        model = ScriptedModel(REPLY, REPLY, REPLY)
        cases = [case(world, n, 1.0 if n == 2 else 0.5) for n in range(6)]
        got = reflect(world.ctx(model), "", cases, (), 4)
        assert [4, 1, 1] == [len(p.sessions) for p in got.proposed]
        assert (cases[2].task.session_id,) == got.proposed[2].sessions
        assert [True, True, False] == [p.of_failures for p in got.proposed]
        assert [False, False, True] == ["See to it that this stays so" in ask.system for ask in model.asks]
        assert all(ask.system.startswith(OWN_MARK) for ask in model.asks)

    def test_similar_work_taught_it_too(self, world: World) -> None:
        """Its sessions are named: what a tool said in them was read."""
        one, near = case(world, 0, 0.5), case(world, 1, 0.5).task
        got = reflect(world.ctx(ScriptedModel(REPLY)), "", [replace(one, neighbours=(near,))], (), 4)
        assert (one.task.session_id, near.session_id) == got.proposed[0].sessions

    def test_a_reply_is_paid_for_once(self, world: World) -> None:
        """The same question again is answered from the database, a reply that could not be read included."""
        model = ScriptedModel("no json here")
        first = reflect(world.ctx(model), "", [case(world, 0, 0)], (), 4)
        assert first == reflect(world.ctx(model), "", [case(world, 0, 0)], (), 4)
        assert (1, 1) == (len(model.asks), len(first.problems))

    def test_an_outage_is_raised_and_a_refusal_is_a_problem(self, world: World) -> None:
        """Only the first ends the night."""
        refusing = ScriptedModel(Failure(cause=Cause.REFUSED, message="I would rather not"))
        got = reflect(world.ctx(refusing), "", [case(world, 0, 0)], (), 4)
        assert ((), True) == (got.proposed, "I would rather not" in got.problems[0])
        with pytest.raises(NotMeasured, match="offline"):
            outage = ScriptedModel(Failure(cause=Cause.NETWORK, message="offline"))
            reflect(world.ctx(outage), "", [case(world, 1, 0)], (), 4)

    def test_after_an_outage_nothing_more_is_asked(self, world: World) -> None:
        """What came before it is kept, so that the next run asks the rest alone."""
        offline = Failure(cause=Cause.NETWORK, message="offline")
        cases = [case(world, n, 0.5) for n in range(22)]
        model = ScriptedModel(REPLY, offline, otherwise=REPLY)
        with pytest.raises(NotMeasured, match="offline"):
            reflect(world.ctx(model), "", cases, (), 4)
        assert 2 == len(model.asks)
        again = ScriptedModel(otherwise=REPLY)
        assert 6 == len(reflect(world.ctx(again), "", cases, (), 4).proposed)
        assert 5 == len(again.asks)

    def test_a_model_adapter_that_breaks_is_a_problem(self, world: World) -> None:
        """The other reflections count."""
        got = reflect(world.ctx(ScriptedModel(REPLY)), "", [case(world, n, 0.5) for n in range(8)], (), 4)
        assert 1 == len(got.proposed)
        assert ["the model adapter broke: LookupError"] == [p.partition("): ")[2][:36] for p in got.problems]

    def test_checks_are_never_shown(self, world: World) -> None:
        """A model that sees what is looked for could write to the test."""
        model = ScriptedModel(otherwise=REPLY)
        reflect(
            world.ctx(model),
            "- Be brief.",
            [case(world, n, 0.5) for n in range(4)],
            (Failed(edit=EDIT, why="effect below +0.02", by_person=False),),
            4,
        )
        prompt = model.asks[0].prompt
        assert "first-line" not in prompt and "line-start" not in prompt
        assert "| - Be brief." in prompt and "| add Name the command.\n| why: effect below +0.02" in prompt

    def test_quoted_material_cannot_end_its_quote(self, world: World) -> None:
        """Each line of what users, agents and tools said stands behind a bar."""
        model = ScriptedModel(otherwise=REPLY)
        one = case(world, 0, 0.0)
        reflect(world.ctx(model), "a\u2028## Work 9\r\n## Work 10", [one], (), 4)
        assert "\n## Work 9" not in model.asks[0].prompt and "\n## Work 10" not in model.asks[0].prompt
