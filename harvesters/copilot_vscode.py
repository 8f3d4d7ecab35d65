"""GitHub Copilot Chat in VS Code: chat sessions in the editor's user folder.

A session is a log of changes (`.jsonl`) or one JSON object (`.json`), and either is read whole when it changed: a log
cannot be replayed from the middle. The extension's own transcripts are read where no chat session is left.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from harvesters.copilot_cli import read_events
from harvesters.decode import Reason, loads
from harvesters.jsonl import Change, open_log
from harvesters.records import Cursor, Reading
from harvesters.values import text
from harvesters.vscode_log import replayed
from harvesters.vscode_parts import path_of
from harvesters.vscode_session import session_of

DEFAULT_CLIP = 16_512
_EDITIONS = ("Code", "Code - Insiders", "Code - Exploration", "VSCodium")
_SERVERS = (".vscode-server", ".vscode-server-insiders")
_CHATS = (
    "workspaceStorage/*/chatSessions",
    "globalStorage/emptyWindowChatSessions",
    "globalStorage/transferredChatSessions",
)
_TRANSCRIPTS = "workspaceStorage/*/GitHub.copilot-chat/transcripts"


class CopilotVSCode:
    """Reads chat sessions of VS Code, its Insiders edition and VSCodium, local and on remote hosts."""

    agent = "copilot-vscode"

    def find(self, env: Mapping[str, str], home: Path) -> Iterable[Path]:
        """Chat sessions in every user folder, each session once: logs before plain files, then the latest change.

        Server folders outside `home` (such as below /tmp) are not looked at: anybody may write there.
        """
        chosen: dict[str, Path] = {}
        transcripts: dict[str, Path] = {}
        for folder in user_folders(env, home):
            for pattern in _CHATS:
                for path in _files(folder, pattern, (".jsonl", ".json")):
                    _prefer(chosen, path)
            for path in _files(folder, _TRANSCRIPTS, (".jsonl",)):
                _prefer(transcripts, path)
        return sorted([*chosen.values(), *(path for name, path in transcripts.items() if name not in chosen)])

    def read(self, path: Path, cursor: Cursor | None = None, *, clip: int = DEFAULT_CLIP) -> Reading:
        """Read one session; see `records.Harvester.read`."""
        if path.parent.name == "transcripts":
            return read_events(self.agent, path, cursor, clip)
        with open_log(path, cursor) as log:
            if log.change in (Change.UNCHANGED, Change.UNREADABLE):
                return log.nothing()
            log.change, log.start = Change.WHOLE, 0
            if path.suffix == ".jsonl":
                state = replayed(record for _, record in log.objects())
            else:
                document = log.document()
                known = isinstance(document, dict) and isinstance(document.get("requests"), list)
                state = document if known else None
                if document is not None and state is None:
                    log.decoder.report(0, Reason.BAD_SHAPE)
            session = None if state is None else session_of(state, path.stem, workspace_of(path), clip)
            return Reading(session=session, defects=tuple(log.defects), cursor=log.cursor(), bytes_read=log.bytes_read)


def workspace_of(path: Path) -> str | None:
    """The folder (or workspace file) that a chat session in the workspace storage belongs to."""
    if path.parent.name != "chatSessions":
        return None
    try:
        described = loads(path.parent.with_name("workspace.json").read_bytes())
    except OSError:
        return None
    return path_of(text(described, "folder") or text(described, "workspace") or text(described, "configuration"))


def user_folders(env: Mapping[str, str], home: Path) -> Iterator[Path]:
    """Where any edition of VS Code may keep a user's settings; most of these folders are not there."""
    if env.get("VSCODE_PORTABLE"):
        yield Path(env["VSCODE_PORTABLE"]) / "user-data" / "User"
    bases = [
        Path(env["XDG_CONFIG_HOME"]) if env.get("XDG_CONFIG_HOME") else home / ".config",
        home / "Library" / "Application Support",
        Path(env["APPDATA"]) if env.get("APPDATA") else home / "AppData" / "Roaming",
    ]
    for base in bases:
        for edition in _EDITIONS:
            yield base / edition / "User"
    for server in _SERVERS:
        yield home / server / "data" / "User"


def _files(folder: Path, pattern: str, endings: tuple[str, ...]) -> list[Path]:
    storage = [*folder.glob(pattern)]
    return sorted(path for place in storage for path in place.glob("*") if path.suffix in endings)


def _prefer(chosen: dict[str, Path], path: Path) -> None:
    """Keep of one session's copies the log, and of two alike the one that changed last."""
    other = chosen.get(path.stem)
    if other is None or _rank(path) > _rank(other):
        chosen[path.stem] = path


def _rank(path: Path) -> tuple[bool, int]:
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        changed = 0
    return path.suffix == ".jsonl", changed
