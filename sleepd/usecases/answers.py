"""The two decisions that only the user may take: how far back to read, and the budget. Asked once, kept in the
settings."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sleepd.core.errors import BadSettings, UsageError
from sleepd.host.outfile import replace_file
from sleepd.settings import config
from sleepd.settings.places import make_private
from sleepd.settings.settings import Settings
from sleepd.settings.values import window

Asker = Callable[[str, str, Callable[[str], object]], str]
"""Called with the question, the default and the check of an answer; returns an answer that passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Something a first run has to know."""

    key: str
    """The setting that keeps the answer."""
    text: str
    default: str
    flags: str
    """The option that answers it for one run, with an example."""
    read: Callable[[str], object]
    """From the typed text to the setting's value; raises ValueError."""
    also: tuple[str, ...] = ()
    """Other settings that answer it as well."""


def _days(answer: str) -> str:
    window(answer)
    return answer


def _calls(answer: str) -> int:
    if not re.fullmatch(r"[1-9][0-9]{0,8}", answer):
        raise ValueError("a whole number from 1")
    return int(answer)


WINDOW = Question(
    key="harvest.since",
    text='How far back should the first harvest read ("30d", or "all")?',
    default="30d",
    flags="--since 30d",
    read=_days,
)
SPENDING = Question(
    key="night.max_calls",
    text="How many model calls may one night make?",
    default="1000",
    flags="--max-calls 500 (or --budget-usd 2)",
    read=_calls,
    also=("night.budget_usd",),
)


def open_questions(settings: Settings, questions: tuple[Question, ...]) -> tuple[Question, ...]:
    """Those that no setting answers."""
    return tuple(q for q in questions if all(_value(settings, key) is None for key in (q.key, *q.also)))


def answered(settings: Settings, questions: tuple[Question, ...], file: Path, ask: Asker | None) -> Settings:
    """The settings with all questions answered: by the settings or options, else by `ask`, and kept in `file`.

    Raises `UsageError` of one line that names the options and the settings when there is nobody to ask.
    """
    missing = open_questions(settings, questions)
    if not missing:
        return settings
    if ask is None:
        raise UsageError(
            f"nothing says {' or '.join(_WHAT[q.key] for q in missing)}: give {' '.join(q.flags for q in missing)}, "
            f"or set {' and '.join(q.key for q in missing)} in {file}"
        )
    chosen = {q.key: q.read(ask(q.text, q.default, q.read)) for q in missing}
    write(file, chosen)
    return with_values(settings, chosen)


_WHAT = {
    "harvest.since": "how far back to read",
    "night.max_calls": "what a night may spend",
}


def with_values(settings: Settings, chosen: Mapping[str, object]) -> Settings:
    """The settings with these values (`section.key` -> value) in place."""
    for key, value in chosen.items():
        section, _, name = key.partition(".")
        changed = replace(getattr(settings, section), **{name: value})
        settings = settings.model_copy(update={section: changed})
    return settings


def _value(settings: Settings, key: str) -> object:
    section, _, name = key.partition(".")
    return getattr(getattr(settings, section), name)


# Into the user's own file ------------------------------------------------------------------------------------------


def write(file: Path, chosen: Mapping[str, object]) -> None:
    """Put values into the settings file; every other byte of it stays. Without a file, a commented one is made.

    Raises `BadSettings` when the values cannot be put there safely; the file is untouched then.
    """
    if not file.exists():
        make_private(file.parent)
        replace_file(file, config.default_config_toml(chosen).encode())
        return
    real = file.resolve()  # a link into somebody's dotfiles stays a link
    data = real.read_bytes()
    for key, value in chosen.items():
        data = _with_key(data, key, value, file)
    replace_file(real, data)


def _with_key(data: bytes, key: str, value: object, file: Path) -> bytes:
    wanted = _parsed(data)
    section, _, name = key.partition(".")
    table = wanted.setdefault(section, {})
    if isinstance(table, dict) and name not in table:
        table[name] = value
        for attempt in _attempts(data, section, name, config.toml_value(value)):
            try:
                reads_as = _parsed(attempt) == wanted
            except tomllib.TOMLDecodeError:
                reads_as = False
            if reads_as:
                return attempt
    raise BadSettings(f"{file}: {key} could not be written there; add it yourself: {name} = {config.toml_value(value)}")


def _attempts(data: bytes, section: str, name: str, value: str) -> Iterator[bytes]:
    """Ways to say it, the most readable first: below the key's own comment, below the heading, at the end, on top."""
    text = data.decode("utf-8-sig")
    mark = "\ufeff" if data.startswith(b"\xef\xbb\xbf") else ""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.splitlines(keepends=True)
    line = f"{name} = {value}{newline}"
    for at in (*_places(lines, section, rf"\s*#\s*{re.escape(name)}\s*=.*"), *_places(lines, section, None)):
        before = "".join(lines[:at])
        gap = newline if before and not before.endswith(("\n", "\r")) else ""
        yield (mark + before + gap + line + "".join(lines[at:])).encode()
    end = "" if text.endswith(("\n", "\r")) or not text else newline
    yield f"{mark}{text}{end}{newline}[{section}]{newline}{line}".encode()
    yield f"{mark}{section}.{line}{text}".encode()


def _places(lines: list[str], section: str, below: str | None) -> Iterator[int]:
    """Indices behind a line of this section that matches `below`, or behind its heading for None."""
    current = None
    for number, line in enumerate(lines, 1):
        heading = re.fullmatch(r"\s*\[\s*\"?([A-Za-z_]+)\"?\s*\]\s*(#.*)?", line.rstrip("\r\n"))
        if heading:
            current = heading[1]
        matches = heading is not None if below is None else re.fullmatch(below, line.rstrip("\r\n")) is not None
        if current == section and matches:
            yield number


def _parsed(data: bytes) -> dict[str, object]:
    return tomllib.loads(data.decode("utf-8-sig").replace("\r\n", "\n"))
