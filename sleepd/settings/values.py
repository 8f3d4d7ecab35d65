"""The forms a setting's value can have."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field


def window(since: str) -> timedelta | None:
    """How far back `since` reaches: a length of time, or None for everything there is.

    Raises ValueError for anything but "all" or a number of days such as "30d".
    """
    if since == "all":
        return None
    if re.fullmatch(r"[1-9][0-9]{0,4}d", since):
        return timedelta(days=int(since[:-1]))
    raise ValueError('"all" or a number of days such as "30d"')


def _since(value: str) -> str:
    window(value)
    return value


def _time_of_day(value: str) -> str:
    if not re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]", value):
        raise ValueError('a time of day such as "03:17"')
    return value


def _plain_url(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("an address that begins with http:// or https://")
    if parts.username or parts.password or parts.query:
        raise ValueError("an address without a login or a query in it; keys belong in the environment")
    return value


def _split_at_commas(value: object) -> object:
    """An environment variable holds a list as `a,b`."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Name = Annotated[str, Field(min_length=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Inner = Annotated[float, Field(gt=0, lt=1)]
Count = Annotated[int, Field(ge=1)]
Minutes = Annotated[int, Field(ge=0, le=24 * 60)]
Dollars = Annotated[float, Field(ge=0)]
Since = Annotated[str, AfterValidator(_since)]
TimeOfDay = Annotated[str, AfterValidator(_time_of_day)]
PlainUrl = Annotated[str, AfterValidator(_plain_url)]
Names = Annotated[tuple[Name, ...], BeforeValidator(_split_at_commas)]
