"""One setting: its value and where that comes from, and a new value in the user's own file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import tomlkit

from sleepd.core.errors import BadSettings
from sleepd.host.outfile import replace_file
from sleepd.settings import config
from sleepd.settings.places import Places
from sleepd.settings.sections import keys, meanings
from sleepd.settings.settings import Settings, section_classes
from sleepd.usecases import answers
from sleepd.views.report import Plain, count, table


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting in force."""

    key: str
    value: object
    """None: absent."""
    default: object
    origin: str
    """`default`, the settings file, or the variable that sets the key."""
    meaning: str


def settings_in_force(places: Places, key: str | None = None) -> tuple[Setting, ...]:
    """The setting of this key, or all. Raises `BadSettings` for an unknown key, with the nearest one."""
    if key is not None:
        config.check_key(key)
    in_force, in_file = config.load(), config.values_in(places.config)
    set_by_variable = {variable.name for variable in config.stray_variables()}
    found = []
    for name in (key,) if key is not None else config.known_keys():
        section, _, inner = name.partition(".")
        classes = section_classes()
        if config.variable_name(name) in set_by_variable:
            origin = config.variable_name(name)
        else:
            table_of = in_file.get(section)
            origin = str(places.config) if isinstance(table_of, dict) and inner in table_of else "default"
        found.append(
            Setting(
                key=name,
                value=getattr(getattr(in_force, section), inner),
                default=keys(classes[section])[inner].default,
                origin=origin,
                meaning=meanings(classes[section])[inner],
            )
        )
    return tuple(found)


def put(places: Places, key: str, value: str | None) -> Settings:
    """Set the key in the user's file, or with None take it out; comments, and all other lines, stay as they are.

    `value` is TOML (`3`, `true`, `["a", "b"]`), a plain text, or a list as `a,b`. Returns the settings of the new file.
    Raises `BadSettings` for an unknown key and for a value that the key does not take; the file is untouched then.
    """
    config.check_key(key)
    file = places.config
    values = config.values_in(file)
    section, _, name = key.partition(".")
    held = values.get(section, {})
    if not isinstance(held, dict):
        return config.check(values)  # which says that this is no table
    is_there = name in held
    if value is None:
        return _replace(file, section, name, None) if is_there else config.check(values)
    refused: BadSettings | None = None
    for wanted in _readings(value):
        new = {**values, section: {**held, name: wanted}}
        try:
            settings = config.check(new)
        except BadSettings as error:
            refused = refused or error
            continue
        if is_there:
            return _replace(file, section, name, wanted)
        answers.write(file, {key: wanted})
        return settings
    assert refused is not None
    raise refused


def as_json(found: tuple[Setting, ...]) -> list[Plain]:
    return [{"key": s.key, "value": s.value, "default": s.default, "origin": s.origin} for s in found]


def as_text(found: tuple[Setting, ...]) -> str:
    """One setting with its meaning; of all, those that differ from the defaults."""
    if len(found) == 1:
        (one,) = found
        default = "" if one.origin == "default" else f"; default {_shown(one.default)}"
        return f"{one.key} = {_shown(one.value)}\n  {one.origin}{default}\n  {one.meaning}"
    own = [one for one in found if one.origin != "default"]
    rows = [[one.key, _shown(one.value), one.origin] for one in own]
    rest = f"{count(len(found) - len(own), 'key')} at the default; sleepd config get KEY explains one, --json lists all"
    return "\n\n".join(([table(["key", "value", "set by"], rows)] if own else []) + [rest])


def _shown(value: object) -> str:
    return "absent" if value is None else config.toml_value(value)


def _readings(value: str) -> Iterator[object]:
    """What somebody who types this may mean, the likeliest first."""
    with suppress(tomllib.TOMLDecodeError):
        yield tomllib.loads(f"value = {value}")["value"]
    yield value
    yield [part.strip() for part in value.split(",") if part.strip()]


def _replace(file: Path, section: str, name: str, value: object) -> Settings:
    """Change the value of a key that is in the file, or take the key out; the settings of the new file.

    Raises `BadSettings` for a mistake elsewhere in the file.
    """
    real = file.resolve()  # a link into somebody's dotfiles stays a link
    data = real.read_bytes()
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    document = tomlkit.parse(data.removeprefix(mark).decode())
    if value is None:
        del document[section][name]
    else:
        document[section][name] = value
    text = tomlkit.dumps(document)
    settings = config.check(tomllib.loads(text.replace("\r\n", "\n")))
    replace_file(real, mark + text.encode())
    return settings
