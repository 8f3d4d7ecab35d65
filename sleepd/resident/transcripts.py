"""The transcripts on this machine from outside: their names, sizes and times. Reads none."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from sleepd import registry
from sleepd.settings import config
from sleepd.settings.settings import Settings

_ROOTS: Final = (
    "projects",
    "sessions",
    "archived_sessions",
    "session-state",
    "history-session-state",
    "workspaceStorage",
)
"""The folders below which agents make new ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """The result of one look at all transcripts."""

    files: int
    fingerprint: int
    """Differs from another look's, within one process, when a file was added, removed or written."""
    roots: tuple[Path, ...]
    """Their folders, so far up that a new project or a new day is below."""
    written: tuple[tuple[str, datetime], ...]
    """Agent and when it last wrote, UTC."""


def look(settings: Settings) -> Seen:
    """Look at the transcripts of the agents that the settings name, or of all known ones."""
    files, fingerprint = 0, 0
    folders: set[str] = set()
    written: dict[str, float] = {}
    for agent in settings.harvest.agents or registry.names(registry.HARVESTERS):
        for path in registry.harvester(agent).find(config.agent_env(), config.home()):
            try:
                status = path.stat()
            except OSError:
                # The file vanished this moment, or is unreadable; the harvest keeps that as a defect.
                continue
            # Plain texts: handling ten thousand paths as such takes half as long again.
            name = str(path)
            files += 1
            fingerprint ^= hash((name, status.st_mtime_ns, status.st_size))
            folders.add(os.path.dirname(name))  # noqa: PTH120
            written[agent] = max(written.get(agent, 0.0), status.st_mtime)
    return Seen(
        files=files,
        fingerprint=fingerprint,
        roots=tuple(sorted({_root(Path(folder)) for folder in folders})),
        written=tuple((agent, datetime.fromtimestamp(at, UTC)) for agent, at in written.items()),
    )


def _root(folder: Path) -> Path:
    return next((above for above in (folder, *folder.parents) if above.name in _ROOTS), folder)
