"""A frozen check over history: shares with intervals, recall, false alarms, odds, floors."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from harvesters.records import ToolStatus
from sleepd.core.backtest import Backtest, Floors, Place, backtest
from sleepd.core.behaviour import CommandCheck, NoEditsOnQuestion, NotJudged, RanAfterLastEdit
from sleepd.core.episode import Call, Episode, FileEdit, Source
from sleepd.core.model import SessionId

CHECK = RanAfterLastEdit(command="make lint")


def call(number: int, *, command: str | None = None, path: str | None = None) -> Call:
    edits = (FileEdit(path=path, added=("x",), removed=("y",)),) if path else ()
    return Call(
        turn=f"r{number}",
        id=f"c{number}",
        tool="Bash" if command else "Edit",
        command=command,
        input="",
        output="",
        status=ToolStatus.OK,
        exit_code=None,
        denial=None,
        edits=edits,
        paths=(path,) if path else (),
        duration_ms=None,
    )


def episode(session: str, number: int, *, linted: bool | None) -> Episode:
    """With an edit that was followed by the linter or not; None for an episode without an edit."""
    calls = [call(number * 2, path="a.py")] if linted is not None else []
    calls += [call(number * 2 + 1, command="make lint")] if linted else []
    return Episode(
        session=SessionId(session),
        agent="claude-code",
        project="/app",
        number=number,
        turn=f"{session}-{number}",
        at=None,
        source=Source.PROMPT,
        text="go on",
        denied=None,
        calls=tuple(calls),
        opening="",
        answer="Done.",
        interrupted=False,
        abandoned=False,
        skill=None,
        minutes=None,
    )


Row = tuple[bool | None, float | None]


def history(*sessions: Sequence[Row]) -> tuple[list[list[Episode]], dict[Place, float]]:
    """Sessions of (linted, probability of a correction)."""
    episodes = [
        [episode(f"s{s}", n, linted=linted) for n, (linted, _) in enumerate(rows)] for s, rows in enumerate(sessions)
    ]
    corrected = {
        (SessionId(f"s{s}"), f"s{s}-{n}"): chance
        for s, rows in enumerate(sessions)
        for n, (_, chance) in enumerate(rows)
        if chance is not None
    }
    return episodes, corrected


def of(*sessions: Sequence[Row]) -> Backtest:
    found = backtest(CHECK, *history(*sessions))
    assert isinstance(found, Backtest)
    return found


def test_the_counts_are_those_of_a_reader() -> None:
    """Ten moments, four breaches, three of four corrections flagged, one false alarm among six."""
    found = of(
        [(False, 1), (True, 0), (True, 0), (None, 1)],
        [(False, 1), (True, 1), (True, 0)],
        [(False, 1), (False, 0), (True, 0), (True, 0)],
    )
    assert (11, 10, 3, 0) == (found.episodes, found.applies, found.sessions, found.unknown)
    assert pytest.approx(0.4) == found.broken.value
    assert [4, 0.75] == pytest.approx([found.recall.of, found.recall.value])
    assert [6, 1 / 6] == pytest.approx([found.false_alarms.of, found.false_alarms.value])
    assert found.odds is not None
    # (3.5 · 5.5) / (1.5 · 1.5)
    assert pytest.approx(8.5556, abs=1e-4) == found.odds.ratio
    assert found.odds.low < found.odds.ratio < found.odds.high
    assert [f"s2-{n}" for n in (1, 0)] + ["s1-0", "s0-0"] == [one.place[1] for one in found.newest]
    assert [0, 1, 1, 1] == [one.corrected for one in found.newest]


def test_the_interval_is_wilsons() -> None:
    """8 of 20: from .219 to .613, as in tables."""
    found = of([(n >= 8, None) for n in range(20)])
    assert [0.2188, 0.6134] == pytest.approx([found.broken.low, found.broken.high], abs=1e-4)


def test_doubtful_corrections_count_as_parts() -> None:
    """Recall over probabilities: (.9) of (.9 + .3)."""
    found = of([(False, 0.9), (True, 0.3)])
    assert [1.2, 0.75] == pytest.approx([found.recall.of, found.recall.value])


def test_unknown_moments_count_in_the_share_of_breaches_only() -> None:
    """Nobody knows whether they were corrected: neither a hit nor a false alarm."""
    found = of([(False, None), (True, None)])
    assert (2, 0.5) == (found.unknown, found.broken.value)
    assert (None, None, None) == (found.recall.value, found.false_alarms.value, found.odds)
    assert "no corrected moment is known where it applies" in found.short_of(Floors())


def test_a_check_that_never_applied_has_no_shares() -> None:
    """Missing is missing: no share of 0."""
    found = of([(None, 1)])
    assert (0, None, None) == (found.applies, found.broken.value, found.broken.low)
    assert "applied in 0 episodes, at least 20 needed" in found.short_of(Floors())


def test_floors_say_what_is_missing_and_may_be_changed() -> None:
    """N, broken share and recall, each in a sentence; a check that reaches them all is worth trying."""
    weak = of([(True, 0)] * 19 + [(False, 0), (True, 1)])
    assert 2 == len(weak.short_of(Floors()))
    assert () == weak.short_of(Floors(applies=20, broken=0.01, recall=0))
    assert ("applied in 21 episodes, at least 22 needed",) == weak.short_of(Floors(applies=22, broken=0, recall=0))
    assert () == of([(False, 1)] * 5 + [(True, 0)] * 15).short_of(Floors())


@pytest.mark.parametrize("floors", [{"applies": 0}, {"broken": 1.2}, {"recall": -0.1}])
def test_a_floor_that_means_nothing_is_refused(floors: dict[str, float]) -> None:
    """When it is made."""
    with pytest.raises(ValueError, match=r"floor|at least once"):
        Floors(**floors)  # type: ignore[arg-type]


def test_corrections_that_follow_breaches_have_a_small_p() -> None:
    """Twelve sessions, each corrected exactly where the check was broken."""
    rng = random.Random(1)
    sessions: list[list[Row]] = []
    for _ in range(12):
        broken = [rng.random() < 0.4 for _ in range(4)]
        sessions.append([(not one, float(one)) for one in broken])
    found = of(*sessions)
    assert found.odds is not None
    assert found.odds.p <= 0.01


@pytest.mark.slow
def test_corrections_that_have_nothing_to_do_with_it_have_no_small_p() -> None:
    """Sessions of a careless agent and days of a stern person, drawn apart: at most a few of 50 worlds reach .05."""
    reached = 0
    for seed in range(50):
        rng = random.Random(seed)
        sessions: list[list[Row]] = []
        for _ in range(15):
            careless, stern = rng.random(), rng.random()
            sessions.append([(rng.random() > careless, float(rng.random() < stern)) for _ in range(rng.randint(1, 6))])
        found = of(*sessions)
        reached += found.odds is not None and found.odds.p <= 0.05
    assert reached <= 6


def test_questions_come_from_outside() -> None:
    """Where acts are known, the check of questions applies."""
    episodes, _ = history([(False, None), (False, None)])
    place = (SessionId("s0"), "s0-1")
    found = backtest(NoEditsOnQuestion(), episodes, {}, {place: True})
    assert isinstance(found, Backtest)
    assert (1, [place]) == (found.applies, [one.place for one in found.newest])


def test_a_family_that_nothing_computes_says_so() -> None:
    """Instead of a share."""
    found = backtest(CommandCheck(command="make lint"), *history([(True, 0)]))
    assert isinstance(found, NotJudged)


def test_an_impossible_probability_is_refused() -> None:
    """With its place."""
    with pytest.raises(ValueError, match="s0-0"):
        backtest(CHECK, *history([(True, 1.5)]))


def test_a_person_who_corrects_nothing_gives_no_odds() -> None:
    """And a recall of nothing is unknown, not 0."""
    found = of([(False, 0), (True, 0)])
    assert (None, None, 0.5) == (found.odds, found.recall.value, found.false_alarms.value)
