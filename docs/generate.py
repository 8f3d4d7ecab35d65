"""Write the pages, and the parts of pages, that are made from the code: `python -m docs.generate`, or `make docs`.

A test compares the pages with the code, so a page that lies fails the build.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter
from typer.main import get_command

from docs import floors
from docs.vocabulary import VOCABULARY
from sleepd import cli
from sleepd.cli.ending import INTERRUPTED, UNEXPECTED
from sleepd.core import errors
from sleepd.settings import config
from sleepd.settings.backends import BACKENDS
from sleepd.settings.sections import keys, meanings
from sleepd.settings.settings import section_classes

HERE: Final = Path(__file__).parent

Schema = dict[str, object]

SETTINGS_HEAD: Final = """\
# Settings

<!-- Made by `make docs` from sleepd/settings/sections.py. Change it there. -->

Settings come from four places; the later wins, key by key:

1. the defaults below,
2. the settings file: `~/.config/sleepd/config.toml` on Linux, `config.toml` in `SLEEPD_HOME` where that is set,
3. environment variables: `SLEEPD_` + section + `__` + key, as in `SLEEPD_GATE__ALPHA=0.01` (a list as `a,b`; an empty
   variable counts as unset),
4. options of the command.

`sleepd init` writes a file with every key, its explanation and its default. A key or a `SLEEPD_` variable that is not
listed here is an error, and so is a value of the wrong kind: the message names the file, the key and the nearest known
one. Nothing is ignored.

## Keys of model providers

Keys are read from the environment only: from the variable that `key_variable` names, else `SLEEPD_API_KEY`, else the
provider's usual variable ({keys}). A key in the settings file is an error. Addresses may come from variables, too:
{addresses}.

## Other variables

| Variable | Effect |
|---|---|
{own}

Where agents let their own folders be moved, sleepd follows: {agents}.
"""


def settings_page() -> str:
    """The reference of every setting, with what it means, its default and why it is the default."""
    head = SETTINGS_HEAD.format(
        keys=_variables("key_variable"),
        addresses=_variables("address_variable"),
        own="\n".join(f"| `{name}` | {effect} |" for name, effect in config.OWN_VARIABLES.items()),
        agents=", ".join(f"`{name}`" for name in config.AGENT_VARIABLES),
    )
    return head + "".join(_section(name) for name in section_classes())


def _variables(field: str) -> str:
    """The variables of this kind, each with its backend."""
    found = ((name, getattr(backend, field)) for name, backend in BACKENDS.items())
    return ", ".join(f"`{variable}` for `{name}`" for name, variable in found if variable is not None)


def _section(name: str) -> str:
    cls = section_classes()[name]
    meant = meanings(cls)
    rows = [
        f"| `{key}` | {_form(name, key)} | {_default(field.default)} | {_cell(meant[key])} |"
        for key, field in keys(cls).items()
    ]
    table = ["| Key | Value | Default | Meaning |", "|---|---|---|---|", *rows]
    return "\n".join(["", f"## [{name}]", "", inspect.cleandoc(cls.__doc__ or ""), "", *table, ""])


def _default(value: object) -> str:
    return "absent" if value is None else f"`{config.toml_value(value)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _form(section: str, key: str) -> str:
    """What kind of value the key takes, in words, from the schema pydantic makes of the class."""
    schema = TypeAdapter(section_classes()[section]).json_schema()["properties"][key]
    options = schema.get("anyOf", [schema])
    return next(_kind(option) for option in options if option.get("type") != "null")


def _kind(schema: Schema) -> str:
    match schema:
        case {"enum": list(words)}:
            return ", ".join(f"`{word}`" for word in words)
        case {"type": "array"}:
            return "list of texts"
        case {"type": "boolean"}:
            return "`true` or `false`"
        case {"type": "integer" | "number" as kind}:
            return ("whole number" if kind == "integer" else "number") + _bounds(schema)
        case _:
            return "text"


def _bounds(schema: Schema) -> str:
    names = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to", "exclusiveMaximum": "below"}
    parts = [f"{word} {schema[name]:g}" for name, word in names.items() if name in schema]
    return f" {' '.join(parts)}" if parts else ""


CLI_HEAD: Final = """\
# The command

<!-- Made by `make docs` from sleepd/cli. Change it there. -->

Results go to stdout, everything else to stderr: questions, progress, errors. Text is for people; `--json` prints one
JSON value with stable keys, whether or not stdout is a terminal. No question is asked when stdin is not a terminal. An
error is one line that names the remedy; `sleepd --verbose VERB` shows the log and whole traces as well.

## Exit status

"""


def cli_page() -> str:
    """The reference of every verb, from the commands themselves. What typer builds has no public types, hence `Any`."""
    group: Any = get_command(cli.app)
    return (
        CLI_HEAD + _statuses() + "".join(_verb(f"sleepd {name}", group.get_command(None, name)) for name in cli.VERBS)
    )


STATUSES: Final = {
    0: ("done as asked; adopting nothing is a success", "nothing"),
    1: ("an assertion that was asked for did not hold", "read what it says; `proof-run --assert-improves` ends so"),
    2: ("the command line, the settings or the database cannot be used as they are", "what the line says"),
    3: (
        "could not be measured (login, network, backend): nothing was consumed",
        "`sleepd doctor --live`, then the same command; a scheduled night tries again by itself",
    ),
    4: ("the budget is spent; what was paid for is kept", "the same command goes on with a new budget"),
    5: ("your own edit of a skill file is in the way", "look at the file it names, then adopt or revert again"),
    UNEXPECTED: ("a defect of sleepd", "the line says where the trace is; please report it"),
    75: ("another night, harvest or adoption is running", "wait; a scheduled night waits by itself"),
    INTERRUPTED: ("stopped by Ctrl-C or SIGTERM", "the same command goes on"),
}
"""Exit status -> what it means, and what to do."""


def _statuses() -> str:
    rows = [f"| {status} | {meaning} |" for status, (meaning, _) in STATUSES.items()]
    return "\n".join(["| Status | Meaning |", "|---|---|", *rows, "", "[More on each](exit-status.md).", ""])


EXIT_HEAD: Final = """\
# Exit status

<!-- Made by `make docs` from docs/generate.py and sleepd/core/errors.py. Change it there. -->

What a script, a timer or a hook needs to know. Only 3, 4 and 75 go away by waiting; 4 needs a new budget.

"""


def exit_page() -> str:
    """The reference of exit statuses, with every kind of error that leads to each."""
    kinds: dict[int, list[str]] = {}
    for kind in _kinds():
        kinds.setdefault(kind.exit_status, []).append(f"`{kind.code}`: {_first(kind)}")
    rows = [
        f"| {status} | {meaning} | {remedy} | {'<br>'.join(kinds.pop(status, []))} |"
        for status, (meaning, remedy) in STATUSES.items()
    ]
    if kinds:
        raise LookupError(f"docs/generate.py explains no exit status {', '.join(map(str, kinds))}")
    return EXIT_HEAD + "\n".join(["| Status | Meaning | What to do | Kinds of error |", "|---|---|---|---|", *rows, ""])


def _kinds() -> list[type[errors.SleepdError]]:
    """Every kind of error a user can meet, in the order of the code."""
    found = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.SleepdError)]
    return [kind for kind in found if kind is not errors.SleepdError]


def _first(kind: type[errors.SleepdError]) -> str:
    return _cell(inspect.cleandoc(kind.__doc__ or "").splitlines()[0].rstrip("."))


def _verb(path: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join([path, *(["[OPTIONS]"] if options else []), *(_named(p) for p in arguments)])
    rows = [f"| `{_named(p)}` | {_cell(p.help or '')} |" for p in arguments]
    rows += [f"| {_switches(p)} | {_cell(p.help or '')}{_by_default(p)} |" for p in options]
    table = ["| Option | Meaning |", "|---|---|", *rows] if rows else []
    inner = getattr(command, "commands", None)
    if inner is not None:
        own = ["", f"`{usage}` without one of the commands below takes these options:", "", *table] if table else []
        head = "\n".join(["", f"## {path}", "", _flat(command.help), *own, ""])
        return head + "".join(_verb(f"{path} {name}", one) for name, one in inner.items())
    level = "##" if path.count(" ") == 1 else "###"
    return "\n".join(
        ["", f"{level} {path}", "", f"`{usage}`", "", inspect.cleandoc(command.help or ""), "", *table, ""]
    )


def _named(parameter: Any) -> str:
    return parameter.metavar or f"{parameter.name}".upper()


def _switches(parameter: Any) -> str:
    kind = "" if parameter.is_flag else f" {parameter.name}".upper()
    return ", ".join(f"`{option}{kind}`" for option in parameter.opts)


def _by_default(parameter: Any) -> str:
    silent = parameter.is_flag or parameter.default in (None, "")
    return "" if silent else f" Default: `{parameter.default}`."


def _flat(text: str | None) -> str:
    return " ".join((text or "").split())


GLOSSARY_HEAD: Final = """\
# Glossary

<!-- Made by `make docs` from docs/vocabulary.py. Change it there. -->

One word for one thing, in the code as on the pages and in messages. The third column is where the word lives in the
code; a test looks it up. The last column names words that are not used for the thing.
"""


def glossary_page() -> str:
    """The words, by part of the subject."""
    head = ["| Word | Meaning | In the code | Not |", "|---|---|---|---|"]
    parts = (
        [
            "",
            f"## {part}",
            "",
            *head,
            *(f"| {t.word} | {_cell(t.meaning)} | `{t.at}` | {t.instead_of} |" for t in terms),
        ]
        for part, terms in VOCABULARY.items()
    )
    return GLOSSARY_HEAD + "\n".join(line for part in parts for line in part) + "\n"


ARCHITECTURE: Final = HERE / "explanation" / "architecture.md"
FLOORS: Final = re.compile(r"(<!-- floors: .*? -->\n).*?(<!-- end of floors -->)", re.DOTALL)
"""The part of the page on the architecture that is made; people write the rest."""


def architecture_page() -> str:
    """The page with the picture and the table of the floors as the contracts have them now."""
    shown = floors.floors()
    part = f"\n```mermaid\n{floors.mermaid(shown)}```\n\n{floors.table(shown)}\n"
    return FLOORS.sub(lambda found: f"{found[1]}{part}{found[2]}", ARCHITECTURE.read_text(encoding="utf-8"))


def floors_picture() -> str:
    """The picture of the floors for the site."""
    return floors.svg(floors.floors())


PAGES: Final[dict[str, Callable[[], str]]] = {
    "reference/settings.md": settings_page,
    "reference/cli.md": cli_page,
    "reference/exit-status.md": exit_page,
    "reference/glossary.md": glossary_page,
    "explanation/architecture.md": architecture_page,
    "explanation/floors.svg": floors_picture,
}
"""Path below docs/ -> what makes it."""


def stale() -> list[str]:
    """The pages that differ from what the code says now."""
    return [name for name, make in PAGES.items() if _written(HERE / name) != make()]


def _written(page: Path) -> str | None:
    return page.read_text(encoding="utf-8") if page.exists() else None


def main() -> None:
    """Write every page that is stale and name it."""
    for name in stale():
        (HERE / name).parent.mkdir(parents=True, exist_ok=True)
        (HERE / name).write_text(PAGES[name](), encoding="utf-8")
        sys.stdout.write(f"docs/{name}\n")


if __name__ == "__main__":
    main()
