"""What a provider's answer means: status codes, error bodies and notices become one typed Failure with a remedy."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sleepd.core import plaintext
from sleepd.core.model import Cause
from sleepd.core.ports import Failure, Reply
from sleepd.models.limits import epoch_in, retry_at, stated_in
from sleepd.models.settings import ModelSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """How messages name a provider."""

    label: str
    key_variable: str
    """The environment variable that the key is in, or belongs into."""

    def used_by(self, settings: ModelSettings) -> Provider:
        """The same, named by its address when that is not the provider's own, and by the variable the key came from."""
        label = self.label if settings.host is None else f"the server at {settings.host}"
        return Provider(label=label, key_variable=settings.key_from or self.key_variable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejection:
    """A reply that is not an answer: its status, lower-case headers and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


_QUOTA = re.compile(
    r"insufficient_quota|credit balance|usage limit|billing_(?:hard_)?(?:limit|error)|spend(?:ing|_)? ?limit"
    r"|exceeded your current quota",
    re.IGNORECASE,
)
_FILTERED = re.compile(r"content_filter|content_policy|content management policy|invalid_prompt", re.IGNORECASE)
_TOO_LONG = re.compile(
    r"context_length_exceeded|prompt is too long|maximum context length|request_too_large|context window", re.IGNORECASE
)
_NOTICES: tuple[tuple[Cause, re.Pattern[str]], ...] = (
    (
        Cause.QUOTA,
        re.compile(
            r"(?:you['’]?(?:ve| have) (?:hit|reached|exceeded) your (?:\w+ ){0,3}(?:limit|quota)"
            r"|(?:claude (?:ai |code )?)?(?:\S+ ){0,2}(?:usage|rate|session|weekly|5-hour) limit (?:reached|exceeded)"
            r"|(?:your )?credit balance is too low)",
            re.IGNORECASE,
        ),
    ),
    (
        Cause.AUTH,
        re.compile(r"(?:invalid api key|not logged in|please run /login|oauth token has expired)", re.IGNORECASE),
    ),
)
_NOTICE_LENGTH = 200
"""Notices are short; a long text that opens with such words is an answer about them."""
_KEY_SHAPED = re.compile(r"\b(?:sk|pk|key)-[\w*.-]{6,}")
_MESSAGE_LENGTH = 300


def explain(rejection: Rejection, provider: Provider) -> Failure:
    """The cause of a rejected request. Whatever our own text cannot be the reason for is an outside cause."""
    said = _said(rejection.body)
    cause = _cause(rejection.status, said)
    if cause is Cause.NETWORK and 400 <= rejection.status < 500:
        advice = "it does not accept such a request; check the model's name and parameters in the settings"
    else:
        advice = _remedy(cause, provider)
    message = f"{provider.label} answered {rejection.status}{_because(said)}; {advice}"
    return Failure(cause=cause, message=message, retry_at=retry_at(rejection.headers) if cause is Cause.QUOTA else None)


def settle(reply: Reply, *, truncated: bool, provider: Provider) -> Reply | Failure:
    """The reply if its text is an answer; a Failure if it is empty, cut off by its token limit, or a notice."""
    notice = notice_in(reply.text, provider)
    if notice is not None:
        return notice
    if truncated:
        return cut_off(provider)
    if not reply.text.strip():
        return malformed(provider, "an empty text")
    return reply


def notice_in(text: str, provider: Provider, *, now: datetime | None = None) -> Failure | None:
    """A Failure when a text is a usage-limit or login notice that stands where the answer should be.

    `now` is for notices that name the reset as a time of day, as the agents' commands print them.
    """
    body = text.strip()
    if len(body) > _NOTICE_LENGTH:
        return None
    for cause, pattern in _NOTICES:
        if pattern.match(body):
            message = f"{provider.label} said {body!r} in place of an answer; {_remedy(cause, provider)}"
            at = epoch_in(body) or (None if now is None else stated_in(body, now))
            return Failure(cause=cause, message=message, retry_at=at)
    return None


def malformed(provider: Provider, what: str) -> Failure:
    """A reply that arrived and cannot be used."""
    return Failure(cause=Cause.MALFORMED, message=f"{provider.label} sent {what} in place of an answer")


def refused(provider: Provider, why: str) -> Failure:
    """The model, or the provider's filter, would not answer."""
    return Failure(cause=Cause.REFUSED, message=f"{provider.label} refused to answer{_because(why)}")


def cut_off(provider: Provider) -> Failure:
    """The reply reached its token limit."""
    message = f"{provider.label} stopped at the reply's token limit; the text is not a whole answer"
    return Failure(cause=Cause.OVERLONG, message=message)


def timed_out(provider: Provider, seconds: float) -> Failure:
    message = f"{provider.label} did not answer within {seconds:g} s; raise model.timeout_s if its answers take longer"
    return Failure(cause=Cause.TIMEOUT, message=message)


def unreachable(provider: Provider, why: str) -> Failure:
    message = f"{provider.label} could not be reached{_because(why)}; {_remedy(Cause.NETWORK, provider)}"
    return Failure(cause=Cause.NETWORK, message=message)


def no_key(provider: Provider) -> Failure:
    message = f"no API key for {provider.label}; set {provider.key_variable} (a local server accepts any word)"
    return Failure(cause=Cause.AUTH, message=message, asked=False)


def bad_key(provider: Provider) -> Failure:
    message = (
        f"the API key for {provider.label} holds a space or a character that keys do not have; "
        f"copy it to {provider.key_variable} again"
    )
    return Failure(cause=Cause.AUTH, message=message, asked=False)


def used_up(body: bytes) -> bool:
    """Whether an error body speaks of a spent allowance, which a retry cannot mend; not of too many calls at once."""
    return _QUOTA.search(_said(body)) is not None


def one_line(text: str, secret: str | None) -> str:
    """`text` on one line, clipped to 300 characters, with `secret` and whatever looks like a key taken out."""
    line = plaintext.flat(text)
    if secret:
        line = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)" if len(secret) < 8 else re.escape(secret), "[key]", line)
    line = _KEY_SHAPED.sub("[key]", line)
    return plaintext.clipped(line, _MESSAGE_LENGTH)


def dig(value: Any, *path: str | int) -> Any:
    """The value at a path through objects and lists; None where the reply has another shape."""
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and -len(value) <= step < len(value) else None
    return value


def json_lines(text: str) -> list[Any]:
    """The values of an output of one JSON value a line; other lines are left out."""
    found = []
    for line in text.splitlines():
        if line.startswith("{"):
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError):
                continue
    return found


def count(value: Any) -> int | None:
    """A token count, or None when the reply has no usable one."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _cause(status: int, said: str) -> Cause:
    if status in {402, 429} or _QUOTA.search(said):
        return Cause.QUOTA
    if status in {401, 403, 404}:
        return Cause.AUTH
    if status == 413 or (status == 400 and _TOO_LONG.search(said)):
        return Cause.OVERLONG
    if status == 400 and _FILTERED.search(said):
        return Cause.REFUSED
    return Cause.NETWORK


def _remedy(cause: Cause, provider: Provider) -> str:
    match cause:
        case Cause.AUTH:
            return f"check {provider.key_variable}, the model's name and the base URL"
        case Cause.QUOTA:
            return "wait for the limit to reset, or raise it with the provider"
        case Cause.OVERLONG:
            return "the request is longer than the model accepts"
        case Cause.REFUSED:
            return "the provider's filter stopped the request"
        case _:
            return "the next run tries again; if it stays, check the network and the model's settings"


def _said(body: bytes) -> str:
    """Code and message of an error body in either provider's shape; the raw text when it is neither."""
    text = body.decode("utf-8", "replace")
    try:
        data = json.loads(text)
    except ValueError:
        return text
    error = dig(data, "error")
    if isinstance(error, str):
        return error
    source = error if isinstance(error, dict) else data
    parts = [dig(source, "code"), dig(source, "type"), dig(source, "message")]
    return " ".join(str(part) for part in parts if isinstance(part, str | int)) or text


def _because(said: str) -> str:
    line = plaintext.flat(said)
    return f" ({line[:120].rstrip()})" if line else ""
