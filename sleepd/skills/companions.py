"""The files beside a SKILL.md that it names: agents read them, so rollouts and reflections have to as well.

Only text files of the skill's own folder, named in its SKILL.md by their path from there. They are read, never written.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from sleepd.core.errors import Conflict
from sleepd.core.redact import redact
from sleepd.skills import files
from sleepd.skills.targets import SKILL_FILE

MAX_CHARS = 20_000
"""Of all of them together, about 5,000 tokens."""
MAX_FILES = 12
"""Named files that are looked at."""

_NAMED = re.compile(r"(?<![\w/])(?:\./)?[\w][\w.-]*(?:/[\w.-]+)*\.(?:md|markdown|txt|rst|adoc)(?![\w/])", re.IGNORECASE)


def companions(path: Path, text: str) -> str:
    """The text of the files that the SKILL.md at `path` with this `text` names, each under its name; "" without any.

    At most `MAX_CHARS` characters of files, secrets taken out; a file that does not fit is named and left out whole, as
    is one that may not be read: a link, or no text.
    """
    if path.name != SKILL_FILE:
        return ""
    parts, left, seen = [], MAX_CHARS, 0
    folder = Path(os.path.realpath(path.parent))
    for name in dict.fromkeys(str(PurePosixPath(match)) for match in _NAMED.findall(text)):
        inside = Path(os.path.realpath(path.parent / name)).is_relative_to(folder)
        if ".." in name.split("/") or name == SKILL_FILE or not inside or not os.path.isfile(path.parent / name):  # noqa: PTH113  never raises
            continue
        seen += 1
        if seen > MAX_FILES:
            break
        try:
            file = files.read(path.parent / name)
        except Conflict:
            file = None  # a link, or no text: what cannot be shown is named without its text
        body = redact(file.text, files.MAX_BYTES).text if file is not None else None
        if body is None or len(body) > left:
            parts.append(f'<file name="{name}">(not shown here)</file>')
        else:
            parts.append(f'<file name="{name}">\n{body.strip()}\n</file>')
            left -= len(body)
    return "\n\n".join(parts)
