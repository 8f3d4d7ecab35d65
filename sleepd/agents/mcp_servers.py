"""The MCP server `sleepd mcp` in the files of Copilot CLI and VS Code, next to their other entries."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from harvesters.copilot_vscode import user_folders
from sleepd.agents import json_member
from sleepd.agents.marketplace import NAME, source
from sleepd.host.outfile import replace_file
from sleepd.settings.places import make_private


class Made(StrEnum):
    """The parts of a file that we added, and remove again."""

    ENTRY = "entry"
    CONTAINER = "container"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A file in which a client lists its servers."""

    client: str
    file: Path
    container: str

    @property
    def path(self) -> tuple[str, str]:
        return (self.container, NAME)


def places(env: Mapping[str, str], home: Path) -> tuple[Place, ...]:
    """Copilot CLI's file, and one for each edition of VS Code that was used here."""
    copilot = Path(env["COPILOT_HOME"]) if env.get("COPILOT_HOME") else home / ".copilot"
    return (
        Place(client="Copilot CLI", file=copilot / "mcp-config.json", container="mcpServers"),
        *(
            Place(client="VS Code", file=folder / "mcp.json", container="servers")
            for folder in dict.fromkeys(user_folders(env, home))
            if folder.is_dir()
        ),
    )


def entry(place: Place, program: Path) -> dict[str, object]:
    """The server as this client writes it: the entry of the plugin's file for it, with the program's whole path."""
    shipped = json.loads((source() / "copilot" / place.file.name).read_text(encoding="utf-8"))
    return {**shipped[place.container][NAME], "command": str(program)}


def snippet(place: Place, program: Path) -> str:
    """The entry for a person to add by hand, on one line."""
    return json.dumps({NAME: entry(place, program)}, ensure_ascii=False)


def add(place: Place, program: Path) -> Made | None:
    """Add the server to the file; the parts added for it, None when the server was there already. Of our own entry only
    the path is updated: options and variables that the user gave it stay. Raises `members.Unclear` when the file cannot
    be changed safely, or has a server of that name that is not ours.
    """
    before = _text(place.file)
    now = json_member.get(before or "", place.path)
    if now is not None and not _is_ours(now):
        raise json_member.Unclear(f"it has another server named {NAME}")
    wanted = {**now, "command": str(program)} if isinstance(now, dict) else entry(place, program)
    if now == wanted:
        return None
    made = Made.FILE if before is None else Made.ENTRY if json_member.has(before, place.container) else Made.CONTAINER
    _write(place.file, json_member.put(before or "", place.path, wanted))
    return None if now is not None else made


def remove(place: Place, made: Made) -> bool:
    """Remove the server, with the parts around it that `made` says we added; whether it was there.

    Raises `members.Unclear` when the file cannot be changed safely. Somebody else's server of that name stays.
    """
    before = _text(place.file)
    if before is None or not _is_ours(json_member.get(before, place.path)):
        return False
    after = json_member.drop(before, place.path, container=made is not Made.ENTRY)
    if made is Made.FILE and "".join(after.split()) in ("{}", ""):
        place.file.resolve().unlink()
    else:
        _write(place.file, after)
    return True


def is_there(place: Place) -> bool:
    """Whether the client's file names our server. Raises `members.Unclear`."""
    return _is_ours(json_member.get(_text(place.file) or "", place.path))


def may_name_it(place: Place) -> bool:
    """Whether a file that cannot be read strictly holds the name of our server somewhere."""
    return f'"{NAME}"'.encode() in place.file.read_bytes()


def _is_ours(value: object) -> bool:
    match value:
        case {"command": str(command), "args": [*_, "mcp"]}:
            return Path(command).stem == NAME
    return False


def _text(file: Path) -> str | None:
    """The file's text with its line ends as they are; None when there is no file. Raises `members.Unclear`."""
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise json_member.Unclear("it is not UTF-8") from None


def _write(file: Path, text: str) -> None:
    make_private(file.parent)
    replace_file(file.resolve(), text.encode("utf-8"))
