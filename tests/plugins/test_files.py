"""The files outside Python call only commands that exist."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sleepd.app.cli import VERBS
from sleepd.skills.targets import frontmatter

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [p for p in sorted((ROOT / "plugins").rglob("*")) + sorted((ROOT / "systemd").iterdir()) if p.is_file()]
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


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("unit", ["sleepd.service", "sleepd-night.service", "sleepd-night.timer"])
def test_systemd_accepts_the_units(unit: str, tmp_path: Path) -> None:
    """`systemd-analyze verify` has nothing to say, once the command they name exists."""
    for source in (ROOT / "systemd").iterdir():
        text = source.read_text(encoding="utf-8").replace("%h/.local/bin/sleepd", "/bin/true")
        (tmp_path / source.name).write_text(text, encoding="utf-8")
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(tmp_path / unit)],
        env={"XDG_RUNTIME_DIR": str(runtime), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (0, "") == (done.returncode, done.stderr)
