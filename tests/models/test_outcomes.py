"""Texts that are no answers, and messages that give nothing away."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sleepd.core.model import Cause
from sleepd.core.ports import Failure, Reply
from sleepd.models.outcomes import Provider, Rejection, dig, explain, notice_in, one_line, settle

PROVIDER = Provider(label="Stub", key_variable="STUB_API_KEY")

NOTICES = [
    ("You've hit your limit · resets 3am", Cause.QUOTA),
    ("You’ve hit your session limit · resets 3am (Europe/Berlin)", Cause.QUOTA),
    ("You have reached your weekly limit.", Cause.QUOTA),
    ("Claude AI usage limit reached|1755806400", Cause.QUOTA),
    ("5-hour limit reached ∙ resets 1pm", Cause.QUOTA),
    ("Credit balance is too low", Cause.QUOTA),
    ("Your credit balance is too low to access the API", Cause.QUOTA),
    ("Invalid API key · Please run /login", Cause.AUTH),
    ("Not logged in · Please run /login", Cause.AUTH),
]


@pytest.mark.parametrize(("text", "cause"), NOTICES)
def test_a_notice_is_not_an_answer(text: str, cause: Cause) -> None:
    """Limit and login notices that stand where the answer should be are failures from outside."""
    outcome = settle(Reply(text=text), truncated=False, provider=PROVIDER)
    assert isinstance(outcome, Failure)
    assert cause is outcome.cause
    assert outcome.cause.outside


@pytest.mark.parametrize(
    "text",
    [
        "The limit is reached when n grows.",
        "To see how near you are: 'You've hit your limit' is what the client prints.",
        "You've hit your limit when the counter is at 60. " + "Here is how the limiter works. " * 10,
        "def limit_reached(): ...",
        "Add a credit balance column.",
    ],
)
def test_an_answer_about_limits_is_an_answer(text: str) -> None:
    """Text that speaks of limits, or goes on after such words, stays a reply."""
    assert notice_in(text, PROVIDER) is None


def test_the_key_is_in_no_message() -> None:
    """An error body that echoes the key is shown without it."""
    body = json.dumps({"error": {"message": "Incorrect API key provided: sk-secret-1234567890"}}).encode()
    message = explain(Rejection(status=401, headers={}, body=body), PROVIDER).message
    assert "sk-secret" not in one_line(message, "sk-secret-1234567890")
    assert "sk-secret" not in one_line(message, None)


@settings(max_examples=100)
@given(st.text(), st.text(alphabet=st.characters(codec="ascii", categories=("L", "N")), min_size=8))
@example("a\u2028b", "kkkkkkkkkkk")
def test_a_message_is_one_line_without_the_secret(text: str, secret: str) -> None:
    """Whatever a provider writes, the message is one short line, and the key is not in it."""
    line = one_line(f"{text} {secret} {text}", secret)
    assert 1 >= len(line.splitlines())
    assert len(line) <= 300
    assert secret not in line


def test_a_short_word_as_key_does_not_garble_the_message() -> None:
    """Local servers take any word as a key; words that merely contain it stay."""
    assert "latest [key]" == one_line("latest\ntest", "test")


@pytest.mark.slow
@settings(max_examples=100)
@given(st.binary(max_size=60), st.integers(400, 599))
def test_every_rejection_has_an_explanation(body: bytes, status: int) -> None:
    """Bodies of any kind are explained with the status and a remedy."""
    outcome = explain(Rejection(status=status, headers={}, body=body), PROVIDER)
    assert str(status) in outcome.message
    assert "; " in outcome.message


def test_dig_walks_over_any_shape() -> None:
    """A path that the reply does not have gives None, never an error."""
    body = {"choices": [{"message": {"content": "x"}}]}
    assert "x" == dig(body, "choices", 0, "message", "content")
    paths: list[tuple[str | int, ...]] = [("choices", 1), ("choices", "a"), ("choices", 0, 0), ("none", 0, "x")]
    for path in paths:
        assert dig(body, *path) is None
