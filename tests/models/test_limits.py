"""When a limit resets, by the provider's own words."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleepd.models.limits import epoch_in, retry_after_s, retry_at, stated_in

DATE = {"date": "Fri, 20 Nov 2026 12:00:00 GMT"}


def noon_plus(seconds: float) -> datetime:
    return datetime.fromtimestamp(datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp() + seconds, UTC)


CASES = [
    ("seconds", {"retry-after": "90"}, noon_plus(90)),
    ("a date", {"retry-after": "Fri, 20 Nov 2026 13:00:00 GMT"}, noon_plus(3600)),
    ("milliseconds win", {"retry-after-ms": "1500", "retry-after": "9"}, noon_plus(1.5)),
    ("openai durations", {"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-reset-tokens": "20ms"}, noon_plus(360)),
    ("hours", {"x-ratelimit-reset-requests": "1h2m3.5s"}, noon_plus(3723.5)),
    ("epoch seconds", {"x-ratelimit-reset": "1795176060"}, datetime.fromtimestamp(1795176060, UTC)),
    ("epoch milliseconds", {"x-ratelimit-reset": "1795176060000"}, datetime.fromtimestamp(1795176060, UTC)),
    ("seconds from now", {"x-ratelimit-reset": "60"}, noon_plus(60)),
    ("anthropic", {"anthropic-ratelimit-tokens-reset": "2026-11-20T12:01:00Z"}, noon_plus(60)),
    (
        "anthropic, unified",
        {"anthropic-ratelimit-unified-reset": "1795176060"},
        datetime.fromtimestamp(1795176060, UTC),
    ),
    (
        "the exhausted one counts",
        {
            "anthropic-ratelimit-requests-reset": "2026-11-20T12:01:00Z",
            "anthropic-ratelimit-requests-remaining": "0",
            "anthropic-ratelimit-tokens-reset": "2026-11-20T18:00:00Z",
            "anthropic-ratelimit-tokens-remaining": "500",
        },
        noon_plus(60),
    ),
    ("retry-after wins", {"retry-after": "5", "x-ratelimit-reset-requests": "6m0s"}, noon_plus(5)),
    ("nothing", {}, None),
    ("nonsense", {"retry-after": "soon", "x-ratelimit-reset-requests": "later"}, None),
    ("without a zone", {"anthropic-ratelimit-tokens-reset": "2026-11-20T12:01:00"}, None),
    ("beyond the calendar", {"retry-after": "1e300"}, None),
    ("not a number", {"retry-after": "nan"}, None),
    ("negative", {"retry-after": "-5"}, None),
]


@pytest.mark.parametrize(("headers", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_reset_times(headers: dict[str, str], expected: datetime | None) -> None:
    """Each provider's way to state a reset is understood; what cannot be read is unknown."""
    assert expected == retry_at(DATE | headers)


def test_relative_times_need_the_providers_clock() -> None:
    """Without a date header a relative reset has no point in time; the wait itself is known."""
    assert retry_at({"retry-after": "90"}) is None
    assert 90.0 == retry_after_s({"retry-after": "90"})


def test_a_date_in_the_past_is_no_wait() -> None:
    """A reset that has passed means now, not a negative wait."""
    assert 0.0 == retry_after_s(DATE | {"retry-after": "Fri, 20 Nov 2026 11:00:00 GMT"})


def test_a_notice_may_carry_its_reset() -> None:
    """`|epoch` at the end of a notice is its reset time; other numbers are not."""
    assert datetime.fromtimestamp(1755806400, UTC) == epoch_in("usage limit reached|1755806400")
    assert epoch_in("You have 1755806400 tokens") is None


NAMES = st.sampled_from(
    [
        "retry-after",
        "retry-after-ms",
        "date",
        "x-ratelimit-reset",
        "x-ratelimit-reset-tokens",
        "anthropic-ratelimit-a-reset",
    ]
)
VALUES = st.one_of(
    st.text(max_size=20), st.floats().map(str), st.integers().map(str), st.sampled_from(["1h", "0x1", "∞"])
)


@pytest.mark.slow
@settings(max_examples=150)
@given(st.dictionaries(NAMES, VALUES))
def test_no_header_can_break_it(headers: dict[str, str]) -> None:
    """Whatever the headers say, the answer is an aware time or None."""
    at = retry_at(headers)
    assert at is None or at.tzinfo is not None


NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("You've hit your limit · resets 3am (UTC)", datetime(2026, 11, 21, 3, tzinfo=UTC)),
        ("You've hit your session limit · resets 11:30pm (Europe/Berlin)", datetime(2026, 11, 20, 22, 30, tzinfo=UTC)),
        ("Limit reached, resets at 12 PM (UTC).", datetime(2026, 11, 21, 12, tzinfo=UTC)),
        (
            "You've hit your usage limit. Try again in 2 days 3 hours 5 minutes.",
            datetime(2026, 11, 22, 15, 5, tzinfo=UTC),
        ),
        ("Your limit resets 3am (Nowhere/Land)", datetime(2026, 11, 21, 3, tzinfo=UTC)),
        ("Your limit resets soon", None),
        ("try again", None),
    ],
)
def test_a_reset_in_words_is_a_time(words: str, expected: datetime | None) -> None:
    """As the agents' commands print them; an unknown zone counts as that of the clock."""
    assert expected == stated_in(words, NOON)
