"""The meta skill over nights: what the reflection model notes for itself about one file."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from sleepd.core.ports import Ask, CallPurpose, Failure, Reply
from sleepd.pipeline.meta import with_notes
from sleepd.store.nights import NightStatus
from tests.pipeline.world import World

SAID = "Rules about the moon never help."


class Noting:
    """Proposes an edit that does nothing, and notes what it learnt."""

    def __init__(self, world: World, note: str = SAID) -> None:
        self._model = world.model
        self._note = note
        self.asks: list[Ask] = []

    @property
    def key(self) -> str:
        return self._model.key

    def ask(self, ask: Ask) -> Reply | Failure:
        self.asks.append(ask)
        if ask.purpose is CallPurpose.REFLECT and '"notes"' in ask.system:
            return Reply(text=json.dumps({"notes": [self._note]}))
        if ask.purpose is CallPurpose.REFLECT:
            edit = {"op": "add", "anchor": None, "text": f"Mention the moon, night {len(self.asks)}.", "reason": ""}
            return Reply(text=json.dumps({"edits": [edit]}))
        return self._model.ask(ask)

    def asked(self, wanted: str) -> list[Ask]:
        return [a for a in self.asks if a.purpose is CallPurpose.REFLECT and wanted in a.system]


def patient(world: World, *, meta_notes: bool = True) -> World:
    """One in which an edit that does nothing is rejected within a night."""
    return replace(
        world,
        gate=replace(world.gate, pairs_per_night=200),
        optimizing=replace(world.optimizing, steps=1, meta_notes=meta_notes),
    )


class TestNights:
    @pytest.mark.slow
    def test_a_night_leaves_notes_that_the_next_one_reads(self, world: World) -> None:
        world = patient(world)
        first, second = Noting(world), Noting(world, "Second thoughts.")
        assert NightStatus.DONE is world.night(first).status
        assert [] == [a for a in first.asked('"edits"') if SAID in a.prompt]
        assert "rejected: effect below" in first.asked('"notes"')[0].prompt
        assert NightStatus.DONE is world.night(second, "2026-10-02").status
        assert second.asked('"edits"')
        assert all(SAID in a.prompt for a in second.asked('"edits"'))
        assert SAID in second.asked('"notes"')[0].prompt
        assert [SAID, "Second thoughts."] == [row["body"] for row in world.rows("notes")]

    @pytest.mark.slow
    def test_no_rollout_and_no_text_ever_holds_them(self, world: World) -> None:
        world = patient(world)
        world.night(Noting(world))
        model = Noting(world)
        world.night(model, "2026-10-02")
        assert any(a.purpose is CallPurpose.ROLLOUT for a in model.asks)
        assert not [a for a in model.asks if a.purpose is not CallPurpose.REFLECT and SAID in a.system + a.prompt]
        assert not [row for row in world.rows("texts") if SAID in str(row["body"])]

    def test_a_nights_own_notes_are_not_read_when_it_is_run_again(self, world: World) -> None:
        """So that a killed night asks the same questions again, whose replies are there."""
        world = patient(world)
        world.night(Noting(world))
        path = str(world.rows("notes")[0]["path"])
        night = str(world.rows("notes")[0]["night_id"])
        assert "" == with_notes(world.ctx(night=night), path).notes
        assert SAID == with_notes(world.ctx(night="another"), path).notes
        assert "" == with_notes(world.ctx(night="another"), "/elsewhere/SKILL.md").notes

    def test_switched_off_nothing_is_asked_and_nothing_kept(self, world: World) -> None:
        world = patient(world, meta_notes=False)
        model = Noting(world)
        world.night(model)
        assert ([], []) == (model.asked('"notes"'), world.rows("notes"))
