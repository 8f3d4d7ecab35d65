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


class AddedPart(StrEnum):
    """The parts of a file that we added, and remove again."""

    ENTRY = "entry"
    CONTAINER = "container"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFile:
    """A file in which a client lists its servers."""

    client: str
    file: Path
    container: str


def places(env: Mapping[str, str], home: Path) -> tuple[ServerFile, ...]:
    """Copilot CLI's file, and one for each edition of VS Code that was used here."""
    copilot = Path(env["COPILOT_HOME"]) if env.get("COPILOT_HOME") else home / ".copilot"
    return (
        ServerFile(client="Copilot CLI", file=copilot / "mcp-config.json", container="mcpServers"),
        *(
            ServerFile(client="VS Code", file=folder / "mcp.json", container="servers")
            for folder in dict.fromkeys(user_folders(env, home))
            if folder.is_dir()
        ),
    )


def entry(place: ServerFile, program: Path) -> dict[str, object]:
    """The server as this client writes it: the entry of the plugin's file for it, with the program's whole path."""
    shipped = json.loads((source() / "copilot" / place.file.name).read_text(encoding="utf-8"))
    return {**shipped[place.container][NAME], "command": str(program)}


def snippet(place: ServerFile, program: Path) -> str:
    """The entry for a person to add by hand, on one line."""
    return json.dumps({NAME: entry(place, program)}, ensure_ascii=False)


def add(place: ServerFile, program: Path) -> AddedPart | None:
    """Add the server to the file; the parts added for it, None when the server was there already. Of our own entry only
    the path is updated: options and variables that the user gave it stay.

    Raises `json_member.UnclearJson` when the file cannot be changed safely, or has somebody else's server of that name.
    """
    before = _text(place.file)
    now = json_member.get(before or "", place.container, NAME)
    if now is not None and not _is_ours(now):
        raise json_member.UnclearJson(f"it has another server named {NAME}")
    wanted = {**now, "command": str(program)} if isinstance(now, dict) else entry(place, program)
    if now == wanted:
        return None
    made = AddedPart.ENTRY if json_member.has(before or "", place.container) else AddedPart.CONTAINER
    made = AddedPart.FILE if before is None else made
    _write(place.file, json_member.put(before or "", place.container, NAME, wanted))
    return None if now is not None else made


def remove(place: ServerFile, made: AddedPart) -> bool:
    """Remove the server, with the parts around it that `made` says we added; whether it was there.

    Raises `json_member.UnclearJson` when the file cannot be changed safely. Somebody else's server of that name stays.
    """
    before = _text(place.file)
    if before is None or not _is_ours(json_member.get(before, place.container, NAME)):
        return False
    after = json_member.drop(before, place.container, NAME, emptied=made is not AddedPart.ENTRY)
    if made is AddedPart.FILE and "".join(after.split()) in ("{}", ""):
        place.file.resolve().unlink()
    else:
        _write(place.file, after)
    return True


def is_there(place: ServerFile) -> bool:
    """Whether the client's file names our server. Raises `json_member.UnclearJson`."""
    return _is_ours(json_member.get(_text(place.file) or "", place.container, NAME))


def may_name_it(place: ServerFile) -> bool:
    """Whether a file that cannot be read strictly holds the name of our server somewhere."""
    return f'"{NAME}"'.encode() in place.file.read_bytes()


def _is_ours(value: object) -> bool:
    match value:
        case {"command": str(command), "args": [*_, "mcp"]}:
            return Path(command).stem == NAME
    return False


def _text(file: Path) -> str | None:
    """The file's text with its line ends as they are; None when there is no file. Raises `json_member.UnclearJson`."""
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        raise json_member.UnclearJson("it is not UTF-8") from None


def _write(file: Path, text: str) -> None:
    make_private(file.parent)
    replace_file(file.resolve(), text.encode("utf-8"))
