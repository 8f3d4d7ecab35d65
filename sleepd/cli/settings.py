"""`sleepd config get` and `sleepd config set`."""

from __future__ import annotations

from typing import Annotated

import typer

from sleepd.cli.completing import setting_keys
from sleepd.cli.terminal import AsJson, show, show_json
from sleepd.core.errors import UsageError
from sleepd.settings import config
from sleepd.usecases import one_setting

app = typer.Typer(add_completion=False, rich_markup_mode=None, help="Read and change one setting: get, set.")


@app.command("get")
def get(
    key: Annotated[
        str | None,
        typer.Argument(
            metavar="[KEY]",
            help="A key, such as night.max_calls. Default: the keys that you set.",
            autocompletion=setting_keys,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a setting: value in force, its source, default and meaning. Without KEY: the settings that you set."""
    found = one_setting.settings_in_force(config.places(), key)
    if as_json:
        show_json(one_setting.as_json(found))
    else:
        show(one_setting.as_text(found))


@app.command("set")
def put(
    key: Annotated[str, typer.Argument(metavar="KEY", help="A key, such as night.at.", autocompletion=setting_keys)],
    value: Annotated[
        str | None, typer.Argument(metavar="[VALUE]", help="The new value; a list is written as a,b.")
    ] = None,
    default: Annotated[bool, typer.Option("--default", help="Take the key out of the file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Change a setting in your settings file; comments and all other lines stay.

    A value that the key does not take is refused, and the file is untouched.
    """
    if default == (value is not None):
        raise UsageError("give either a value or --default")
    places = config.places()
    one_setting.put(places, key, value)
    found = one_setting.settings_in_force(places, key)
    if as_json:
        show_json(one_setting.as_json(found))
    else:
        show(one_setting.as_text(found))
