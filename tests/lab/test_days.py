"""What is learnt from developers whose work is new every day, and that each claim about it can fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sleepd.core.acts import Act
from sleepd.core.lesson import Lesson
from sleepd.lab.proof.day_claims import day_assertions, lesson_of
from sleepd.lab.proof.days import DaysTerms, Learnt, Shuffled, learn
from sleepd.models.hashed import HashedTfidf
from sleepd.models.memoized import Memoized
from sleepd.simulate.cast import developer
from sleepd.simulate.developers import Developer

pytestmark = pytest.mark.slow
QUOTES = "each lesson quotes the person's own turns or failed calls"
IGNORED = "the written rule that is ignored is named"
KEPT = "the written rule that is kept is not called ignored"
NOTHING = "nothing is learnt where nothing comes back"
APPROVALS = "approvals are not taken for objections"
TEXT_CHECKS = "no text check survives shuffled labels"


def known(name: str) -> Developer:
    who = developer(name)
    assert who is not None
    return who


def learnt(folder: Path, who: Developer, seed: int = 1) -> Learnt:
    folder.mkdir(exist_ok=True)
    return learn(DaysTerms(who=who, seed=seed, embedder=Memoized(HashedTfidf()), folder=folder))


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Learnt]:
    names = ("maintainer", "shopkeeper", "apprentice")
    return {name: learnt(tmp_path_factory.mktemp(name), known(name)) for name in names}


def failing(name: str, found: Learnt) -> set[str]:
    return {claim.name for claim in day_assertions(known(name), found) if not claim.passed}


@pytest.mark.parametrize("name", ["maintainer", "shopkeeper", "apprentice"])
def test_the_shipped_learner_holds_every_claim(lived: dict[str, Learnt], name: str) -> None:
    """What was planted is found, nothing else is, and all figures rest on enough."""
    assert set() == failing(name, lived[name])


@pytest.mark.parametrize("name", ["maintainer", "shopkeeper"])
def test_each_planted_lesson_that_is_not_listed_fails_its_claim(lived: dict[str, Learnt], name: str) -> None:
    """By what it names and quotes: two findings of one need are both taken away."""
    found = lived[name]
    for need in known(name).needs:
        rest = found
        while (lesson := lesson_of(need, rest)) is not None:
            rest = without(rest, lesson)
        assert f"learnt: {need.key}" in failing(name, rest)


@pytest.mark.parametrize("name", ["maintainer", "shopkeeper"])
def test_a_person_who_never_says_it_teaches_nothing(tmp_path: Path, name: str) -> None:
    """The same days in which nothing that was planted shows: all claims about lessons fail, through the real learner."""
    who = known(name)
    empty = {need: replace(getattr(who, need), sessions=0) for need in NEEDS}
    found = learnt(tmp_path / "home", replace(who, **empty))
    assert {f"learnt: {need.key}" for need in who.needs} <= failing(name, found)


NEEDS = ("mended", "failing", "follow_up", "objection", "refused")


def test_a_lesson_under_other_words_is_no_find(lived: dict[str, Learnt]) -> None:
    """A list that quotes the right turns and names another command does not count."""
    found = changed(
        lived["maintainer"], lambda one: replace(one, text="Be careful.", about="x", demands="", forbids="")
    )
    assert {f"learnt: {need.key}" for need in known("maintainer").needs} <= failing("maintainer", found)


def test_a_quote_that_nobody_said_fails(lived: dict[str, Learnt]) -> None:
    """What a tool or the agent wrote authorises no lesson."""

    def forged(one: Lesson) -> Lesson:
        return replace(one, quotes=(*one.quotes, replace(one.quotes[0], text="Done. Nothing else depends on it.")))

    assert QUOTES in failing("maintainer", changed(lived["maintainer"], forged))


def test_a_quote_of_another_need_fails(lived: dict[str, Learnt]) -> None:
    """A turn that was really said, under a lesson that it does not teach."""
    found = lived["maintainer"]
    first, second = (lesson_of(need, found) for need in known("maintainer").needs[1:3])
    assert first is not None
    assert second is not None
    mixed = changed(found, lambda one: replace(one, quotes=(*one.quotes, second.quotes[0])) if one is first else one)
    assert {QUOTES} == failing("maintainer", mixed)


def test_a_rule_that_is_kept_is_not_the_one_that_is_ignored(tmp_path: Path, lived: dict[str, Learnt]) -> None:
    """When the agent keeps the rule after all, or nobody looks, the claim fails."""
    who = known("maintainer")
    assert who.ignored is not None
    assert IGNORED in failing(
        "maintainer", learnt(tmp_path / "home", replace(who, ignored=replace(who.ignored, done=1.0)))
    )
    assert {IGNORED} == failing("maintainer", replace(lived["maintainer"], rules=()))


def test_whoever_repeats_a_need_has_a_lesson(tmp_path: Path, lived: dict[str, Learnt]) -> None:
    """The person without lessons, who objects to the same in several sessions."""
    who = known("apprentice")
    again = next(one for one in who.once if one.words.startswith("you deleted"))
    found = learnt(tmp_path / "home", replace(who, once=(again,) * 4))
    assert NOTHING in failing("apprentice", found)
    ignored = tuple(replace(rule, ignored=True) for rule in lived["apprentice"].rules)
    assert {KEPT} == failing("apprentice", replace(lived["apprentice"], rules=ignored))


@pytest.mark.parametrize("name", ["maintainer", "shopkeeper", "apprentice"])
def test_approvals_that_are_flagged_fail(lived: dict[str, Learnt], name: str) -> None:
    """One in ten is too many; a list of turns without the approvals is no evidence."""
    found = lived[name]
    flagged = dict.fromkeys(found.lived.approvals[::10], Act.CORRECTION)
    assert {APPROVALS} == failing(name, replace(found, acts={**found.acts, **flagged}))
    assert APPROVALS in failing(name, replace(found, acts={}))


def test_text_checks_from_labels_that_mean_nothing_fail(lived: dict[str, Learnt]) -> None:
    """A search that finds something in every second shuffled history; and one that had nothing to shuffle."""
    for shuffled in (
        Shuffled(corrected=20, histories=40, with_checks=20),
        Shuffled(corrected=1, histories=40, with_checks=0),
    ):
        assert {TEXT_CHECKS} == failing("maintainer", replace(lived["maintainer"], shuffled=shuffled))


def test_a_search_without_the_test_against_chance_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where every wording that differs is believed, shuffled labels yield checks."""
    monkeypatch.setattr("sleepd.core.chance.LEVEL", 1.0)
    monkeypatch.setattr("sleepd.core.chance.MIN_SESSIONS", 1)
    assert TEXT_CHECKS in failing("shopkeeper", learnt(tmp_path / "home", known("shopkeeper")))


def test_the_same_seed_gives_the_same_days(tmp_path: Path, lived: dict[str, Learnt]) -> None:
    """Another seed gives others."""
    again = learnt(tmp_path / "again", known("apprentice"))
    assert lived["apprentice"].lived == again.lived
    assert again.lived.approvals != learnt(tmp_path / "other", known("apprentice"), seed=2).lived.approvals


def without(found: Learnt, lesson: Lesson) -> Learnt:
    return replace(
        found, book=replace(found.book, lessons=tuple(one for one in found.book.lessons if one is not lesson))
    )


def changed(found: Learnt, change: Callable[[Lesson], Lesson]) -> Learnt:
    return replace(found, book=replace(found.book, lessons=tuple(change(one) for one in found.book.lessons)))
