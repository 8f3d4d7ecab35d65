"""What keeps a night from beginning, in the words that a person reads."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sleepd.host.still import Still
from sleepd.resident import conditions, transcripts
from sleepd.resident.conditions import MachineState, hindrance
from sleepd.settings import config
from sleepd.settings.sections import ConditionsConfig
from tests.cli.command import configure, live_in

NOW = datetime(2026, 5, 4, 3, 17, tzinfo=UTC)
USUAL = ConditionsConfig()


def wrote(minutes: float, agent: str = "codex") -> MachineState:
    return MachineState(written=((agent, NOW - timedelta(minutes=minutes)),))


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (MachineState(), None),
        (MachineState(on_battery=True), "the machine runs on battery"),
        (MachineState(on_battery=False), None),
        (MachineState(idle_s=299.0), "you are at the keyboard"),
        (MachineState(idle_s=300.0), None),
        (wrote(3.5), "codex wrote 3 minutes ago"),
        (wrote(1.5), "codex wrote a minute ago"),
        (wrote(0.1), "codex wrote a moment ago"),
        (wrote(-1), "codex wrote a moment ago"),
        (wrote(10), None),
        # So little ahead is rounding; more is another clock.
        (wrote(-3), None),
        (wrote(-60), None),
        # A clock that was wrong: a file of the year 2036 must not hold nights up for ten years.
        (wrote(-60 * 24 * 365), None),
    ],
)
def test_what_is_in_the_way_is_said_in_a_sentence(seen: MachineState, expected: str | None) -> None:
    """What cannot be told hinders nothing."""
    assert expected == hindrance(USUAL, seen, NOW)


def test_the_providers_limit_comes_first() -> None:
    """Until the time that the provider said, and not a moment longer."""
    resets = NOW + timedelta(hours=2)
    seen = MachineState(on_battery=True, resets_at=resets)
    assert f"the provider's limit resets at {resets.astimezone():%H:%M}" == hindrance(USUAL, seen, NOW)
    assert None is hindrance(USUAL, MachineState(resets_at=NOW), NOW)


def test_each_condition_can_be_switched_off() -> None:
    """Then it is not even looked at."""
    off = ConditionsConfig(on_battery=True, idle_minutes=0, agent_quiet_minutes=0)
    assert None is hindrance(off, MachineState(on_battery=True, idle_s=0.0, written=wrote(0.1).written), NOW)

    class Untouchable(Still):
        def on_battery(self) -> bool | None:
            raise AssertionError("was looked at")

        idle_s = on_battery  # type: ignore[assignment]

    settings = config.load().model_copy(update={"conditions": off})
    assert MachineState() == conditions.machine_state(settings, Untouchable())


def test_facts_are_the_machines_and_the_transcripts(own_home: Path) -> None:
    """The newest transcript of each agent, by when it was written."""
    configure(own_home)
    live_in(own_home, 6)
    for file in own_home.rglob("*.json*"):
        os.utime(file, (NOW.timestamp() - 3600,) * 2)
    newest = next(own_home.glob(".claude/projects/*/*.jsonl"))
    os.utime(newest, (NOW.timestamp() - 120,) * 2)
    settings = config.load()
    seen = conditions.machine_state(settings, Still(on_battery=True, idle_s=7.0))
    assert (True, 7.0, NOW - timedelta(minutes=2)) == (seen.on_battery, seen.idle_s, dict(seen.written)["claude-code"])
    assert "claude-code wrote 2 minutes ago" == hindrance(USUAL, MachineState(written=seen.written), NOW)


# Looking at transcripts ---------------------------------------------------------------------------------------------


def test_folders_are_found_so_far_up_that_a_new_project_is_below(own_home: Path) -> None:
    """Not the home folder, and not each project alone."""
    live_in(own_home, 50)
    found = {root.relative_to(own_home).as_posix() for root in transcripts.look(config.load()).roots}
    assert {".claude/projects", ".codex/sessions", ".copilot/session-state"} == found


def test_any_change_of_any_transcript_shows(own_home: Path) -> None:
    """One that grows, one that comes, one that goes; looking twice shows none."""
    live_in(own_home, 6)
    first = transcripts.look(config.load())
    assert first == transcripts.look(config.load())
    some = sorted(own_home.glob(".claude/projects/*/*.jsonl"))[0]
    seen = {first.fingerprint}
    with some.open("a") as stream:
        stream.write("{}\n")
    seen.add(transcripts.look(config.load()).fingerprint)
    some.rename(some.with_name("another.jsonl"))
    seen.add(transcripts.look(config.load()).fingerprint)
    some.with_name("another.jsonl").unlink()
    seen.add(transcripts.look(config.load()).fingerprint)
    assert 4 == len(seen)
