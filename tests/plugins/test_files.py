"""The files outside Python call only commands that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sleepd.app.cli import VERBS
from sleepd.skills.targets import frontmatter

ROOT = Path(__file__).resolve().parents[2]
UNITS = ROOT / "sleepd" / "app" / "service" / "units"
TEXTS = [p for p in [*sorted((ROOT / "plugins").rglob("*")), *sorted(UNITS.iterdir())] if p.is_file()]
PROSE = [*TEXTS, ROOT / "README.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]


def test_there_is_something_to_check() -> None:
    """The folders hold files."""
    assert 6 <= len(TEXTS)


@pytest.mark.parametrize("path", PROSE, ids=lambda p: p.name)
def test_every_command_named_in_a_file_exists(path: Path) -> None:
    """Each `sleepd VERB` in code is a verb of the command line."""
    text = path.read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|bin/)sleepd ([a-z][a-z-]+)", text))
    assert set() == named - set(VERBS)


def test_the_plugin_has_a_valid_manifest_and_skill() -> None:
    """The manifest is JSON with a name; the skill says when to load it."""
    manifest = json.loads((ROOT / "plugins/claude-code/.claude-plugin/plugin.json").read_text(encoding="utf-8"))
    skill = frontmatter((ROOT / "plugins/claude-code/skills/sleepd/SKILL.md").read_text(encoding="utf-8"))
    assert "sleepd" == manifest["name"] == skill["name"]
    assert skill["description"].startswith("Use when")
