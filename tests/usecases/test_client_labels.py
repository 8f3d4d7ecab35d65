"""Labels that a client made of its own sessions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sleepd.core.acts import Act, ClientLabel, probabilities
from sleepd.core.model import SessionId
from sleepd.usecases.client_labels import client_labels

SESSION = SessionId("claude-code:aaaa-1")


def facet(home: Path, content: object, name: str = "aaaa-1") -> None:
    folder = home / ".claude" / "usage-data" / "facets"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(content if isinstance(content, str) else json.dumps(content))


@pytest.mark.parametrize(
    ("content", "label"),
    [
        (
            {"friction_counts": {"wrong_approach": 2}, "user_satisfaction_counts": {"satisfied": 1}},
            ClientLabel.FRICTION,
        ),
        ({"friction_counts": {}, "user_satisfaction_counts": {"frustrated": 1, "happy": 1}}, ClientLabel.FRICTION),
        ({"friction_counts": {"tool_failed": 3}, "user_satisfaction_counts": {"happy": 1}}, ClientLabel.SATISFIED),
        ({"friction_counts": {"wrong_approach": 0}, "user_satisfaction_counts": {"likely_satisfied": 1}}, None),
        ({"friction_counts": None, "user_satisfaction_counts": [1]}, None),
        ([], None),
        ("{no json", None),
        ("[" * 100_000, None),
    ],
)
def test_a_session_is_labelled_by_its_file(tmp_path: Path, content: object, label: ClientLabel | None) -> None:
    """Friction that is about the agent's work counts; rubbish is no label."""
    facet(tmp_path, content)
    assert label == client_labels([SESSION], tmp_path, {}).get(SESSION)


def test_only_the_clients_own_sessions_are_looked_up(tmp_path: Path) -> None:
    """No folder, another agent, another session: no label. The configured folder counts."""
    assert {} == client_labels([SESSION], tmp_path, {})
    facet(tmp_path, {"user_satisfaction_counts": {"happy": 1}})
    assert {} == client_labels([SessionId("codex:aaaa-1"), SessionId("claude-code:bbbb")], tmp_path, {})
    assert {} == client_labels([SESSION], tmp_path, {"CLAUDE_CONFIG_DIR": str(tmp_path / "elsewhere")})
    there = client_labels([SESSION], tmp_path / "no", {"CLAUDE_CONFIG_DIR": str(tmp_path / ".claude")})
    assert {SESSION: ClientLabel.SATISFIED} == there


def test_a_label_is_a_weak_sign() -> None:
    """It moves the probability of a correction a little, in its direction."""
    plain = probabilities({"after edits": 1.0, "objects": 1.0})[Act.CORRECTION]
    more = probabilities({"after edits": 1.0, "objects": 1.0, ClientLabel.FRICTION.value: 1.0})[Act.CORRECTION]
    less = probabilities({"after edits": 1.0, "objects": 1.0, ClientLabel.SATISFIED.value: 1.0})[Act.CORRECTION]
    assert less < plain < more < plain + 0.15
