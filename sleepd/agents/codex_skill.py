"""The skill in Codex's own skills folder, for a Codex whose plugins are turned off."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from sleepd.agents.marketplace import NAME, PATH_FILE, PLUGIN, mark, source
from sleepd.core.errors import Conflict
from sleepd.settings.places import make_private


def folder(env: Mapping[str, str], home: Path) -> Path:
    """The folder in which Codex looks for the skill."""
    return (Path(env["CODEX_HOME"]) if env.get("CODEX_HOME") else home / ".codex") / "skills" / NAME


def is_there(place: Path) -> bool:
    """Whether our copy is there: the note of its program distinguishes it from somebody else's skill of that name."""
    return (place / PATH_FILE).is_file()


def put(place: Path) -> None:
    """Write the skill, or write it again. Raises `Conflict` when somebody else's skill of that name is there."""
    if place.exists() and not is_there(place):
        raise Conflict(f"{place} holds another skill named {NAME}; move it away and try again")
    make_private(place / "bin")
    plugin = source() / PLUGIN
    for kept, file in {"SKILL.md": "skills/sleepd/SKILL.md", "bin/sleepd": "bin/sleepd"}.items():
        shutil.copyfile(plugin / file, place / kept)
    mark(place)


def remove(place: Path) -> bool:
    """Remove the files that `put` wrote; whether they were there. Other files stay, with the folder."""
    if not is_there(place):
        return False
    for name in ("SKILL.md", "bin/sleepd", PATH_FILE):
        (place / name).unlink(missing_ok=True)
    for empty in (place / "bin", place):
        if not any(empty.iterdir()):
            empty.rmdir()
    return True
