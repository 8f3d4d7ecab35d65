"""The marketplace folder, from which agents read the plugin. One copy for all of them, in a place that no update
moves."""

from __future__ import annotations

import json
import os
import shutil
import sys
from importlib import resources
from pathlib import Path
from typing import Final

from sleepd.core.errors import MissingPart
from sleepd.settings.places import make_private

NAME: Final = "sleepd"
"""The marketplace and the plugin in it are called alike."""

PATH_FILE: Final = "sleepd-path"
"""In an installed plugin: the absolute path of the program that installed it, for agents whose PATH lacks it."""

PLUGIN: Final = "claude-code"
"""The plugin's folder in the marketplace."""


def source() -> Path:
    """The marketplace that came with this sleepd: packaged in a wheel, next to the package in a checkout. Raises
    `MissingPart` where there is none.
    """
    package = Path(str(resources.files("sleepd")))
    for folder in (package / "plugins", package.parent / "plugins"):
        if (folder / ".claude-plugin" / "marketplace.json").is_file():
            return folder
    raise MissingPart("this sleepd has no plugins folder; install it again from its wheel or its repository")


def program() -> Path:
    """The absolute path of the `sleepd` command of this installation. Raises `MissingPart` where there is none."""
    own = Path(sys.executable).parent
    found = shutil.which(NAME, path=str(own)) or shutil.which(NAME)
    if found is None:
        raise MissingPart(f"there is no command sleepd in {own} or on PATH; install sleepd with pip, pipx or uv")
    return Path(found).absolute()


def put(folder: Path) -> None:
    """Make `folder` a copy of this sleepd's marketplace. An agent that reads it meets the old one or the new one.

    Remains of an earlier, killed attempt are removed.
    """
    make_private(folder.parent)
    for left in folder.parent.glob(f".{folder.name}.*"):
        shutil.rmtree(left)
    fresh, old = (folder.with_name(f".{folder.name}.{word}") for word in ("new", "old"))
    _copy(source(), fresh)
    mark(fresh / PLUGIN)
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    if old.exists():
        shutil.rmtree(old)


def _copy(folder: Path, to: Path) -> None:
    """Contents only: rights of a read-only installation would keep the copy from ever being replaced."""
    for file in folder.rglob("*"):
        if file.is_file():
            place = to / file.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)


def mark(plugin: Path) -> None:
    """Note in a copy of the plugin its program; make its scripts executable."""
    (plugin / PATH_FILE).write_text(f"{program()}\n", encoding="utf-8")
    for part in ("bin", "hooks"):
        for file in (plugin / part).iterdir() if (plugin / part).is_dir() else ():
            if file.read_bytes().startswith(b"#!"):
                os.chmod(file, 0o755)  # noqa: S103, PTH101  as any program: it holds no secret


def remove(folder: Path) -> bool:
    """Take the copy away; whether there was one."""
    if not folder.exists():
        return False
    shutil.rmtree(folder)
    return True


def version(folder: Path) -> str | None:
    """The version of the plugin in a marketplace folder; None where there is none to be read."""
    try:
        held = json.loads((folder / PLUGIN / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    found = held.get("version") if isinstance(held, dict) else None
    return found if isinstance(found, str) else None
