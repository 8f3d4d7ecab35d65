"""A rule in the person's own words."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from sleepd.core.errors import UsageError
from sleepd.settings import config
from sleepd.usecases.editor import reworded

RULE = "Start with the ticket key."


def command(folder: Path, code: str) -> str:
    """An editor that does this to `file`."""
    script = folder / "an editor.py"
    script.write_text(f"import sys, pathlib\nfile = pathlib.Path(sys.argv[1])\n{code}\n")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(script))}"


def test_what_was_saved_without_the_hints(tmp_path: Path) -> None:
    """Other words, in more than one line."""
    editor = command(
        tmp_path, "file.write_text(file.read_text().replace('ticket', 'issue').replace('key.', 'key;\\nor none.'))"
    )
    assert "Start with the issue key;\nor none." == reworded(RULE, "SKILL.md", editor)


@pytest.mark.parametrize("code", ["file.write_text('')", "file.write_text('# only a remark\\n \\n')", "pass"])
def test_nothing_comes_of_an_emptied_or_untouched_text(tmp_path: Path, code: str) -> None:
    """None: the question is asked again."""
    assert reworded(RULE, "SKILL.md", command(tmp_path, code)) is None


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("file.unlink()", "cannot be read"),
        ("file.write_bytes(b'\\xff\\xfe')", "cannot be read"),
        ("sys.exit(3)", "ended with status 3"),
    ],
)
def test_what_an_editor_may_leave(tmp_path: Path, code: str, said: str) -> None:
    """One line that says what is wrong."""
    with pytest.raises(UsageError, match=said):
        reworded(RULE, "SKILL.md", command(tmp_path, code))


@pytest.mark.parametrize("editor", ["/nowhere/ed --wait", "'an open quote"])
def test_an_editor_that_is_none(editor: str) -> None:
    """The line says what to set."""
    with pytest.raises(UsageError, match="set VISUAL or EDITOR"):
        reworded(RULE, "SKILL.md", editor)


def test_visual_comes_before_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Empty ones do not count, and there is always one."""
    monkeypatch.setenv("VISUAL", " ")
    monkeypatch.setenv("EDITOR", "ed")
    assert "ed" == config.editor()
    monkeypatch.setenv("VISUAL", "code --wait")
    assert "code --wait" == config.editor()
    monkeypatch.delenv("VISUAL")
    monkeypatch.delenv("EDITOR")
    assert config.editor()
