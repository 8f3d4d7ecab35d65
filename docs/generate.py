"""Write the pages of `docs/reference` that are made from the code: `python -m docs.generate`, or `make docs`.

A test compares the pages with the code, so a page that lies fails the build.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sleepd.app import config
from sleepd.app.settings import section_classes

HERE: Final = Path(__file__).parent

Schema = dict[str, object]

SETTINGS_HEAD: Final = """\
# Settings

<!-- Made by `make docs` from sleepd/app/settings.py. Change it there. -->

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

Keys are read from the environment only: `SLEEPD_API_KEY` first, then the provider's usual variable ({keys}).
A key in the settings file is an error.

## Other variables

| Variable | Effect |
|---|---|
{own}

Where agents let their own folders be moved, sleepd follows: {agents}.
"""


def settings_page() -> str:
    """The reference of every setting, with what it means, its default and why it is the default."""
    head = SETTINGS_HEAD.format(
        keys=", ".join(f"`{variable}` for `{adapter}`" for adapter, variable in config.KEY_VARIABLES.items()),
        own="\n".join(f"| `{name}` | {effect} |" for name, effect in config.OWN_VARIABLES.items()),
        agents=", ".join(f"`{name}`" for name in config.AGENT_VARIABLES),
    )
    return head + "".join(_section(name) for name in section_classes())


def _section(name: str) -> str:
    cls = section_classes()[name]
    rows = [
        f"| `{key}` | {_form(name, key)} | {_default(field.default)} | {_cell(field.description or '')} |"
        for key, field in cls.model_fields.items()
    ]
    table = ["| Key | Value | Default | Meaning |", "|---|---|---|---|", *rows]
    return "\n".join(["", f"## [{name}]", "", inspect.cleandoc(cls.__doc__ or ""), "", *table, ""])


def _default(value: object) -> str:
    return "absent" if value is None else f"`{config.toml_value(value)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _form(section: str, key: str) -> str:
    """What kind of value the key takes, in words, from the schema pydantic makes of the class."""
    schema = section_classes()[section].model_json_schema()["properties"][key]
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


PAGES: Final[dict[str, Callable[[], str]]] = {"reference/settings.md": settings_page}
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
