"""The nouns: values that compare by content and never confuse unknown with zero."""

from __future__ import annotations

import dataclasses
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.core import model
from sleepd.core.model import (
    AnswerOutcome,
    Attempt,
    Cause,
    Edit,
    EditOp,
    SessionId,
    Task,
    TaskId,
    digest,
)

parts = st.lists(st.text(max_size=12), max_size=4)


class TestDigest:
    def test_it_is_the_same_for_ever(self) -> None:
        """Written down once: every stored key rests on it."""
        assert "e61361b029df42eb629093beb0c48955" == digest("sleepd", "night")

    @settings(max_examples=150)
    @given(parts, parts)
    def test_only_equal_parts_have_equal_digests(self, one: list[str], other: list[str]) -> None:
        """The parts cannot run into one another, so ("ab", "c") is not ("a", "bc")."""
        assert (one == other) == (digest(*one) == digest(*other))

    def test_broken_text_has_one_too(self) -> None:
        """Lone surrogates come out of transcripts."""
        assert 32 == len(digest("a\ud800b"))


class TestTask:
    def task(self, *outcomes: AnswerOutcome) -> Task:
        return Task(
            id=TaskId("t"),
            session_id=SessionId("s"),
            project="/p",
            at=datetime(2026, 9, 1, tzinfo=UTC),
            request="r",
            context="",
            attempts=tuple(Attempt(answer=str(n), outcome=o) for n, o in enumerate(outcomes)),
        )

    @pytest.mark.parametrize(
        ("outcomes", "kept", "friction"),
        [
            ((), None, 0),
            ((AnswerOutcome.ACCEPTED,), "0", 0),
            ((AnswerOutcome.REJECTED, AnswerOutcome.ACCEPTED), "1", 1),
            ((AnswerOutcome.ACCEPTED, AnswerOutcome.UNKNOWN), None, 0),
            ((AnswerOutcome.REJECTED, AnswerOutcome.REJECTED), None, 2),
        ],
    )
    def test_the_answer_that_was_kept_is_the_last_if_any(
        self, outcomes: tuple[AnswerOutcome, ...], kept: str | None, friction: int
    ) -> None:
        """And friction counts the rejected ones."""
        task = self.task(*outcomes)
        assert (kept, friction) == (task.accepted.answer if task.accepted else None, task.friction)


def test_an_edit_is_known_by_what_it_does() -> None:
    """Reason, letter case and spaces make no other edit; operation and anchor do."""
    one = Edit(op=EditOp.ADD, anchor=None, text="Name the command", reason="a")
    assert one.id == dataclasses.replace(one, text=" name  THE command\n", reason="b").id
    assert 3 == len(
        {e.id for e in (one, dataclasses.replace(one, op=EditOp.REPLACE), dataclasses.replace(one, anchor="- x"))}
    )


@pytest.mark.parametrize("cause", Cause)
def test_causes_are_outside_or_may_be_the_texts_own(cause: Cause) -> None:
    """What a login, a limit, the network, a kill, our own budget or a wait for somebody did is drawn again; all else counts for the text."""
    outside = {Cause.AUTH, Cause.QUOTA, Cause.NETWORK, Cause.KILLED, Cause.SPENT, Cause.WAITING}
    assert (cause in outside) == cause.outside


@pytest.mark.parametrize(
    "noun", [c for c in vars(model).values() if dataclasses.is_dataclass(c)], ids=lambda noun: noun.__name__
)
def test_every_noun_is_a_frozen_value(noun: type) -> None:
    """Slotted and frozen, made by keywords."""
    settings_ = noun.__dataclass_params__  # type: ignore[attr-defined]
    assert (True, True) == (settings_.frozen, "__slots__" in vars(noun))
    assert all(field.kw_only for field in dataclasses.fields(noun))
