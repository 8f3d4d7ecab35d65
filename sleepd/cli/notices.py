"""`sleepd notice`. An agent waits for this command at a session's start, so it imports nothing heavy."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from typing import Annotated

import typer

from sleepd.cli.terminal import AsJson, show, show_json
from sleepd.core.errors import SleepdError
from sleepd.host import clock
from sleepd.resident import notices
from sleepd.resident.notices import Notice
from sleepd.settings import config


class Hook(StrEnum):
    """The agents whose session-start hook can show a line to the user."""

    CLAUDE_CODE = "claude-code"


def notice(
    hook: Annotated[
        Hook | None,
        typer.Option(help="Print the output of this agent's session-start hook (claude-code); nothing on an error."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print today's notice, if there is one. A printed notice counts as shown.

    At most one notice a day is shown, on the desktop or here; the same notice returns after a week at the earliest.
    """
    if hook is not None:
        # The hook of a session's start must not fail; `sleepd doctor` names the fault. `claude -p`, the editor and the
        # desktop app run the hook as well and show nothing: the day's notice would be lost.
        with suppress(SleepdError, OSError):
            if config.in_terminal() and (said := _said()) is not None:
                # The one field of a hook's answer that Claude Code shows to the user and not to the model.
                show_json({"systemMessage": said.line})
        return
    said = _said()
    if as_json:
        show_json({"notice": None if said is None else {"kind": said.kind, "text": said.text}})
    elif said is not None:
        show(said.line)


def _said() -> Notice | None:
    return notices.say(config.places(), config.load(), clock.now())
