"""Labels that a client made of its own sessions: Claude Code's `/insights` leaves a file for each one it looked at."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from sleepd.core.acts import ClientLabel
from sleepd.core.model import SessionId

_LARGEST = 65_536
_FAULTS = frozenset(
    [
        "misunderstood_request",
        "wrong_approach",
        "buggy_code",
        "user_rejected_action",
        "wrong_file_or_location",
        "excessive_changes",
    ]
)
"""Kinds of friction that are about the agent's work; the others are about tools, speed or the request."""
_NOT_SATISFIED = frozenset(["dissatisfied", "frustrated"])
_IS_SATISFIED = frozenset(["satisfied", "happy"])


def client_labels(sessions: Iterable[SessionId], home: Path, env: Mapping[str, str]) -> dict[SessionId, ClientLabel]:
    """The labels of these sessions, where their client made any. A file of another form is no label."""
    configured = env.get("CLAUDE_CONFIG_DIR")
    folder = (Path(configured) if configured else home / ".claude") / "usage-data" / "facets"
    if not folder.is_dir():
        return {}
    found = {}
    for session in sessions:
        agent, _, native = session.partition(":")
        if agent == "claude-code" and (label := _label(folder / f"{Path(native).name}.json")) is not None:
            found[session] = label
    return found


def _label(path: Path) -> ClientLabel | None:
    try:
        if path.stat().st_size > _LARGEST:
            return None
        facet = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None  # a hint that cannot be read is no hint
    if not isinstance(facet, dict):
        return None
    friction, mood = _counted(facet.get("friction_counts")), _counted(facet.get("user_satisfaction_counts"))
    if friction & _FAULTS or mood & _NOT_SATISFIED:
        return ClientLabel.FRICTION
    return ClientLabel.SATISFIED if mood & _IS_SATISFIED else None


def _counted(counts: object) -> frozenset[str]:
    """The names that were counted at least once."""
    if not isinstance(counts, dict):
        return frozenset()
    return frozenset(name for name, count in counts.items() if isinstance(count, int) and count > 0)
