"""When a limit resets: read from reply headers and from the words of a notice.

Relative times ("in 30 s") are counted from the reply's own `date` header: the local clock is not asked and need not be
right.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|d|h|m|s)")
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_RESET = re.compile(r"(?:x-ratelimit-reset(?:-(?P<openai>.+))?|anthropic-ratelimit-(?P<anthropic>.+)-reset)")
_EPOCH_IN_TEXT = re.compile(r"\|\s*(\d{10})\b")
_CLOCK = re.compile(
    r"(?:resets?|again)(?: at)? (?P<hour>1[0-2]|0?[1-9])(?::(?P<minute>[0-5]\d))? ?(?P<half>[ap])\.?m\b"
    r"(?:\.? \((?P<zone>[\w/+-]+)\))?",
    re.IGNORECASE,
)
_WORDED = re.compile(r"(\d+) (days?|hours?|minutes?|seconds?)", re.IGNORECASE)
_EPOCH_FROM = 1_000_000_000
"""A bare number from here on is a point in time (seconds since 1970), below it a number of seconds to wait."""
_EPOCH_MS_FROM = 1_000_000_000_000


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait by `retry-after-ms` or `retry-after` (seconds or a date); None when not stated or unreadable."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    stated = headers.get("retry-after")
    seconds = _number(stated)
    if seconds is not None or stated is None:
        return seconds
    until, now = _http_date(stated), _http_date(headers.get("date"))
    return max(0.0, (until - now).total_seconds()) if until and now else None


def retry_at(headers: Mapping[str, str]) -> datetime | None:
    """When the provider says to come back, aware UTC: `retry-after`, else the latest reset of an exhausted allowance.

    `headers` has lower-case names. None when the reply states nothing that can be read.
    """
    now = _http_date(headers.get("date"))
    stated = headers.get("retry-after")
    if stated is not None and _number(stated) is None:
        return _http_date(stated)
    seconds = retry_after_s(headers)
    if seconds is not None:
        return _later(now, seconds)
    found = [(name, _moment(value, now)) for name, value in headers.items() if _RESET.fullmatch(name)]
    resets = [(name, at) for name, at in found if at is not None]
    exhausted = [at for name, at in resets if _number(headers.get(name.replace("reset", "remaining"))) == 0]
    return max(exhausted or [at for _, at in resets], default=None)


def epoch_in(text: str) -> datetime | None:
    """The reset time of a notice of the form `… limit reached|1755806400`."""
    match = _EPOCH_IN_TEXT.search(text)
    return _from_epoch(float(match.group(1))) if match else None


def stated_in(text: str, now: datetime) -> datetime | None:
    """The reset of a notice in words, aware UTC: "resets 3pm (Europe/Berlin)", "try again in 2 hours 5 minutes".

    A time of day is the next one after `now`, in the zone that is named, else in that of `now`.
    """
    relative = _WORDED.findall(text.partition("again in")[2])
    if relative:
        return _later(now.astimezone(UTC), sum(float(number) * _UNIT_S[unit[0].lower()] for number, unit in relative))
    found = _CLOCK.search(text)
    if found is None:
        return None
    hour = int(found["hour"]) % 12 + (12 if found["half"].lower() == "p" else 0)
    try:
        here = now.astimezone(ZoneInfo(found["zone"])) if found["zone"] else now
    except (ValueError, ZoneInfoNotFoundError, OSError):
        here = now
    at = here.replace(hour=hour, minute=int(found["minute"] or 0), second=0, microsecond=0)
    return (at if at > here else at + timedelta(days=1)).astimezone(UTC)


def _moment(value: str, now: datetime | None) -> datetime | None:
    number = _number(value)
    if number is not None:
        return _from_epoch(number) if number >= _EPOCH_FROM else _later(now, number)
    parts = _DURATION.findall(value)
    if parts and "".join(a + b for a, b in parts) == value.strip():
        return _later(now, sum(float(a) * _UNIT_S[b] for a, b in parts))
    try:
        at = datetime.fromisoformat(value)
    except ValueError:
        return None
    return at.astimezone(UTC) if at.tzinfo else None


def _from_epoch(number: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(number / 1000 if number >= _EPOCH_MS_FROM else number, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _later(now: datetime | None, seconds: float) -> datetime | None:
    try:
        return None if now is None else now + timedelta(seconds=seconds)
    except OverflowError:
        return None


def _number(value: str | None) -> float | None:
    try:
        number = float(value or "")
    except ValueError:
        return None
    return number if 0 <= number < float("inf") else None


def _http_date(value: str | None) -> datetime | None:
    try:
        at = parsedate_to_datetime(value or "")
    except ValueError:
        return None
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
