"""Where settings come from: the defaults, `config.toml`, `SLEEPD_*` variables, the command line; the later wins.

The one module that reads the environment. Every mistake is a `BadSettings` of one line that names its origin.
"""

from __future__ import annotations

import json
import os
import re
import textwrap
import time
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from sleepd.core.errors import BadSettings, nearest
from sleepd.settings.backends import BACKENDS, Backend
from sleepd.settings.places import Places

if TYPE_CHECKING:
    # Whoever asks for a place alone does not wait for the sections; `_keys` and `_settle` import them.
    from pydantic import SecretStr
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

    from sleepd.settings.settings import Settings

AGENT_VARIABLES: Final = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "VSCODE_PORTABLE",
)
"""The variables by which agents let their folders be moved."""

KEY_VARIABLES: Final = tuple(b.key_variable for b in BACKENDS.values() if b.key_variable is not None)
"""The providers' usual names for their keys."""
ADDRESS_VARIABLES: Final = tuple(b.address_variable for b in BACKENDS.values() if b.address_variable is not None)

OWN_VARIABLES: Final = {
    "SLEEPD_HOME": "moves settings, database and logs into one folder",
    "SLEEPD_CONFIG": "names another settings file",
    "SLEEPD_API_KEY": "the key for the model's provider, before the provider's own variable",
}
"""`SLEEPD_*` variables that are no settings."""

SCHEDULERS_OWN: Final = ("PATH", "HOME")
"""Variables that every scheduler sets, and not as the user's shell does."""

_SECRET_NAME: Final = re.compile(r"(^|[._])(key|apikey|token|secret|password)$", re.IGNORECASE)


# What the environment says ------------------------------------------------------------------------------------------


def _environment() -> Mapping[str, str]:
    return os.environ  # noqa: TID251  the one place


def take_environment(file: Path) -> None:
    """Set the variables of a file (`NAME=value` a line) that are not set yet; `sleepd service install` writes such a
    file.

    A scheduler starts programs with next to no variables; those it does set are always its own, so that the file's
    `PATH` and `HOME` win. Raises `BadSettings` when the file cannot be used.
    """
    for number, line in enumerate(_text(file, "sleepd service install").splitlines(), 1):
        name, is_pair, value = line.partition("=")
        if line.strip() and not line.startswith("#"):
            if not is_pair or not name.isidentifier():
                raise BadSettings(f"{file}: line {number} is not NAME=value; `sleepd service install` writes it anew")
            if name in SCHEDULERS_OWN or name not in os.environ:  # noqa: TID251  the one place
                os.environ[name] = value  # noqa: TID251  the one place
    if hasattr(time, "tzset"):
        time.tzset()


def variables(names: Iterable[str]) -> dict[str, str]:
    """Those of the named variables that are set to something."""
    return {name: value for name in names if (value := _environment().get(name))}


def home() -> Path:
    """The user's home folder."""
    return Path.home()


def agent_env() -> dict[str, str]:
    """The agents' own overrides that are set, for `Harvester.find`."""
    return {name: value for name in AGENT_VARIABLES if (value := _environment().get(name))}


def client_env() -> dict[str, str]:
    """The variables in which an agent's command, its login and its network are found."""
    return {name: value for name, value in _environment().items() if not name.startswith("SLEEPD_")}


_GIT_PLACES: Final = frozenset(
    f"GIT_{name}"
    for name in (
        "DIR",
        "WORK_TREE",
        "INDEX_FILE",
        "PREFIX",
        "COMMON_DIR",
        "OBJECT_DIRECTORY",
        "ALTERNATE_OBJECT_DIRECTORIES",
        "NAMESPACE",
    )
)
"""Variables that a git hook sets for its children: they would lead our git to another repository."""


def git_env() -> dict[str, str]:
    """The environment for git: it works in the given folder, takes paths literally, and speaks English."""
    own = {name: value for name, value in _environment().items() if name not in _GIT_PLACES}
    return own | {"GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C.UTF-8", "LANGUAGE": "en"}


def editor() -> str:
    """The command that edits a file, as the user has set it: `VISUAL`, else `EDITOR`, else the system's own."""
    named = (_environment().get(name, "").strip() for name in ("VISUAL", "EDITOR"))
    return next(filter(None, named), "notepad" if os.name == "nt" else "vi")


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key and the environment variable it was found in."""

    value: SecretStr
    variable: str


def api_key(adapter: str, variable: str | None = None) -> ApiKey | None:
    """The key for a model adapter; None when no variable holds one.

    Looked for in `variable` (`model.key_variable`) alone where one is named, else in `SLEEPD_API_KEY`, else in the
    provider's usual variable. An agent's command takes its own variable alone: a provider's key would make its calls
    cost money.
    """
    from pydantic import SecretStr

    backend = BACKENDS.get(adapter, Backend())
    usual = (backend.key_variable or "",)
    names = (variable,) if variable is not None else usual if backend.has_login else ("SLEEPD_API_KEY", *usual)
    found = ((name, value) for name in names if (value := _environment().get(name, "").strip()))
    return next((ApiKey(value=SecretStr(value), variable=name) for name, value in found), None)


def address(adapter: str) -> str | None:
    """Where an adapter is asked when no `base_url` is set; None: at the provider's own address."""
    backend = BACKENDS.get(adapter, Backend())
    return _environment().get(backend.address_variable or "", "").strip() or backend.address


def places() -> Places:
    """The places of this user's files; `SLEEPD_HOME` moves all of them."""
    moved, settings = _environment().get("SLEEPD_HOME"), _environment().get("SLEEPD_CONFIG")
    found = Places.below(Path(moved)) if moved else Places.of_this_system()
    return replace(found, config=Path(settings).expanduser().absolute()) if settings else found


def with_settings_of(file: Path) -> dict[str, str]:
    """The environment of a child that is to read its settings from this file."""
    return {**_environment(), "SLEEPD_CONFIG": str(file)}


def in_terminal() -> bool:
    """Whether the Claude Code session that runs this is one that a person sees in a terminal, as it tells its hooks.

    True when it does not say, as older ones do not.
    """
    return _environment().get("CLAUDE_CODE_ENTRYPOINT", "cli") == "cli"


@dataclass(frozen=True, slots=True, kw_only=True)
class Buses:
    """The D-Bus addresses of this machine and of this user's desktop; None where there is no bus."""

    system: str | None
    session: str | None


def bus_addresses() -> Buses:
    """What the environment says; else the usual sockets, for cron and services start programs without variables."""
    env = _environment()
    # Where systemd keeps this user's sockets; a system without user numbers has none.
    usual = f"/run/user/{os.getuid()}" if hasattr(os, "getuid") else None
    runtime = [Path(folder) for folder in (env.get("XDG_RUNTIME_DIR"), usual) if folder]
    return Buses(
        system=env.get("DBUS_SYSTEM_BUS_ADDRESS") or _socket(Path("/run/dbus/system_bus_socket")),
        session=env.get("DBUS_SESSION_BUS_ADDRESS") or next(filter(None, (_socket(d / "bus") for d in runtime)), None),
    )


def _socket(path: Path) -> str | None:
    """The D-Bus address of a socket that is there; what an address may not hold is escaped."""
    return f"unix:path={quote(str(path))}" if path.is_socket() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A `SLEEPD_*` variable that is set. Its value is not here: it may be a key."""

    name: str
    effect: str | None
    """The variable's effect; None when sleepd does not know the variable."""


def stray_variables() -> tuple[Variable, ...]:
    """The `SLEEPD_*` variables in force, by name: a scheduled night would not see them, and a name may be misspelt."""
    effects = OWN_VARIABLES | {variable_name(key): f"sets {key}" for key in known_keys()}
    names = sorted(name for name in _environment() if name.upper().startswith("SLEEPD_"))
    return tuple(Variable(name=name, effect=effects.get(name.upper())) for name in names)


# What can be set ----------------------------------------------------------------------------------------------------


def known_keys() -> tuple[str, ...]:
    """Every setting as `section.key`, in the order of the file."""
    return tuple(f"{name}.{key}" for name, fields in _keys().items() for key in fields)


def _keys() -> dict[str, dict[str, FieldInfo]]:
    """Section -> its keys, in the order of the file."""
    from sleepd.settings.sections import keys
    from sleepd.settings.settings import section_classes

    return {name: keys(section) for name, section in section_classes().items()}


def variable_name(key: str) -> str:
    """The environment variable that sets `section.key`."""
    return "SLEEPD_" + key.replace(".", "__").upper()


def default_config_toml(chosen: Mapping[str, object] | None = None) -> str:
    """A settings file with every key explained and commented out, so that better defaults still reach the user.

    `chosen` (`section.key` -> value) are written as settings.
    """
    from sleepd.settings.sections import meanings
    from sleepd.settings.settings import section_classes

    fields = _keys()
    head = (
        "# Settings of sleepd. Every key shows its default, or an example where absence is the default;\n"
        "# remove the # to set one.\n"
    )
    lines = []
    for name, section in section_classes().items():
        lines += ["", *_comment(section.__doc__ or ""), f"[{name}]"]
        meant = meanings(section)
        for key, field in fields[name].items():
            value = (chosen or {}).get(f"{name}.{key}")
            shown = field.default if field.default is not None else (field.examples or [None])[0]
            line = f"# {key} = {toml_value(shown)}" if value is None else f"{key} = {toml_value(value)}"
            lines += ["", *_comment(meant[key]), line]
    return head + "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, width=100, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)


def toml_value(value: object) -> str:
    """`value` as TOML writes it."""
    match value:
        case bool():
            return str(value).lower()
        case tuple() | list():
            return f"[{', '.join(toml_value(item) for item in value)}]"
        case str():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)


# Reading it ---------------------------------------------------------------------------------------------------------


def load(path: Path | None = None, overrides: Mapping[str, object] | None = None) -> Settings:
    """The settings in force.

    `path` is a file that must exist; without it the usual one is read if it is there. `overrides` are the options of
    the command line, as `{"night.max_calls": 10}`; a value of None means that the option was not given. Raises
    BadSettings.
    """
    file = path or places().config
    in_file = values_in(file, required=path is not None)
    asked = {key: value for key, value in (overrides or {}).items() if value is not None}
    for variable in stray_variables():
        if variable.effect is None:
            known = [*OWN_VARIABLES, *map(variable_name, known_keys())]
            hint = nearest(variable.name.upper(), known)
            raise BadSettings(f"environment: unknown variable {variable.name}{hint}; unset it or correct its name")
    # The file alone comes first: a mistake in it counts even where a variable hides it today.
    _settle(in_file, lambda _: str(file))
    merged = dict(in_file)
    # A variable counts in any case of letters; an empty one counts as unset.
    given = {name.upper(): value for name, value in _environment().items() if value}
    variables = {key: given[name] for key in known_keys() if (name := variable_name(key)) in given}
    for key, value in {**variables, **asked}.items():
        section, _, name = key.partition(".")
        table = merged.get(section)
        merged[section] = {**(table if isinstance(table, dict) else {}), name: value}

    def origin(key: str) -> str:
        # Of the merged value of a key, or of a whole section, now that the file alone was found valid.
        if any(option == key or option.startswith(f"{key}.") for option in asked):
            return "command line"
        return variable_name(key) if "." in key else "environment"

    return _settle(merged, origin)


def check(values: Mapping[str, object]) -> Settings:
    """The settings of a file with these values. Raises BadSettings as `load` does for a value on the command line."""
    return _settle(values, lambda _: "command line")


def check_key(key: str) -> None:
    """Raises BadSettings, with the nearest known key, unless this is a setting as `section.key`."""
    if key not in known_keys():
        raise BadSettings(f"command line: {_unknown_key(key)}")


def load_file_alone() -> Settings:
    """The settings as a scheduled start sees them: without this shell's variables. Raises BadSettings."""
    file = places().config
    return _settle(values_in(file), lambda _: str(file))


def _settle(values: Mapping[str, object], origin: Callable[[str], str]) -> Settings:
    """The settings with these tables. `origin` names the source of a key's value."""
    from pydantic import ValidationError

    from sleepd.settings.settings import Settings

    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        first, *others = error.errors(include_url=False, include_context=False)
        where = origin(".".join(str(part) for part in first["loc"][:2]))
        more = f" (and {len(others)} more)" if others else ""
        raise BadSettings(f"{where}: {_sentence(first)}{more}") from None


def values_in(file: Path, *, required: bool = False) -> dict[str, object]:
    """The tables of a settings file, unchecked; {} where there is none, unless `required`. Raises BadSettings."""
    if not required and not file.exists():
        return {}
    text = _text(file)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # tomllib gives line and column except at the end of the text.
        lines = text.split("\n")
        place = f"at line {len(lines)}, column {len(lines[-1]) + 1}"
        raise BadSettings(f"{file}: not TOML: {str(error).replace('at end of document', place)}") from error


def _text(file: Path, maker: str = "sleepd init") -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise BadSettings(f"{file}: there is no such file; `{maker}` writes one") from None
    except UnicodeDecodeError as error:
        raise BadSettings(f"{file}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except IsADirectoryError:
        raise BadSettings(f"{file}: is a folder; move it away, then `{maker}` writes the file") from None
    except OSError as error:
        raise BadSettings(f"{file}: cannot be read: {error.strerror}; make it a file that you may read") from error


# Saying what is wrong with it ---------------------------------------------------------------------------------------


def _sentence(error: ErrorDetails) -> str:
    """One line with key, got and wanted."""
    key = ".".join(str(part) for part in error["loc"])
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        return _unknown_key(key)
    wanted = error["msg"].removeprefix("Value error, ")
    wanted = re.sub(r"^(Input|String) should (be |have )|, unable to .*$", "", wanted)
    wanted = re.sub(r"^(greater|less) than", r"a number \1 than", wanted)
    match error["type"]:
        case "dataclass_type":
            wanted = f"a table, written [{key}]"
        case "tuple_type":
            wanted = 'a list such as ["a", "b"]'
    got = toml_value(error["input"])
    got = got if len(got) <= 60 else got[:57] + "..."
    # An address may hold a login, and a section's contents are too long to show.
    shown = "" if key.endswith("url") or isinstance(error["input"], dict) else f" got {got},"
    return f"{key}:{shown} wanted {wanted}"


def _unknown_key(key: str) -> str:
    section, _, name = key.partition(".")
    if _SECRET_NAME.search(key):
        variables = " or ".join(
            ["SLEEPD_API_KEY", *(BACKENDS[name].key_variable or "" for name in ("anthropic", "openai"))]
        )
        return f"{key}: keys are not read from the file, which others may see; delete it and set {variables}"
    sections = _keys()
    if not name or section not in sections:
        homes = [f"[{home}]" for home, known in sections.items() if section in known]
        belongs = f"; it belongs under {' or '.join(homes)}" if homes else nearest(section, sections)
        return f"unknown section or key {section!r}{belongs}"
    fields = sections[section]
    return f"unknown key {key!r}{nearest(name, fields)}; [{section}] knows: {', '.join(fields)}"
